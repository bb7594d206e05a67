"""How well predicted boundaries agree with reference boundaries.

Precision, recall and F1 count boundaries; Pk (Beeferman et al. 1999) and WindowDiff (Pevzner and
Hearst 2002) slide a window over the units and forgive near misses in part. The last two are
computed by nltk (extra `evaluation`), so figures are comparable with published ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from lumber_core.support.extras import load
from lumber_evaluation.dataset import Document


@dataclass(frozen=True, slots=True)
class BoundaryScore:
    """Counts of predicted and reference boundaries, with precision, recall and F1."""

    hits: int = 0  # predicted boundaries that are reference boundaries
    predicted: int = 0
    reference: int = 0

    @property
    def precision(self) -> float:
        """Share of the predicted boundaries that are in the reference; 0 if none is predicted."""
        return self.hits / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the reference boundaries that are predicted; 0 if there is none."""
        return self.hits / self.reference if self.reference else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if both are 0."""
        total = self.predicted + self.reference
        return 2 * self.hits / total if total else 0.0

    def __add__(self, other: BoundaryScore) -> BoundaryScore:
        return BoundaryScore(
            self.hits + other.hits,
            self.predicted + other.predicted,
            self.reference + other.reference,
        )


def boundary_score(reference: Iterable[int], predicted: Iterable[int]) -> BoundaryScore:
    """Count the boundaries, and those that are both predicted and in the reference."""
    expected, actual = set(reference), set(predicted)
    return BoundaryScore(len(expected & actual), len(actual), len(expected))


def nearest_units(offsets: Iterable[int], units: Sequence[int]) -> list[int]:
    """Return the numbers of the units nearest to character offsets.

    Args:
        offsets: Character offsets where segments start.
        units: Character offsets where units start, ascending; the first is 0.

    Returns:
        Ascending unit numbers without duplicates and without 0, the start of the text. Of two
        equally near units, the later one.
    """
    numbers = set()
    for offset in offsets:
        after = bisect_left(units, offset)
        if after == len(units) or (after and offset - units[after - 1] < units[after] - offset):
            after -= 1
        numbers.add(after)
    return sorted(numbers - {0})


def pk_and_window_diff(
    reference: Sequence[int], predicted: Sequence[int], *, units: int
) -> tuple[float, float]:
    """Return Pk and WindowDiff, as nltk computes them over the gaps between units.

    Pk is how often two units k apart are wrongly put in one segment, or in two; WindowDiff is how
    often windows of that length hold different numbers of boundaries. Boundaries are the numbers of
    the units where segments start, without 0. k is half the mean length of a reference segment, at
    least 1. Both are 0 for perfect agreement, and for a text of fewer than two units.

    Raises:
        ValueError: A boundary is not between 1 and `units` - 1.
        MissingExtraError: Nltk is not installed.
    """
    nltk = load("nltk.metrics.segmentation", package="nltk", extra="evaluation")
    gaps = _gaps(reference, units), _gaps(predicted, units)
    if units < 2:
        return 0.0, 0.0
    k = min(max(1, round(units / (2 * (len(set(reference)) + 1)))), units - 1)
    return float(nltk.pk(*gaps, k)), float(nltk.windowdiff(*gaps, k))


def _gaps(boundaries: Sequence[int], units: int) -> str:
    """Return a character for each gap between units: 1 where a segment starts after it."""
    gaps = ["0"] * max(0, units - 1)
    for boundary in boundaries:
        if not 1 <= boundary < units:
            raise ValueError(
                f"a boundary is the number of a unit that starts a segment, from 1 to "
                f"{units - 1} here, not {boundary}"
            )
        gaps[boundary - 1] = "1"
    return "".join(gaps)


@dataclass(frozen=True, slots=True)
class DocumentScore:
    """How well the cuts in one document agree with its reference segments.

    Attributes:
        document: Name of the document.
        boundaries: Counts of boundaries, in the document's units.
        pk: Pk, from 0 for perfect agreement.
        window_diff: WindowDiff, from 0 for perfect agreement.
    """

    document: str
    boundaries: BoundaryScore
    pk: float
    window_diff: float


@dataclass(frozen=True, slots=True)
class SegmentationScores:
    """How well the cuts in the documents of a corpus agree with their reference segments."""

    documents: tuple[DocumentScore, ...]

    @property
    def boundaries(self) -> BoundaryScore:
        """Counts of boundaries over all documents, so that long documents have more weight."""
        return sum((score.boundaries for score in self.documents), BoundaryScore())

    @property
    def pk(self) -> float:
        """Mean of Pk over the documents."""
        return fmean(score.pk for score in self.documents)

    @property
    def window_diff(self) -> float:
        """Mean of WindowDiff over the documents."""
        return fmean(score.window_diff for score in self.documents)


def score_segmentation(
    documents: Sequence[Document], starts: Sequence[Iterable[int]]
) -> SegmentationScores:
    """Compare the character offsets where chunks start in documents with their segments.

    The offsets of a document are in any order; the start of its text is ignored. Each offset
    counts as the unit nearest to it.
    """
    if not documents:
        raise ValueError("there is no document with reference segments to compare with")
    scores = []
    for document, cuts in zip(documents, starts, strict=True):
        true, predicted = (nearest_units(at, document.units) for at in (document.starts, cuts))
        errors = pk_and_window_diff(true, predicted, units=len(document.units))
        scores.append(DocumentScore(document.name, boundary_score(true, predicted), *errors))
    return SegmentationScores(tuple(scores))
