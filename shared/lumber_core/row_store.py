"""JSON rows in a cache: what stores of verdicts and of completions have in common."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from lumber_core.errors import StoreError


class ByteCache(Protocol):
    """Bytes under string keys: a `Cache`, or anything that keeps them elsewhere."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    def open(self) -> None:
        """Open it now, so that a problem with it raises before any work."""
        ...

    def close(self) -> None:
        """Close what was opened; the next use opens it again."""
        ...

    def __len__(self) -> int: ...


C = TypeVar("C", bound=ByteCache)


class RowStore(Generic[C]):
    """JSON rows of one kind in a cache: the base of stores.

    Args:
        cache: The cache.
    """

    _row: ClassVar[str]
    """What a row is, for messages."""

    def __init__(self, cache: C) -> None:
        self._cache = cache

    @property
    def name(self) -> str:
        """The path of the file, or the name of the store's class."""
        return self._cache.name

    def open(self) -> None:
        """Open the store now, so that a problem with it raises before any work.

        Raises:
            StoreError: As on first use.
        """
        self._cache.open()

    def close(self) -> None:
        """Close the file, if it is one. The next use opens it again."""
        self._cache.close()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Turn errors about a stored row into a StoreError."""
        try:
            yield
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(
                f"the store {self.name} contains a damaged {self._row}: {error!r}. Move the store "
                "away, or pass another one"
            ) from error

    def __len__(self) -> int:
        return len(self._cache)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def read_row(value: bytes) -> dict[str, Any]:
    """Return the JSON object in a value.

    Raises:
        ValueError: It is something else.
    """
    try:
        row = json.loads(value)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError(f"expected a JSON object, found {type(row).__name__}")
    return row
