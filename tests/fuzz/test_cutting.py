"""Chunks of every text tile it and keep to every size, by every rule."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lumber_core import ChunkSizeError, GreedyChunker, LumberChunker, token_counter
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.delivery import Delivery
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.spans import check_tiling, spans_from_starts
from lumber_core.text.parsed import MarkdownText, PlainText
from lumber_core.text.unicode import is_break
from lumber_core.text.units import paragraphs
from tests.fuzz.texts import texts
from tests.lexical_judge import LexicalJudge
from tests.profiles import examples

ESTIMATE = token_counter("estimate")


counters = st.sampled_from([ESTIMATE, token_counter(len)])


@given(texts, st.integers(8, 60), st.integers(1, 60), st.booleans(), st.data())
@examples(50)
def test_cuts_are_places_and_tile(text, limit, target, markdown, data) -> None:
    parsed = MarkdownText(text) if markdown else PlainText(text)
    cutter = Cutter(parsed, SizeLimits(limit, None, ESTIMATE, min(target, limit)))
    found = cutter.places()
    assert len(found.sizes) == len(found.places) + 1
    t = data.draw(
        st.none()
        | st.lists(st.floats(-30, 30), min_size=len(found.places), max_size=len(found.places))
    )
    cuts = cutter.cut(found, t)
    assert cuts == sorted(set(cuts))
    assert set(cuts) <= {place.offset for place in found.places}
    spans = spans_from_starts([0, *cuts], len(text)) if text else ()
    check_tiling(spans, len(text))
    check_tiling(cutter.shorten(spans, paragraphs(text)), len(text))


@given(
    texts,
    st.integers(12, 60),
    st.none() | st.integers(1, 12),
    st.sampled_from(["sentences", "paragraphs", "sentences_and_lines", "markdown"]),
    counters,
    st.integers(0, 6),
)
@examples(50)
def test_splitters_keep_their_limits(text, limit, low, units, counter, reserved) -> None:
    target = limit // 2
    greedy = GreedyChunker(
        chunk_size=limit, target_size=target, min_chunk_size=low, units=units, tokenizer=counter
    )
    lumber = LumberChunker(
        LexicalJudge(),
        theta=20,
        chunk_size=limit,
        min_chunk_size=low,
        units=units,
        tokenizer=counter,
    )
    for chunker in (greedy, lumber):
        spans = chunker.segment(text, overlap=reserved).spans
        check_tiling(spans, len(text))
        chunks = [span.of(text) for span in spans]
        counted = counter.count([*chunks, *(chunk.strip() for chunk in chunks)])
        assert max(counted, default=0) <= limit - reserved
        longer = [chunk.span for chunk in chunker.split(text, Delivery(reserved))]
        assert [span.end for span in longer] == [span.end for span in spans]
        assert all(a.start <= b.start for a, b in zip(longer, spans, strict=True))
        if counter is ESTIMATE:
            # Every cluster here but runs of marks fits; those are cut as a last resort.
            torn = [span for span in spans if not is_break(text, span.start)]
            assert all(counter.count([around(text, span.start)])[0] > 4 for span in torn)


def around(text: str, at: int) -> str:
    """Return the grapheme cluster around an offset that is inside one."""
    start, end = at, at
    while start > 0 and not is_break(text, start):
        start -= 1
    while end < len(text) and not is_break(text, end):
        end += 1
    return text[start:end]


def assert_says(error: Exception, said: str) -> None:
    assert said in str(error)


@given(texts, st.integers(1, 3))
@examples(40)
def test_a_limit_that_no_cut_can_keep_is_an_error_that_says_so(text: str, limit: int) -> None:
    counter = token_counter(lambda piece: 2 * len(piece.encode("utf-8", "surrogatepass")))
    try:
        spans = (
            GreedyChunker(chunk_size=limit, target_size=1, tokenizer=counter).segment(text).spans
        )
    except ChunkSizeError as error:
        assert_says(error, "alone counts more than")
        return
    check_tiling(spans, len(text))
    assert max(counter.count([span.of(text) for span in spans]), default=0) <= limit
    assert all(a.end == b.start for a, b in pairwise(spans))
