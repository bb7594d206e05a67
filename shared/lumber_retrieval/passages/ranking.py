"""Ranks chunks for a question, and makes passages from their sentences.

The rankings by vectors and by words are fused, and the best chunks are ranked by how much of the
question they contain. Their sentences are taken best first, until the budget is full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import itemgetter

from lumber_core.checks import check_flags, check_number, check_positive
from lumber_core.spans import Span
from lumber_core.text.markdown import FRONT_MATTER
from lumber_core.text.outline import context_of
from lumber_retrieval.hits import Hit, Sentence, make_hit
from lumber_retrieval.passages.joining import (
    MAX_GAP,
    Passage,
    in_reading_order,
    join_slices,
    shorten_context,
)
from lumber_retrieval.passages.passage_metadata import describe_passage
from lumber_retrieval.words.coverage import QuestionWords
from lumber_retrieval.words.keywords import count_written
from lumber_retrieval.words.sentences import (
    DividedText,
    begins_with_heading,
    chunk_sentences,
    has_content,
    small_table,
)

BUDGET = 600
"""Maximum number of words of all passages of a query, by default."""
_WORDS_WEIGHT, _PAIRS_WEIGHT, _SENTENCE_WEIGHT = 0.5, 0.2, 0.2
"""Scores of a chunk that contains all words of the question, of a chunk that contains all pairs of
neighbouring words of the question, and of a sentence that contains all words of the question. They
are added to a fused score from 0 to 1."""
_HIGHEST_SCORE = 1 + _WORDS_WEIGHT + _PAIRS_WEIGHT + _SENTENCE_WEIGHT
_SPARE_WORDS = 300
"""The best chunks are divided into sentences, until they have twice the words of the budget. The
words beyond the budget are at most this many, or half the budget if that is more. Measured: recall
at 600 words is at most 0.001 higher with twice the words, and a query takes a tenth more time."""
_MIN_SCORE_GAP = 0.2
"""The minimum difference of scores at which text above a heading becomes a passage of its own.
Measured: the first passage of Markdown has 134 words instead of 144, at the same recall. With 0.1,
the first passage contains half of the reference for 1.2 percentage points fewer questions."""
_CACHED_CONTEXTS = 1_000  # whose number of words is cached: most have less than 100 characters
NEIGHBOUR_SHARE = 0.5
"""The minimum score of a neighbour of a chunk, as a share of the chunk's score."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How a query is searched, and the limits of its passages.

    Attributes:
        keywords: Whether chunks are also found by their words.
        budget: Maximum number of words of all passages; see `join_hits`.
        max_gap: See `join_hits`; at most a seventh of the budget.
        k: Maximum number of passages, the best ones. None: as the budget allows.
        context: Whether passages state the context above them, within the budget.
        min_similarity: Minimum cosine similarity of passages, from -1 to 1. None: no minimum.
        reading_order: Whether passages come by document and place, and not best first.

    Raises:
        TypeError: A setting has another type.
        ValueError: A limit is out of range.
    """

    keywords: bool = True
    budget: int = BUDGET
    max_gap: int = MAX_GAP
    k: int | None = None
    context: bool = False
    min_similarity: float | None = None
    reading_order: bool = False

    def __post_init__(self) -> None:
        check_flags(self, "keywords", "context", "reading_order")
        check_positive("max_gap", self.max_gap, least=0)
        check_positive("budget", self.budget)
        if self.k is not None:
            check_positive("k", self.k)
        if (cosine := self.min_similarity) is not None:
            expected = "a cosine, from -1 to 1"
            check_number("min_similarity", cosine, lambda value: -1 <= value <= 1, expected)


def fuse(rankings: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Return the scores of all numbers in any ranking, from 0 to 1, best first.

    Relative score fusion: the scores of each ranking are scaled to 0 for its last number and 1 for
    its first. A number that is missing in a ranking has 0 there. The result is the mean over the
    rankings that are not empty.
    """
    rankings = [ranking for ranking in rankings if ranking]
    total: dict[int, float] = {}
    for ranking in rankings:
        low, high = min(ranking.values()), max(ranking.values())
        if high == low:
            scaled = dict.fromkeys(ranking, 1 / len(rankings))
        else:
            width = (high - low) * len(rankings)
            scaled = {number: (score - low) / width for number, score in ranking.items()}
        total |= {number: score + total.get(number, 0.0) for number, score in scaled.items()}
    return dict(sorted(total.items(), key=itemgetter(1), reverse=True))


