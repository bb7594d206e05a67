"""Headings of passages are those that a parser of Markdown finds."""

from hypothesis import example, given
from hypothesis import strategies as st

from lumber_core.text.markdown import Block
from lumber_core.text.parsed import MarkdownText
from lumber_core.text.source import Source
from lumber_retrieval.passages.passage_metadata import ChunkMarkdown

LINES = [
    *("# Otters", "## They hunt", "####### seven", "#none", "#", "##   ", "   # indented"),
    "# closed #",
    "# tab\tbed",
    "# \u00a0",
    "\u00a0# no",
    "\x0b# no",
    "# form\x0cfeed",
    "\t# code",
    *("Fish.", "- item", "- # in an item", "-", "+ ", "1. one", "> # quoted", "> quoted", "> ---"),
    *("---", "===", "--", "***", "+++", "```", "~~~", "a | b", "<b>", ":::", "::: {note}"),
    *("!!! note", "[^1]: note", "[a]: /url 'x", "# y'", "    # code", "\x00# nul", "", "", ""),
]


@given(st.lists(st.sampled_from(LINES), max_size=8).map("\n".join))
@example("---\n\n# Otters\n\nFish.\n\n---\n\n## They hunt\nFish.")
def test_headings_are_those_of_a_parser_of_markdown(text: str) -> None:
    outline, parsed = ChunkMarkdown(Source(text)).blocks, MarkdownText(Source(text)).blocks
    assert headings(outline) == headings(parsed)
    assert [block for block in outline if block.header.end] == [
        block for block in parsed if block.header.end
    ]
    assert headings(outline[:1]) == headings(parsed[:1])  # decides whether it is the title


def headings(blocks: list[Block]) -> list[tuple[int, int, str]]:
    """Return the places, levels and titles of headings."""
    return [(block.start, block.level, block.title) for block in blocks if block.level]
