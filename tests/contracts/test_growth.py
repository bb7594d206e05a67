"""Twice the text takes twice the work, whatever the text: lines executed, characters counted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from lumber_core import GreedyChunker, Group, LumberChunker, check_tiling
from lumber_core.chunking.base import Chunker
from lumber_core.tokens import token_counter
from tests.core.core_support import RecordingCounter

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"

UNITS = {
    "lone surrogates": "\ud83d",
    "NULs": "\x00",
    "one character": "x",
    "line breaks": "\n",
    "CR LF": "\r\n",
    "paragraphs of one character": "a\n\n",
    "lines of one character": "a\n",
    "sentences of one character": "A. ",
    "combining marks": "e" + "\u0301" * 50 + " ",
    "one cluster of combining marks": "\u0301",
    "flags": "\U0001f1e9\U0001f1ea",
    "families": FAMILY,
    "quoted text": "'it is so. and more', ",
    "opened brackets": "([{",
    "fences": "```\nx\n",
    "nested quotes": "> a\nb\n",
    "nested lists": "- a\n  - b\n",
    "headings": "# A\n",
    "table": "| a | b |\n",
    "rows": "a,b,c\n",
    "JSON": '{"a": [1, 2]}, ',
    "labels": "[5] ANNA: (a) 3. ",
    "URLs": "http://a.b/c?d=e&f#g ",
    "Latin": "The ferry came in at dawn. ",
    "Greek": "Το πλοίο έφτασε την αυγή. ",
    "Cyrillic": "Паром пришёл на рассвете. ",
    "Armenian": "Լաստանավը եկավ լուսաբացին։ ",
    "Hebrew": "המעבורת הגיעה עם שחר. ",
    "Arabic": "وصلت العبارة عند الفجر. ",
    "Devanagari": "नाव भोर में आई। ",
    "Bengali": "ভোরে নৌকা এল। ",
    "Tamil": "படகு விடியலில் வந்தது. ",
    "Thai": "เรือมาถึงตอนรุ่งสาง",
    "Lao": "ເຮືອມາຮອດຕອນຮຸ່ງສາງ",
    "Khmer": "សាឡាងមកដល់នៅពេលព្រឹក។",
    "Myanmar": "ကူးတို့သင်္ဘောသည် အရုဏ်တက်တွင် ရောက်လာသည်။ ",
    "Tibetan": "གྲུ་གཟིངས་སྐྱ་རེངས་ལ་སླེབས།",
    "Georgian": "ბორანი გამთენიისას მოვიდა. ",
    "Ethiopic": "ጀልባው ጎህ ሲቀድ መጣ። ",
    "Mongolian": "ᠤᠰᠤᠨ ᠣᠩᠭᠤᠴᠠ ᠃ ",
    "Chinese": "渡船在黎明时分到达。",
    "Chinese without marks": "渡船在黎明时分到达",
    "Japanese": "渡し船は夜明けに着いた。",
    "Korean": "나룻배는 새벽에 왔다. ",
}


def second(group: Group) -> int | None:
    """Judge that the second unit of every group starts new content."""
    return group.start + 1


def counting(counter: Any) -> dict[str, Chunker]:
    """Return splitters that count with `counter`."""
    return {
        "greedy": GreedyChunker(chunk_size=64, target_size=48, tokenizer=counter),
        "greedy in Markdown": GreedyChunker(
            chunk_size=64, target_size=48, units="markdown", tokenizer=counter
        ),
        "lumber": LumberChunker(second, theta=60, chunk_size=64, tokenizer=counter),
    }


class Steps:
    """Counts the lines executed in this library and in the Markdown parser."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Steps:
        self._before = sys.gettrace()
        sys.settrace(self._enter)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self._before)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        name = frame.f_code.co_filename
        return self._step if "lumber_core" in name or "markdown_it" in name else None

    def _step(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        self.count += event == "line"
        return self._step


def text_of(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


SMALLEST = 1000  # characters: what is done once for each text no longer matters


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_work_grows_linearly(unit: str) -> None:
    for name in counting(token_counter("estimate")):
        work, characters = [], []
        for size in (SMALLEST, 2 * SMALLEST, 4 * SMALLEST):
            counter = RecordingCounter(lambda text: (len(text) + 1) // 2)
            chunker = counting(counter)[name]
            text = text_of(unit, size)
            with Steps() as steps:
                spans = chunker.segment(text).spans
            check_tiling(spans, len(text))
            work.append(steps.count)
            characters.append(counter.characters)
        for figures in (work, characters):
            assert figures[2] <= 2.6 * figures[1], (name, figures)
            assert figures[1] <= 2.6 * figures[0], (name, figures)


LARGE = {
    "ten megabytes of one character": "x" * 10_000_000,
    "a million line breaks": "\n" * 1_000_000,
    "100,000 paragraphs of one character": "a\n\n" * 100_000,
    "1,000 combining marks": "e" + "\u0301" * 1_000,
    "a megabyte of NULs": "\x00" * 1_000_000,
    "100,000 lone surrogates": "\ud83d" * 100_000,
}


@pytest.mark.load
@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_large_texts_lose_nothing(text: str) -> None:
    few = {} if len(text) > 1_000_000 else counting("estimate")  # seconds for each megabyte
    for chunker in (GreedyChunker(), *few.values()):
        spans = chunker.segment(text).spans
        check_tiling(spans, len(text))
        limit = chunker.settings.chunk_size
        assert limit is not None
        assert max(chunker.counter.count([span.of(text) for span in spans])) <= limit
