"""The score of every token of a text, and the cuts that follow from it."""

# numpy and the model's modules are imported inside functions: `import lumber_core` should not wait
# for them.
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lumber_core.checks import check_positive

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from lumber_core.bert.loading import LoadedModel
    from lumber_core.text.places import Place


@dataclass(frozen=True, slots=True, eq=False)
class TokenScores:
    """How likely each token of a text is to start a chunk.

    Attributes:
        starts: Character offset of each token's first character, shape (tokens,).
        ends: Character offset just past each token, shape (tokens,).
        t: logit(start) - logit(normal) of each token, shape (tokens,). Tokens above the threshold
            are start tokens; the paper calls the threshold t_c.
        candidates: Indices of the tokens that may start a chunk, rising.
    """

    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    t: npt.NDArray[np.float32]
    candidates: npt.NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.t)

    def at(self, offsets: npt.ArrayLike, *, first_tokens: int = 6) -> npt.NDArray[np.float32]:
        """Return the score of each stretch of text between consecutive offsets.

        The score of a stretch is the highest t among its first tokens. The highest rather than the
        first, because the model may mark the word after a label, such as "[5]" or "3.".

        Args:
            offsets: Character offsets where the stretches begin, such as those of sentences,
                strictly rising. A stretch ends where the next begins, the last at the text's end.
            first_tokens: Number of tokens of a stretch to consider.

        Returns:
            The scores, shape (offsets,); minus infinity for a stretch without tokens.

        Raises:
            ValueError: The offsets do not rise, or `first_tokens` is below 1.
        """
        import numpy as np

        check_positive("first_tokens", first_tokens)
        places = np.asarray(offsets, dtype=np.int64).reshape(-1)
        if (np.diff(places) <= 0).any():
            raise ValueError("offsets must rise strictly, as those of consecutive sentences do")
        first = np.searchsorted(self.starts, places, side="left")
        indices = _first_indices(first, len(self.t), first_tokens)
        padded = np.append(self.t, np.float32(-np.inf))
        highest: npt.NDArray[np.float32] = padded[indices].max(axis=1)
        return highest


FIRST_TOKENS = 6
"""Tokens at a place that its score is taken from."""


class Tiling(NamedTuple):
    """The places of a text, and the cuts chosen among them.

    Attributes:
        places: Where a chunk may start.
        t: Their scores, shape (places,).
        cuts: Offsets of the best cuts, rising.
        scores: Scores of the tokens; minus infinity for tokens that were not scored.
    """

    places: Sequence[Place]
    t: npt.NDArray[np.float32]
    cuts: list[int]
    scores: TokenScores


def place_scores(scores: TokenScores, places: Sequence[Place]) -> npt.NDArray[np.float32]:
    """Return the score of each place: the highest t among its first tokens.

    A label such as "[5]" or "ANNA:" takes nothing from the words behind it: their first tokens
    count as well.

    Args:
        scores: Scores of a text's tokens.
        places: Places in the text, rising.

    Returns:
        The scores, shape (places,); minus infinity for a place without tokens.
    """
    import numpy as np

    offsets = np.array([place.offset for place in places], dtype=np.int64)
    words = np.array([place.words for place in places], dtype=np.int64)
    stretches = np.union1d(offsets, words)
    t = scores.at(stretches, first_tokens=FIRST_TOKENS)
    at_offset = t[np.searchsorted(stretches, offsets)]
    highest: npt.NDArray[np.float32] = np.maximum(at_offset, t[np.searchsorted(stretches, words)])
    return highest


class ScoredText(NamedTuple):
    """A text's scores and the cuts at a threshold.

    Attributes:
        scores: Scores of its tokens; minus infinity for tokens that were not scored.
        cuts: Character offsets where chunks start, except 0, rising.
    """

    scores: TokenScores
    cuts: list[int]


def score_text(
    model: LoadedModel,
    text: str,
    *,
    places: Sequence[Place] | None,
    moving: bool,
    threshold: float,
    everywhere: bool = False,
) -> ScoredText:
    """Score the tokens of a text in windows.

    Args:
        model: The model.
        text: The text.
        places: Where chunks may start, rising; None lets them start at any word. A chunk starts at
            a place if one of its first tokens is a start token, or one of the first behind its
            label, as the model may mark either.
        moving: Whether windows move as in the paper; otherwise they overlap by half.
        threshold: Tokens with a higher score are start tokens (t_c in the paper).
        everywhere: Whether to score all tokens, not only those that matter for `places`. The score
            of a token does not depend on it.
    """
    import numpy as np

    from lumber_core.bert.windows import MovingWindows, OverlappingWindows, Windows, scan

    pieces = model.tokenizer(text)
    count, size = len(pieces.ids), model.window - 2
    if places is None:
        candidates = stretches = model.tokenizer.word_starts(text, pieces)
        owners = pieces.starts[candidates].astype(np.int64)
        allowed = np.zeros(count, dtype=np.bool_)
        allowed[candidates] = True
    else:
        offsets = np.array([0, *(place.offset for place in places)], dtype=np.int64)
        words = np.array([0, *(place.words for place in places)], dtype=np.int64)
        starts = np.union1d(offsets, words)
        stretches = pieces.first_of(starts)
        # A place without tokens, such as a line of control characters, joins the one before.
        owners = offsets[np.searchsorted(offsets, pieces.starts[stretches], side="right") - 1]
        candidates = pieces.first_of(offsets)
        allowed = np.zeros(count + 1, dtype=np.bool_)
        allowed[_first_indices(stretches, count, FIRST_TOKENS)] = True
        allowed = allowed[:-1]
    windows: Windows
    if moving:
        windows = MovingWindows(count, size=size, threshold=threshold, allowed=allowed)
    else:
        windows = OverlappingWindows(
            count, size=size, stride=(size + 1) // 2, threshold=threshold, allowed=allowed
        )
    scan(model.scorer, pieces.ids, windows, wanted=None if everywhere else allowed)
    scores = TokenScores(pieces.starts, pieces.ends, windows.scores, candidates)
    found = np.searchsorted(stretches, windows.starts, side="right") - 1
    cuts = np.unique(owners[found]) if len(found) else owners[:0]
    return ScoredText(scores, [int(cut) for cut in cuts if cut > 0])


def _first_indices(
    first: npt.NDArray[np.intp], count: int, first_tokens: int
) -> npt.NDArray[np.intp]:
    """Return the indices of the first tokens of stretches, shape (stretches, first_tokens).

    Where a stretch has fewer tokens, the index is `count`, just past the last token.

    Args:
        first: Index of each stretch's first token, rising; a stretch ends where the next begins.
        count: Number of tokens in the text.
        first_tokens: Number of tokens of a stretch to take.
    """
    import numpy as np

    after = np.append(first[1:], count)
    indices = first[:, None] + np.arange(first_tokens)
    return np.where(indices < after[:, None], indices, count)
