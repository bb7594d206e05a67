"""The control has the sizes of the splitter it controls for, and cuts at random sentences."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker
from lumber_evaluation.documents import Document, EvaluatedSplitter
from lumber_evaluation.null_control import RandomCuts
from lumber_evaluation.splitters import evaluated

TEXT = " ".join(f"Sentence number {n} has {'some ' * (n % 7)}words." for n in range(200))
DOCUMENT = Document("d", TEXT, (0,), (0,), "")


def starts(splitter: EvaluatedSplitter, document: Document = DOCUMENT) -> list[int]:
    return [chunk.span.start for chunk in splitter.split(document).chunks]


def test_there_are_as_many_chunks_of_about_the_same_sizes_elsewhere() -> None:
    greedy = evaluated(GreedyChunker(60, tokenizer="words"))
    control = RandomCuts(greedy)
    theirs, ours = starts(greedy), starts(control)
    assert len(ours) == len(theirs)
    sizes = [sorted(b - a for a, b in pairwise([*found, len(TEXT)])) for found in (theirs, ours)]
    assert all(abs(a - b) <= 60 for a, b in zip(*sizes, strict=True))
    assert len(set(ours) & set(theirs)) < len(theirs) / 2


def test_a_seed_determines_the_cuts() -> None:
    greedy = GreedyChunker(60, tokenizer="words")
    assert starts(RandomCuts(greedy)) == starts(RandomCuts(greedy))
    assert starts(RandomCuts(greedy)) != starts(RandomCuts(greedy, seed=1))
    identities = {RandomCuts(greedy, seed=seed).identity for seed in range(3)}
    assert len(identities) == 3
    assert None not in identities
    assert RandomCuts(lambda text: [text]).identity is None


@given(
    cuts=st.sets(st.integers(1, 399), max_size=30), sentence=st.integers(5, 200), seed=st.integers()
)
def test_any_sizes_and_sentences_give_a_tiling(cuts: set[int], sentence: int, seed: int) -> None:
    text = "".join("A" + "b" * (sentence - 3) + ". " for _ in range(400 // sentence + 1))[:400]
    edges = [0, *sorted(cuts), len(text)]
    control = RandomCuts(lambda _: [(a, b) for a, b in pairwise(edges) if a < b], seed=seed)
    chunks = control.split(Document("d", text, (0,), (0,), "")).chunks
    # Chunks of white space only are left out.
    assert "".join("".join(c.text for c in chunks).split()) == "".join(text.split())
    assert len(chunks) <= len(edges) - 1
