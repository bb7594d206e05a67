import dataclasses
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import Segmentation, Span, Usage, Verdict, errors
from lumber_core.spans import spans_from_starts
from tests.core.core_support import nasty_texts, quick
from tests.tiling import check_tiling

SHIFT = Verdict(0, 3, 2, "shift", usage=Usage(1, 100, 5))
SINGLE = Verdict(2, 3, None, "single")
REFUSED = Verdict(3, 6, None, "refused", "the model declined", "No.", Usage(2, 50, 1))


def test_a_segmentation_has_chunks_and_failures_and_usage_adds_up():
    segmentation = Segmentation((Span(0, 2), Span(2, 5)), (SHIFT, SINGLE, REFUSED))
    assert segmentation.failures == (REFUSED,)
    assert segmentation.failures[0].reason == "the model declined"
    assert segmentation.chunks("abcde") == ["ab", "cde"]
    assert Usage(1, 100, 5) + Usage(2, 50, 1) == Usage(3, 150, 6)


@pytest.mark.parametrize("result", [SHIFT, Usage(), Segmentation((Span(0, 1),))])
def test_results_are_frozen(result):
    name = dataclasses.fields(result)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(result, name, None)


def test_repr_is_short_and_without_the_verbatim_answer() -> None:
    assert "No." not in repr(REFUSED)
    assert "the model declined" in repr(REFUSED)
    spans = tuple(Span(n, n + 1) for n in range(5000))
    segmentation = Segmentation(spans, (SHIFT, REFUSED), Usage(3, 150, 6))
    assert repr(segmentation) == "Segmentation(5,000 chunks, 5,000 characters, 3 calls, 1 failure)"
    assert repr(Segmentation(())) == "Segmentation(0 chunks)"


def test_a_span_is_a_pair_with_names_that_can_be_moved():
    span = Span(2, 5)
    assert (span.start, span.end) == (2, 5) == span
    assert span.of("abcdefg") == "cde"
    assert span.shift(10) == Span(12, 15)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("--  body  --", Span(4, 8)), ("--body--", Span(2, 6))),
        *(("--\u3000\u00a0b\r\n--", Span(4, 5)), ("a-  \n-b", Span(2, 2))),
    ],
)
def test_stripping_leaves_the_part_without_outer_white_space(text, expected):
    assert Span(2, len(text) - 2).strip(text) == expected


@given(text=nasty_texts)
@quick
def test_stripping_agrees_with_str_strip(text):
    assert Span(0, len(text)).strip(text).of(text) == text.strip()


@given(st.sets(st.integers(1, 50)))
@quick
def test_spans_from_starts_tile_the_text(starts):
    spans = spans_from_starts([0, *sorted(starts)], 51)
    check_tiling(spans, 51)
    assert [span.start for span in spans] == [0, *sorted(starts)]
    assert spans_from_starts([], 0) == ()


CLASSES = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, errors.LumberError)
]


@pytest.mark.parametrize("kind", CLASSES)
def test_errors_can_be_passed_from_a_worker_process_to_its_parent(
    kind: type[errors.LumberError],
) -> None:
    missing = kind is errors.MissingExtraError
    error = kind("torch", "torch", "to train, ") if missing else kind("it is broken")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)
