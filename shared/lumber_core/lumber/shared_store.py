"""Stores that several machines share, such as Redis, with the contract of `lumber_core.cache`.

Two kinds of stores are recognised by their methods, so that no framework is imported: LangChain's
`BaseStore[str, bytes]` and LlamaIndex's `BaseKVStore`. The first is the protocol, and the second is
mapped onto it. Only synchronous methods are called; asynchronous splitters call them in threads, so
one store serves every event loop.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from threading import Lock
from typing import Any, Protocol, TypeAlias

from lumber_core.cache_file import CACHE_FORMAT
from lumber_core.errors import StoreError
from lumber_core.forks import renew_after_fork
from lumber_core.llms.failures import redact, redacted

_KEYS_AT_ONCE = 500
_METHODS = (("mget", "mset", "mdelete", "yield_keys"), ("get", "put", "delete", "get_all"))


class ByteStore(Protocol):
    """Bytes under string keys: the part of LangChain's `BaseStore` that is used."""

    def mget(self, keys: Sequence[str], /) -> Sequence[bytes | None]:
        """Return the value of each key, or None."""
        ...

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]], /) -> None:
        """Store values; when this returns, other processes can read them."""
        ...

    def mdelete(self, keys: Sequence[str], /) -> None:
        """Remove values."""
        ...

    def yield_keys(self) -> Iterator[str]:
        """Yield all keys."""
        ...


class DictStore(Protocol):
    """Dictionaries under string keys in collections: LlamaIndex's `BaseKVStore`."""

    def get(self, key: str, collection: str, /) -> dict[Any, Any] | None:
        """Return the value of a key, or None."""
        ...

    def put(self, key: str, val: dict[Any, Any], collection: str, /) -> None:
        """Store a value; when this returns, other processes can read it."""
        ...

    def delete(self, key: str, collection: str, /) -> bool:
        """Remove a value."""
        ...

    def get_all(self, collection: str, /) -> dict[str, dict[Any, Any]]:
        """Return all values of a collection."""
        ...


SharedStore: TypeAlias = ByteStore | DictStore | Callable[[], ByteStore | DictStore]
"""A store of LangChain or LlamaIndex, or a function that opens one."""


