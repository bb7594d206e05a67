"""Chunks in colours, as notebooks show them."""

from __future__ import annotations

import re
from html import unescape
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from lumber_core import BertChunker, Chunker, GreedyChunker, LumberChunker
from lumber_core.chunk_view import MOST_CHARACTERS, ChunkView
from lumber_core.spans import Span
from tests.lexical_judge import LexicalJudge

TEXT = 'Ada <b>mended</b> the "clock" & oiled it.\n\n<script>alert(1)</script>\n\nIt rang.'


def chunks_in(page: str) -> list[str]:
    """Return the text of each chunk, as a browser reads it, without the labels."""
    root = ElementTree.fromstring(page)
    return [(block[1].text or "") for block in root if len(block)]


def colours_in(page: str) -> list[str]:
    return re.findall(r"background: (rgba\([^)]+\))", page)


@pytest.mark.parametrize(
    "chunker",
    [GreedyChunker(chunk_size=12), BertChunker(chunk_size=12), LumberChunker(LexicalJudge())],
    ids=["greedy", "bert", "lumber"],
)
def test_notebooks_show_the_chunks_escaped(chunker: Chunker) -> None:
    page = chunker.show(TEXT)._repr_html_()
    assert chunks_in(page) == [chunk.rstrip() for chunk in chunker.split_text(TEXT)]
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_neighbours_have_different_colours_that_let_the_page_shine_through() -> None:
    view = ChunkView("abcdefghi", [Span(n, n + 1) for n in range(9)])
    colours = colours_in(view._repr_html_())
    assert len(colours) == 9
    assert all(left != right for left, right in pairwise(colours))
    assert all(colour.endswith(".14)") for colour in colours)


def test_tokens_are_shown_with_their_unit() -> None:
    view = GreedyChunker(chunk_size=5, tokenizer="words").show("One two. Three four.")
    assert view.tokens is not None
    for number, tokens in enumerate(view.tokens):
        assert f"#{number} · {tokens} tokens · characters " in unescape(view._repr_html_())


def test_a_long_text_is_shown_in_part_and_says_so() -> None:
    size = MOST_CHARACTERS // 2 + 1
    view = ChunkView("x" * (3 * size), [Span(n * size, (n + 1) * size) for n in range(3)])
    page = view._repr_html_()
    assert "".join(chunks_in(page)) == "x" * MOST_CHARACTERS
    assert "1 chunk left out" in page
    assert len(repr(view)) < 60


def test_an_empty_text_and_lone_surrogates_can_be_shown() -> None:
    assert chunks_in(GreedyChunker().show("")._repr_html_()) == []
    assert GreedyChunker().show("a \ud800")._repr_html_().encode()
