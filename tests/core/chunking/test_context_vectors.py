"""Vectors of the core's chunks: what is embedded, and the checks before it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lumber_core import GreedyChunker, Source
from lumber_core.chunking.context_vectors import acontext_vectors, context_vectors

GUIDE = "# Boats\n\nOars.\n\n## Care\n\nDry the sails.\n\nWax the oars.\n\n## Crew\n\nTwo.\n"


class Lengths:
    """Embeds a text as its length, and keeps what it was asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return [[len(text), 40.0] for text in texts]

    async def later(self, texts: list[str]) -> list[list[float]]:
        return self(texts)


@pytest.fixture
def chunks() -> Any:
    return GreedyChunker(8).split(Source(GUIDE, format="markdown"))


def test_headings_are_the_context_above_the_text(chunks: Any) -> None:
    embed = Lengths()
    (vectors,) = context_vectors([chunks], embed, context=["headings"])
    assert embed.texts == [chunk.text_in_context for chunk in chunks]
    assert any(text.startswith("Boats > Care\n\nWax") for text in embed.texts)
    assert vectors[:, 0].tolist() == [len(text) for text in embed.texts]


def test_larger_chunks_have_the_context_of_the_first_in_them(chunks: Any) -> None:
    embed = Lengths()
    context_vectors([chunks[-3:]], embed, scales=[100])
    assert embed.texts[-1] == chunks[-3].outside.above("".join(c.text for c in chunks[-3:]))


def test_without_context_vectors_are_those_of_the_texts(chunks: Any) -> None:
    embed = Lengths()
    (vectors,) = context_vectors([chunks], embed, context=())
    assert vectors[:, 0].tolist() == [len(chunk.text) for chunk in chunks]


def test_scales_are_counted_as_the_splitter_counts() -> None:
    embed = Lengths()
    chunks = GreedyChunker(8, tokenizer=len).split("One two. Two three. Three four. Four five. ")
    assert len(chunks) == 4
    context_vectors([chunks], embed, scales=[20])  # characters
    assert embed.texts[4:] == [chunks[0].text + chunks[1].text, chunks[2].text + chunks[3].text]


async def test_asynchronous_models_give_the_same_vectors(chunks: Any) -> None:
    here = context_vectors([chunks, chunks[:2]], Lengths(), scales=[20, 40])
    waited = await acontext_vectors([chunks, chunks[:2]], Lengths().later, scales=[20, 40])
    for one, other in zip(here, waited, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"context": ["titel"]}, ValueError, "context may have \"headings\" and .* not 'titel'"),
        ({"context": "headings"}, TypeError, r'pass \("headings",\)'),
        ({"scales": [3, 3]}, ValueError, "scales must be positive and ascending"),
        ({"scales": [True]}, TypeError, "scales must be whole numbers"),
        ({"scales": [3], "context": []}, ValueError, 'add "surroundings" to context'),
    ],
)
def test_wrong_arguments_are_refused(wrong: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        context_vectors([], Lengths(), **wrong)
