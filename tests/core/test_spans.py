from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.errors import LumberError, TilingError
from lumber_core.spans import Span, check_tiling, spans_from_starts
from tests.core.core_support import nasty_texts, quick


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


@pytest.mark.parametrize(
    ("spans", "length", "message"),
    [
        ([(1, 3)], 3, "span 0 .* gap"),
        ([(0, 2), (3, 4)], 4, r"span 1 \(3, 4\) leaves a gap .* start at 2"),
        ([(0, 3), (2, 4)], 4, r"span 1 \(2, 4\) overlaps .* start at 3"),
        ([(0, 2), (2, 2), (2, 4)], 4, r"span 1 \(2, 2\) is empty"),
        ([(0, 2), (2, 1)], 2, "span 1 .* is empty"),
        ([(0, 2)], 4, "end at 2, but the text has 4"),
        ([(0, 6)], 4, "end at 6, but the text has 4"),
        ([], 4, "end at 0, but the text has 4"),
        ([(0, 0)], 0, "span 0 .* is empty"),
    ],
)
def test_spans_that_do_not_tile_are_refused_with_the_first_fault(spans, length, message):
    with pytest.raises(TilingError, match=message) as caught:
        check_tiling(spans, length)
    assert isinstance(caught.value, LumberError)


@pytest.mark.parametrize(("spans", "length"), [([], 0), ([(0, 4)], 4), ([(0, 1), (1, 4)], 4)])
def test_spans_that_tile_pass(spans, length):
    assert check_tiling(spans, length) is None
