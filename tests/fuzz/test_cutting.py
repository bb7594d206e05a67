"""Chunks of every text tile it and keep to every size, by every rule."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lumber_core import ChunkSizeError, GreedyChunker, LumberChunker, token_counter
from lumber_core.chunking.delivery import Delivery
from tests.fuzz.texts import texts
from tests.lexical_judge import LexicalJudge
from tests.profiles import examples
from tests.tiling import check_tiling

ESTIMATE = token_counter("estimate")


counters = st.sampled_from([ESTIMATE, token_counter(len)])


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


@given(texts, st.integers(1, 3))
@examples(40)
def test_a_limit_that_no_cut_can_keep_is_an_error_that_says_so(text: str, limit: int) -> None:
    counter = token_counter(lambda piece: 2 * len(piece.encode("utf-8", "surrogatepass")))
    try:
        spans = (
            GreedyChunker(chunk_size=limit, target_size=1, tokenizer=counter).segment(text).spans
        )
    except ChunkSizeError as error:
        assert "alone counts more than" in str(error)  # noqa: PT017
        return
    check_tiling(spans, len(text))
    assert max(counter.count([span.of(text) for span in spans]), default=0) <= limit
    assert all(a.end == b.start for a, b in pairwise(spans))
