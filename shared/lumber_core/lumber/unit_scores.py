"""What a model's scores say of a document's units, and which unit of a group they favour."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lumber_core.bert.chunker import TokenScores
from lumber_core.lumber.grouping import Document


class UnitScores:
    """Scores of a document's units.

    Args:
        document: The document.
        scores: Scores of its tokens.

    Attributes:
        document: The document.
        t: Score of each unit's first token, shape (units,); very low where it has none.
        tokens_before: Tokens before each unit and before the text's end, shape (units + 1,).
    """

    __slots__ = ("document", "t", "tokens_before")

    def __init__(self, document: Document, scores: TokenScores) -> None:
        offsets = [unit[0] for unit in document.units] + [len(document.text)]
        before = np.searchsorted(scores.starts, offsets, side="left")
        lowest = np.finfo(np.float32).min / 2
        has_tokens = before[:-1] < before[1:]
        self.document = document
        self.tokens_before: npt.NDArray[np.intp] = before
        self.t: npt.NDArray[np.float32] = np.full(len(document.units), lowest, dtype=np.float32)
        self.t[has_tokens] = scores.t[before[:-1][has_tokens]]

    def best(
        self, start: int, stop: int, choices: Sequence[int], *, wanted: float, pull: float
    ) -> int:
        """Return the unit most likely to start something, near the wanted place in a group.

        Args:
            start: The group's first unit.
            stop: Just past its last unit.
            choices: The units to choose from, one at least, all inside the group.
            wanted: The most welcome place, as a share of the group's tokens.
            pull: What a unit at the end farther from it loses of its score; units between lose
                by the square of the distance.
        """
        units = np.asarray(choices)
        before = self.tokens_before[start]
        total = max(1, int(self.tokens_before[stop] - before))
        shares = (self.tokens_before[units] - before) / total
        farthest = max(wanted, 1 - wanted)
        liked = self.t[units] - pull * ((shares - wanted) / farthest) ** 2
        return int(units[int(np.argmax(liked))])
