"""Training items as a model of places reads them: where their segments start."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core import BertChunker
from lumber_core.bert.tokenizer import WordPieces, WordPieceTokenizer
from lumber_core.chunking.cutting import Cutter
from lumber_training.items import Item
from lumber_training.place_batches import Segments

_BY_UNITS = 0.7  # share of the items whose places are those of a splitter with a threshold


class PlacedItem(NamedTuple):
    """An item with its places.

    Attributes:
        pieces: Its tokens.
        first: Index of each segment's first token, ascending; the first is 0.
        starts: Whether a segment of the item, such as a topic, starts there, same shape.
    """

    pieces: WordPieces
    first: npt.NDArray[np.intp]
    starts: npt.NDArray[np.bool_]

    @property
    def segments(self) -> Segments:
        """The tokens and where segments start, as the model reads them."""
        return Segments(self.pieces.ids, self.first)


class PlaceFinder(BertChunker):
    """Finds the places that a splitter chooses from; its model is never loaded."""

    def offsets(self, text: str) -> npt.NDArray[np.int64]:
        """Return the offset of each place, and of the first word behind its label."""
        parsed = self.parse(text)
        if self.threshold is None:
            places = Cutter(parsed, self._limits).places(self._own_units(parsed)).places
        else:
            places = self._places(parsed, parsed.places())
        found = [0, *(p.offset for p in places), *(p.first_word for p in places)]
        return np.unique(np.array(found, dtype=np.int64))


_BY_THRESHOLD, _BY_SIZE = PlaceFinder(threshold=0.0), PlaceFinder()


def place_item(item: Item, tokenizer: WordPieceTokenizer, rng: random.Random) -> PlacedItem | None:
    """Find the places of an item, as splitters with or without a threshold find them.

    Args:
        item: The item.
        tokenizer: The model's tokenizer.
        rng: Random number generator, which chooses the splitter.

    Returns:
        The item with its places; None if it has no tokens.
    """
    finder = _BY_THRESHOLD if rng.random() < _BY_UNITS else _BY_SIZE
    pieces = tokenizer(item.text)
    if not len(pieces.ids):
        return None
    first = pieces.first_of(finder.offsets(item.text))
    return PlacedItem(pieces, first, np.isin(first, pieces.first_of(item.starts)))
