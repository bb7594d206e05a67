from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker, MissingExtraError
from lumber_core.spans import Span
from lumber_core.support import extras
from lumber_evaluation.baselines import (
    SemanticChunks,
    Words,
    fixed_length,
    paragraph_by_paragraph,
    recursive_characters,
)
from tests.tiling import check_tiling


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

    embed_queries = embed_documents


texts = st.lists(
    st.sampled_from(
        ["aa aa. ", "b b b! ", "\n\n", "春が来る。", "👩‍🚀", "c" * 50, " ", "\r\n", "e\u0301. "]
    ),
    max_size=30,
).map("".join)


@given(texts)
def test_chunks_tile_any_text(text: str) -> None:
    greedy = GreedyChunker(7, tokenizer="words", units=Words()).segment(text).spans
    check_tiling(greedy, len(text))
    for split in (paragraph_by_paragraph, SemanticChunks(ByLetters(), percentile=50)):
        check_tiling([Span(*span) for span in split(text)], len(text))


def test_paragraphs_are_chunks() -> None:
    text = "One. Two.\n\nThree.\n\nFour."
    chunks = [text[slice(*span)] for span in paragraph_by_paragraph(text)]
    assert chunks == ["One. Two.\n\n", "Three.\n\n", "Four."]


def test_fixed_lengths_are_met_to_the_word_and_cut_anywhere_between_words() -> None:
    text = " ".join(f"w{number}" for number in range(100)) + "."
    chunker = fixed_length(10, tokenizer=lambda text: len(text.split()))
    assert [len(chunk.split()) for chunk in chunker.segment(text).chunks(text)] == [10] * 10


def test_fixed_lengths_count_as_the_tokenizer_does() -> None:
    text = "It was the morning of the second day, and nobody had slept. " * 30
    chunker = fixed_length(50, tokenizer="cl100k_base")
    sizes = chunker.counter.count(chunker.segment(text).chunks(text))
    assert all(abs(size - 50) <= 2 for size in sizes[:-1])


def test_recursive_characters_without_langchain_name_the_extra(monkeypatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'\.\[evaluation\]'"):
        recursive_characters()


def test_a_chunk_starts_where_the_meaning_turns() -> None:
    text = "Aaa aa. " * 5 + "Bbb bb. " * 5
    chunks = [text[slice(*span)] for span in SemanticChunks(ByLetters(), percentile=99)(text)]
    assert chunks == ["Aaa aa. " * 5, "Bbb bb. " * 5]


def test_sentences_are_embedded_with_their_neighbours() -> None:
    model = ByLetters()
    SemanticChunks(model)("Aa. Bb. Cc. Aa.")
    assert model.asked == ["Aa. Bb. ", "Aa. Bb. Cc. ", "Bb. Cc. Aa.", "Cc. Aa."]


def test_a_single_sentence_or_none_is_not_embedded() -> None:
    model = ByLetters()
    assert SemanticChunks(model)("") == []
    assert SemanticChunks(model)("a a") == [(0, 3)]
    assert model.asked == []
