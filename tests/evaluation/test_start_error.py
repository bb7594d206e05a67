"""The start-token error, on cases that can be worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_evaluation.documents import document_from_segments
from lumber_evaluation.report.plots import plot_start_errors
from lumber_evaluation.start_error import (
    StartError,
    StartErrors,
    TokenPositions,
    start_error,
    start_errors,
)

ACTUAL = [0, 50, 100, 200]


def test_the_articles_own_cases() -> None:
    assert start_error(ACTUAL, [0, 49, 105, 180]) == 26
    assert start_error(ACTUAL, [0, 49, 150]) == 101


def test_the_shorter_list_is_padded_with_its_own_last_value() -> None:
    assert start_error([0], [0, 10, 30]) == 40
    assert start_error([0, 10, 30], [0]) == 40
    assert start_error([0, 10], [0, 12, 13]) == 5
    assert start_error([], []) == 0


starts = st.lists(st.integers(0, 1000), min_size=1, max_size=8).map(sorted)


@given(actual=starts, predicted=starts)
def test_it_is_a_distance_between_equally_many_starts(
    actual: list[int], predicted: list[int]
) -> None:
    one = StartError("d", tuple(actual), tuple(predicted))
    assert one.error == start_error(predicted, actual) == one.late + one.early
    assert start_error(actual, actual) == 0
    assert sum(one.differences) == one.late - one.early
    assert one.missing == len(actual) - len(predicted)
    if len(actual) == len(predicted):
        assert (one.error == 0) == (actual == predicted)


def test_direction_tells_how_an_error_came_about() -> None:
    one = StartError("d", (0, 50, 100, 200), (0, 49, 150))
    assert one.differences == (0, -1, 50, -50)
    assert (one.late, one.early, one.missing) == (50, 51, 1)


@pytest.mark.parametrize(
    ("actual", "predicted", "reason"),
    [
        ([0, 5], [], "predicted is empty and the other is not.*at least"),
        ([], [0], "actual is empty"),
        ([0, 5, 4], [0], r"actual must be .* do not decrease, not \[0, 5, 4\]"),
        ([0], [3, 2], "predicted must be"),
        ([-1, 5], [0], "actual must be numbers of tokens from 0"),
    ],
)
def test_lists_that_make_no_sense_are_refused(
    actual: list[int], predicted: list[int], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        start_error(actual, predicted)
    with pytest.raises(ValueError, match=f"fox.txt: {reason}"):
        start_errors([("fox.txt", actual, predicted)])


ERRORS = start_errors(
    [("a", ACTUAL, [0, 49, 105, 180]), ("b", ACTUAL, [0, 49, 150]), ("c", ACTUAL, ACTUAL)]
)


def test_mae_and_rmse_are_over_documents() -> None:
    assert ERRORS.mae == pytest.approx((26 + 101 + 0) / 3)
    assert ERRORS.rmse == pytest.approx(math.sqrt((26**2 + 101**2) / 3))
    assert [one.document for one in ERRORS.worst(2)] == ["b", "a"]
    with pytest.raises(ValueError, match="at least one document"):
        StartErrors(())


def test_the_plot_shows_each_splitter(tmp_path: Path) -> None:
    perfect = start_errors([("a", [0], [0])])
    plot_start_errors({"greedy": ERRORS, "<perfect>": perfect}, tmp_path / "errors.svg")
    drawn = ElementTree.parse(tmp_path / "errors.svg").getroot()
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    said = " ".join(drawn.itertext())
    for shown in ("greedy: MAE 42, RMSE 60", "<perfect>: MAE 0, RMSE 0", "start-token error"):
        assert shown in said
    assert len([bar for bar in drawn.iter() if bar.tag.endswith("rect")]) >= 3


def test_what_a_plot_cannot_be_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected the name of a \.svg file"):
        plot_start_errors({"greedy": ERRORS}, tmp_path / "errors.jpg")
    with pytest.raises(ValueError, match="at least one splitter"):
        plot_start_errors({}, tmp_path / "errors.svg")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        plot_start_errors({"greedy": ERRORS}, tmp_path / "none" / "errors.svg")


DOCUMENT = document_from_segments(
    [["One two three.", "Four."], ["Five six."]], name="d", source="t"
)


def words(text: str) -> int:
    return len(text.split())


def test_positions_count_tokens_unit_by_unit() -> None:
    positions = TokenPositions(DOCUMENT, tokenizer=words)
    assert positions.total == 6
    assert positions.at(DOCUMENT.starts) == [0, 4]
    assert positions.at(DOCUMENT.units) == [0, 3, 4]
    assert positions.at([4, 8, len(DOCUMENT.text)]) == [1, 2, 6]


def test_positions_never_fall_even_where_a_longer_part_counts_less() -> None:
    def count(text: str) -> int:
        return 4 if text.endswith(".\n") else 9 - len(text) % 9

    positions = TokenPositions(DOCUMENT, tokenizer=count)
    found = positions.at(range(len(DOCUMENT.text) + 1))
    assert found == sorted(found)
    assert found[DOCUMENT.units[1]] == 4


@pytest.mark.parametrize("offsets", [[-1], [len(DOCUMENT.text) + 1], [5, 4]])
def test_positions_outside_the_text_are_refused(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="offsets must ascend from 0 to at most"):
        TokenPositions(DOCUMENT, tokenizer=words).at(offsets)


def test_an_empty_document_has_no_tokens() -> None:
    positions = TokenPositions(document_from_segments([], name="d", source="t"), tokenizer=words)
    assert (positions.total, positions.at([0])) == (0, [0])
