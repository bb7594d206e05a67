import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, LayoutChunker, LumberChunker, Source
from lumber_core.chunking.delivery import Delivery
from lumber_core.chunking.overlap import overlap_spans
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.spans import Span, spans_from_starts
from lumber_core.text.parsed import MarkdownText, PlainText
from lumber_core.text.unicode import word_cuts
from lumber_core.tokens import token_counter
from tests.core.core_support import RecordingCounter, quick

LENGTH = token_counter(len)


def parse(text, units):
    return PlainText(text, find_units=lambda _: units)


def test_a_unit_longer_than_the_overlap_gives_its_last_sentences():
    text = "Ann ran home. She fell. It rained.\n\nBob slept."
    chunker = LumberChunker(lambda group: 1, tokenizer=len, units="paragraphs")
    _, second = chunker.split(text, Delivery(25))
    assert second.text == "She fell. It rained.\n\nBob slept."
    assert [chunk.span for chunk in chunker.split(text, Delivery(5))] == [
        *chunker.segment(text).spans
    ]


def test_gaps_between_spans_are_repeated_with_the_unit_before_them():
    text = "A. One. \n\n Two."
    spans = [Span(0, 8), Span(11, 15)]
    units = [Span(0, 3), Span(3, 8), Span(8, 11), Span(11, 15)]
    for limit, tokens, start in ((None, 8, 3), (None, 7, 8), (12, 8, 3), (11, 8, 8)):
        limits = SizeLimits(limit, None, LENGTH)
        assert overlap_spans(parse(text, units), spans, limits, tokens)[1] == Span(start, 15)


def test_an_overlap_repeats_at_most_the_new_text_of_the_chunk_before():
    units = spans_from_starts(range(8), 8)
    limits = SizeLimits(None, None, LENGTH)
    spans = [Span(0, 4), Span(4, 6), Span(6, 8)]
    widened = overlap_spans(parse("abcdefgh", units), spans, limits, 8)
    assert widened == [Span(0, 4), Span(1, 6), Span(4, 8)]


def test_no_tokens_are_counted_without_an_overlap():
    counter = RecordingCounter()
    spans = [Span(0, 2), Span(2, 4)]
    limits = SizeLimits(9, None, counter)
    assert overlap_spans(parse("abcd", []), spans, limits, 0) == spans
    assert counter.seen == []


@pytest.mark.parametrize("size", [1, 40])
def test_the_characters_counted_grow_linearly(size):
    units = spans_from_starts(range(0, 40_000, size), 40_000)
    spans = spans_from_starts(range(0, 40_000, 2_000), 40_000)
    counter = RecordingCounter()
    overlap_spans(parse("x" * 40_000, units), spans, SizeLimits(None, None, counter), 400)
    assert counter.characters <= 40 * 40_000


@given(st.text("a .\n", min_size=1, max_size=24), st.integers(1, 4))
@quick
def test_no_trimmed_chunk_contains_another(text: str, length: int) -> None:
    def pieces(text: str) -> list[tuple[int, int]]:
        return [(at, min(at + length, len(text))) for at in range(0, len(text), length)]

    chunker = GreedyChunker(4, chunk_size=8, units=pieces, tokenizer=len)
    spans = [chunk.span for chunk in chunker.split(text, Delivery(overlap=3, trim=True))]
    for before, after in pairwise(spans):
        assert before.start < after.start
        assert before.end < after.end


WORDS = [
    *("oar ", "boat, ", "x = row(3)\n", "1,2\n", "wir\u0308r ", "\u4f1a\u8bae"),
    *("\u0e1f\u0e49\u0e32", "\n\n", "- "),
]


@given(
    words=st.lists(st.sampled_from(WORDS), min_size=2, max_size=30),
    cuts=st.sets(st.integers(1, 80), min_size=1, max_size=5),
    tokens=st.integers(1, 12),
    kind=st.sampled_from(["text", "code", "csv", "captions", "markdown"]),
)
@quick
def test_an_overlap_is_empty_only_if_the_last_word_does_not_fit(words, cuts, tokens, kind) -> None:
    text = "".join(words)
    spans = spans_from_starts(sorted({0, *(cut for cut in cuts if cut < len(text))}), len(text))
    limit = 14 + max(end - start for start, end in spans)
    read = MarkdownText if kind == "markdown" else PlainText
    parsed = read(Source(text, format=kind))
    widened = overlap_spans(parsed, spans, SizeLimits(limit, None, LENGTH), tokens)
    for (before, after), (wider, wide) in zip(pairwise(spans), pairwise(widened), strict=True):
        assert after.start - tokens <= wide.start <= after.start
        assert LENGTH.count([wide.of(text)])[0] <= limit
        if wide.start == after.start:
            allowed = max(before.start, wider.start + 1)
            near = text[allowed : after.start]
            starts = [allowed + at for at in word_cuts(near) if near[at : at + 1].isalnum()]
            assert not starts or after.start - starts[-1] > tokens


@pytest.mark.parametrize(
    ("name", "text", "repeated"),
    [
        ("oars.py", "".join(f"oar_{n} = carve({n})\n" for n in range(40)), r"oar_\d+ = "),
        ("oars.yaml", "".join(f"oar{n}: {{length: {n}}}\n" for n in range(40)), r"oar\d+: "),
        ("crew.txt", "".join(f"ann: row on then {n}\n" for n in range(40)), r"ann: "),
        (
            "talk.srt",
            "".join(f"{n}\n00:00:{n},0 --> 00:00:{n},9\nrow on\n\n" for n in range(10, 50)),
            "row on",  # a whole cue with its times is too long
        ),
        ("zh.txt", "\u4f1a\u8bae\u5728\u661f\u671f\u4e09" * 40, r"\w"),
        ("key.txt", "ka" * 400, "[ka]"),
        ("talk.txt", "and we row and we rest " * 40, r"(and|we|row|rest) "),
        ("rows.md", "|a|b|\n|-|-|\n" + "".join(f"|oar {n}|3|\n" for n in range(60)), r"\|oar"),
    ],
)
def test_an_overlap_repeats_lines_cues_or_words_if_there_are_no_sentences(
    name, text, repeated
) -> None:
    source = Source(text, metadata={"source": name})
    for chunker in (LayoutChunker(30, chunk_size=60), GreedyChunker(30, chunk_size=60)):
        chunks = chunker.split(source, Delivery(22, trim=True))
        assert len(chunks) > 3
        for before, after in pairwise(chunks):
            assert before.span.start < after.span.start < before.span.end
            assert re.match(repeated, after.text)
            assert after.tokens <= 60
