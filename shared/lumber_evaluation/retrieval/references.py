"""Which chunks answer a question: those with its string, or with its reference excerpts.

A chunk contains a question's string (GutenQA's `Chunk Must Contain`) if the text of its span does,
both case-folded.

A chunk has a reference excerpt if it contains at least half of the excerpt, or if at least half of
the chunk is in the excerpt. So a small part of an excerpt does not count, but if one cut divides an
excerpt anywhere, one of the two chunks has it. White space does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lumber_core.spans import Span
from lumber_evaluation.dataset import EvaluatedChunk, Question


def check_questions(questions: Sequence[Question]) -> None:
    """Raise unless there are questions and each has an expected answer."""
    if not questions:
        raise ValueError(
            "the corpus has no questions: pass a corpus with questions to measure retrieval"
        )
    for question in questions:
        if not question.references and not (question.must_contain or "").strip():
            raise ValueError(
                f"the question {question.question!r} has no expected answer: it needs "
                "must_contain, a string of the passage that answers it, or references, spans of "
                f"{question.document!r}"
            )


def find_gold(
    text: str, spans: Sequence[Span], questions: Sequence[Question]
) -> Iterator[list[int]]:
    """Yield, for each question about a text, the numbers of the spans that answer it.

    The references decide if a question has any, otherwise its string.
    """
    folded = [span.of(text).casefold() for span in spans]
    for question in questions:
        answer = (question.must_contain or "").strip().casefold()
        yield [
            number
            for number, span in enumerate(spans)
            if any(_contains(text, span, reference) for reference in question.references)
            or (not question.references and answer in folded[number])
        ]


def _contains(text: str, chunk: Span, reference: Span) -> bool:
    common = chunk.within(reference)
    if common.start >= common.end:
        return False
    # Characters that are not white space.
    shared, *lengths = (sum(map(len, span.of(text).split())) for span in (common, chunk, reference))
    return shared > 0 and 2 * shared >= min(lengths)


@dataclass(frozen=True, slots=True)
class TokenOverlap:
    """How retrieved chunks and reference excerpts overlap; each value from 0 to 1."""

    recall: float  # share of the excerpts that was retrieved
    precision: float  # share of the retrieved text that is in the excerpts
    iou: float  # intersection over union of the two


def token_overlap(question: Question, retrieved: Iterable[EvaluatedChunk]) -> TokenOverlap:
    """Compare the chunks, of any documents, retrieved for a question that has references."""
    chunks = list(retrieved)
    in_document = union(chunk.span for chunk in chunks if chunk.document == question.document)
    references = union(question.references)
    reference_length = _length(references)
    retrieved_length = _length(chunk.span for chunk in chunks)
    shared = (part.within(reference) for part in in_document for reference in references)
    common = sum(max(0, span.end - span.start) for span in shared)
    precision = common / retrieved_length if retrieved_length else 0.0
    both = retrieved_length + reference_length - common
    return TokenOverlap(common / reference_length, precision, common / both)


def union(spans: Iterable[Span]) -> list[Span]:
    """Return the spans that cover the same characters, in order and disjoint."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _length(spans: Iterable[Span]) -> int:
    return sum(span.end - span.start for span in spans)
