"""Labelled windows: the classifier's view of training items, and batches of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_training.items import Item

NORMAL, START = 0, 1
BETWEEN = -1  # a token inside a sentence, whose loss may have a lower weight
IGNORED = -100  # [CLS], [SEP], padding, and a window's first token, which has no context before it


@dataclass(frozen=True, slots=True)
class LabelledTokens:
    """The word pieces of an item with their labels.

    Attributes:
        ids: Token ids.
        labels: START or NORMAL for the first token of each sentence, BETWEEN for the others.
        start_weight: Weight of the loss at starts.
    """

    ids: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int8]
    start_weight: float = 1.0


class LabelledWindow(TypedDict):
    """A labelled window, including [CLS] and [SEP]."""

    input_ids: list[int]
    labels: list[int]
    start_weight: float


def label_item(
    item: Item, tokenizer: WordPieceTokenizer, *, start_weight: float = 1.0
) -> LabelledTokens:
    """Tokenize an item and label its sentence and segment starts."""
    pieces = tokenizer(item.text)
    labels = np.full(len(pieces.ids), BETWEEN, dtype=np.int8)
    labels[pieces.first_of(item.sentences)] = NORMAL
    labels[pieces.first_of(item.starts)] = START
    return LabelledTokens(pieces.ids, labels, start_weight)


class LabelledWindows:
    """A dataset of labelled windows, one for each item; an index always gives the same window.

    An item longer than a window is cropped to begin at a segment, as moving windows do, at a
    sentence, or anywhere, as overlapping windows do.

    Args:
        items: Labelled items.
        tokenizer: The tokenizer, for the ids of [CLS] and [SEP].
        window: Tokens in a window, including [CLS] and [SEP].
        seed: Seed of where items are cropped.
    """

    def __init__(
        self,
        items: Sequence[LabelledTokens],
        tokenizer: WordPieceTokenizer,
        *,
        window: int,
        seed: int,
    ) -> None:
        self._items = items
        self._tokenizer = tokenizer
        self._inner = window - 2
        self._seed = seed

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> LabelledWindow:
        item = self._items[index]
        rng = random.Random(self._seed * 1_000_003 + index)
        first = self._first(item, rng)
        ids = item.ids[first : first + self._inner].tolist()
        labels = item.labels[first : first + self._inner].tolist()
        if labels:
            labels[0] = IGNORED
        return {
            "input_ids": [self._tokenizer.cls_id, *ids, self._tokenizer.sep_id],
            "labels": [IGNORED, *labels, IGNORED],
            "start_weight": item.start_weight,
        }

    def _first(self, item: LabelledTokens, rng: random.Random) -> int:
        """Choose the first token of the window."""
        spare = len(item.ids) - self._inner
        if spare <= 0:
            return 0
        draw = rng.random()
        if draw < 0.25:
            return rng.randint(0, spare)
        labels = item.labels[: len(item.ids) - self._inner // 2]
        places = np.flatnonzero(labels == START if draw < 0.6 else labels >= NORMAL)
        return int(rng.choice(places)) if len(places) else rng.randint(0, spare)


def pad(rows: Sequence[LabelledWindow]) -> dict[str, npt.NDArray[np.generic]]:
    """Pad windows of different lengths into a batch.

    Returns:
        `input_ids`, `attention_mask` and `labels`, each of shape (rows, longest), and
        `start_weight` of shape (rows,).
    """
    longest = max(len(row["input_ids"]) for row in rows)
    shape = (len(rows), longest)
    ids = np.zeros(shape, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    labels = np.full(shape, IGNORED, dtype=np.int64)
    for number, row in enumerate(rows):
        length = len(row["input_ids"])
        ids[number, :length] = row["input_ids"]
        mask[number, :length] = 1
        labels[number, :length] = row["labels"]
    weights = np.asarray([row["start_weight"] for row in rows], dtype=np.float32)
    return {"input_ids": ids, "attention_mask": mask, "labels": labels, "start_weight": weights}
