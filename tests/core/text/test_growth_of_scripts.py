"""Twice the text takes twice the time, in every script with any punctuation and separators."""

from collections.abc import Callable
from functools import partial
from itertools import product

import pytest

from lumber_core import GreedyChunker
from lumber_core.text.places import find_places
from tests.growth import MOST, growth, seconds

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
        made = {size: unit * (size // len(unit)) for size in (SIZE, 2 * SIZE)}
        times = growth(lambda size: partial(work, made[size]), SIZE)  # noqa: B023
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
MOST_OF_PROSE = 200  # times: runs of backticks took 900 times as long, fullwidth commas more


@pytest.mark.parametrize("run", RUNS)
def test_a_run_of_one_sign_takes_no_more_than_two_hundred_times_as_long_as_prose(run: str) -> None:
    length = 40_000
    split = GreedyChunker().segment
    text, prose = ((unit * length)[:length] for unit in (RUNS[run], PROSE))
    once = min(seconds(partial(split, prose)) for _ in range(5))
    assert min(seconds(partial(split, text)) for _ in range(2)) <= MOST_OF_PROSE * once
