"""Writes a file beside its place, so that what is there is replaced whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a file to write, in the same folder, which replaces `path` when the block ends.

    If the block raises, an existing file is left as it was, and nothing else remains; a process
    that is killed leaves the file beside it, which ends in `.part`. A link stays one: the file that
    it leads to is replaced. What is no regular file, such as `/dev/stdout` or a named pipe, is
    written to directly.

    Args:
        path: The file.

    Raises:
        OSError: The folder does not exist, or cannot be written to.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    # Process ids would not do: threads share one, and in containers they are often the same.
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
    """Raise unless a file can be written, and is none of those that are read.

    Args:
        path: The file to write.
        inputs: Files that are read.

    Raises:
        ValueError: It is a folder, its folder does not exist, or it is an input, under whatever
            name. The message says what to do.
    """
    if path.is_dir():
        raise ValueError(f"{path} is a folder: expected the name of a file to write")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}; create it first")
    for each in inputs:
        if path.is_file() and each.exists() and path.samefile(each):
            raise ValueError(f"{path} would be read and overwritten: write to another file")
