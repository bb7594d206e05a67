from __future__ import annotations

from itertools import pairwise

import pytest
import regex
from core_support import ACCENTED, FAMILY, FLAG, PIECES, nasty_texts, quick
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core.graphemes import grapheme_cuts, is_break, space_cuts, word_cuts

# Whole planes of characters, half of them from where clusters are made.
CLUSTER_MAKERS = [
    *("\u0300", "\u0301", "\u0903", "\u093e", "\u094d", "\u0915", "\u0e33", "\u0600", "\u0d4e"),
    *("\u1100", "\u1161", "\u11a8", "\uac00", "\uac01", "\u200c", "\u200d", "\ufe0f", "\u20e3"),
    *("\U0001f1e9", "\U0001f1ea", "\U0001f468", "\U0001f3fd", "\u203c", "\u3030", "\u00a9", "#"),
    *("\r", "\n", "\u00ad", "\u2028", "\ud83d", "\udc00", "\U000e0061", "\U0001f3f4"),
]
any_text = st.lists(
    st.one_of(
        st.sampled_from(CLUSTER_MAKERS),
        st.characters(exclude_categories=()),
        st.sampled_from(PIECES),
    ),
    max_size=12,
).map("".join)


def breaks(text: str) -> set[int]:
    """Unicode's own answer, read from the whole text."""
    return {0, len(text), *(match.end() for match in regex.finditer(r"\X", text))}


@given(any_text)
@example("a\r\nb\n\r")
@example("\u203c\ufe0f#\ufe0f\u20e3")
@example("plain text, 7 words (in 1 line)")
@example("x\u00adx")
@quick
def test_is_break_agrees_with_unicode_at_every_position(text):
    found = {position for position in range(len(text) + 1) if is_break(text, position)}
    assert found == breaks(text)


@given(before=st.characters(exclude_categories=()), after=st.characters(exclude_categories=()))
@quick
def test_is_break_agrees_with_unicode_on_any_two_characters(before, after):
    text = before + after
    assert is_break(text, 1) == (1 in breaks(text))


@pytest.mark.parametrize(
    "text",
    [
        FLAG * 100,
        "x" + FLAG * 100,
        "a" + "\u0301" * 300 + "b",
        (FAMILY[:-1] + "\u200d") * 60 + FAMILY,
        "\U0001f469" + "\u0301" * 100 + "\u200d\U0001f469",
        "\u1112\u1161\u11ab" * 80,
    ],
    ids=["flags", "flags after a letter", "marks", "joined people", "far joiner", "hangul"],
)
def test_is_break_agrees_with_unicode_far_from_any_plain_character(text):
    found = {position for position in range(len(text) + 1) if is_break(text, position)}
    assert found == breaks(text)


@pytest.mark.parametrize("position", [-1, 0, 2, 3])
def test_the_ends_of_a_text_are_breaks(position):
    assert is_break("ab", position)
    assert is_break("", 0)


def test_grapheme_cuts_are_the_ends_of_what_people_see_as_characters():
    clusters = ["a", ACCENTED, FAMILY, FLAG, "\r\n", "\u4f60"]
    ends = [sum(map(len, clusters[: number + 1])) for number in range(len(clusters))]
    assert list(grapheme_cuts("".join(clusters))) == ends


def test_word_cuts_lie_between_words_and_never_inside_one():
    text = "Don't stop, caf\u00e9s 3.5!"
    parts = regex.split("\\|", "|".join(_parts(text, word_cuts(text))))
    assert {"Don't", "stop", "caf\u00e9s", "3.5"} <= set(parts)


def test_chinese_has_a_word_cut_at_each_character():
    assert set(word_cuts("\u6211\u4eec\u5b66\u4e60\u3002")) >= {1, 2, 3, 4}


def test_katakana_words_stay_whole():
    assert 2 not in set(word_cuts("\u30c6\u30ad\u30b9\u30c8\u3092"))


@given(nasty_texts)
@quick
def test_no_word_or_space_cut_falls_inside_a_grapheme(text):
    assert set(word_cuts(text)) <= breaks(text)
    assert set(space_cuts(text)) <= breaks(text)


@given(nasty_texts)
@quick
def test_space_cuts_have_white_space_before_and_something_else_after(text):
    for cut in space_cuts(text):
        assert regex.fullmatch(r"\s\S", text[cut - 1 : cut + 1])


def test_space_cuts_leave_out_the_blank_ends_of_a_text():
    assert list(space_cuts("  a  b\nc  ")) == [5, 7]


def _parts(text: str, cuts) -> list[str]:
    edges = sorted({0, len(text), *cuts})
    return [text[a:b] for a, b in pairwise(edges)]
