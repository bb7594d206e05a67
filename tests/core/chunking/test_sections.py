"""`merge_sections=False`: no chunk of Markdown crosses a heading."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core import (
    BertChunker,
    Chunker,
    Delivery,
    GreedyChunker,
    LayoutChunker,
    LumberChunker,
    Source,
    token_counter,
)
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.text.parsed import MarkdownText
from tests.core.text.test_context import GUIDE
from tests.lexical_judge import LexicalJudge

SENTENCE = "The tide comes in twice a day and covers the lower steps. "
TEXT = GUIDE + "".join(
    f"\n## Part {number}\n\n### Further down\n\n{SENTENCE * (number + 1)}\n\n{SENTENCE}\n"
    for number in range(6)
)
MARKDOWN = Source(TEXT, format="markdown")
SPLITTERS: dict[str, Callable[..., Chunker]] = {
    "bert": BertChunker,
    "bert, threshold": lambda **given: BertChunker(threshold=0.0, **given),
    "greedy": GreedyChunker,
    "lumber": lambda **given: LumberChunker(LexicalJudge(), **given),
}
# The starts of headings that follow text.
STARTS = [
    TEXT.index(title)
    for title in (
        *("# Guide", "## Prices", "### Taps", "## Repairs"),
        *(f"## Part {number}" for number in range(6)),
    )
]


@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize(
    "settings", [{}, {"chunk_size": 40}, {"chunk_size": 200, "min_chunk_size": 60}]
)
@pytest.mark.parametrize("overlap", [0, 15])
def test_a_chunk_ends_where_the_next_section_starts(
    name: str, settings: dict[str, Any], overlap: int
):
    chunker = SPLITTERS[name](merge_sections=False, **settings)
    chunks = chunker.split(MARKDOWN, Delivery(overlap))
    starts = {chunk.span.start for chunk in chunks}
    assert {*STARTS} <= starts
    for chunk in chunks:
        assert not [start for start in STARTS if chunk.span.start < start < chunk.span.end]
    if not overlap:
        assert "".join(chunk.text for chunk in chunks) == TEXT
    merged = SPLITTERS[name](**settings).split(MARKDOWN)
    assert {*STARTS} - {chunk.span.start for chunk in merged}


@pytest.mark.parametrize("name", SPLITTERS)
def test_headings_without_text_between_them_stay_together(name: str) -> None:
    chunks = SPLITTERS[name](merge_sections=False).split(MARKDOWN)
    (part,) = [chunk for chunk in chunks if "## Part 0" in chunk.text]
    assert part.text.startswith("## Part 0\n\n### Further down\n\nThe tide")
    assert part.headings_inside == ("Further down",)


def test_sizes_are_evened_out_within_a_section() -> None:
    text = f"# Short\n\nWords.\n\n# Long\n\n{SENTENCE * 12}"
    chunker = BertChunker(target_size=60, merge_sections=False)
    short, *parts = chunker.split(Source(text, format="markdown"))
    assert short.text == "# Short\n\nWords.\n\n"
    assert max(part.tokens for part in parts) < 1.5 * min(part.tokens for part in parts)


def test_sizes_are_counted_from_the_start_of_a_section() -> None:
    paragraphs = "Eight words are in this short paragraph here.\n\n" * 10
    text = f"###### A\n\nA few words come first in here.\n\n###### B\n\n{paragraphs}"
    source = Source(text, format="markdown")
    settings = {"target_size": 48, "chunk_size": 70, "tokenizer": "words"}
    greedy = GreedyChunker(merge_sections=False, **settings).split(source)
    cutter = Cutter(
        MarkdownText(source, merge_sections=False), SizeLimits(70, None, token_counter("words"), 48)
    )
    cuts = cutter.cut(cutter.places())
    for starts in ([chunk.span.start for chunk in greedy[1:]], cuts):
        parts = [text[a:b] for a, b in pairwise([*starts, len(text)])]
        assert parts[0].startswith("###### B")
        assert [part.count("Eight") for part in parts] == [5, 5]


def test_plain_text_has_no_sections() -> None:
    chunks = GreedyChunker(merge_sections=False).split(Source(TEXT, format="text"))
    assert chunks == GreedyChunker().split(Source(TEXT, format="text"))


BLOCKS = (
    *("# One", "## Two", "Three\n=====", "Four\n----", "---", "***", "> # Five", "> six"),
    *("- seven\n\n  # Eight", "1. nine", "Ten says:", ": eleven", "<p>twelve</p>", "<!-- x -->"),
    *("```\n# thirteen\n```", "| a | b |\n| - | - |\n| 1 | 2 |", "![a](b)", "Fifteen. Sixteen."),
)


@example(["# One", "---", "## Two", "1. nine", "## Two", "1. nine"], "\n\n")
@given(st.lists(st.sampled_from(BLOCKS), max_size=9), st.sampled_from(["\n\n", "\n"]))
def test_any_order_of_blocks_is_split_where_sections_start(blocks: list[str], between: str) -> None:
    text = between.join(blocks)
    source = Source(text, format="markdown")
    for chunk_size in (None, 12):
        chunker = LayoutChunker(merge_sections=False, chunk_size=chunk_size)
        spans = chunker.segment(source).spans
        assert "".join(span.of(text) for span in spans) == text
        assert {span.start for span in spans} >= {*chunker.parse(source).section_starts}
