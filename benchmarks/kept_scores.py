"""Scores of BertChunker's model, computed once for each text and kept between runs."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from lumber_core import BertChunker
from lumber_core.bert.model_folder import weights_digest
from lumber_core.bert.scores import TokenScores
from lumber_core.cache import Cache, digest


class KeptScores:
    """Scores texts with a chunker's model.

    Args:
        chunker: Its model scores the texts.
        path: An SQLite file in which scores are kept. None: they are kept for this run.
    """

    def __init__(self, chunker: BertChunker, path: Path | None = None) -> None:
        self._chunker = chunker
        self._cache = None if path is None else Cache(path, "scores")
        self._known: dict[str, TokenScores] = {}

    def __call__(self, text: str) -> TokenScores:
        """Return the scores of a text."""
        if text not in self._known:
            self._known[text] = self._stored(text) or self._made(text)
        return self._known[text]

    def _stored(self, text: str) -> TokenScores | None:
        stored = None if self._cache is None else self._cache.get(self._key(text))
        if stored is None:
            return None
        arrays = np.load(io.BytesIO(stored))
        return TokenScores(arrays["starts"], arrays["ends"], arrays["t"], np.arange(0))

    def _made(self, text: str) -> TokenScores:
        scores = self._chunker.scores(text)
        if self._cache is not None:
            file = io.BytesIO()
            np.savez(file, starts=scores.starts, ends=scores.ends, t=scores.t)
            self._cache.put(self._key(text), file.getvalue())
        return scores

    def _key(self, text: str) -> str:
        return digest(weights_digest(self._chunker.model), text)
