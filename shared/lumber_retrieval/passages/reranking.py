"""Reranks the hits of any search engine by the question, as an index ranks its own hits.

An engine returns only chunks, best first. So data that an index stores are estimated: the rarity of
a word from the hits that contain it, and neighbouring chunks from the text beside a hit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from lumber_core.checks import RefusesUnknown, check_flags, check_language
from lumber_core.chunking.delivery import Delivery, chunk_metadata
from lumber_core.chunking.layout import LayoutChunker
from lumber_core.spans import Span
from lumber_core.text.captions import is_captions
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY
from lumber_core.text.pages import FIRST_LINE, FIRST_PAGE, LAST_LINE, LAST_PAGE, place_source
from lumber_retrieval.hits import LONG_DOCUMENT, TARGET_SIZE, TOKENIZER, Hit, Sentence
from lumber_retrieval.passages.joining import (
    MAX_GAP,
    OWN_KEYS,
    Passage,
    check_limits,
    check_slices,
    in_reading_order,
    join_hits,
)
from lumber_retrieval.passages.passage_metadata import pages_and_lines
from lumber_retrieval.passages.ranking import (
    BUDGET,
    NEIGHBOUR_SHARE,
    SearchSettings,
    select_passages,
)
from lumber_retrieval.words.coverage import QuestionWords, favour_named, title_of
from lumber_retrieval.words.keywords import words_in
from lumber_retrieval.words.sentences import headings_in, sentences_of

_FIRST_SCORE = 0.4
"""The score of the first hit; the scores of the others fall evenly to 0. Measured: recall on the
development corpora is the same within 0.02 from 0.3 to 0.5. With 1, it is up to 0.04 less at 300
words."""
_CHARACTERS_BESIDE = 250
"""Characters beside a hit that become a chunk, about as many as a chunk of an index has. Measured:
recall is the same within 0.02 with 150 or 400."""
_MAX_UNDIVIDED_CHARACTERS = 2 * _CHARACTERS_BESIDE
"""Characters of the longest hit that is not divided into chunks like those of an index. Measured:
recall is 0.03 to 0.06 higher if hits of 240 words are divided."""
_TRIM = Delivery(trim=True)
_Divide = Callable[[str], Sequence[Sentence]]
_PLACE_KEYS = {FIRST_PAGE, LAST_PAGE, FIRST_LINE, LAST_LINE}


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

    Errors are those of `join_hits`.

    Args:
        query: The question.
        hits: The hits. Only the order of their scores counts, because engines have different
            scales. In passages, text beside a hit has the number of the hit.
        texts: The texts of their documents.
        rerank: Whether they are ranked. Without a question or a budget they are joined.
        max_gap: See `join_hits`.
        budget: Maximum number of words of all passages. None: no limit.
        reading_order: Whether passages come by document and place, and not best first.
        language: ISO 639 code, by which sentences are found.
    """
    if not (rerank and query and hits and budget):
        joined = join_hits(hits, texts, max_gap=max_gap, budget=budget)
        return in_reading_order(joined) if reading_order else joined
    check_slices(hits, texts)
    ranked = dict(enumerate(sorted(hits, key=lambda hit: hit.score, reverse=True)))
    long = {name for name, text in texts.items() if len(text) >= LONG_DOCUMENT}
    titles = {
        place: (hit.document, title_of(hit.metadata) if hit.document in long else "")
        for place, hit in ranked.items()
    }
    falling = {place: _FIRST_SCORE * (1 - place / len(hits)) for place in ranked}
    scores = favour_named(query, falling, titles)
    scored = [hit._replace(score=scores[place]) for place, hit in ranked.items()]
    chunks = [*_add_text_beside(scored, texts, language)]
    described = {chunk.number: hit for chunk, hit in chunks}
    counts = Counter(word for hit in hits for word in {*words_in(hit.text)})
    question, ordered = QuestionWords(query, counts, len(hits)), [chunk for chunk, _ in chunks]
    settings = SearchSettings(max_gap=max_gap, budget=budget, reading_order=reading_order)
    passages = []
    for passage in select_passages(question, ordered, texts, settings, language, described):
        numbered = (hit._replace(number=described[hit.number].number) for hit in passage.hits)
        passages.append(replace(passage, hits=tuple(numbered)))
    return passages


class JoinsHits(RefusesUnknown):
    """The base of both frameworks' joiners; the settings are those of `passages_of_hits`."""

    _hints: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("k", "top_k", "top_n"), "use budget, the words of all passages"
    )

    def _check(self) -> None:
        settings = self._settings
        check_limits(settings["max_gap"], settings["budget"])
        check_flags(self, "reading_order", "rerank")
        check_language(settings["language"])

    def _join(self, query: str, hits: Sequence[Hit], texts: Mapping[str, str]) -> list[Passage]:
        return passages_of_hits(query, hits, texts, **self._settings)

    @property
    def _settings(self) -> dict[str, Any]:
        names = ("rerank", "max_gap", "budget", "reading_order", "language")
        return {name: getattr(self, name) for name in names}


