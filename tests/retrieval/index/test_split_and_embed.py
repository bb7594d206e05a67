"""Splitters that embed their chunks: what is embedded, and the checks before it."""

from typing import Any

import numpy as np
import pytest

from lumber_core import BertChunker, Delivery, GreedyChunker, LumberChunker, Source
from lumber_retrieval.index.surroundings import embed_chunks, place_chunks, split_and_embed
from tests.core.bert.test_bundled import TOPICS

GUIDE = Source(
    "# Boats\n\nOars.\n\n## Care\n\nDry the sails.\n\nWax the oars.\n\n## Crew\n\nTwo.\n",
    format="markdown",
)
TEXT = " ".join(TOPICS)
SPLITTERS: dict[str, Any] = {
    "bert": BertChunker(target_size=20),
    "threshold": BertChunker("large", threshold=0.0),
    "greedy": GreedyChunker(20),
    "lumber": LumberChunker(lambda group: group.start + 1),
}
every_splitter = pytest.mark.parametrize("splitter", SPLITTERS.values(), ids=SPLITTERS)


class Lengths:
    """Embeds a text as its length, and keeps what it was asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return [[len(text), 40.0] for text in texts]


def test_headings_are_the_context_above_the_text() -> None:
    embed = Lengths()
    (chunks,), (vectors,) = split_and_embed(GreedyChunker(8), [GUIDE], embed)
    assert embed.texts == [chunk.text_in_context for chunk in chunks]
    assert any(text.startswith("Boats > Care\n\nWax") for text in embed.texts)
    assert len(vectors) == len(chunks)


def test_rows_of_tables_are_embedded_as_their_words() -> None:
    embed = Lengths()
    text = "# Boats\n\n| Name | Seats |\n|:--|--:|\n| Gull | - |\n| Punt | |\n\na | b, and -\n"
    split_and_embed(GreedyChunker(80), [Source(text, format="markdown")], embed)
    assert "".join(embed.texts).split() == [
        *["#", "Boats", "Name", "Seats", "Gull", "-", "Punt", "a", "|", "b,", "and", "-"]
    ]


@every_splitter
async def test_chunks_are_those_of_split_also_asynchronously(splitter: Any) -> None:
    texts, delivery = [TEXT, "", GUIDE], Delivery(overlap=5, trim=True)
    split, vectors = split_and_embed(splitter, texts, Lengths(), delivery)
    assert split == splitter.split_all(texts, delivery)
    later = await splitter.asplit_all(texts, delivery)
    assert later == split
    for one, other in zip(vectors, embed_chunks(place_chunks(later), Lengths()), strict=True):
        assert np.array_equal(one, other)
