"""The embedding model of an index, which has the vectors of one.

It is recognised by the vector of a fixed text, the probe, which is stored with its first vectors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lumber_core.storage.database import Connection
from lumber_retrieval.index.rows import read_note, write_note
from lumber_retrieval.index.vectors import Vectors, matrix

PROBE = "probe"
"""The key under which the vector of the probe is stored."""

_PROBE = "Which words does this text have?"
_LEAST_SIMILARITY = 0.98  # of two vectors of the probe; servers round differently each time


class OtherModelError(ValueError):
    """An index was made with another embedding model."""


class EmbeddingModel:
    """An embedding model, whose vectors all have the same width.

    Attributes:
        checked: The stored vector of the probe that was last found to be this model's.

    Args:
        embed: Returns a vector for each text.
    """

    def __init__(self, embed: Callable[[list[str]], object]) -> None:
        self.checked: bytes | None = None
        self._embed = embed
        self._probe: Vectors | None = None

    @property
    def probe(self) -> Vectors:
        """The vector of the probe, computed once; see `matrix`."""
        if self._probe is None:  # `cached_property` has one lock for all models before Python 3.12
            self._probe = matrix(self._embed([_PROBE]), 1)[0]
        return self._probe

    def embed(self, texts: list[str]) -> Vectors:
        """Return the vectors of texts, shape (texts, width).

        Raises:
            ValueError: As for `matrix`, or they are wider or narrower than that of the probe.
        """
        vectors = matrix(self._embed(texts), len(texts))
        if vectors.shape[1] != len(self.probe):
            raise ValueError(
                f"the embedding model gives vectors of {len(self.probe)} numbers for one text and "
                f"of {vectors.shape[1]} for others: pass one whose vectors are all alike"
            )
        return vectors

    def check(self, stored: bytes | None, name: str) -> None:
        """Raise an `OtherModelError` unless it is that of the index `name`, if this has one.

        Args:
            stored: The stored vector of the probe.
            name: The name of the index in messages.
        """
        if stored not in (None, self.checked):
            check_same_model(stored, self.probe, name)
            self.checked = stored


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


def note_model(connection: Connection, probe: Vectors, name: str) -> None:
    """Store the vector of the probe in the index `name`.

    Raises:
        OtherModelError: The index has that of another model.
    """
    stored = read_note(connection, PROBE)
    check_same_model(stored, probe, name)
    if stored != probe.tobytes():
        write_note(connection, PROBE, probe.tobytes())
