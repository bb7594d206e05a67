"""Scores of the tokens and places of a text, and the cuts for a threshold."""

# numpy and the model's modules are imported inside functions: `import lumber_core` should not wait
# for them.
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lumber_core.text.place import Places

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from lumber_core.bert.loading import LoadedModel
    from lumber_core.bert.moving_window import OverlappingWindows
    from lumber_core.bert.tokenizer import WordPieces

FIRST_TOKENS = 6
"""The score of a place is the highest score among this many tokens from the place on."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenScores:
    """How likely each token of a text is to start a chunk.

    Attributes:
        starts: Character offset of each token's first character, shape (tokens,).
        ends: Character offset just past each token, shape (tokens,).
        t: logit(start) - logit(normal) of each token, shape (tokens,). Tokens above the threshold
            are start tokens; the paper calls the threshold t_c. Minus infinity for tokens that were
            not scored.
    """

    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    t: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.t)

    def at(self, offsets: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Return the score of each segment of text between consecutive offsets.

        The score of a segment is the highest t among its first six tokens, not that of the first,
        because the model may mark the word after a label such as "[5]" or "3.".

        Args:
            offsets: Character offsets where the segments begin, such as those of sentences,
                strictly ascending. A segment ends where the next begins, the last one at the
                end of the text.

        Returns:
            The scores, shape (offsets,); minus infinity for a segment without tokens.

        Raises:
            ValueError: The offsets are not strictly ascending.
        """
        import numpy as np

        places = np.asarray(offsets, dtype=np.int64).reshape(-1)
        if (np.diff(places) <= 0).any():
            raise ValueError("offsets must be strictly ascending, as those of sentences are")
        first = np.searchsorted(self.starts, places, side="left")
        indices = first_indices(first, len(self.t), FIRST_TOKENS)
        padded = np.append(self.t, np.float32(-np.inf))
        highest: npt.NDArray[np.float32] = padded[indices].max(axis=1)
        return highest


def place_scores(scores: TokenScores, places: Places) -> npt.NDArray[np.float32]:
    """Return the score of each place: the highest t among its first tokens, shape (places,).

    After a label such as "[5]" or "ANNA:", the first tokens of the words count as well. The score
    of a place without tokens is minus infinity.
    """
    import numpy as np

    offsets = np.array(places.offsets, dtype=np.int64)
    words = np.array(places.first_words, dtype=np.int64)
    segments = np.union1d(offsets, words)
    t = scores.at(segments)
    at_offset = t[np.searchsorted(segments, offsets)]
    highest: npt.NDArray[np.float32] = np.maximum(at_offset, t[np.searchsorted(segments, words)])
    return highest


def windows_of(
    model: LoadedModel, text: str, places: Places | None, on_scored: Callable[[TokenScores], object]
) -> OverlappingWindows:
    """Return the windows of a text, to be scored by `scan`; then `on_scored` gets the scores.

    The first tokens of the places and the first tokens after their labels are scored: the model may
    mark either. A model of places reads the text between two places as a unit. Without places, all
    tokens are scored, which changes no token's score.
    """
    from lumber_core.bert.moving_window import OverlappingWindows

    pieces = model.tokenizer(text)
    return OverlappingWindows(
        pieces.ids,
        size=model.size,
        stride=model.stride,
        wanted=None if places is None else _start_tokens(model, pieces, places).allowed,
        on_done=lambda t: on_scored(TokenScores(pieces.starts, pieces.ends, t)),
    )


def cuts_above(
    threshold: float, model: LoadedModel, scores: TokenScores, places: Places
) -> list[int]:
    """Return the offsets of the places with a start token, except 0, ascending.

    A start token has a score above the threshold, t_c in the paper. It is one of the first tokens
    of its place, or of the first tokens after the place's label.
    """
    import numpy as np

    tokens = _start_tokens(model, scores, places)
    starts = np.flatnonzero((scores.t > threshold) & tokens.allowed)
    segments = np.searchsorted(tokens.segments, starts[starts > 0], side="right") - 1
    cuts: list[int] = np.unique(tokens.owners[segments]).tolist()
    return [cut for cut in cuts if cut > 0]


def score_as_published(
    model: LoadedModel, text: str, threshold: float
) -> tuple[TokenScores, list[int]]:
    """Score the tokens of a text in the paper's windows; a chunk may start at any word.

    The threshold, t_c, determines the windows, so all scores depend on it. Returns the scores, and
    the offsets where chunks start, except 0, ascending.
    """
    import numpy as np

    from lumber_core.bert.moving_window import read_moving

    if model.places:
        raise ValueError(
            "a model that scores places cannot start chunks at any word: pass paper=False, or a "
            "model that scores tokens"
        )
    pieces = model.tokenizer(text)
    allowed = np.zeros(len(pieces.ids), dtype=np.bool_)
    allowed[model.tokenizer.word_starts(text, pieces)] = True
    t, starts = read_moving(
        model.scorer, pieces.ids, size=model.size, threshold=threshold, allowed=allowed
    )
    cuts = [int(cut) for cut in pieces.starts[starts] if cut > 0]
    return TokenScores(pieces.starts, pieces.ends, t), cuts


class _StartTokens(NamedTuple):
    """Which tokens of a text may start a chunk, and where."""

    segments: npt.NDArray[np.intp]  # the first tokens of places and of the words after their labels
    owners: npt.NDArray[np.int64]  # for each segment, the offset of its place
    allowed: npt.NDArray[np.bool_]  # whether each token may start a chunk, shape (tokens,)


def _start_tokens(
    model: LoadedModel, tokens: WordPieces | TokenScores, places: Places
) -> _StartTokens:
    """Return which tokens may start a chunk; if places are scored, the first token of each."""
    import numpy as np

    starts, count = tokens.starts, len(tokens.starts)
    offsets = np.array([0, *places.offsets], dtype=np.int64)
    labelled = np.array([0, *places.first_words], dtype=np.int64)
    segments = np.unique(np.searchsorted(starts, np.union1d(offsets, labelled)))
    segments = segments[segments < count]
    # A place without tokens, such as a line of control characters, joins the place before it.
    owners = offsets[np.searchsorted(offsets, starts[segments], side="right") - 1]
    allowed = np.zeros(count + 1, dtype=np.bool_)
    allowed[first_indices(segments, count, 1 if model.places else FIRST_TOKENS)] = True
    return _StartTokens(segments, owners, allowed[:-1])


def first_indices(
    first: npt.NDArray[np.intp], count: int, first_tokens: int
) -> npt.NDArray[np.intp]:
    """Return the indices of the first tokens of segments, shape (segments, first_tokens).

    `first` has the index of each segment's first token, ascending; a segment ends where the next
    begins. Where it has fewer tokens, the index is `count`, just past the last token of the text.
    """
    import numpy as np

    after = np.append(first[1:], count)
    indices = first[:, None] + np.arange(first_tokens)
    return np.where(indices < after[:, None], indices, count)
