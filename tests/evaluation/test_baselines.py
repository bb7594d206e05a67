"""Splitters to compare with: units, fixed lengths, recursive characters, meaning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import Chunker, GreedyChunker, MissingExtraError, extras
from lumber_core.spans import check_tiling
from lumber_evaluation.baselines import (
    SemanticChunker,
    UnitChunker,
    Words,
    fixed_length,
    recursive_characters,
)


class ByLetters:
    """An embedder that counts the letters "a", "b" and "c" of a text."""

    identity = "by letter"
    similarity = "cosine"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked += texts
        counts = [[text.count(letter) for letter in "abc"] for text in texts]
        return np.array(counts, dtype=np.float32)

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return self.embed_documents(texts)


def lines(text: str) -> list[tuple[int, int]]:
    starts = [0, *(place + 1 for place, mark in enumerate(text[:-1]) if mark == "\n")]
    return list(zip(starts, [*starts[1:], len(text)], strict=True)) if text else []


def make_chunkers(limit: int | None = None) -> list[Chunker]:
    return [
        UnitChunker(chunk_size=limit),
        UnitChunker("sentences", chunk_size=limit),
        GreedyChunker(7, tokenizer="words", units=Words(), chunk_size=limit),
        SemanticChunker(ByLetters(), percentile=50, chunk_size=limit),
    ]


texts = st.lists(
    st.sampled_from(
        ["aa aa. ", "b b b! ", "\n\n", "春が来る。", "👩‍🚀", "c" * 50, " ", "\r\n", "e\u0301. "]
    ),
    max_size=30,
).map("".join)


@given(texts)
def test_chunks_tile_any_text(text: str) -> None:
    for chunker in make_chunkers():
        check_tiling(chunker.segment(text).spans, len(text))


@given(texts)
def test_no_chunk_is_above_the_limit(text: str) -> None:
    for chunker in make_chunkers(9):
        segmentation = chunker.segment(text)
        check_tiling(segmentation.spans, len(text))
        assert max(chunker.counter.count(segmentation.chunks(text)), default=0) <= 9


def test_paragraphs_are_chunks() -> None:
    text = "One. Two.\n\nThree.\n\nFour."
    assert UnitChunker().segment(text).chunks(text) == ["One. Two.\n\n", "Three.\n\n", "Four."]


def test_fixed_lengths_are_met_to_the_word_and_cut_anywhere_between_words() -> None:
    text = " ".join(f"w{number}" for number in range(100)) + "."
    chunker = fixed_length(10, tokenizer=lambda text: len(text.split()))
    assert [len(chunk.split()) for chunk in chunker.segment(text).chunks(text)] == [10] * 10


def test_fixed_lengths_are_met_where_there_are_no_spaces() -> None:
    text = "春夏秋冬" * 200
    sizes = [len(chunk) for chunk in fixed_length(100, tokenizer=len).segment(text).chunks(text)]
    assert all(84 <= size <= 116 for size in sizes[:-1])


def test_fixed_lengths_leave_characters_whole() -> None:
    astronaut = "👩‍🚀"
    text = astronaut * 30
    chunks = fixed_length(7, tokenizer=len).segment(text).chunks(text)
    assert len(chunks) > 1
    assert all(chunk == astronaut * (len(chunk) // len(astronaut)) for chunk in chunks)


def test_fixed_lengths_count_as_the_tokenizer_does() -> None:
    text = "It was the morning of the second day, and nobody had slept. " * 30
    chunker = fixed_length(50, tokenizer="cl100k_base")
    sizes = chunker.counter.count(chunker.segment(text).chunks(text))
    assert all(abs(size - 50) <= 2 for size in sizes[:-1])


def test_recursive_characters_are_langchains() -> None:
    splitter = recursive_characters(30, chunk_overlap=5)
    assert all(len(chunk) <= 30 for chunk in splitter.split_text("one two three four " * 9))
    assert splitter._chunk_overlap == 5


def test_recursive_characters_without_langchain_name_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"lumber-splitters\[evaluation\]"):
        recursive_characters()


STORY = "a a\na a a\na\nb b\nb b b\nb\nc\nc c"


def test_a_chunk_starts_where_the_meaning_turns() -> None:
    chunker = SemanticChunker(ByLetters(), percentile=70, buffer_size=0, units=lines)
    assert chunker.segment(STORY).chunks(STORY) == ["a a\na a a\na\n", "b b\nb b b\nb\n", "c\nc c"]


def test_units_are_embedded_with_their_neighbours() -> None:
    model = ByLetters()
    SemanticChunker(model, buffer_size=1, units=lines).segment("a\nb\nc\na")
    assert model.asked == ["a\nb\n", "a\nb\nc\n", "b\nc\na", "c\na"]


def test_a_lower_percentile_cuts_more() -> None:
    counts = [
        len(SemanticChunker(ByLetters(), percentile=p, units=lines).segment(STORY).spans)
        for p in (100, 80, 40)
    ]
    assert counts[0] == 1
    assert counts == sorted(set(counts))


def test_one_unit_or_none_embeds_nothing() -> None:
    model = ByLetters()
    chunker = SemanticChunker(model, units=lines)
    assert chunker.segment("").spans == ()
    assert chunker.segment("a a").chunks("a a") == ["a a"]
    assert model.asked == []


def test_settings_are_shown() -> None:
    shown = repr(SemanticChunker(ByLetters(), percentile=80, buffer_size=2))
    assert "by letter" in shown
    assert "percentile=80" in shown
    assert "buffer_size=2" in shown
    assert " at 0x" not in repr(fixed_length(20))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"percentile": 101}, ValueError, "percentile must be between 0 and 100, not 101"),
        ({"buffer_size": -1}, ValueError, "buffer_size must be at least 0"),
        ({"buffer_size": 0.5}, TypeError, "buffer_size must be a whole number"),
        ({"embedder": "none"}, ValueError, "unknown embedder 'none'"),
    ],
)
def test_settings_out_of_range_are_refused(
    options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        SemanticChunker(**options)  # type: ignore[arg-type]
