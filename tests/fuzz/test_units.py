"""Every unit finder and splitter tiles every text, and cuts no grapheme cluster."""

import regex
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, LumberChunker, token_counter
from lumber_core.chunking.delivery import Delivery
from lumber_core.spans import Span
from lumber_core.text.lines.line_starts import read_layout
from lumber_core.text.markdown import markdown_blocks
from lumber_core.text.outline import read_outline
from lumber_core.text.parsed import MarkdownText, PlainText
from lumber_core.text.units import markdown, paragraphs, sentences, sentences_and_lines
from tests.fuzz.texts import html_texts, markdown_texts, texts
from tests.lexical_judge import LexicalJudge
from tests.profiles import examples
from tests.tiling import check_tiling

LANGUAGES = ["en", "de", "fr", "zh", "ja", "ar", "hi", "my", "th", "xx"]


def clusters(text: str) -> set[int]:
    return {0, *(match.end() for match in regex.finditer(r"\X", text))}


def starts_of(spans: list[Span]) -> set[int]:
    return {span.start for span in spans}


@given(texts, st.sampled_from(LANGUAGES))
@examples(40)
def test_sentences_and_paragraphs_tile(text: str, language: str) -> None:
    is_boundary = clusters(text)
    for find in (paragraphs, sentences, sentences_and_lines):
        units = find(text, language)
        check_tiling(units, len(text))
        assert starts_of(units) <= is_boundary
    assert starts_of(sentences(text, language)) <= starts_of(sentences_and_lines(text, language))


@given(html_texts | markdown_texts | texts)
@examples(80)
def test_markdown_tiles_at_starts_of_lines(text: str) -> None:
    blocks = markdown_blocks(text)
    check_tiling([(block.start, block.end) for block in blocks], len(text))
    for block in blocks:
        assert block.start == 0 or text[block.start - 1] in "\r\n\ufeff"
        assert list(block.rows) == sorted(set(block.rows))
        assert all(block.start < row < block.end for row in block.rows)
    units = markdown(text)
    check_tiling(units, len(text))
    assert starts_of(units) <= {block.start for block in blocks}
    parsed = MarkdownText(text)
    outline = read_outline(parsed.outline.to_json()).places(text, units)
    assert outline == parsed.outline.places(text, units)
    assert len(outline) == len(units)
    assert all(len(place.titles) == len(place.levels) or not place.levels for place in outline)
    assert all(len(place.titles) <= 6 for place in outline)


@given(texts)
@examples(50)
def test_places_are_inside_the_text_in_order_and_outside_clusters(text: str) -> None:
    is_boundary = clusters(text)
    for parsed in (PlainText(text), MarkdownText(text)):
        places = parsed.places()
        offsets = [place.offset for place in places]
        assert offsets == sorted(set(offsets))
        assert all(0 < offset < len(text) for offset in offsets)
        assert set(offsets) <= is_boundary
        assert all(place.offset <= place.first_word <= len(text) for place in places)
    starts = read_layout(text).starts
    assert starts == sorted(set(starts))


@given(texts, st.data())
@examples(40)
def test_finer_places_stay_inside_their_range(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    for parsed in (PlainText(text), MarkdownText(text)):
        for level in (parsed.places(start, stop), *parsed.finer_places(start, stop)):
            offsets = [place.offset for place in level]
            assert offsets == sorted(offsets)
            assert all(start < offset < stop for offset in offsets)


counters = st.sampled_from([token_counter("estimate"), token_counter(len)])


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
