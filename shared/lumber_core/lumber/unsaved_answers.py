"""Answers that could not be written to a store's file by the end of a run: a file beside it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from glob import escape
from pathlib import Path
from uuid import uuid4

from lumber_core.cache import Cache
from lumber_core.errors import StoreError

_MARK = ".unsaved-"
_ID_LENGTH = 12


class UnsavedAnswers:
    """The files beside a store with what could not be written to it.

    Args:
        path: The store's file.
        kind: Kind of the values; see `Cache`.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self._path = path
        self._kind = kind
        self._written: Path | None = None

    def write(self, values: Mapping[str, bytes]) -> Path:
        """Write values, in place of those written before, and return the file.

        Raises:
            StoreError: That is not possible either.
        """
        name = f"{self._path.name}{_MARK}{uuid4().hex[:_ID_LENGTH]}"
        written = self._written or self._path.with_name(name)
        part = written.with_name(f"{written.name}.part")
        cache = Cache(part, self._kind)
        try:
            cache.put_many(values)
            cache.close()
            part.replace(written)  # so that what another process takes over is complete
        except (StoreError, OSError) as error:
            cache.close()
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise StoreError(str(error)) from error
        self._written = written
        return written

    def discard(self) -> None:
        """Remove the file that was written, if there is one: its values are in the store now."""
        if self._written is not None:
            self._written.unlink(missing_ok=True)
            self._written = None

    def take_over(self, store: Cache) -> None:
        """Write the values of all such files to the store, and remove the files.

        Raises:
            StoreError: A file, or the store, cannot be used.
        """
        pattern = escape(f"{self._path.name}{_MARK}") + "[0-9a-f]" * _ID_LENGTH
        for left in sorted(self._path.parent.glob(pattern)):
            cache = Cache(left, self._kind)
            store.put_many(dict(cache.items()))
            cache.close()
            left.unlink(missing_ok=True)  # another process may have done the same
