"""Stores that several machines share, such as Redis, with the contract of `cache`.

Two kinds of stores are recognised by their methods, so that no framework is imported: LangChain's
`BaseStore[str, bytes]` and LlamaIndex's `BaseKVStore`, which is adapted to the first. Only
synchronous methods are called; asynchronous splitters call them in threads, so one store serves
every event loop.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

from lumber_core.calls.forks import ForkSafeLock, renew_after_fork
from lumber_core.calls.threads import batches
from lumber_core.errors import StoreError
from lumber_core.storage.cache import CACHE_FORMAT, KeyValueCache
from lumber_core.support.secrets import redact, without_secrets

_KEYS_PER_REQUEST = 500
_METHODS = (("mget", "mset", "mdelete", "yield_keys"), ("get", "put", "delete", "get_all"))


class _ByteStore(Protocol):
    """Bytes under string keys: the part of LangChain's `BaseStore` that is used.

    When `mset` returns, other processes can read the values.
    """

    def mget(self, keys: Sequence[str], /) -> Sequence[bytes | None]: ...
    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]], /) -> None: ...
    def mdelete(self, keys: Sequence[str], /) -> None: ...
    def yield_keys(self) -> Iterator[str]: ...


class _DictStore(Protocol):
    """Dictionaries under string keys in collections: LlamaIndex's `BaseKVStore`."""

    def get(self, key: str, collection: str, /) -> dict[Any, Any] | None: ...
    def put(self, key: str, val: dict[Any, Any], collection: str, /) -> None: ...
    def delete(self, key: str, collection: str, /) -> bool: ...
    def get_all(self, collection: str, /) -> dict[str, dict[Any, Any]]: ...


SharedStore: TypeAlias = _ByteStore | _DictStore | Callable[[], _ByteStore | _DictStore]
"""A store of LangChain or LlamaIndex, or a function that opens one."""


class SharedCache(KeyValueCache):
    """Bytes under string keys, in a store that may hold other things too.

    Keys start with the kind and the version of the format, so another version neither reads nor
    overwrites them. `close` does nothing: connections belong to the caller that opened the store.

    Args:
        store: The store, or a function without arguments that opens it. A function is called on
            first use in each process. To pickle a splitter whose store cannot be pickled, pass a
            function.
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
        self._argument = store
        self._kind = kind
        # Not the store's `repr`, which may contain credentials.
        self.name = getattr(store, "__qualname__", type(store).__qualname__)
        self._lock = ForkSafeLock()
        self._forget_store()
        renew_after_fork(self, SharedCache._forget_store)

    def _forget_store(self) -> None:
        self._store: _ByteStore | None = None

    def get_many(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the values stored under some of `keys`; unknown keys are left out."""
        stored: dict[str, bytes] = {}
        for batch in batches(keys, _KEYS_PER_REQUEST):
            with self._use_store() as store:
                values = store.mget([self._prefix + key for key in batch])
            for key, value in zip(batch, values, strict=True):
                if value is not None:
                    stored[key] = self._bytes(value)
        return stored

    def put_many(self, values: Mapping[str, bytes]) -> None:
        """Store values, replacing earlier ones."""
        if values:
            with self._use_store() as store:
                store.mset([(self._prefix + key, value) for key, value in values.items()])

    def delete(self, keys: Iterable[str]) -> None:
        """Remove the values stored under `keys`, if there are any."""
        names = [*keys]
        if names:  # Redis rejects an empty list
            with self._use_store() as store:
                store.mdelete([self._prefix + key for key in names])

    def items(self) -> Iterable[tuple[str, bytes]]:
        """Return all keys with their values, in no particular order."""
        # The argument prefix= has different meanings: for Redis, it is a pattern.
        with self._use_store() as store:
            keys = [key for key in store.yield_keys() if key.startswith(self._prefix)]
        return self.get_many(key.removeprefix(self._prefix) for key in keys).items()

    @contextmanager
    def _use_store(self) -> Iterator[_ByteStore]:
        try:
            yield self._open_store()
        except StoreError:
            raise
        except Exception as error:
            redact(error)
            raise StoreError(
                f"the store {self.name} cannot be used: {type(error).__name__}: "
                f"{without_secrets(str(error))}"
            ) from error

    def _open_store(self) -> _ByteStore:
        with self._lock:
            if self._store is None:
                argument: Any = self._argument
                store = argument if _is_store(argument) else argument()
                if not _is_store(store):
                    raise StoreError(
                        f"{self.name} returned {type(store).__name__}, not a store with mget and "
                        "mset, or with get_all and put"
                    )
                # Redis, file names and paths allow this prefix.
                self._prefix = f"lumber-splitters/{self._kind}/{CACHE_FORMAT}/"
                if not hasattr(store, "mget"):
                    # Some databases reject other characters in names.
                    name = f"lumber_splitters_{self._kind}_{CACHE_FORMAT}"
                    store, self._prefix = _Collection(store, name), ""
                self._store = store
            return self._store

    def _bytes(self, value: object) -> bytes:
        if isinstance(value, str):  # some clients decode the values that they read
            return value.encode()
        if isinstance(value, bytes | bytearray | memoryview):
            return bytes(value)
        raise StoreError(
            f"the store {self.name} contains a damaged value: {type(value).__name__}, not bytes"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            pickle.dumps(self._argument)
        except Exception as error:
            raise TypeError(
                f"the store {self.name} cannot be pickled ({error}): pass a function, defined at "
                "the top of a module, that returns the store"
            ) from error
        return SharedCache, (self._argument, self._kind)


def _is_store(value: object) -> bool:
    if isinstance(value, type):  # a class is a function that returns a store
        return False
    return any(all(callable(getattr(value, name, None)) for name in names) for names in _METHODS)


class _Collection:
    """Adapts a collection in a store of LlamaIndex to `_ByteStore`."""

    def __init__(self, store: _DictStore, name: str) -> None:
        self._store = store
        self._name = name

    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        rows = [self._store.get(key, self._name) for key in keys]
        # Latin-1 maps each byte to a character, so that any bytes fit into JSON.
        return [None if row is None else str(row["value"]).encode("latin-1") for row in rows]

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        for key, value in key_value_pairs:
            self._store.put(key, {"value": value.decode("latin-1")}, self._name)

    def mdelete(self, keys: Sequence[str]) -> None:
        for key in keys:
            self._store.delete(key, self._name)

    def yield_keys(self) -> Iterator[str]:
        return iter(self._store.get_all(self._name))
