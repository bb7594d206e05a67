"""Segmentation measured over a corpus: one score a document, and what they come to together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from lumber_evaluation.documents import Document
from lumber_evaluation.metrics import (
    BoundaryScore,
    boundary_score,
    nearest_units,
    pk,
    window_diff,
)


@dataclass(frozen=True, slots=True)
class DocumentScore:
    """How well the cuts through one document agree with its reference segments.

    Attributes:
        document: Name of the document.
        boundaries: Counts of boundaries, in the document's units.
        pk: Pk, from 0 for perfect agreement.
        window_diff: WindowDiff, likewise.
    """

    document: str
    boundaries: BoundaryScore
    pk: float
    window_diff: float


@dataclass(frozen=True, slots=True)
class SegmentationScores:
    """How well the cuts through the documents of a corpus agree with their reference segments.

    Attributes:
        documents: One score for each document.
        tolerance: How many units apart two boundaries may be and still match.
    """

    documents: tuple[DocumentScore, ...]
    tolerance: int = 0

    @property
    def boundaries(self) -> BoundaryScore:
        """Counts of boundaries over all documents: long documents weigh more."""
        return sum((score.boundaries for score in self.documents), BoundaryScore())

    @property
    def pk(self) -> float:
        """Mean of Pk over the documents."""
        return fmean(score.pk for score in self.documents)

    @property
    def window_diff(self) -> float:
        """Mean of WindowDiff over the documents."""
        return fmean(score.window_diff for score in self.documents)


def score_document(
    document: Document, starts: Iterable[int], *, tolerance: int = 0
) -> DocumentScore:
    """Compare the cuts through a document with its reference segments.

    Args:
        document: A document with units and reference segments.
        starts: Character offsets where chunks start, in any order; the text's own start does not
            count. Each is taken for the unit nearest to it.
        tolerance: How many units apart two boundaries may be and still match.

    Raises:
        ValueError: `tolerance` is negative.
        MissingExtraError: nltk is not installed.
    """
    said = nearest_units(starts, document.units)
    true = nearest_units(document.starts, document.units)
    units = len(document.units)
    return DocumentScore(
        document.name,
        boundary_score(true, said, tolerance=tolerance),
        pk(true, said, units=units),
        window_diff(true, said, units=units),
    )


def score_segmentation(
    documents: Sequence[Document], starts: Sequence[Iterable[int]], *, tolerance: int = 0
) -> SegmentationScores:
    """Compare the cuts through several documents with their reference segments.

    Args:
        documents: At least one document with reference segments.
        starts: For each document, character offsets where chunks start.
        tolerance: How many units apart two boundaries may be and still match.

    Raises:
        ValueError: There is no document, or `tolerance` is negative.
        MissingExtraError: nltk is not installed.
    """
    if not documents:
        raise ValueError("there is no document with reference segments to measure cuts against")
    scores = [
        score_document(document, cuts, tolerance=tolerance)
        for document, cuts in zip(documents, starts, strict=True)
    ]
    return SegmentationScores(tuple(scores), tolerance)
