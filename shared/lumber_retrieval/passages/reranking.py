"""Hits of any search engine, ranked by the question as those of an index are.

An engine gives chunks, best first, and nothing else. What an index knows besides is estimated: how
rare a word is by the hits that have it, and the chunks beside a hit by the text beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lumber_core.chunking.delivery import Delivery, added_metadata
from lumber_core.chunking.layout import LayoutChunker
from lumber_core.spans import Span
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY
from lumber_core.text.pages import (
    FIRST_LINE,
    FIRST_PAGE,
    LAST_LINE,
    LAST_PAGE,
    SEPARATOR,
    has_lines,
    has_pages,
    place_source,
)
from lumber_core.text.unicode import count_line_breaks
from lumber_retrieval.hits import TARGET_SIZE, TOKENIZER, Hit
from lumber_retrieval.passages.joining import (
    MAX_GAP,
    OWN_KEYS,
    Passage,
    check_slices,
    in_reading_order,
    join_hits,
)
from lumber_retrieval.passages.ranking import BESIDE, BUDGET, SearchSettings, is_nested, passages_of
from lumber_retrieval.passages.sentences import HEADING, sentences_of
from lumber_retrieval.words.coverage import AskedWords
from lumber_retrieval.words.keywords import words_in
from lumber_retrieval.words.title_boost import LONG, favour_named, title_of

_FIRST = 0.4
"""The score of the first hit; those of the others fall evenly to 0. From 0.3 to 0.5 recall on the
development corpora is the same within 0.02. With 1 it is up to 0.04 less at 300 words."""
_REACH = 250
"""Characters of text beside a hit that are a chunk, about as many as a chunk of an index has. With
150 or 400 recall is the same within 0.02."""
_LONGEST = 2 * _REACH
"""Characters of a hit that is not divided into chunks like those of an index. Hits of 240 words
have 0.03 to 0.06 more recall if they are."""
_TRIMMED = Delivery(trim=True)
_PLACES = {FIRST_PAGE, LAST_PAGE, FIRST_LINE, LAST_LINE}


def passages_of_hits(
    query: str,
    hits: Sequence[Hit],
    texts: Mapping[str, str],
    *,
    rerank: bool = True,
    max_gap: int = MAX_GAP,
    budget: int | None = BUDGET,
    reading_order: bool = False,
    language: str = "en",
) -> list[Passage]:
    """Return passages of hits and the text beside them, ranked by the question, or joined hits.

    Args:
        query: The question.
        hits: The hits. Of their scores only the order counts: engines have many scales. What is
            beside one has its number in passages.
        texts: The texts of their documents.
        rerank: Whether they are ranked. Without a question or a budget they are not.
        max_gap: See `join_hits`, as for the budget and what is raised.
        budget: Maximum number of words of all passages. None: no limit.
        reading_order: Whether passages come by document and place, and not best first.
        language: ISO 639 code, by which sentences are found.
    """
    if not (rerank and query and hits and budget):
        joined = join_hits(hits, texts, max_gap=max_gap, budget=budget)
        return in_reading_order(joined) if reading_order else joined
    check_slices(hits, texts)
    ranked = dict(enumerate(sorted(hits, key=lambda hit: hit.score, reverse=True)))
    titles = {
        place: (hit.document, title_of(hit.metadata) if len(texts[hit.document]) >= LONG else "")
        for place, hit in ranked.items()
    }
    even = {place: _FIRST * (1 - place / len(hits)) for place in ranked}
    scores = favour_named(query, even, titles)
    scored = [hit._replace(score=scores[place]) for place, hit in ranked.items()]
    parts = [*_with_text_beside(scored, texts, language)]
    described = {chunk.number: whole for chunk, whole in parts}
    counts = Counter(word for hit in hits for word in {*words_in(hit.text)})
    passages = passages_of(
        AskedWords(query, lambda _: counts, len(hits)),
        [chunk for chunk, _ in parts],
        texts,
        SearchSettings(max_gap=max_gap, budget=budget, reading_order=reading_order),
        language,
        described,
    )
    return [
        replace(
            passage,
            hits=tuple(hit._replace(number=described[hit.number].number) for hit in passage.hits),
        )
        for passage in passages
    ]


def _with_text_beside(
    hits: Sequence[Hit], texts: Mapping[str, str], language: str
) -> Iterator[tuple[Hit, Hit]]:
    """Yield hits and the text beside each as chunks, and for each what describes it.

    That is a hit with text beside it, whose metadata is known. Chunks of a document come in reading
    order, and the document of the best hit first. What two hits have in common is in the one that
    begins first.
    """
    of_document: dict[str, list[Hit]] = {}
    for hit in hits:
        of_document.setdefault(hit.document, []).append(hit)
    small = LayoutChunker(target_size=TARGET_SIZE, tokenizer=TOKENIZER, language=language)
    number = 0
    for document, unordered in of_document.items():
        text, end = texts[document], 0
        own = sorted(unordered, key=lambda hit: hit.span)
        nexts = [*(hit.span.start for hit in own[1:]), len(text)]
        for hit, following in zip(own, nexts, strict=True):
            start = max(end, hit.span.start)
            if start >= hit.span.end:
                continue
            nested = is_nested(hit.metadata)
            first = _start_before(text, Span(end, start), language, nested)
            last = _end_after(text, Span(hit.span.end, following), language, nested)
            below = _described(hit, Span(hit.span.start, last), text)
            above = _described(hit, Span(first, last), text)
            # No heading is between, so that headings are those of the hit.
            places = {key: value for key, value in above.metadata.items() if key in _PLACES}
            above = above._replace(metadata=places)
            for span, described, metadata, score in (
                (Span(first, start), above, below.metadata, BESIDE * hit.score),
                *((*one, hit.score) for one in _pieces(hit, start, below, small)),
                (Span(hit.span.end, last), below, below.metadata, BESIDE * hit.score),
            ):
                if span.of(text).strip():
                    number += 2 if text[end : span.start].strip() else 1
                    end = span.end
                    yield Hit(number, document, span, span.of(text), score, metadata), described
        number += 2


def _pieces(
    hit: Hit, start: int, described: Hit, small: LayoutChunker
) -> Iterator[tuple[Span, Hit, Mapping[Any, Any]]]:
    """Yield the chunks of a hit from an offset on, with what describes them, and their metadata."""
    if hit.span.end - start <= _LONGEST:
        yield Span(start, hit.span.end), described, hit.metadata
        return
    known = described.metadata
    for chunk in small.split(place_source(hit.text, {CONTEXT_KEY: "", **known}), _TRIMMED):
        said = added_metadata(chunk, known, everything=False, context=True)
        own = {**known, **said} if known.keys() & {*OWN_KEYS} else known
        yield chunk.span.shifted(hit.span.start).within(Span(start, hit.span.end)), described, own


def _end_after(text: str, room: Span, language: str, nested: bool) -> int:
    """Return where the sentences after a hit end that are in its section."""
    end = min(room.end, room.start + 2 * _REACH)
    heading = HEADING.search(text, room.start, end)
    if heading is not None:
        end = heading.start()
    ends = [one.end for one in sentences_of(text[room.start : end], language, whole_lines=nested)]
    if heading is None and end < room.end:
        ends = ends[:-1]  # the last one may go on
    return room.start + next((one for one in ends if one >= _REACH), ends[-1] if ends else 0)


def _start_before(text: str, room: Span, language: str, nested: bool) -> int:
    """Return where the sentences before a hit begin that are in its section."""
    if HEADING.match(text, room.end):
        return room.end
    start = max(room.start, room.end - 2 * _REACH)
    *_, heading = [None, *HEADING.finditer(text, start, room.end)]
    if heading is not None:
        start = heading.start()
    near = text[start : room.end]
    starts = [one.start for one in sentences_of(near, language, whole_lines=nested)]
    if heading is None and start > room.start:
        starts = starts[1:]  # the first one may begin before
    enough = (one for one in reversed(starts) if len(near) - one >= _REACH)
    return start + next(enough, starts[0] if starts else len(near))


def _described(hit: Hit, span: Span, text: str) -> Hit:
    """Return a hit with text beside it, and with its lines and pages."""
    known = {key: value for key, value in hit.metadata.items() if key != INSIDE_KEY}
    for key in _PLACES & known.keys():
        if isinstance(known[key], float):  # as some stores return numbers
            known[key] = int(known[key])
    seen, own = hit.span.stripped(text), span.stripped(text)
    if has_lines(known):
        known[FIRST_LINE] -= count_line_breaks(text, own.start, seen.start)
    if has_pages(known):
        known[FIRST_PAGE] -= text.count(SEPARATOR, own.start, seen.start)
        known[LAST_PAGE] += text.count(SEPARATOR, seen.end, own.end)
    return hit._replace(span=span, text=span.of(text), metadata=known)
