"""The hardest questions, with the passages retrieved for them."""

from __future__ import annotations

from dataclasses import dataclass

from lumber_evaluation.comparison import Comparison, SplitterResult
from lumber_evaluation.documents import Question
from lumber_evaluation.report.svg import legend_mark

SHOWN = 12
_PASSAGES = 3
_EXCERPT = 360
_BEYOND = 1_000_000  # a rank for questions that no chunk answers


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A passage retrieved for a question: an excerpt, and whether it contains the answer."""

    rank: int
    document: str
    number: int
    tokens: int
    similarity: str
    answers: bool
    excerpt: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one splitter for a question.

    Attributes:
        name: The splitter.
        mark: Its mark in the plots.
        verdict: Where the answer was, in words.
        found: Whether it was among the first five.
        passages: The first passages.
    """

    name: str
    mark: str
    verdict: str
    found: bool
    passages: tuple[Retrieved, ...]


@dataclass(frozen=True, slots=True)
class HardQuestion:
    """A question with every splitter's attempt."""

    question: str
    document: str
    answer: str
    evidence: str
    attempts: tuple[Attempt, ...]

    @property
    def found(self) -> int:
        """Number of splitters with the answer among the first five passages."""
        return sum(attempt.found for attempt in self.attempts)


def hard_questions(comparison: Comparison) -> list[HardQuestion]:
    """Return the questions with the worst ranks over all splitters, worst first."""
    results = comparison.results
    if not all(result.retrieval is not None for result in results):
        return []

    def badness(number: int) -> tuple[int, int]:
        ranks = [_rank(result, number) for result in results]
        return sum(rank > 5 for rank in ranks), sum(min(rank, 1_000) for rank in ranks)

    numbers = range(len(comparison.corpus.questions))
    worst = sorted(numbers, key=lambda number: (*(-b for b in badness(number)), number))
    return [
        _lay_out(comparison, number)
        for number in worst[:SHOWN]
        if any(_rank(result, number) > 1 for result in results)
    ]


def _rank(result: SplitterResult, number: int) -> int:
    assert result.retrieval is not None
    return result.retrieval.questions[number].first_hit or _BEYOND


def _lay_out(comparison: Comparison, number: int) -> HardQuestion:
    asked = comparison.corpus.questions[number]
    text = comparison.corpus.by_name[asked.document].text
    evidence = asked.must_contain or " … ".join(span.of(text) for span in asked.references)
    attempts = tuple(
        _attempt(result, kind, number) for kind, result in enumerate(comparison.results)
    )
    return HardQuestion(asked.question, asked.document, asked.answer, evidence, attempts)


def _attempt(result: SplitterResult, kind: int, number: int) -> Attempt:
    retrieval = result.retrieval
    assert retrieval is not None
    found = retrieval.questions[number]
    sizes = [size for document in result.sizes for size in document]
    gold = set(found.gold)
    firsts: dict[str, int] = {}
    for place, chunk in enumerate(retrieval.chunks):
        firsts.setdefault(chunk.document, place)
    passages = []
    for rank, place in enumerate(found.retrieved[:_PASSAGES], start=1):
        chunk = retrieval.chunks[place]
        passages.append(
            Retrieved(
                rank,
                chunk.document,
                place - firsts[chunk.document] + 1,
                sizes[place],
                f"{found.similarities[rank - 1]:.2f}",
                place in gold,
                _excerpt(chunk.text, found.question),
            )
        )
    rank_of = found.first_hit
    verdict = "No chunk contains the whole answer: it was cut apart"
    if found.is_absent:
        verdict = "The answer does not occur in the document"
    if rank_of is not None:
        verdict = f"The answer came at rank {rank_of:,} of {len(retrieval.chunks):,} passages"
    return Attempt(
        result.name,
        legend_mark(kind),
        verdict,
        rank_of is not None and rank_of <= 5,
        tuple(passages),
    )


def _excerpt(text: str, question: Question) -> str:
    """Return the part of a chunk around the answer, or else its beginning."""
    clean = " ".join(text.split())
    wanted = " ".join((question.must_contain or "").split()).casefold()
    place = clean.casefold().find(wanted) if wanted else -1
    start = max(0, place - 80) if place > _EXCERPT - len(wanted) else 0
    start = clean.rfind(" ", 0, start) + 1 if start else 0
    if len(clean) - start <= _EXCERPT:
        return f"{'… ' if start else ''}{clean[start:]}"
    shown = clean[start : start + _EXCERPT].rpartition(" ")[0]
    return f"{'… ' if start else ''}{shown} …"
