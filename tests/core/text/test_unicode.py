"""Breaks of Unicode, compared with the tables of the package regex, and linear in every script."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise, product

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core import GreedyChunker
from lumber_core.text.places import find_places
from lumber_core.text.unicode import breaks, grapheme_cuts, space_cuts, word_cuts
from tests.core.core_support import ACCENTED, FAMILY, FLAG, PIECES, nasty_texts, quick
from tests.growth import MOST, growth, seconds

# Characters of all planes, half of them from the blocks that form clusters.
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


def unicode_breaks(text: str) -> set[int]:
    """Return the breaks that the package regex finds in the whole text."""
    return {0, len(text), *(match.end() for match in regex.finditer(r"\X", text))}


@given(any_text)
@example("a\r\nb\n\r")
@example("\u203c\ufe0f#\ufe0f\u20e3")
@example("plain text, 7 words (in 1 line)")
@example("x\u00adx")
@quick
def test_breaks_equal_those_of_unicode(text):
    positions = {position for position in range(len(text) + 1) if breaks(text, [position])}
    assert positions == unicode_breaks(text)


@given(text=any_text, data=st.data())
@quick
def test_breaks_of_many_positions_equal_those_of_single_positions(text, data):
    positions = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    assert list(breaks(text, positions)) == [at for at in positions if breaks(text, [at])]


@pytest.mark.parametrize("position", [-1, 0, 2, 3])
def test_both_ends_of_a_text_are_breaks(position):
    assert breaks("ab", [position])
    assert breaks("", [0])


def test_grapheme_cuts_are_the_ends_of_visible_characters():
    clusters = ["a", ACCENTED, FAMILY, FLAG, "\r\n", "\u4f60"]
    ends = [sum(map(len, clusters[: number + 1])) for number in range(len(clusters))]
    assert list(grapheme_cuts("".join(clusters))) == ends


def test_word_cuts_lie_between_words_and_never_inside_one_even_of_katakana():
    text = "Don't stop, caf\u00e9s 3.5!"
    parts = regex.split("\\|", "|".join(_parts(text, word_cuts(text))))
    assert {"Don't", "stop", "caf\u00e9s", "3.5"} <= set(parts)
    assert 2 not in set(word_cuts("\u30c6\u30ad\u30b9\u30c8\u3092"))


@pytest.mark.parametrize("sign", ["`", "\n", "\0", "\u3002", "\u6e21", "\U0001f600", "\ud83d"])
def test_signs_that_do_not_join_have_a_cut_at_each(sign):
    for run in (sign * 5, f"{sign}.{sign}"):
        expected = [match.start() for match in regex.finditer(r"(?w)\b", run)][1:]
        assert list(word_cuts(run)) == expected == list(range(1, len(run) + 1))


@given(nasty_texts)
@quick
def test_word_and_space_cuts_are_not_inside_graphemes(text):
    assert set(word_cuts(text)) <= unicode_breaks(text)
    assert set(space_cuts(text)) <= unicode_breaks(text)


@given(nasty_texts)
@quick
def test_space_cuts_are_between_white_space_and_other_characters(text):
    for cut in space_cuts(text):
        assert regex.fullmatch(r"\s\S", text[cut - 1 : cut + 1])


def test_space_cuts_leave_out_the_blank_ends_of_a_text():
    assert list(space_cuts("  a  b\nc  ")) == [5, 7]


def _parts(text: str, cuts) -> list[str]:
    edges = sorted({0, len(text), *cuts})
    return [text[a:b] for a, b in pairwise(edges)]


class Watched(str):
    """A text that counts how many of its characters are read."""

    looked_at = 0

    def __getitem__(self, key):
        part = super().__getitem__(key)
        Watched.looked_at += len(part)
        return part


@pytest.mark.parametrize(
    "unit",
    [
        *("\u6211\u4eec\u3002", "\u3042\u30a2\u3002", "\u0e01\u0e32\u0e19", FLAG, ACCENTED),
        *(FAMILY, "\uac00\uac01."),
    ],
    ids=["chinese", "japanese", "thai", "flags", "accents", "families", "korean"],
)
def test_breaks_are_found_in_linear_time(unit):
    work = []
    for count in (1000, 2000, 4000):
        Watched.looked_at = 0
        text = Watched(unit * count)
        are_breaks = list(breaks(text, range(len(unit), len(text), len(unit))))
        assert len(are_breaks) == count - 1
        work.append(Watched.looked_at)
    assert work[2] <= 2.1 * work[1] <= 4.4 * work[0]
    assert work[0] <= 20 * len(unit) * 1000


SCRIPTS = {
    "Latin": "ferry",
    "combining": "e\u0301te\u0301",
    "Arabic": "العبارة",
    "Devanagari": "नाव",
    "Thai": "เรือมาถึง",
    "Khmer": "សាឡាង",
    "Tibetan": "གྲུ་གཟིངས",
    "Chinese": "渡船在黎明",
    "Japanese": "渡し船は",
    "Korean": "나룻배는",
    "Jamo": "\u1102\u1161\u1105\u116e\u11ba",
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "flags": "\U0001f1e9\U0001f1ea",
}
PUNCTUATION = ("", ".", "\uff0c", "\u3001")
SEPARATORS = ("", " ", "\n", "\u2028")
SIZE = 1000  # characters: quadratic time showed at a few hundred

WORK: dict[str, Callable[[str], object]] = {
    "greedy": GreedyChunker(chunk_size=64, target_size=48).segment,
    "places": find_places,
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_time_grows_linearly(script: str) -> None:
    slow = []
    for (name, work), mark, separator in product(WORK.items(), PUNCTUATION, SEPARATORS):
        unit = SCRIPTS[script] + mark + separator
        texts = {size: unit * (size // len(unit)) for size in (SIZE, 2 * SIZE)}
        times = growth(lambda size: partial(work, texts[size]), SIZE)  # noqa: B023
        if times >= MOST:
            slow.append((name, mark, separator, round(times, 1)))
    assert slow == []


RUNS = {
    "backticks": "`",
    "fences": "```\n",
    "code spans": "`a` b ",
    "a letter": "a",
    "line breaks": "\n",
    "CR LF": "\r\n",
    "fullwidth commas": "\uff0c",
    "ideographs": "\u6e21",
    "emoji": "\U0001f600",
}
PROSE = "The ferry left at dawn, and nobody saw it. Ann wrote that down.\n\n"
MAX_TIMES_OF_PROSE = 200  # runs of backticks once took 900 times as long


@pytest.mark.parametrize("run", RUNS)
def test_a_run_of_one_sign_takes_at_most_two_hundred_times_as_long_as_prose(run: str) -> None:
    length = 40_000
    split = GreedyChunker().segment
    text, prose = ((unit * length)[:length] for unit in (RUNS[run], PROSE))
    once = min(seconds(partial(split, prose)) for _ in range(5))
    assert min(seconds(partial(split, text)) for _ in range(2)) <= MAX_TIMES_OF_PROSE * once
