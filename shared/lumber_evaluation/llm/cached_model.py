"""A model whose completions are cached on disk, so that a repeated evaluation costs nothing.

The key is a digest of the model's identity and both texts of the prompt, which is not stored.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

from lumber_core.calls.threads import SingleFlight
from lumber_core.llms.model import Completion, Model, check_model
from lumber_core.llms.retry import CallPolicy, RetryingModel
from lumber_core.segmentation import Usage
from lumber_core.storage.cache import Cache, read_row
from lumber_core.support.identity import digest
from lumber_core.text.unicode import encodable


class CachedModel:
    """Looks a prompt up in a file before it asks a model, and retries failed calls.

    A completion is on disk before it is returned. If two equal prompts are sent at the same time,
    one waits for the other's answer.

    Args:
        model: The model; its `identity` is part of the key.
        store: An SQLite file, which may also be that of an `AnswerStore`. None stores nothing.
        policy: Retries and rate limits. None: the defaults of `CallPolicy`.

    Raises:
        TypeError: `model` is not a `Model`.
        StoreError: The file cannot be used.
    """

    def __init__(
        self, model: Model, store: str | Path | None = None, *, policy: CallPolicy | None = None
    ) -> None:
        check_model(model)
        self.policy = policy or CallPolicy()
        self._identity = model.identity
        self._model = RetryingModel(model, self.policy)
        self._asked: SingleFlight[tuple[Completion, bool]] = SingleFlight()
        self._cache = None if store is None else Cache(store, "completions")
        if self._cache is not None:
            self._cache.open()

    def ask(self, system: str, user: str) -> tuple[Completion, Usage]:
        """Return the stored completion or a new one, and its usage, which is zero if stored."""
        key = digest(self._identity, system, user)

        def read(cache: Cache) -> Completion | None:
            stored = cache.get(key)
            return None if stored is None else Completion(**read_row(stored))

        def find() -> tuple[Completion, bool]:
            cache = self._cache
            if cache is not None and (stored := cache.read("completion", lambda: read(cache))):
                return stored, False
            completion = self._model.complete(system, user)
            completion = replace(completion, text=encodable(completion.text))
            if cache is not None:
                cache.put(key, json.dumps(asdict(completion)).encode())
            return completion, True

        (completion, is_new), is_caller = self._asked.once(key, find)
        if not (is_new and is_caller):
            return completion, Usage()
        return completion, Usage(1, completion.prompt_tokens, completion.completion_tokens)
