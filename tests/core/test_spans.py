import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.spans import Span, spans_from_starts
from tests.core.core_support import nasty_texts, quick
from tests.tiling import check_tiling


def test_a_span_is_a_pair_with_names():
    span = Span(2, 5)
    assert (span.start, span.end) == (2, 5) == span
    assert span.of("abcdefg") == "cde"


def test_shifting_moves_both_ends():
    assert Span(2, 5).shifted(10) == Span(12, 15)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--  body  --", Span(4, 8)),
        ("--body--", Span(2, 6)),
        ("--\u3000\u00a0b\r\n--", Span(4, 5)),
    ],
)
def test_stripping_leaves_the_part_without_outer_white_space(text, expected):
    assert Span(2, len(text) - 2).stripped(text) == expected


def test_stripping_white_space_only_leaves_an_empty_span_at_its_start():
    assert Span(1, 4).stripped("a  \nb") == Span(1, 1)


@given(text=nasty_texts)
@quick
def test_stripping_agrees_with_str_strip(text):
    assert Span(0, len(text)).stripped(text).of(text) == text.strip()


@given(st.sets(st.integers(1, 50)))
@quick
def test_spans_made_from_starts_tile(starts):
    spans = spans_from_starts([0, *sorted(starts)], 51)
    check_tiling(spans, 51)
    assert [span.start for span in spans] == [0, *sorted(starts)]


def test_no_starts_make_no_spans():
    assert spans_from_starts([], 0) == ()