class SharedCache:
    """Bytes under string keys, in a store that may hold other things too.

    Keys start with the kind and the version of the format, so another version neither reads nor
    overwrites them.

    Args:
        store: The store, or a function without arguments that opens it. A function is called on
            first use in each process; it is needed if the store cannot be pickled, but the splitter
            has to be.
        kind: Kind of the values, such as "verdicts".

    Raises:
        TypeError: `store` is none of these.
        StoreError: On any use, if the store raises.
    """

    def __init__(self, store: SharedStore, kind: str) -> None:
        if not callable(store) and not _is_store(store):
            raise TypeError(
                "store must be a path, a store with the methods of LangChain's BaseStore (mget, "
                "mset, mdelete, yield_keys) or of LlamaIndex's BaseKVStore (get, put, delete, "
                f"get_all), or a function that returns one, not {type(store).__name__}"
            )
        self._given = store
        self._kind = kind
        self._start()

    def _start(self) -> None:
        self._lock = Lock()
        self._store: ByteStore | None = None
        renew_after_fork(self, SharedCache._start)

    @property
    def name(self) -> str:
        """The name of the store's class or of the function; its settings may hold credentials."""
        return getattr(self._given, "__qualname__", type(self._given).__qualname__)

    def get(self, key: str) -> bytes | None:
        """Return the value stored under `key`, or None."""
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the values stored under some of `keys`; unknown keys are left out."""
        found: dict[str, bytes] = {}
        left = iter(keys)
        while some := list(islice(left, _KEYS_AT_ONCE)):
            with self._using() as store:
                values = store.mget([self._prefix + key for key in some])
            for key, value in zip(some, values, strict=True):
                if value is not None:
                    found[key] = self._bytes(value)
        return found

    def put_many(self, values: Mapping[str, bytes]) -> None:
        """Store values, replacing earlier ones."""
        if values:
            with self._using() as store:
                store.mset([(self._prefix + key, value) for key, value in values.items()])

    def delete(self, keys: Iterable[str]) -> int:
        """Remove the values stored under `keys`.

        Returns:
            The number of values removed.
        """
        known = [*self.get_many(keys)]
        if known:
            with self._using() as store:
                store.mdelete([self._prefix + key for key in known])
        return len(known)

    def items(self) -> Iterator[tuple[str, bytes]]:
        """Yield all keys with their values, in no particular order."""
        # Stores disagree about what their own prefix= means, and Redis reads it as a pattern.
        with self._using() as store:
            keys = [key for key in store.yield_keys() if key.startswith(self._prefix)]
        yield from self.get_many(key.removeprefix(self._prefix) for key in keys).items()

    def open(self) -> None:
        """Read from the store now, so that a problem with it raises before any work.

        Raises:
            StoreError: It cannot be read.
        """
        self.get("open")

    def close(self) -> None:
        """Do nothing: connections belong to the caller that opened the store."""

    def __len__(self) -> int:
        return sum(1 for _ in self.items())

    @property
    def _prefix(self) -> str:
        # Allowed in Redis, in file names and in paths.
        return f"lumber-splitters/{self._kind}/{CACHE_FORMAT}/"

    @contextmanager
    def _using(self) -> Iterator[ByteStore]:
        try:
            yield self._opened()
        except StoreError:
            raise
        except Exception as error:
            redact(error)
            raise StoreError(
                f"the store {self.name} cannot be used: {type(error).__name__}: "
                f"{redacted(str(error))}"
            ) from error

    def _opened(self) -> ByteStore:
        with self._lock:
            if self._store is None:
                given: Any = self._given
                store = given if _is_store(given) else given()
                if not _is_store(store):
                    raise StoreError(
                        f"{self.name} returned {type(store).__name__}, not a store with mget and "
                        "mset, or with get_all and put"
                    )
                is_flat = hasattr(store, "mget")
                self._store = store if is_flat else _Collection(store, self._prefix)
            return self._store

    def _bytes(self, value: object) -> bytes:
        if isinstance(value, str):  # clients that decode what they read
            return value.encode()
        if isinstance(value, bytes | bytearray | memoryview):
            return bytes(value)
        raise StoreError(
            f"the store {self.name} contains a damaged value: {type(value).__name__}, not bytes"
        )

    def __getstate__(self) -> dict[str, Any]:
        try:
            pickle.dumps(self._given)
        except Exception as error:
            raise TypeError(
                f"the store {self.name} cannot be pickled ({error}): pass a function, defined at "
                "the top of a module, that returns the store"
            ) from error
        return {"_given": self._given, "_kind": self._kind}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def __repr__(self) -> str:
        return f"SharedCache({self.name}, {self._kind!r})"


def _is_store(value: object) -> bool:
    if isinstance(value, type):  # called without arguments, it makes a store
        return False
    return any(all(callable(getattr(value, name, None)) for name in names) for names in _METHODS)


class _Collection:
    """A store of LlamaIndex as a `ByteStore`, whose keys all start with `prefix`.

    The prefix is in the name of the collection, without the characters that some databases do not
    allow in names.
    """

    def __init__(self, store: DictStore, prefix: str) -> None:
        self._store = store
        self._prefix = prefix
        self._name = prefix.rstrip("/").replace("-", "_").replace("/", "_")

    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        found = [self._store.get(self._bare(key), self._name) for key in keys]
        # Latin-1 gives each byte its own character, so that any bytes fit into JSON.
        return [None if row is None else str(row["value"]).encode("latin-1") for row in found]

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        for key, value in key_value_pairs:
            self._store.put(self._bare(key), {"value": value.decode("latin-1")}, self._name)

    def mdelete(self, keys: Sequence[str]) -> None:
        for key in keys:
            self._store.delete(self._bare(key), self._name)

    def yield_keys(self) -> Iterator[str]:
        return (self._prefix + key for key in self._store.get_all(self._name))

    def _bare(self, key: str) -> str:
        return key.removeprefix(self._prefix)
