"""Keeping what language models answered, so that an evaluation run again costs nothing.

A completion is stored under what determines it: the model's identity, both texts of the prompt and
the choices. The prompt itself is not stored.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from lumber_core.concurrency import SingleFlight
from lumber_core.llms.base import Completion, Model, check_model
from lumber_core.llms.retry import CallPolicy, RetryingModel
from lumber_core.segmentation import Usage
from lumber_core.sqlite_file import SqliteFile, digest
from lumber_core.surrogates import encodable

Question = tuple[str, str, Sequence[int]]
"""System text, user text and choices."""


class CompletionStore(SqliteFile):
    """Completions in an SQLite file, safe under several threads and processes.

    The file may be that of an `AnswerStore`, too.

    Args:
        path: The file; it is made where it does not exist.

    Raises:
        StoreError: On first use: the file is damaged, was made by a newer version, or belongs to
            another program. It is left as it was.
    """

    _table: ClassVar[str] = "completions"
    _columns: ClassVar[str] = """
        key TEXT PRIMARY KEY,
        model TEXT NOT NULL,
        answer TEXT NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        finish_reason TEXT NOT NULL,
        stored_at REAL NOT NULL
    """

    def get(
        self, model: str, system: str, user: str, *, choices: Sequence[int] = ()
    ) -> Completion | None:
        """Return a stored completion with the tokens it took when it was made, or None."""
        with self._open() as connection:
            row = connection.execute(
                "SELECT answer, prompt_tokens, completion_tokens, finish_reason FROM completions "
                "WHERE key = ?",
                (key(model, (system, user, choices)),),
            ).fetchone()
        return None if row is None else Completion(*row)

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
        with self._open() as connection, connection:
            connection.execute(
                "INSERT OR REPLACE INTO completions VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    key(model, (system, user, choices)),
                    model,
                    completion.text,
                    completion.prompt_tokens,
                    completion.completion_tokens,
                    completion.finish_reason,
                    time.time(),
                ),
            )

    def usage(self) -> Usage:
        """Return what all stored completions cost when they were made."""
        with self._open() as connection:
            row = connection.execute(
                "SELECT count(*), total(prompt_tokens), total(completion_tokens) FROM completions"
            ).fetchone()
        return Usage(*(int(value) for value in row))


class CachedModel:
    """A model that looks into a store before it is asked, and is asked again after trouble.

    A completion is on disk before it is returned. Where two equal questions are asked at the same
    moment, one of them waits for the other's answer.

    Args:
        model: The model; its `identity` is part of the key.
        store: Where completions are kept, or the path of the file. None keeps none.
        policy: How often and how fast the model may be asked.

    Raises:
        TypeError: `model` is no `Model`.
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
        """What was spent through this object."""
        return self._paid

    @property
    def known(self) -> Usage:
        """What the completions that need not be paid again took when they were made."""
        return self._known

    def complete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Return the stored completion, or ask for it and store it.

        Raises:
            ModelSettingsError: The model refuses the key, the name or the settings.
            ModelUnavailableError: No answer came in any attempt.
            StoreError: The store cannot be used.
        """
        return self.ask(system, user, choices=choices)[0]

    async def acomplete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Do as `complete`, without blocking the event loop."""
        question = system, user, choices
        found, mine = await self._asked.aonce(
            key(self.identity, question), lambda: self._afind(question)
        )
        return self._counted(*found, mine=mine)[0]

    def ask(
        self, system: str, user: str, *, choices: Sequence[int] = ()
    ) -> tuple[Completion, Usage]:
        """Do as `complete`, and tell what it cost this time; nothing where it was known."""
        question = system, user, choices
        found, mine = self._asked.once(key(self.identity, question), lambda: self._find(question))
        return self._counted(*found, mine=mine)

    def _find(self, question: Question) -> tuple[Completion, bool]:
        """Return the completion, and whether it was paid for now."""
        known = self._stored(question)
        if known is not None:
            return known, False
        system, user, choices = question
        return self._kept(question, self._model.complete(system, user, choices=choices)), True

    async def _afind(self, question: Question) -> tuple[Completion, bool]:
        known = await asyncio.to_thread(self._stored, question)
        if known is not None:
            return known, False
        system, user, choices = question
        completion = await self._model.acomplete(system, user, choices=choices)
        # Shielded: once the answer is here it is kept, even if the caller gives up now.
        return await asyncio.shield(asyncio.to_thread(self._kept, question, completion)), True

    def _stored(self, question: Question) -> Completion | None:
        if self.store is None:
            return None
        system, user, choices = question
        return self.store.get(self.identity, system, user, choices=choices)

    def _kept(self, question: Question, completion: Completion) -> Completion:
        """Return a completion after storing it."""
        completion = replace(completion, text=encodable(completion.text))
        if self.store is not None:
            system, user, choices = question
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


def remembering(
    model: Model,
    store: CompletionStore | str | Path | None = None,
    policy: CallPolicy | None = None,
) -> CachedModel:
    """Return a model that remembers: `model` itself where it is one.

    Raises:
        TypeError: `model` is no `Model`.
        ValueError: It remembers already, and another store or policy is given.
    """
    if not isinstance(model, CachedModel):
        return CachedModel(model, store, policy=policy)
    if store is not None or policy is not None:
        raise ValueError("a CachedModel brings its own store and policy: pass them to it")
    return model


def key(model: str, question: Question) -> str:
    """Return the digest of what determines a completion."""
    system, user, choices = question
    return digest((model, system, user, ",".join(map(str, choices))))
