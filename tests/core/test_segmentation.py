import dataclasses

import pytest

from lumber_core import Segmentation, Span, Usage, Verdict

SHIFT = Verdict(0, 3, 2, "shift", usage=Usage(1, 100, 5))
SINGLE = Verdict(2, 3, None, "single")
REFUSED = Verdict(3, 6, None, "refused", "the model declined", "No.", Usage(2, 50, 1))


def test_usage_adds_field_by_field():
    assert Usage(1, 100, 5) + Usage(2, 50, 1) == Usage(3, 150, 6)


def test_failures_lists_the_failed_verdicts_with_their_reasons():
    segmentation = Segmentation((), (SHIFT, SINGLE, REFUSED))
    assert segmentation.failures == (REFUSED,)
    assert segmentation.failures[0].reason == "the model declined"


def test_chunks_are_slices_of_the_text():
    assert Segmentation((Span(0, 2), Span(2, 5))).chunks("abcde") == ["ab", "cde"]


@pytest.mark.parametrize("result", [SHIFT, Usage(), Segmentation((Span(0, 1),))])
def test_results_are_frozen(result):
    name = dataclasses.fields(result)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(result, name, None)


def test_the_verbatim_answer_stays_out_of_the_repr():
    assert "No." not in repr(REFUSED)
    assert "the model declined" in repr(REFUSED)


def test_repr_is_short() -> None:
    spans = tuple(Span(n, n + 1) for n in range(5000))
    segmentation = Segmentation(spans, (SHIFT, REFUSED), Usage(3, 150, 6))
    assert repr(segmentation) == "Segmentation(5,000 chunks, 5,000 characters, 3 calls, 1 failure)"
    assert repr(Segmentation(())) == "Segmentation(0 chunks)"
