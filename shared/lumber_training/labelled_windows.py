"""Labelled windows: the classifier's view of training items."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_training.synthesis import Item

NORMAL, START = 0, 1
IGNORED = -100
"""Label of [CLS], [SEP], padding, and a window's first token, which has no context before it."""


class LabelledWindow(TypedDict):
    """The token IDs of a window, including [CLS] and [SEP], with a label for each."""

    input_ids: list[int]
    labels: list[int]


def label_windows(
    items: Iterable[Item], tokenizer: WordPieceTokenizer, *, window: int = 255, seed: int = 0
) -> list[LabelledWindow]:
    """Return a window for each item, labelled where segments start.

    An item longer than a window is cropped. Half of these windows begin at a segment, as if the
    window before had found that start last. The other half begin anywhere, as if the window before
    had found no start. `window` is the number of tokens, including [CLS] and [SEP].
    """
    rng = random.Random(seed)
    return [_label(item, tokenizer, window - 2, rng) for item in items]


def _label(
    item: Item, tokenizer: WordPieceTokenizer, size: int, rng: random.Random
) -> LabelledWindow:
    pieces = tokenizer(item.text)
    starts = pieces.first_of(item.starts)
    labels = np.full(len(pieces.ids), NORMAL)
    labels[starts] = START
    first = _choose_first(starts, len(pieces.ids), size, rng)
    labels[first : first + 1] = IGNORED
    return {
        "input_ids": [
            tokenizer.cls_id,
            *pieces.ids[first : first + size].tolist(),
            tokenizer.sep_id,
        ],
        "labels": [IGNORED, *labels[first : first + size].tolist(), IGNORED],
    }


def _choose_first(starts: npt.NDArray[np.intp], length: int, size: int, rng: random.Random) -> int:
    if length <= size:
        return 0
    # A segment that starts late leaves too little text before the item's end.
    early = starts[starts < length - size // 2]
    if len(early) and rng.random() < 0.5:
        return int(rng.choice(early))
    return rng.randint(0, length - size)
