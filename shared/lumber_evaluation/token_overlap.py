"""How much of what was retrieved answers a question, and how much of the answer was retrieved.

The measures of Chroma's chunking evaluation, counted in characters as its code does. For chunks
retrieved for a question with reference excerpts, with `common` the characters of excerpts that lie
in any retrieved chunk:

* recall = common / characters of the excerpts;
* precision = common / characters of the retrieved chunks;
* IoU = common / (characters of the retrieved chunks + characters of excerpts not retrieved).

Excerpts that overlap count once. Characters that two retrieved chunks share count twice in the
denominators, as they take up room twice, and once in `common`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lumber_core.spans import Span
from lumber_evaluation.chunks import Chunk
from lumber_evaluation.documents import Question


@dataclass(frozen=True, slots=True)
class TokenOverlap:
    """How retrieved chunks and reference excerpts overlap; each value from 0 to 1.

    Attributes:
        recall: Share of the excerpts that was retrieved.
        precision: Share of what was retrieved that is of the excerpts.
        iou: Intersection over union of the two.
    """

    recall: float
    precision: float
    iou: float


def token_overlap(question: Question, retrieved: Iterable[Chunk]) -> TokenOverlap:
    """Measure what was retrieved for a question against its references.

    Args:
        question: A question with references.
        retrieved: The chunks, of any documents.

    Raises:
        ValueError: The question has no references.
    """
    if not question.references:
        raise ValueError(f"the question {question.question!r} has no references")
    chunks = list(retrieved)
    own = union(chunk.span for chunk in chunks if chunk.document == question.document)
    references = union(question.references)
    wanted = _length(references)
    given = _length(chunk.span for chunk in chunks)
    common = sum(
        max(0, min(one.end, other.end) - max(one.start, other.start))
        for one in own
        for other in references
    )
    return TokenOverlap(
        common / wanted, common / given if given else 0.0, common / (given + wanted - common)
    )


def union(spans: Iterable[Span]) -> list[Span]:
    """Return the spans that cover the same characters, in order and apart from one another."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _length(spans: Iterable[Span]) -> int:
    return sum(span.end - span.start for span in spans)