def _add_text_beside(
    hits: Sequence[Hit], texts: Mapping[str, str], language: str
) -> Iterator[tuple[Hit, Hit]]:
    """Yield hits and the text beside them as chunks, each with the extended hit that describes it.

    An extended hit contains the chunk, and has metadata. Chunks of a document come in reading
    order; the document of the best hit comes first. Text that two hits share is in the chunks of
    the first.
    """
    of_document: dict[str, list[Hit]] = {}
    for hit in hits:
        of_document.setdefault(hit.document, []).append(hit)
    small = LayoutChunker(target_size=TARGET_SIZE, tokenizer=TOKENIZER, language=language)
    number = 0
    for document, unordered in of_document.items():
        text, end, kind = texts[document], 0, unordered[0].kind
        divide = partial(sentences_of, language=language, kind=kind, spoken=is_captions(text, kind))
        ordered = sorted(unordered, key=lambda hit: hit.span)
        next_starts = [*(hit.span.start for hit in ordered[1:]), len(text)]
        for hit, following in zip(ordered, next_starts, strict=True):
            start = max(end, hit.span.start)
            if start >= hit.span.end:
                continue
            first = _start_before(text, Span(end, start), divide, kind)
            last = _end_after(text, Span(hit.span.end, following), divide, kind)
            with_end = _extend(hit, Span(hit.span.start, last), text)
            with_both = _extend(hit, Span(first, last), text)
            # There is no heading in the text before: it has the headings of the hit.
            places = {k: value for k, value in with_both.metadata.items() if k in _PLACE_KEYS}
            with_both = with_both._replace(metadata=places)
            beside = NEIGHBOUR_SHARE * hit.score
            for span, described, metadata, score in (
                (Span(first, start), with_both, with_end.metadata, beside),
                *((*chunk, hit.score) for chunk in _divide(hit, start, with_end, small)),
                (Span(hit.span.end, last), with_end, with_end.metadata, beside),
            ):
                if span.of(text).strip():
                    number += 2 if text[end : span.start].strip() else 1
                    end = span.end
                    yield Hit(number, document, span, span.of(text), score, metadata), described
        number += 2


def _divide(
    hit: Hit, start: int, described: Hit, small: LayoutChunker
) -> Iterator[tuple[Span, Hit, Mapping[Any, Any]]]:
    """Yield the chunks of a hit from an offset on, the hit that describes each, and metadata."""
    if hit.span.end - start <= _MAX_UNDIVIDED_CHARACTERS:
        yield Span(start, hit.span.end), described, hit.metadata
        return
    metadata = described.metadata
    chunks = small.split(place_source(hit.text, {CONTEXT_KEY: "", **metadata}), _TRIM)
    of_chunks = chunk_metadata(chunks, metadata, everything=False, context=True)
    for chunk, added in zip(chunks, of_chunks, strict=True):
        own_metadata = {**metadata, **added} if metadata.keys() & OWN_KEYS else metadata
        yield (
            chunk.span.shift(hit.span.start).within(Span(start, hit.span.end)),
            described,
            own_metadata,
        )


def _end_after(text: str, room: Span, divide: _Divide, kind: str) -> int:
    """Return the end of the sentences after a hit that are in its section."""
    end = min(room.end, room.start + 2 * _CHARACTERS_BESIDE)
    heading = next(headings_in(text, kind, room.start, end), None)
    if heading is not None:
        end = heading.start
    ends = [sentence.span.end for sentence in divide(text[room.start : end])]
    if heading is None and end < room.end:
        ends = ends[:-1]  # the last sentence may be longer
    enough = (end for end in ends if end >= _CHARACTERS_BESIDE)
    return room.start + next(enough, ends[-1] if ends else 0)


def _start_before(text: str, room: Span, divide: _Divide, kind: str) -> int:
    """Return the start of the sentences before a hit that are in its section."""
    below = headings_in(text, kind, room.end, room.end + _CHARACTERS_BESIDE)
    if any(heading.start == room.end for heading in below):
        return room.end
    start = max(room.start, room.end - 2 * _CHARACTERS_BESIDE)
    *_, heading = [None, *headings_in(text, kind, start, room.end)]
    if heading is not None:
        start = heading.start
    near = text[start : room.end]
    starts = [sentence.span.start for sentence in divide(near)]
    if heading is None and start > room.start:
        starts = starts[1:]  # the first sentence may begin before
    enough = (start for start in reversed(starts) if len(near) - start >= _CHARACTERS_BESIDE)
    return start + next(enough, starts[0] if starts else len(near))


def _extend(hit: Hit, span: Span, text: str) -> Hit:
    """Return a hit with text beside it, with the lines and pages of both."""
    metadata = {key: value for key, value in hit.metadata.items() if key != INSIDE_KEY}
    for key in _PLACE_KEYS & metadata.keys():
        if isinstance(metadata[key], float):  # some stores return whole numbers as floats
            metadata[key] = int(metadata[key])
    metadata |= pages_and_lines(span.strip(text), hit.span.strip(text), metadata, text)
    return hit._replace(span=span, text=span.of(text), metadata=metadata)
