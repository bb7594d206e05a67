"""Chunks of every text tile it and keep to every size, by every rule."""

from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, LumberChunker, token_counter
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
