"""Finding the threshold that is best on documents whose boundaries are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lumber_core.bert.scanning import TokenScorer, scan
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.bert.windows import OverlappingWindows


class Marked(Protocol):
    """A text with its sentences and the starts of its segments, such as a training item."""

    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def sentences(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def starts(self) -> tuple[int, ...]: ...  # noqa: D102


class ScoredStarts(NamedTuple):
    """Scores of the tokens that may start a segment.

    Attributes:
        scores: t of the first token of each sentence, but the text's first.
        true: Whether a segment starts there.
    """

    scores: npt.NDArray[np.float32]
    true: npt.NDArray[np.bool_]

    def f1(self, threshold: float) -> float:
        """Return F1 of the starts whose score is above a threshold; 0 where there are none."""
        said = self.scores > threshold
        hits = float((said & self.true).sum())
        return 2 * hits / max(1.0, float(said.sum() + self.true.sum()))


def score_documents(
    scorer: TokenScorer,
    tokenizer: WordPieceTokenizer,
    documents: Sequence[Marked],
    *,
    size: int,
) -> ScoredStarts:
    """Score the first token of every sentence of some documents, in overlapping windows.

    Args:
        scorer: The model.
        tokenizer: Its tokenizer.
        documents: Texts with their sentences and starts.
        size: Tokens in a window, without [CLS] and [SEP].
    """
    scores: list[npt.NDArray[np.float32]] = []
    true: list[npt.NDArray[np.bool_]] = []
    for document in documents:
        pieces = tokenizer(document.text)
        windows = OverlappingWindows(len(pieces.ids), size=size, stride=(size + 1) // 2)
        scan(scorer, pieces.ids, windows)
        places = pieces.first_of(document.sentences)[1:]
        scores.append(windows.scores[places])
        true.append(np.isin(places, pieces.first_of(document.starts)))
    return ScoredStarts(np.concatenate(scores), np.concatenate(true))


def best_threshold(sets: Sequence[ScoredStarts]) -> float:
    """Return the threshold whose F1, averaged over some sets of scores, is highest.

    Args:
        sets: Scores of different kinds of documents; each kind counts the same.

    Returns:
        A multiple of 0.05. Where several are as good, the middle of them.

    Raises:
        ValueError: If there are no scores.
    """
    if not sets or not all(len(scored.scores) for scored in sets):
        raise ValueError("no scores to find a threshold in: the documents are too short or too few")
    low = min(float(scored.scores.min()) for scored in sets)
    high = max(float(scored.scores.max()) for scored in sets)
    candidates = [step / 20 for step in range(int(low * 20) - 1, int(high * 20) + 2)]
    means = [sum(s.f1(candidate) for s in sets) / len(sets) for candidate in candidates]
    best = [c for c, mean in zip(candidates, means, strict=True) if mean >= max(means) - 1e-12]
    return best[len(best) // 2]
