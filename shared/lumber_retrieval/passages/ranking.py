"""Ranks chunks by how much of a question they cover, and takes their sentences as passages.

Sentences are taken best first, until the budget is full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from lumber_core.checks import check_not_negative, check_positive, number_that
from lumber_core.chunking.delivery import Delivery, added_metadata, deliver
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.pages import place_source
from lumber_core.text.parsed import MarkdownText
from lumber_core.text.source import Source
from lumber_core.text.structured import NESTED, StructuredText, parse_plain
from lumber_core.tokens import DEFAULT_TOKENIZER, token_counter
from lumber_retrieval.hits import Hit
from lumber_retrieval.passages.joining import (
    MAX_GAP,
    OWN_KEYS,
    Passage,
    in_reading_order,
    join_hits,
    shortened,
)
from lumber_retrieval.passages.sentences import says_something, sentences_of, small_table
from lumber_retrieval.words.coverage import AskedWords
from lumber_retrieval.words.word_count import count_words

BUDGET = 600
"""Words of all passages of a query, by default."""
_COVERED, _PAIRED, _SENTENCE = 0.5, 0.2, 0.2
"""What covering the whole question counts for a chunk, covering all pairs of its words, and for a
sentence covering the whole question, beside a fused score from 0 to 1."""
_MOST = 1 + _COVERED + _PAIRED + _SENTENCE
_DIVIDED = 2
"""Chunks are divided into sentences until they have so many times the words of the budget."""
BESIDE = 0.5
"""What a chunk beside one that was found has of its score, at least."""
_check_cosine = number_that(lambda value: -1 <= value <= 1, "a cosine, from -1 to 1")


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How a query is searched, and what limits its passages.

    Attributes:
        keywords: Whether chunks are found by their words, too.
        budget: Maximum number of words of all passages; see `join_hits`.
        max_gap: As for `join_hits`, but at most a seventh of the budget.
        k: Maximum number of passages, the best ones. None: as the budget allows.
        context: Whether passages say what stands above them, within the budget.
        min_similarity: The least cosine similarity of what is found, from -1 to 1. None: all.
        reading_order: Whether passages come by document and place, and not best first.

    Raises:
        TypeError: A limit is not a number.
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
        check_not_negative("max_gap", self.max_gap)
        check_positive("budget", self.budget)
        if self.k is not None:
            check_positive("k", self.k)
        if self.min_similarity is not None:
            _check_cosine("min_similarity", self.min_similarity)


def passages_of(
    question: AskedWords,
    chunks: Sequence[Hit],
    texts: Mapping[str, str],
    settings: SearchSettings,
    language: str,
    described: Mapping[int, Hit] | None = None,
) -> list[Passage]:
    """Return the passages of chunks that fit a question: each is as good as its best sentence.

    Args:
        question: The question.
        chunks: The chunks, in reading order, with scores from 0 to 1. The numbers of those that
            follow each other in a document do so, too.
        texts: The texts of their documents.
        settings: What limits passages, and their order.
        language: ISO 639 code, by which sentences are found.
        described: For the number of each chunk what has it in its text, with the metadata that is
            known. None: the chunk.
    """
    budget, context = settings.budget, settings.context
    parts = [*_parts(question, chunks, texts, settings, language)]
    said = [part for part in parts if says_something(part.text)]
    heard = {part.document for part in said}  # of another document, a word may be all it has
    said += [part for part in parts if part.document not in heard]
    joined = join_hits(said, texts, max_gap=min(settings.max_gap, budget // 7), budget=budget)
    known = {chunk.number: chunk for chunk in chunks}
    described = described or known
    passages = [_placed(one, known, described, question, context=context) for one in joined]
    # The first context of a chunk was known when its sentences were taken, and a later one may be
    # longer by a heading inside.
    if context:
        while len(passages) > 1 and sum(count_words(one.in_context) for one in passages) > budget:
            passages.pop()
    best = passages[: settings.k]
    return in_reading_order(best) if settings.reading_order else best


def _parts(
    question: AskedWords,
    chunks: Sequence[Hit],
    texts: Mapping[str, str],
    settings: SearchSettings,
    language: str,
) -> Iterator[Hit]:
    """Yield the sentences of the best chunks, with their scores, and small tables before a row."""
    budget = settings.budget
    words_of = cache(question.words_of)  # a context is often that of several chunks
    words = [words_of(chunk.text) for chunk in chunks]
    stems = [
        own.stems | words_of(chunk.metadata.get(CONTEXT_KEY, "")).stems
        for own, chunk in zip(words, chunks, strict=True)
    ]
    beside = [_beside(place, chunks) for place in range(len(chunks))]
    scores = []
    for chunk, near in zip(chunks, beside, strict=True):
        covered = question.share(frozenset[str]().union(*(stems[n] for n in near)))
        paired = question.share_of_pairs(
            frozenset[tuple[str, str]]().union(*(words[n].pairs for n in near))
        )
        scores.append(chunk.score + _COVERED * covered + _PAIRED * paired)
    left = _DIVIDED * budget
    for place in sorted(range(len(chunks)), key=scores.__getitem__, reverse=True):
        chunk = chunks[place]
        around = [chunks[n] for n in beside[place]]
        context = chunk.metadata.get(CONTEXT_KEY) if settings.context else None
        above = count_words(shortened(context)) if context else 0
        whole = texts[chunk.document]
        nested = is_nested(chunk.metadata)
        edges = Span(around[0].span.start, around[-1].span.end)
        line = chunk.span if nested else _line_of(chunk.span, edges, whole)
        for sentence in sentences_of(line.of(whole), language, whole_lines=nested):
            span = sentence.shifted(line.start)
            if span.start >= chunk.span.end or span.end <= chunk.span.start:
                continue
            if count_words(span.of(whole)) > budget:
                span = span.within(chunk.span)
            text = span.of(whole)
            share = question.share(question.words_of(text).stems)
            score = (scores[place] + _SENTENCE * share) / _MOST
            part = chunk._replace(span=span, text=text, score=score, above=above)
            table = small_table(whole, span)
            if table is not None:
                span = Span(min(span.start, table.start), max(span.end, table.end))
                yield part._replace(span=span, text=span.of(whole))
            if table is None or count_words(table.of(whole)) > budget:
                yield part
        left -= count_words(chunk.text)
        if left < 0:
            break


def is_nested(metadata: Mapping[Any, Any]) -> bool:
    """Return whether a document is code or data, whose chunks are cut at lines or elements."""
    return Source("", metadata=metadata).kind in NESTED


def _line_of(chunk: Span, near: Span, text: str) -> Span:
    """Return a chunk with the rest of its first and last lines, where its sentences may go on."""
    start = text.rfind("\n", near.start, chunk.start) + 1
    end = text.find("\n", chunk.end, near.end)
    return Span(max(start, near.start), near.end if end < 0 else end)


def _beside(place: int, chunks: Sequence[Hit]) -> range:
    """Return the places of a chunk and of those directly before and after it."""
    near = [
        other
        for other in range(max(0, place - 1), min(place + 2, len(chunks)))
        if abs(chunks[other].number - chunks[place].number) <= 1
        and chunks[other].document == chunks[place].document
    ]
    return range(near[0], near[-1] + 1)


def _placed(
    passage: Passage,
    chunks: Mapping[int, Hit],
    described: Mapping[int, Hit],
    question: AskedWords,
    *,
    context: bool,
) -> Passage:
    """Return a passage that says what stands above it, and where it begins and ends."""
    hits = [part for hit in passage.hits for part in _by_chunk(hit, chunks)]
    for place in {
        min(range(len(hits)), key=lambda n: hits[n].span),
        max(range(len(hits)), key=lambda n: hits[n].span.end),
    }:
        known = {**_metadata_of(hits[place], described)}
        if known.get(CONTEXT_KEY):
            known[CONTEXT_KEY] = shortened(known[CONTEXT_KEY])
        hits[place] = hits[place]._replace(metadata=known)
    placed = replace(passage, hits=tuple(hits))
    above = placed.metadata.get(CONTEXT_KEY, "")
    words = question.words_of(f"{above}\n{passage.text}")
    return replace(
        placed, context=above if context else "", words_found=question.share(words.stems)
    )


def _by_chunk(sentence: Hit, chunks: Mapping[int, Hit]) -> Iterator[Hit]:
    """Yield the parts of a sentence that are in different chunks."""
    for number in (sentence.number - 1, sentence.number, sentence.number + 1):
        chunk = chunks.get(number)
        if chunk is None or chunk.document != sentence.document:
            continue
        span = sentence.span.within(chunk.span)
        if span.start < span.end:
            text = span.shifted(-chunk.span.start).of(chunk.text)
            yield sentence._replace(number=number, span=span, text=text, metadata=chunk.metadata)


def _metadata_of(part: Hit, chunks: Mapping[int, Hit]) -> Mapping[str, Any]:
    """Return what is known about a part of a chunk: headings, context, pages and lines."""
    chunk = chunks[part.number]
    known = chunk.metadata
    if part.span == chunk.span or not known.keys() & {*OWN_KEYS}:
        return part.metadata
    # Without a context, its document has a title of its own, or no name that says anything.
    source = place_source(chunk.text, {CONTEXT_KEY: "", **known})
    plain = parse_plain(source)
    # A chunk of a text that was split as Markdown by its units has headings.
    marked = "headings" in known and not isinstance(plain, StructuredText)
    parsed = MarkdownText(source) if source.kind == "markdown" or marked else plain
    limits = SizeLimits(None, None, token_counter(DEFAULT_TOKENIZER))
    span = part.span.shifted(-chunk.span.start)
    [own] = deliver(Segmentation((span,)), Delivery(), parsed, limits)
    return {**part.metadata, **added_metadata(own, known, everything=False, context=True)}
