"""Texts as a model of places reads them: windows of places, batches, and scores of whole texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.bert.windows import Scores, TokenIds
from lumber_core.errors import MissingExtraError
from lumber_training.place_model import REACH, PlaceBatch, PlaceModel

try:
    import torch
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

WINDOW = 112
"""Places in a window: each has others within its reach, and few texts are longer than four."""

_AT_ONCE = 8


class Segments(NamedTuple):
    """The tokens of a text, and where its segments start.

    Attributes:
        ids: Token ids.
        first: Index of each segment's first token, ascending; the first is 0.
    """

    ids: TokenIds
    first: npt.NDArray[np.intp]

    def crop(self, start: int, stop: int) -> Segments:
        """Return the segments in a range."""
        begin = self.first[start]
        end = self.first[stop] if stop < len(self.first) else len(self.ids)
        return Segments(self.ids[begin:end], self.first[start:stop] - begin)


def make_batch(windows: Sequence[Segments]) -> PlaceBatch:
    """Return windows as a batch."""
    parts: dict[str, list[npt.NDArray[np.int64]]] = {name: [] for name in PlaceBatch._fields}
    begin = 0
    for number, (ids, first) in enumerate(windows):
        parts["ids"].append(np.append(ids, 0))
        parts["real"].append(np.append(np.ones_like(ids), 0))
        parts["first"].append(first + begin)
        parts["after"].append(np.append(first[1:], len(ids)) + begin)
        parts["window"].append(np.full(len(first), number))
        parts["number"].append(np.arange(len(first)))
        begin += len(ids) + 1
    tensors = {
        name: torch.from_numpy(np.concatenate(each).astype(np.int64))
        for name, each in parts.items()
    }
    return PlaceBatch(**tensors)._replace(real=tensors["real"].bool())


@torch.inference_mode()
def score_segments(model: PlaceModel, text: Segments) -> Scores:
    """Return t of each segment of a text, in windows that overlap by twice the reach."""
    t = np.zeros(len(text.first), dtype=np.float32)
    windows = list(_windows(len(text.first)))
    for at in range(0, len(windows), _AT_ONCE):
        some = windows[at : at + _AT_ONCE]
        batch = make_batch([text.crop(start, stop) for start, stop, _, _ in some])
        scored = model(batch)[0].numpy()
        begin = 0
        for start, stop, keep, until in some:
            t[keep:until] = scored[begin + keep - start : begin + until - start]
            begin += stop - start
    return t


def _windows(count: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the first place of each window, the end, and the range to take scores from."""
    kept = 0
    while kept < count:
        start = max(0, kept - REACH)
        stop = min(count, start + WINDOW)
        until = count if stop == count else stop - REACH
        yield start, stop, kept, until
        kept = until
