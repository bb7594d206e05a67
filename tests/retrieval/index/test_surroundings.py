"""Vectors that include the context above a chunk and its surroundings."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lumber_core import BertChunker, Delivery, GreedyChunker, LumberChunker, Source, Span
from lumber_retrieval.index.surroundings import (
    PlacedText,
    embed_chunks,
    mean_of_neighbours,
    place_chunks,
    split_and_embed,
)
from lumber_retrieval.index.vectors import unit_length
from tests.core.bert.test_bundled import TOPICS
from tests.growth import check_linear


def adjacent_chunks(*texts: str, gap: int = 0) -> list[PlacedText]:
    """Return chunks that follow each other, with `gap` characters between them."""
    chunks, start = [], 0
    for text in texts:
        chunks.append(PlacedText(Span(start, start + len(text)), text, text))
        start += len(text) + gap
    return chunks


class Embedder:
    """Gives each text its own axis, with a length above 1, and records its texts."""

    def __init__(self, width: int = 64) -> None:
        self.asked: list[list[str]] = []
        self._axes: dict[str, int] = {}
        self._width = width

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(texts)
        vectors = np.zeros((len(texts), self._width))
        for row, text in enumerate(texts):
            vectors[row, self.axis(text)] = 3
        return vectors.tolist()

    def axis(self, text: str) -> int:
        return self._axes.setdefault(text, len(self._axes))


def vectors_of(embed: Embedder, *documents: Sequence[PlacedText]) -> list:
    return embed_chunks(documents, embed, surroundings=True)


WORDS = "one two three four five six seven eight nine ten "  # ten words, ten tokens


def test_the_kernel_is_sixty_words_wide_and_weighted_by_size() -> None:
    axes = np.eye(3, dtype=np.float32)
    added = mean_of_neighbours(axes, [0, 80, 100], [20, 10, 40])
    near, far = 10 * np.exp(-0.5), 40 * np.exp(-0.5 * (100 / 80) ** 2)
    assert added[0] == pytest.approx(np.array([0, near, far]) / (20 + near + far))
    assert added[0, 0] == 0


def test_neighbours_weigh_less_beside_a_large_chunk_and_at_the_ends() -> None:
    axes = np.eye(3, dtype=np.float32)
    small = mean_of_neighbours(axes, [0, 50, 100], [50, 50, 50])
    large = mean_of_neighbours(axes, [0, 300, 600], [300, 300, 300])
    middle, edge = np.linalg.norm(small[1]), np.linalg.norm(small[0])
    assert middle > edge > 0.3
    assert np.linalg.norm(large, axis=1).max() == 0
    beside = mean_of_neighbours(axes, [0, 80, 160], [150, 20, 150])
    assert beside[0].sum() < 0.2 < beside[1].sum()


def test_a_gap_between_chunks_makes_them_distant() -> None:
    near = vectors_of(Embedder(), adjacent_chunks(WORDS, WORDS[4:]))[0]
    far = vectors_of(Embedder(), adjacent_chunks(WORDS, WORDS[4:], gap=500))[0]
    beyond = vectors_of(Embedder(), adjacent_chunks(WORDS, WORDS[4:], gap=5000))[0]
    assert near[0, 1] > far[0, 1] > beyond[0, 1] == 0


def test_texts_are_embedded_in_batches_with_a_progress_bar(capsys) -> None:
    embed = Embedder(400)
    chunks = adjacent_chunks(*map(str, range(300)))
    vectors = embed_chunks([chunks], embed, surroundings=False, show_progress=True)
    assert [len(some) for some in embed.asked] == [256, 44]
    assert vectors[0][299, 299] == 3
    assert "300/300" in capsys.readouterr().err


def test_empty_inputs_cause_no_embedding_calls() -> None:
    embed = Embedder()
    assert vectors_of(embed) == []
    (vectors,) = vectors_of(embed, [])
    assert len(vectors) == 0
    assert embed.asked == []


@pytest.mark.parametrize(
    ("embed", "message"),
    [
        (lambda texts: [[1.0]], "should give 2 vectors .* of shape"),
        (lambda texts: [[1.0], [1.0, 2.0]], "should give 2 vectors of the same width"),
        (lambda texts: [[1.0], [float("nan")]], "values that are not finite"),
    ],
)
def test_vectors_of_the_wrong_number_or_size_are_refused(embed, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        embed_chunks([adjacent_chunks("a", "b")], embed)


def test_batches_of_other_widths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"several widths: \[44, 256\]"):
        embed_chunks([adjacent_chunks(*map(str, range(300)))], lambda texts: np.eye(len(texts)))


@pytest.mark.parametrize(("text", "beside"), [("a", 0), ("word " * 30, 0), ("\n", 0), ("a", 500)])
def test_the_time_is_linear_in_the_chunks_even_if_a_long_one_crowds_them(text: str, beside: int):
    def embed(chunks: list[PlacedText]) -> None:
        vectors = np.ones((len(chunks), 8), dtype=np.float32)
        embed_chunks([chunks], lambda some: vectors[: len(some)])

    def vectors(size: int) -> list[PlacedText]:
        texts = [f"{text}{number % 97}" for number in range(size)]
        return adjacent_chunks(*texts, *[" " * beside * size] * bool(beside))

    check_linear(embed, vectors, 4_000)


def test_vectors_of_length_zero_stay_zero() -> None:
    vectors = unit_length(np.array([[0, 0], [3, 4]], dtype=np.float32))
    assert vectors == pytest.approx(np.array([[0, 0], [0.6, 0.8]]))


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
    """Embeds a text as its length, and records its texts."""

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


def test_rows_in_a_long_document_are_embedded_below_its_title_only() -> None:
    text = "# Boats\n\n## Small ones\n\n| Name | Seats |\n|--|--|\n" + "| Gull | 4 |\n" * 3_000
    contexts = {len(text): "Boats\n\nGull 4", 20_000: "Boats > Small ones\n\nName Seats"}
    for length, above in contexts.items():
        embed = Lengths()
        split_and_embed(GreedyChunker(40), [Source(text[:length], format="markdown")], embed)
        assert embed.texts[1].startswith(f"{above}\n")


@every_splitter
async def test_synchronous_and_asynchronous_calls_embed_the_chunks_of_split(splitter: Any) -> None:
    texts, delivery = [TEXT, "", GUIDE], Delivery(overlap=5, trim=True)
    split, vectors = split_and_embed(splitter, texts, Lengths(), delivery)
    assert split == splitter.split_all(texts, delivery)
    later = await splitter.call_async(splitter.split_all, texts, delivery)
    assert later == split
    for vector, expected in zip(vectors, embed_chunks(place_chunks(later), Lengths()), strict=True):
        assert np.array_equal(vector, expected)
