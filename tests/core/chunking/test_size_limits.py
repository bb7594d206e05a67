from itertools import pairwise

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, LumberChunker
from lumber_core.chunking.chunker import enforce_limits
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.errors import ChunkSizeError
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span, spans_from_starts
from lumber_core.text.parsed import PlainText
from lumber_core.text.units import paragraphs
from lumber_core.tokens import token_counter
from tests.core.core_support import ACCENTED, FAMILY, RecordingCounter, nasty_texts, pieces, quick
from tests.tiling import check_tiling

TIKTOKEN = token_counter("cl100k_base")
WORDS = token_counter("words")
CHARACTERS = token_counter(len)
THIRDS = token_counter(lambda text: -(-len(text) // 3))
# Counters, each with the most that a single character counts.
COUNTERS = [(TIKTOKEN, 9), (WORDS, 1), (CHARACTERS, 1), (THIRDS, 1)]


def bounds(counter, *, most=None, least=None) -> SizeLimits:
    return SizeLimits(most, least, counter)


def whole(text: str) -> list[Span]:
    return [Span(0, len(text))] if text else []


def enforce(limits: SizeLimits, text: str, spans, units=()) -> tuple[Span, ...]:
    segmentation = Segmentation(tuple(spans))
    return enforce_limits(segmentation, PlainText(text), limits, units).spans


def apply(limits: SizeLimits, text: str, spans=None, units=()) -> list[str]:
    result = enforce(limits, text, whole(text) if spans is None else spans, units)
    check_tiling(result, len(text))
    return pieces(text, result)


@st.composite
def cut_texts(draw):
    """A text, spans that tile it, and units that tile it more finely."""
    text = draw(nasty_texts)
    offsets = st.sets(st.integers(1, max(1, len(text) - 1)), max_size=8)
    starts = sorted({0, *(cut for cut in draw(offsets) if cut < len(text))}) if text else []
    finer = sorted({*starts, *(cut for cut in draw(offsets) if cut < len(text))})
    return text, spans_from_starts(starts, len(text)), spans_from_starts(finer, len(text))


@pytest.mark.parametrize(("counter", "largest"), COUNTERS)
@given(case=cut_texts(), room=st.integers(0, 8))
@example(case=("a" * 30 + FAMILY * 3, [Span(0, 51)], []), room=3)
@quick
def test_chunks_of_any_text_keep_the_maximum(counter, largest, case, room):
    text, spans, units = case
    chunks = apply(bounds(counter, most=largest + room), text, spans, units)
    assert all(count <= largest + room for count in counter.count(chunks))


@given(case=cut_texts(), maximum=st.integers(1, 12))
@quick
def test_graphemes_are_not_divided_if_all_of_them_fit(case, maximum):
    text, _, _ = case
    clusters = [match[0] for match in regex.finditer(r"\X", text)]
    maximum = max([maximum, *map(len, clusters)])
    ends = {match.end() for match in regex.finditer(r"\X", text)}
    result = enforce(bounds(CHARACTERS, most=maximum), text, whole(text))
    assert {span.end for span in result} <= ends


@given(case=cut_texts())
@quick
def test_spans_that_fit_are_unchanged(case):
    text, spans, units = case
    maximum = max([1, *CHARACTERS.count(pieces(text, spans))])
    assert enforce(bounds(CHARACTERS, most=maximum), text, spans, units) == tuple(spans)


def test_without_limits_nothing_is_counted():
    counter = RecordingCounter()
    spans = [Span(0, 2), Span(2, 3)]
    assert enforce(bounds(counter), "abc", spans) == tuple(spans)
    assert counter.seen == []


def words_cost_more_alone(text: str) -> int:
    """Count a word with a space before it as one token, and one without as three."""
    return len(regex.findall(r" \w+", text)) + 3 * len(regex.findall(r"(?<! )\b\w+", text))


@given(
    words=st.lists(st.sampled_from(["a", " bb", "  ccc", "\ndd", ". "]), min_size=1, max_size=60),
    maximum=st.integers(3, 9),
)
@example(words=[" bb"] * 10, maximum=4)
@quick
def test_trimmed_chunks_keep_the_maximum(words, maximum):
    counter = token_counter(words_cost_more_alone)
    chunks = apply(bounds(counter, most=maximum), "".join(words))
    assert max(counter.count([*chunks, *(chunk.strip() for chunk in chunks)])) <= maximum


def test_reserved_tokens_are_left_free_and_reduce_the_other_sizes():
    limits = SizeLimits(512, 200, CHARACTERS, target_size=400)
    less = limits.reserve(128)
    assert (less.chunk_size, less.min_chunk_size, less.target_size) == (384, 200, 300)
    assert limits.reserve(400).min_chunk_size == 112
    assert limits.reserve(0) == limits
    assert bounds(CHARACTERS).reserve(9) == bounds(CHARACTERS)
    with pytest.raises(ValueError, match="512 tokens cannot be reserved in chunks of chunk_size=5"):
        limits.reserve(512)


def test_cuts_fall_between_units_first():
    text = "Aa. Bb. Cc.\n\nDd. Ee. Ff.\n\n"
    assert apply(bounds(CHARACTERS, most=18), text, units=paragraphs(text)) == [
        "Aa. Bb. Cc.\n\n",
        "Dd. Ee. Ff.\n\n",
    ]


def test_words_without_spaces_are_cut_at_word_boundaries():
    text = "alpha,beta,gamma,delta,epsilon"
    parts = apply(bounds(CHARACTERS, most=12), text)
    assert all(part.strip(",").replace(",", "").isalpha() for part in parts)
    words = {word for part in parts for word in part.split(",") if word}
    assert words == set(text.split(","))


def test_a_long_word_is_cut_between_graphemes():
    assert apply(bounds(CHARACTERS, most=4), ACCENTED * 3) == [ACCENTED] * 3
    assert apply(bounds(CHARACTERS, most=12), FAMILY * 3) == [FAMILY] * 3


def test_parts_of_a_long_span_have_about_the_same_length():
    chunks = apply(bounds(CHARACTERS, most=100), "word " * 22)
    assert [len(chunk) for chunk in chunks] == [55, 55]


def count_three_each(text: str) -> int:
    return 3 * len(text)


@pytest.mark.parametrize(
    ("chunker", "overlap"),
    [
        (LumberChunker(lambda group: None, theta=2, chunk_size=8, tokenizer=count_three_each), 0),
        (GreedyChunker(chunk_size=8, tokenizer=count_three_each), 6),
    ],
)
def test_an_error_names_the_character_that_exceeds_the_limit_and_only_limits_that_were_set(
    chunker, overlap
):
    with pytest.raises(ChunkSizeError, match="'x' alone has more than 2 tokens") as raised:
        chunker.segment("xyz", overlap=overlap)
    assert "chunk_size=" not in str(raised.value)


def test_small_chunks_join_the_smaller_neighbour_even_if_all_are_small():
    spans = [Span(0, 6), Span(6, 7), Span(7, 12)]
    assert apply(bounds(CHARACTERS, least=5), "aaaaaabccccc", spans) == ["aaaaaa", "bccccc"]
    assert apply(bounds(CHARACTERS, least=20), "aaaaaabccccc", spans) == ["aaaaaabccccc"]


@given(case=cut_texts(), least=st.integers(1, 15))
@quick
def test_joining_small_chunks_does_not_move_other_cuts(case, least):
    text, spans, units = case
    result = enforce(bounds(CHARACTERS, least=least), text, spans, units)
    assert {span.start for span in result} <= {span.start for span in spans}


@given(case=cut_texts(), least=st.integers(1, 10), more=st.integers(0, 10))
@quick
def test_a_chunk_below_the_minimum_has_no_neighbour_with_room(case, least, more):
    text, spans, units = case
    most = least + more
    sizes = [len(c) for c in apply(bounds(CHARACTERS, most=most, least=least), text, spans, units)]
    assert all(size <= most for size in sizes)
    assert [(a, b) for a, b in pairwise(sizes) if min(a, b) < least and a + b <= most] == []


def test_joining_many_small_chunks_counts_linearly():
    counter = RecordingCounter()
    spans = [Span(number, number + 1) for number in range(20_000)]
    enforce(SizeLimits(200, 100, counter), "a" * 20_000, spans)
    assert counter.characters <= 100 * 20_000
