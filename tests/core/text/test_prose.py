"""Lines of prose: what is told at a glance is what a closer look finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.text import places
from lumber_core.text.places import find_places
from tests.profiles import examples

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
    "> It began.",
    "Is it so?\nNo, it is not.",
    "We, you, they ran.\n" * 4,
    "They ran; you did; we did.\n\n" * 3,
    "- item",
)


ENDS = st.sampled_from(["\n", "\n\n", "\n\n\n", "\n \n", "\r\n"])


@given(
    st.one_of(
        st.lists(st.tuples(st.sampled_from(PROSE), ENDS), min_size=1, max_size=30),
        st.lists(st.tuples(st.sampled_from([*PROSE, *OTHER]), ENDS), min_size=1, max_size=5),
    )
)
@examples(200)
def test_prose_is_nothing_else_to_a_closer_look(parts: list[tuple[str, str]]) -> None:
    text = "".join(line + end for line, end in parts)
    at_a_glance = find_places(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "prose_lines", lambda _: None)
        assert at_a_glance == find_places(text)
