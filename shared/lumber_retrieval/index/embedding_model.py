"""The embedding model of an index, and whether it is the one that the index was made with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from lumber_core.calls.deadlines import ask_within
from lumber_retrieval.index.surroundings import Vectors, matrix

_PROBE = "Which words does this text have?"
_LEAST_SIMILARITY = 0.98  # of two vectors of the probe; servers round differently each time


class EmbeddingModel(Protocol):
    """An embedding model; one of LangChain, for example."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text."""

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Async version of `embed_documents`."""

    def embed_query(self, text: str) -> list[float]:
        """Return a vector for a query."""

    async def aembed_query(self, text: str) -> list[float]:
        """Async version of `embed_query`."""


def embed_texts(model: EmbeddingModel, texts: list[str]) -> list[list[float]]:
    """Return a vector for each text; in `run_for_loop`, by the async method of the model."""
    return ask_within(None, model.embed_documents, model.aembed_documents, texts)


def embed_query(model: EmbeddingModel, query: str) -> list[float]:
    """Return the vector of a query, as `embed_texts` does."""
    return ask_within(None, model.embed_query, model.aembed_query, query)


def embed_probe(model: EmbeddingModel) -> Vectors:
    """Return the vector of a fixed text, by which a model is recognised; see `matrix`."""
    probe: Vectors = matrix(embed_texts(model, [_PROBE]), 1)[0]
    return probe


def check_widths(vectors: Iterable[Vectors], probe: Vectors) -> None:
    """Raise a ValueError unless vectors have as many numbers as that of the probe."""
    for rows in vectors:
        if len(rows) and rows.shape[1] != len(probe):
            raise ValueError(
                f"the embedding model gives vectors of {len(probe)} numbers for one text and of "
                f"{rows.shape[1]} for others: pass one whose vectors are all alike"
            )


class OtherModelError(ValueError):
    """An index was made with another embedding model."""


def check_same_model(stored: bytes | None, probe: Vectors, name: str) -> None:
    """Raise an `OtherModelError` if the stored vector of the probe is that of another model."""
    if stored is None:
        return
    if len(stored) != probe.nbytes:
        raise OtherModelError(
            f"the index {name} has vectors of {len(stored) // probe.itemsize} numbers, and the "
            f"embedding model gives {len(probe)}: pass the model that the index was made with, or "
            "another path"
        )
    stored_probe = np.frombuffer(stored, dtype=np.float32)
    lengths = float(np.linalg.norm(stored_probe) * np.linalg.norm(probe))
    if lengths and float(stored_probe @ probe) < _LEAST_SIMILARITY * lengths:
        raise OtherModelError(
            f"the embedding model is another than the index {name} was made with: it gives another "
            "vector for the same text. Pass that model, or another path"
        )
