"""A judge that nearly always names the first unit, the last, or none causes one warning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lumber_core import Group, LumberChunker
from tests.core.core_support import with_
from tests.core.lumber.support import warnings

Judge = Callable[[Group], int | None]

TEXT = "\n\n".join(f"Paragraph {number} has seven words in it." for number in range(80))


def first(group: Group) -> int:
    return group.choices[0]


def last(group: Group) -> int:
    return group.start + len(group.texts) - 1


def nowhere(group: Group) -> None:
    return None


def mostly_first(group: Group) -> int:
    return group.choices[0] if group.start % 5 else group.choices[1]


def mostly_nowhere(group: Group) -> int | None:
    return group.choices[len(group.choices) // 2] if group.start // 12 % 3 == 0 else None


@pytest.mark.parametrize("make", [LumberChunker, LumberChunker.as_published])
@pytest.mark.parametrize(
    ("judge", "always", "said"),
    [(first, "first", "the first unit"), (nowhere, "none", "no topic shift")],
)
def test_always_giving_the_same_answer_is_logged_once(
    judge: Judge, always: str, said: str, make: Any, caplog: pytest.LogCaptureFixture
) -> None:
    result = make(judge, theta=60).segment(TEXT)
    assert getattr(result.positions, always) == 1
    (message,) = warnings(caplog)
    assert f"100 % of {result.positions.groups} groups" in message
    assert said in message
    assert "larger model" in message


@pytest.mark.parametrize(
    ("named", "share", "said"),
    [
        (lambda choices: choices[:1], "first", "the first unit"),
        (lambda choices: choices[:4], "first", "the first unit"),
        (lambda choices: choices[-2:], "last", "the last unit"),
        (lambda choices: choices, "every", "every unit"),
        (lambda choices: [], "none", "no topic shift"),
        (lambda choices: choices[1::3], None, ""),
    ],
)
def test_windows_answered_without_reading_are_logged_once(
    named: Callable[[range], list[int]],
    share: str | None,
    said: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    judge = LumberChunker(lambda window: named(window.choices), method="window", theta=60)
    splitter = with_(judge, window_tokens=200)
    positions = splitter.segment(TEXT).positions
    assert positions.groups >= 3
    for each in ("first", "last", "none", "every"):
        assert getattr(positions, each) == (each == share)
    assert [said in message for message in warnings(caplog)] == [True] * bool(share)


@pytest.mark.parametrize("judge", [mostly_first, mostly_nowhere])
def test_other_judges_are_not_suspected(judge: Judge, caplog: pytest.LogCaptureFixture) -> None:
    LumberChunker(judge, theta=60).segment(TEXT)
    assert warnings(caplog) == []


@pytest.mark.parametrize("judge", [first, last, nowhere])
def test_few_groups_prove_nothing(judge: Judge, caplog: pytest.LogCaptureFixture) -> None:
    result = LumberChunker(judge, theta=60).segment("\n\n".join(TEXT.split("\n\n")[:9]))
    assert 0 < result.positions.groups < 10
    assert warnings(caplog) == []
