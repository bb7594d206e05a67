"""Judges that seem to answer without reading are named in a warning."""

import pytest

from lumber_core import Group, LumberChunker
from lumber_core.segmentation import Verdict
from tests.core.lumber.support import scattered, story, warnings

TEXT = story(300)


@pytest.mark.parametrize(
    ("judge", "named"),
    [
        (lambda group: group.choices[0], "the first unit offered"),
        (lambda group: group.choices[-1], "the last unit offered"),
        (lambda group: None, "no unit"),
        (scattered, None),
        (lambda group: -1, None),  # failures are reported otherwise
    ],
)
@pytest.mark.parametrize("published", [False, True])
def test_a_judge_that_always_names_the_same_position_is_reported(
    judge: object, named: str | None, published: bool, caplog: pytest.LogCaptureFixture
) -> None:
    make = LumberChunker.as_published if published else LumberChunker
    make(judge, theta=120, on_failure="keep_group").segment(TEXT)
    said = [each for each in warnings(caplog) if "larger model" in each]
    assert len(said) == (named is not None)
    assert all(f"named {named}, as small language models do" in each for each in said)


@pytest.mark.parametrize(
    ("judge", "named"),
    [
        (lambda window: [*window.choices], "every unit"),
        (lambda window: [*window.choices][:2], "the first unit offered"),
        (lambda window: [*window.choices][1::3], None),
    ],
)
def test_fewer_windows_are_enough(
    judge: object, named: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    chunker = LumberChunker(judge, theta=60, method="window")
    chunker.window_tokens = 1000
    assert 3 <= len(chunker.segment(TEXT).verdicts) < 10
    assert [f"named {named}," in each for each in warnings(caplog)] == [True] * bool(named)


def test_few_groups_and_a_judge_without_choices_are_not_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def first(group: Group) -> Verdict:
        return Verdict(group.start, group.stop, group.choices[0], "shift")

    LumberChunker(first, theta=60).segment(story(12))  # too few groups
    LumberChunker(first, theta=60).segment(TEXT)  # two or three units in each
    assert warnings(caplog) == []
