"""A judge that nearly always names the first, or the last, unit causes one warning."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from lumber_core import Group, LumberChunker, Segmentation

TEXT = "\n\n".join(f"Paragraph {number} has seven words in it." for number in range(40))


def split(
    judge: Callable[[Group], int | None], method: str, caplog: pytest.LogCaptureFixture
) -> Segmentation:
    make = LumberChunker if method == "paper" else LumberChunker.as_published
    with caplog.at_level(logging.WARNING, "lumber_core"):
        return make(judge, theta=60).segment(TEXT)


def first(group: Group) -> int:
    return group.choices[0]


def last(group: Group) -> int:
    return group.start + len(group.texts) - 1


def mostly_first(group: Group) -> int:
    return group.choices[0] if group.start % 5 else group.choices[1]


def nowhere(group: Group) -> None:
    return None


def fail(group: Group) -> int:
    return -1


@pytest.mark.parametrize("method", ["paper", "published"])
def test_always_naming_the_first_choice_is_logged_once(
    method: str, caplog: pytest.LogCaptureFixture
) -> None:
    result = split(first, method, caplog)
    assert result.positions.first == 1
    (record,) = caplog.records
    said = record.getMessage()
    assert f"100 % of {result.positions.groups} groups" in said
    assert "the first unit" in said
    assert "larger model" in said


def test_always_naming_the_last_choice_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    result = split(last, "paper", caplog)
    assert result.positions.last == 1
    (record,) = caplog.records
    assert "the last unit" in record.getMessage()


@pytest.mark.parametrize("judge", [mostly_first, nowhere])
def test_other_judges_are_not_suspected(
    judge: Callable[[Group], int | None], caplog: pytest.LogCaptureFixture
) -> None:
    split(judge, "paper", caplog)
    assert caplog.records == []


def test_failures_count_for_nothing(caplog: pytest.LogCaptureFixture) -> None:
    result = split(fail, "paper", caplog)
    assert result.positions.groups == 0
    assert all("unit offered" not in record.getMessage() for record in caplog.records)


def test_few_groups_prove_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "lumber_core"):
        result = LumberChunker(first, theta=60).segment("\n\n".join(TEXT.split("\n\n")[:9]))
    assert 0 < result.positions.groups < 10
    assert caplog.records == []
