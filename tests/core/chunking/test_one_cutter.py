"""Long spans are cut at the same places for every splitter; Markdown is parsed once."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import markdown_it
import pytest

from lumber_core import BertChunker, Chunker, GreedyChunker, LayoutChunker, LumberChunker
from lumber_core.chunking.chunker import enforce_limits
from lumber_core.chunking.delivery import Delivery
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.segmentation import Segmentation
from lumber_core.spans import Span
from lumber_core.text.parsed import ParsedText
from lumber_core.text.source import Source
from lumber_core.text.units import paragraphs
from tests.lexical_judge import LexicalJudge

HANDBOOK = Path(__file__).parents[3] / "examples" / "handbook" / "tide_house.md"


class WholeChunker(Chunker):
    """A custom splitter that makes the whole text one chunk."""

    default_units = "paragraphs"

    def __init__(self, *, chunk_size: int | None = None, tokenizer: Any = "estimate") -> None:
        super().__init__(chunk_size=chunk_size, tokenizer=tokenizer, units="paragraphs")

    def _segment(self, parsed: ParsedText, limits: SizeLimits) -> Segmentation:
        spans = (Span(0, len(parsed.text)),) if parsed.text else ()
        return enforce_limits(Segmentation(spans), parsed, limits, parsed.units())


SPLITTERS: dict[str, Callable[..., Chunker]] = {
    "greedy": GreedyChunker,
    "layout": LayoutChunker,
    "bert": BertChunker,
    "lumber": lambda **options: LumberChunker(LexicalJudge(), **options),
    "one's own": WholeChunker,
}
SENTENCE = (
    "The ferry left the harbour before the sun was up over the low hills behind the old town, "
    "because the wind had turned in the night and the captain no longer trusted the moorings, "
    "and the passengers who came down to the quay at seven found only wet ropes and a notice."
)


@pytest.mark.parametrize("name", SPLITTERS)
def test_the_same_sentence_is_cut_at_its_clauses_by_every_splitter(name: str) -> None:
    chunks = SPLITTERS[name](chunk_size=30).split_text(SENTENCE)
    assert [chunk.rstrip()[-1] for chunk in chunks] == [",", ",", "."]


@pytest.mark.parametrize("text", [SENTENCE, "word " * 90, "x" * 900, f"{SENTENCE} {SENTENCE}"])
def test_a_long_chunk_is_cut_alike_by_lumber_and_by_a_custom_splitter(text: str):
    lumber = LumberChunker(LexicalJudge(), theta=10_000, chunk_size=30, units=lambda t: [])
    custom = WholeChunker(chunk_size=30)
    assert lumber.split_text(text) == custom.split_text(text)
    assert len(custom.split_text(text)) > 1


def test_a_long_paragraph_is_cut_between_sentences_rather_than_at_clauses() -> None:
    sentence = "The ferry, late again, left the harbour before the sun was up. "
    chunks = SPLITTERS["lumber"](theta=200, chunk_size=40).split_text(sentence * 8)
    assert len(chunks) > 2
    assert all(chunk.startswith("The ferry") for chunk in chunks)


@pytest.mark.parametrize("size", [60, 200])
@pytest.mark.parametrize("name", SPLITTERS)
def test_markdown_is_parsed_once_for_chunks_overlap_and_headings(name: str, size: int, monkeypatch):
    parsed = []
    parse = markdown_it.MarkdownIt.parse

    def count_and_parse(self: Any, text: str, *args: Any) -> Any:
        parsed.append(text)
        return parse(self, text, *args)

    monkeypatch.setattr(markdown_it.MarkdownIt, "parse", count_and_parse)
    chunker = SPLITTERS[name](chunk_size=size)
    source = Source(HANDBOOK.read_text(encoding="utf-8"), format="markdown")
    (chunks,) = chunker.split_all([source], Delivery(size // 3))
    assert len(chunks) > 5
    assert any(after.span.start < before.span.end for before, after in pairwise(chunks))
    assert any(chunk.headings for chunk in chunks)
    assert len(parsed) == 1


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        *((name, {"target_size": 12, "chunk_size": 60}) for name in ("greedy", "layout", "bert")),
        ("bert", {"threshold": -100}),
    ],
)
def test_chunks_start_at_the_units_that_are_chosen(name: str, sizes: dict[str, Any]) -> None:
    text = "\n\n".join(["The ship went to sea. It was old. " * n for n in (2, 3, 4, 3, 2)])
    starts = {unit.start for unit in paragraphs(text)}
    by_default = SPLITTERS[name](**sizes).segment(text).spans
    assert not {span.start for span in by_default} <= starts
    for units in ("paragraphs", paragraphs):
        found = {span.start for span in SPLITTERS[name](**sizes, units=units).segment(text).spans}
        assert len(found) > 2
        assert found <= starts
