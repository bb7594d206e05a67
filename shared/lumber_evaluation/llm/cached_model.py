"""A model whose completions are cached on disk, so that a repeated evaluation costs nothing.

The key is a digest of the model's identity, both texts of the prompt, and the allowed answers. The
prompt itself is not stored.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from lumber_core.cache import Cache, digest, read_row
from lumber_core.concurrency import SingleFlight, start_in_thread, until_finished
from lumber_core.llms.base import Answers, Completion, Model, check_model
from lumber_core.llms.retry import CallPolicy, RetryingModel
from lumber_core.lumber.prompt import NO_UNIT, label
from lumber_core.segmentation import Usage
from lumber_core.text.unicode import encodable

_KINDS = {"text": str, "prompt_tokens": int, "completion_tokens": int, "finish_reason": str}


class CompletionStore:
    """Completions in an SQLite file, safe to share between threads and processes.

    The file may also be that of an `AnswerStore`.

    Args:
        path: The file; created on first use if it does not exist.

    Raises:
        StoreError: On first use, if the file cannot be read and written, belongs to another program
            or has another format version.
    """

    def __init__(self, path: str | Path) -> None:
        self._cache = Cache(path, "completions")

    def get(
        self, model: str, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion | None:
        """Return a stored completion with its original token counts, or None.

        Raises:
            StoreError: The file cannot be used, or the entry cannot be read.
        """
        value = self._cache.get(_key(model, system, user, answers))
        return None if value is None else self._read(value)

    def put(
        self,
        model: str,
        system: str,
        user: str,
        completion: Completion,
        *,
        answers: Answers | None = None,
    ) -> None:
        """Store a completion; when this returns, it is on disk."""
        row = json.dumps(asdict(completion)).encode()
        self._cache.put(_key(model, system, user, answers), row)

    def usage(self) -> Usage:
        """Return the original cost of all stored completions."""
        return sum((_usage(self._read(value)) for _, value in self._cache.items()), Usage())

    def open(self) -> None:
        """Open the file now, so that a problem with it raises before any work."""
        self._cache.open()

    def close(self) -> None:
        """Close the file. The next use opens it again."""
        self._cache.close()

    def _read(self, value: bytes) -> Completion:
        with self._cache.reading("completion"):
            completion = Completion(**read_row(value))
            for name, kind in _KINDS.items():
                if type(getattr(completion, name)) is not kind:
                    raise TypeError(f"{name} must be {kind.__name__}")
            return completion

    def __len__(self) -> int:
        return len(self._cache)

    def __repr__(self) -> str:
        return f"CompletionStore({self._cache.name!r})"


class CachedModel:
    """Looks a prompt up in a store before it asks a model, and retries failed calls.

    A completion is on disk before it is returned. If two equal prompts are sent at the same time,
    one waits for the other's answer.

    Args:
        model: The model; its `identity` is part of the key.
        store: The store, or the path of its file. None stores nothing.
        policy: Retries and rate limits.

    Attributes:
        paid: Usage of the calls made through this object.
        known: Usage of the stored completions that were returned, at the time they were made.

    Raises:
        TypeError: `model` is not a `Model`.
    """

    def __init__(
        self,
        model: Model,
        store: CompletionStore | str | Path | None = None,
        *,
        policy: CallPolicy | None = None,
    ) -> None:
        check_model(model)
        self.policy = policy or CallPolicy()
        self.store = CompletionStore(store) if isinstance(store, str | Path) else store
        self.paid = self.known = Usage()
        self._given = model
        self._model = RetryingModel(model, self.policy)
        self._asked: SingleFlight[tuple[Completion, bool]] = SingleFlight()
        self._lock = Lock()

    @property
    def identity(self) -> str:
        """The identity of the model behind the store."""
        return self._given.identity

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Return the stored completion, or ask for it and store it.

        Raises:
            ModelSettingsError: The model rejects the key, its name or the settings.
            ModelUnavailableError: All attempts failed.
            StoreError: The store cannot be used.
        """
        return self.ask(system, user, answers=answers)[0]

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`."""

        async def find() -> tuple[Completion, bool]:
            known = await start_in_thread(self._stored, system, user, answers)
            if known is not None:
                return known, False
            completion = await self._model.acomplete(system, user, answers=answers)
            # A received answer is stored even if the caller is cancelled.
            keep = start_in_thread(self._keep, system, user, answers, completion)
            return await until_finished(keep), True

        found, mine = await self._asked.aonce(_key(self.identity, system, user, answers), find)
        return self._count(*found, mine=mine)[0]

    def ask(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> tuple[Completion, Usage]:
        """Like `complete`, but also return the usage of this call: zero if it was stored."""

        def find() -> tuple[Completion, bool]:
            known = self._stored(system, user, answers)
            if known is not None:
                return known, False
            completion = self._model.complete(system, user, answers=answers)
            return self._keep(system, user, answers, completion), True

        found, mine = self._asked.once(_key(self.identity, system, user, answers), find)
        return self._count(*found, mine=mine)

    def _stored(self, system: str, user: str, answers: Answers | None) -> Completion | None:
        if self.store is None:
            return None
        return self.store.get(self.identity, system, user, answers=answers)

    def _keep(
        self, system: str, user: str, answers: Answers | None, completion: Completion
    ) -> Completion:
        completion = replace(completion, text=encodable(completion.text))
        if self.store is not None:
            self.store.put(self.identity, system, user, completion, answers=answers)
        return completion

    def _count(
        self, completion: Completion, asked: bool, *, mine: bool
    ) -> tuple[Completion, Usage]:
        usage = _usage(completion)
        with self._lock:
            if asked and mine:
                self.paid += usage
                return completion, usage
            self.known += usage
            return completion, Usage()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(CachedModel, policy=self.policy), (self._given, self.store)

    def __repr__(self) -> str:
        return f"CachedModel({self._model!r}, {self.store!r})"


def as_cached(
    model: Model,
    store: CompletionStore | str | Path | None = None,
    policy: CallPolicy | None = None,
) -> CachedModel:
    """Return a `CachedModel` over a model, or the model itself if it is one.

    Raises:
        TypeError: `model` is not a `Model`.
        ValueError: It is a `CachedModel`, and a store or a policy is also given.
    """
    if not isinstance(model, CachedModel):
        return CachedModel(model, store, policy=policy)
    if store is not None or policy is not None:
        raise ValueError("a CachedModel has its own store and policy: pass them to it")
    return model


def _key(model: str, system: str, user: str, answers: Answers | None) -> str:
    """Return the digest of what determines a completion."""
    allowed = () if answers is None else answers.allowed
    # Lumber's answers are keyed by their numbers, as in stores written before they were strings.
    parts = [answer.removeprefix(label("")) for answer in allowed if answer != NO_UNIT]
    return digest(model, system, user, ",".join(parts))


def _usage(completion: Completion) -> Usage:
    return Usage(1, completion.prompt_tokens, completion.completion_tokens)
