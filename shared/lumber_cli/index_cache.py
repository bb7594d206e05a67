"""The indexes that `ask` and `mcp` keep in the user's cache folder for later questions."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from lumber_cli.file_index import FileIndex
from lumber_cli.inputs import STDIN, Inputs
from lumber_cli.options import say
from lumber_core.errors import StoreError
from lumber_core.storage.database import UnusableError
from lumber_core.support.identity import digest
from lumber_retrieval.embedders import Embedder
from lumber_retrieval.index.embedded_texts import OtherModelError
from lumber_retrieval.index.store import PassageStore

MAX_CACHE_BYTES = 2_000_000_000
"""Maximum bytes of all indexes in the cache (about 1.5 million chunks)."""
MAX_UNUSED_DAYS = 90
"""Days without use after which an index is removed from the cache."""
_SUFFIXES = ("", "-journal")  # of an index, and of the journal that an interrupted write leaves


class CachedIndex(NamedTuple):
    """An index in the cache: its file, the bytes it takes, and when it was last used."""

    path: Path
    size: int
    used: float  # seconds since 1970

    @property
    def subject(self) -> str:
        """The folder that contains all of its files, or why the index is unusable."""
        try:
            sources = PassageStore(self.path).sources()
        except StoreError as error:
            return f"unusable: {error}"
        return os.path.commonpath(sources) if sources else "no file"


def cache_path(paths: Iterable[str], encoding: str | None, model: Embedder | None = None) -> Path:
    """Return the path of the index of some files and folders, the same for each command."""
    parts = [str(Path(path).resolve()) for path in paths] + ([model.identity] if model else [])
    return _folder() / f"{digest(*sorted([*parts, repr(encoding)]))[:16]}.db"


def make_folder(path: Path) -> None:
    """Make the folder of an index. Only the user may read the cache folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.parent == _folder():
        path.parent.chmod(0o700)


def cached_indexes() -> list[CachedIndex]:
    """Return the indexes in the cache, most recently used first."""
    indexes = []
    for path in _folder().glob("*.db"):
        with suppress(OSError):  # another process has just removed it
            status = path.stat()
            size = sum(file.stat().st_size for file in _files(path) if file.exists())
            indexes.append(CachedIndex(path, size, status.st_mtime))
    return sorted(indexes, key=lambda index: index.used, reverse=True)


def remove_index(path: Path) -> None:
    """Remove an index from the cache."""
    for file in _files(path):
        file.unlink(missing_ok=True)


def open_updated(
    inputs: Inputs, model: Embedder | None, show_first: Callable[[FileIndex], object] | None = None
) -> tuple[FileIndex, str]:
    """Update and return the cached index of some files, and its path if it is new, or "".

    An index that is damaged, or of another version or embedding model, is rebuilt. Without a
    usable cache folder, or if the disk fails, the index is temporary. Messages report both.
    `show_first` is that of `FileIndex.update`.
    """
    encoding = inputs.options.encoding
    path = cache_path([path for path in inputs.paths if path != STDIN], encoding, model)

    def update(place: Path | None) -> FileIndex:
        inputs.failed.clear()  # all files are read, perhaps again
        index = FileIndex(place, encoding, model)
        index.check()
        index.update(inputs, show_first=show_first)
        return index

    try:
        make_folder(path)
        is_new = not path.exists()
        try:
            index = update(path)
        except (UnusableError, OtherModelError) as error:
            say(f"the index in the cache is rebuilt: {error}")
            remove_index(path)
            index = update(path)
        path.chmod(0o600)
        os.utime(path)
        _prune(path)
    except (OSError, StoreError) as error:
        say(f"the index is not kept: {error}")
        return update(None), ""
    return index, str(path) if is_new else ""


def _prune(current: Path) -> None:
    """Remove indexes that are unused for long, or that no longer fit in the size of the cache."""
    oldest = time.time() - MAX_UNUSED_DAYS * 24 * 3600
    total = 0
    for index in cached_indexes():
        total += index.size
        if index.path != current and (index.used < oldest or total > MAX_CACHE_BYTES):
            with suppress(OSError):  # Windows keeps files that are in use
                remove_index(index.path)


def _files(path: Path) -> Iterator[Path]:
    return (path.with_name(path.name + suffix) for suffix in _SUFFIXES)


def _folder() -> Path:
    from platformdirs import user_cache_path  # deferred: --index needs none

    return user_cache_path("lumber-splitters") / "indexes"
