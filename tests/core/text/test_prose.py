"""Tests of short texts of plain prose: nothing else that lines can be is in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.text.plain import Break, read_lines
from lumber_core.text.prose import prose_lines

PROSE = (
    "The dog ran.",
    "Mr. Lee, who sat, and ate, said no.",
    "Is it so?",
    'He said "no, no, no."',
    "At 10:15 p.m. we left; it rained; she, too, went home.",
    "A long line of prose that a page would wrap, " * 4 + "ends here.",
    "Done, he went to ",
)
OTHER = (
    "Chapter 1 is over.",
    "Ann: hello there.",
    "Ann Lee at 10:15",
    "BEN.",
    "Q. What is it?",
    "Iv. five things.",
    "Question 1. What is it?",
    "See f(x) now",
    "Subject: lunch.",
    "On 1 May Bob wrote:",
    "Title Of Things",
    "x = 1",
    "   Indent.",
    "- item",
)


ENDS = st.sampled_from(["\n", "\n\n", "\n\n\n", "\n \n"])


@given(
    st.one_of(
        st.lists(st.tuples(st.sampled_from(PROSE), ENDS), min_size=1, max_size=30),
        st.lists(st.tuples(st.sampled_from([*PROSE, *OTHER]), ENDS), min_size=1, max_size=5),
    )
)
def test_lines_of_prose_are_nothing_else_to_a_closer_look(parts: list[tuple[str, str]]) -> None:
    text = "".join(line + end for line, end in parts)
    found = prose_lines(text)
    if found is None:
        return
    lines = read_lines(text)
    starts = [*found]
    assert lines.starts.tolist() == lines.bodies.tolist() == lines.labels.tolist() == starts
    blank = [found[start] for start in starts[1:]]
    assert lines.breaks.tolist() == [0, *(Break.BLANK if each else Break.LINE for each in blank)]
    assert not (lines.headings | lines.whole | lines.wrapped | (lines.depths > 0)).any()


@pytest.mark.parametrize("line", PROSE)
def test_paragraphs_of_prose_are_recognised(line: str) -> None:
    text = f"It began.\n\n{line.strip()}"
    assert prose_lines(text) == {0: False, 11: True}


@pytest.mark.parametrize("line", OTHER)
def test_other_lines_are_looked_at_closely(line: str) -> None:
    assert prose_lines(f"It began.\n\n{line}\n\nIt ended.") is None


@pytest.mark.parametrize(
    "text",
    [
        "We, you, they ran.\n" * 4,
        "They ran; you did; we did.\n\n" * 3,
        "Is it so?\nNo, it is not.",
        "They went to\n\nA house.",
        "\nIt began.",
        "It began.\n  \nIt ended.",
        "It began.\r\nIt ended.",
        "> It began.\n\nIt ended.",
    ],
)
def test_rows_answers_and_odd_lines_are_looked_at_closely(text: str) -> None:
    assert prose_lines(text) is None


def test_long_texts_are_looked_at_closely() -> None:
    assert prose_lines("It began.\n\n" * 1_000) is None
