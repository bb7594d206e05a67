"""Writes a file beside its destination, which is replaced in one step or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a file to write, in the same folder, which replaces `path` when the block ends.

    If the block raises, an existing file is unchanged and the new file is deleted. A process that
    is killed leaves the new file, whose name ends in `.part`. For a link, the target is replaced. A
    path that is not a regular file, such as `/dev/stdout` or a named pipe, is written to directly.

    Args:
        path: The file.

    Raises:
        OSError: The folder does not exist, or cannot be written to.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    # Not a process ID: threads share one, and containers often have the same.
    part = path.with_name(f"{path.name}.{uuid4().hex}.part")
    try:
        yield part
        if path.exists():
            shutil.copymode(path, part)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def check_output(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Raise unless a file can be written without overwriting an input.

    Args:
        path: The file to write.
        inputs: Files that are read.

    Raises:
        ValueError: It is a folder, its folder does not exist, or it is an input, even under another
            name. The message states what to do.
    """
    if path.is_dir():
        raise ValueError(f"{path} is a folder: expected the name of a file to write")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}; create it first")
    for source in inputs:
        if path.is_file() and source.exists() and path.samefile(source):
            raise ValueError(f"{path} would be read and overwritten: write to another file")
