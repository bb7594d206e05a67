"""A model whose completions are cached on disk, so that a repeated evaluation costs nothing.

The key is a digest of the model's identity, both texts of the prompt, and the choices. The prompt
itself is not stored.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from lumber_core.cache import Cache, digest
from lumber_core.concurrency import SingleFlight, start_in_thread, until_finished
from lumber_core.llms.base import Completion, Model, check_model
from lumber_core.llms.retry import CallPolicy, RetryingModel
from lumber_core.row_store import RowStore, read_row
from lumber_core.segmentation import Usage
from lumber_core.text.unicode import encodable

_KINDS = {"text": str, "prompt_tokens": int, "completion_tokens": int, "finish_reason": str}

_Prompt = tuple[str, str, Sequence[int]]  # system text, user text and choices


class CompletionStore(RowStore[Cache]):
    """Completions in an SQLite file, safe to share between threads and processes.

    The file may also be that of an `AnswerStore`.

    Args:
        path: The file; created on first use if it does not exist.

    Raises:
        StoreError: On first use, if the file is damaged, belongs to another program or has another
            format version. The file is left unchanged.
    """

    _row: ClassVar[str] = "completion"

    def __init__(self, path: str | Path) -> None:
        super().__init__(Cache(path, "completions"))

    def get(
        self, model: str, system: str, user: str, *, choices: Sequence[int] = ()
    ) -> Completion | None:
        """Return a stored completion with its original token counts, or None.

        Raises:
            StoreError: The file cannot be used, or the entry cannot be read.
        """
        value = self._cache.get(_key(model, (system, user, choices)))
        return None if value is None else self._read(value)

    def put(
        self,
        model: str,
        system: str,
        user: str,
        completion: Completion,
        *,
        choices: Sequence[int] = (),
    ) -> None:
        """Store a completion; when this returns, it is on disk."""
        value = json.dumps(asdict(completion)).encode()
        self._cache.put(_key(model, (system, user, choices)), value)

    def usage(self) -> Usage:
        """Return the original cost of all stored completions."""
        made = (self._read(value) for _, value in self._cache.items())
        return sum((Usage(1, c.prompt_tokens, c.completion_tokens) for c in made), Usage())

    def _read(self, value: bytes) -> Completion:
        with self._readable():
            completion = Completion(**read_row(value))
            for name, kind in _KINDS.items():
                if type(getattr(completion, name)) is not kind:
                    raise TypeError(f"{name} must be {kind.__name__}")
            return completion


class CachedModel:
    """Looks a prompt up in a store before it asks a model, and retries failed calls.

    A completion is on disk before it is returned. If two equal prompts are sent at the same time,
    one waits for the other's answer.

    Args:
        model: The model; its `identity` is part of the key.
        store: The store, or the path of its file. None stores nothing.
        policy: Retries and rate limits.

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
        self._model = RetryingModel(model, self.policy)
        self._start()

    def _start(self) -> None:
        self._asked: SingleFlight[tuple[Completion, bool]] = SingleFlight()
        self._lock = Lock()
        self._paid = Usage()
        self._known = Usage()

    @property
    def identity(self) -> str:
        """The identity of the model behind the store."""
        return self._model.identity

    @property
    def paid(self) -> Usage:
        """Usage of the calls made through this object."""
        return self._paid

    @property
    def known(self) -> Usage:
        """Usage of the stored completions that were returned, at the time they were made."""
        return self._known

    def complete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Return the stored completion, or ask for it and store it.

        Raises:
            ModelSettingsError: The model rejects the key, its name or the settings.
            ModelUnavailableError: All attempts failed.
            StoreError: The store cannot be used.
        """
        return self.ask(system, user, choices=choices)[0]

    async def acomplete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Async version of `complete`."""
        prompt = system, user, choices
        found, mine = await self._asked.aonce(
            _key(self.identity, prompt), lambda: self._afind(prompt)
        )
        return self._counted(*found, mine=mine)[0]

    def ask(
        self, system: str, user: str, *, choices: Sequence[int] = ()
    ) -> tuple[Completion, Usage]:
        """Like `complete`, but also return the usage of this call: zero if it was stored."""
        prompt = system, user, choices
        found, mine = self._asked.once(_key(self.identity, prompt), lambda: self._find(prompt))
        return self._counted(*found, mine=mine)

    def _find(self, prompt: _Prompt) -> tuple[Completion, bool]:
        """Return the completion, and whether this call paid for it."""
        known = self._stored(prompt)
        if known is not None:
            return known, False
        system, user, choices = prompt
        return self._kept(prompt, self._model.complete(system, user, choices=choices)), True

    async def _afind(self, prompt: _Prompt) -> tuple[Completion, bool]:
        known = await start_in_thread(self._stored, prompt)
        if known is not None:
            return known, False
        system, user, choices = prompt
        completion = await self._model.acomplete(system, user, choices=choices)
        # A received answer is stored even if the caller is cancelled.
        return await until_finished(start_in_thread(self._kept, prompt, completion)), True

    def _stored(self, prompt: _Prompt) -> Completion | None:
        if self.store is None:
            return None
        system, user, choices = prompt
        return self.store.get(self.identity, system, user, choices=choices)

    def _kept(self, prompt: _Prompt, completion: Completion) -> Completion:
        """Return a completion after storing it."""
        completion = replace(completion, text=encodable(completion.text))
        if self.store is not None:
            system, user, choices = prompt
            self.store.put(self.identity, system, user, completion, choices=choices)
        return completion

    def _counted(
        self, completion: Completion, asked: bool, *, mine: bool
    ) -> tuple[Completion, Usage]:
        usage = Usage(1, completion.prompt_tokens, completion.completion_tokens)
        paid = asked and mine
        with self._lock:
            if paid:
                self._paid += usage
            else:
                self._known += usage
        return completion, usage if paid else Usage()

    def __getstate__(self) -> dict[str, Any]:
        return {"policy": self.policy, "store": self.store, "_model": self._model}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

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


def _key(model: str, prompt: _Prompt) -> str:
    """Return the digest of what determines a completion."""
    system, user, choices = prompt
    return digest(model, system, user, ",".join(map(str, choices)))