def score_neighbours(
    hits: Iterable[Hit], scores: Mapping[int, float], min_similarity: float | None
) -> list[Hit]:
    """Return the chunks with scores, and their neighbours with shares of these scores, in order."""
    documents = {hit.number: hit.document for hit in hits}
    chunks = []
    for hit in sorted(hits, key=itemgetter(1, 0)):
        number, document = hit[:2]
        shares = [
            NEIGHBOUR_SHARE * scores[neighbour]
            for neighbour in (number - 1, number + 1)
            if neighbour in scores and documents[neighbour] == document
        ]
        if number in scores:
            shares.append(scores[number])
        if shares and (min_similarity is None or (hit.similarity or 0.0) >= min_similarity):
            chunks.append(make_hit((*hit[:4], max(shares), *hit[5:])))
    return chunks


def select_passages(
    question: QuestionWords,
    chunks: Sequence[Hit],
    texts: Mapping[str, str],
    settings: SearchSettings,
    language: str,
    described: Mapping[int, Hit] | None = None,
) -> list[Passage]:
    """Return passages from the chunks that fit a question; a passage ranks by its best sentence.

    Args:
        question: The words of the question.
        chunks: The chunks, in reading order, with scores from 0 to 1. The numbers of chunks that
            follow each other in a document are consecutive.
        texts: The texts of their documents.
        settings: The limits of passages, and their order.
        language: ISO 639 code, by which sentences are found.
        described: The hit that contains each chunk and has metadata, by chunk number. None: each
            chunk itself.
    """
    budget = settings.budget
    sentences = [*_best_sentences(question, chunks, texts, settings, language)]
    candidates = [sentence for sentence, full in sentences if full]
    documents = {sentence.document for sentence in candidates}
    # A short part is kept if its document has nothing else.
    candidates += [sentence for sentence, _ in sentences if sentence.document not in documents]
    max_gap = min(settings.max_gap, budget // 7)
    by_number = {chunk.number: chunk for chunk in chunks}
    passages = []
    whole = join_slices(candidates, texts, max_gap, budget)
    parts = [
        part for passage in whole for part in _divide_at_heading(passage, texts[passage.document])
    ]
    for joined in sorted(parts, key=lambda part: part.score, reverse=True):
        hits, above = describe_passage(
            joined, texts[joined.document], by_number, described or by_number
        )
        [share] = question.coverages([f"{above}\n{joined.text}"])
        context = above if settings.context else ""
        passages.append(replace(joined, hits=hits, context=context, words_found=share))
    # The budget has counted the context of each chunk's start. The context of a passage may have
    # one more heading, which is inside the chunk.
    if settings.context:
        totals = accumulate(count_written(passage.in_context) for passage in passages)
        passages = passages[: max(1, sum(total <= budget for total in totals))]
    best = passages[: settings.k]
    return in_reading_order(best) if settings.reading_order else best


def _divide_at_heading(passage: Passage, text: str) -> list[Passage]:
    """Return a passage, or two if the text above the best sentence's heading is far worse.

    Front matter is a passage of its own.
    """
    best, *_ = hits = passage.hits
    kind, last = best.kind, best.span.start
    matter = FRONT_MATTER.match(text, 0, passage.span.end) if kind == "markdown" else None
    below_it = [hit.span.start for hit in hits if matter and hit.span.start >= matter.end()]
    if matter and below_it and passage.span.start < matter.end():
        below, above = _cut(passage, min(below_it), text)
        return [*_divide_at_heading(below, text), above]
    before = [(hit.span.start, hit.text) for hit in hits if hit.span.start <= last]
    start = max(
        (place for place, hit_text in before if begins_with_heading(hit_text, kind)), default=0
    )
    higher = [hit for hit in hits if hit.span.start < start]
    end = max((hit.span.end for hit in higher), default=start + 1)
    if end > start or passage.time or higher[0].score > best.score - _MIN_SCORE_GAP:
        return [passage]
    return _cut(passage, start, text)


def _cut(passage: Passage, start: int, text: str) -> list[Passage]:
    """Return the part of a passage from the start of a sentence on, and the part above."""
    above = tuple(hit for hit in passage.hits if hit.span.start < start)
    below = tuple(hit for hit in passage.hits if hit.span.start >= start)
    end = max(hit.span.end for hit in above)
    spans = {Span(start, passage.span.end): below, Span(passage.span.start, end): above}
    as_text = replace(passage, spoken="")
    return [
        replace(as_text, span=s, text=s.of(text), hits=part_hits) for s, part_hits in spans.items()
    ]


def _best_sentences(
    question: QuestionWords,
    chunks: Sequence[Hit],
    texts: Mapping[str, str],
    settings: SearchSettings,
    language: str,
) -> Iterator[tuple[Hit, bool]]:
    """Yield the sentences of the best chunks with scores, and whether each `has_content`."""
    neighbours = _neighbours(chunks)
    scores = _chunk_scores(question, chunks, neighbours)
    documents: dict[str, DividedText] = {}
    budget = settings.budget
    words_left = budget + max(min(budget, _SPARE_WORDS), budget // 2)
    for place in sorted(range(len(chunks)), key=scores.__getitem__, reverse=True):
        chunk, around = chunks[place], neighbours[place]
        document = documents.get(chunk.document)
        if document is None:
            document = documents[chunk.document] = DividedText.of_kind(
                texts[chunk.document], chunk.kind
            )
        above = _words_above(context_of(chunk.metadata)) if settings.context else 0
        limits = chunks[around[0]].span.start, chunks[around[-1]].span.end
        parts = chunk_sentences(chunk.span, limits, document, language, chunk.sentences)
        if parts:
            parts = [_within_budget(part, chunk.span, document, budget) for part in parts]
            scored = make_hit((*chunk[:4], scores[place], chunk.metadata, above, *chunk[7:]))
            coverages = question.coverages(sentence for _, sentence, _ in parts)
            shares = zip(parts, coverages, strict=True)
            yield from _score_sentences(scored, document, shares, budget)
            words_left -= document.count(chunk.text)
            if words_left < 0:
                break


@lru_cache(maxsize=_CACHED_CONTEXTS)
def _words_above(context: str) -> int:
    return count_written(shorten_context(context))


def _chunk_scores(
    question: QuestionWords, chunks: Sequence[Hit], neighbours: Sequence[range]
) -> list[float]:
    """Return the scores of chunks, with the words of a question in them and their neighbours."""
    chunk_matches = question.matches(chunk.text for chunk in chunks)
    contexts = [context_of(chunk.metadata) for chunk in chunks]
    shared = [*dict.fromkeys(contexts)]
    above = dict(zip(shared, question.matches(shared), strict=True))
    scores = []
    for chunk, around in zip(chunks, neighbours, strict=True):
        matches = 0
        for place in around:
            matches |= chunk_matches[place] | above[contexts[place]] & question.stems
        words, pairs = question.shares(matches)
        scores.append(chunk.score + _WORDS_WEIGHT * words + _PAIRS_WEIGHT * pairs)
    return scores


def _neighbours(chunks: Sequence[Hit]) -> list[range]:
    """Return for each chunk the places of itself and of its neighbours in its document."""
    follows = [
        after.number - before.number <= 1 and before.document == after.document
        for before, after in pairwise(chunks)
    ]
    sides = zip(range(len(chunks)), [0, *follows], [*follows, 0], strict=False)
    return [range(place - before, place + 1 + after) for place, before, after in sides]


def _within_budget(part: Sentence, chunk: Span, document: DividedText, budget: int) -> Sentence:
    """Return a sentence, or the part that is in its chunk if it has more words than the budget."""
    if len(part.text) <= budget or document.count(part.text) <= budget:
        return part
    span = part.span.within(chunk)
    return Sentence(span, span.of(document.text), part.has_content)


def _score_sentences(
    chunk: Hit, document: DividedText, shares: Iterable[tuple[Sentence, float]], budget: int
) -> Iterator[tuple[Hit, bool]]:
    """Yield the sentences of a chunk with scores, and small tables before each of their rows.

    Each sentence has the share of the question's words that it contains.
    """
    named, described, text = chunk[:2], chunk[5:], document.text
    for (span, sentence, full), share in shares:
        score = (chunk.score + _SENTENCE_WEIGHT * share) / _HIGHEST_SCORE
        table = small_table(text, span) if "|" in sentence else None
        if table is not None:
            whole = Span(min(span.start, table.start), max(span.end, table.end))
            slice_ = whole.of(text)
            yield make_hit((*named, whole, slice_, score, *described)), full or has_content(slice_)
        if table is None or document.count(table.of(text)) > budget:
            yield make_hit((*named, span, sentence, score, *described)), full
