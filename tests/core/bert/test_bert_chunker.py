"""BertChunker on awkward texts, its settings and its cost, with small random weights."""

import os
from pathlib import Path

import numpy as np
import pytest

from lumber_core import BertChunker, Segmentation, TextEmbedder
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.text.source import Source
from lumber_core.text.unicode import breaks
from lumber_core.text.units import sentences_and_lines
from tests.alone import run_python
from tests.core.forking import works_in_a_fork
from tests.tiling import check_tiling
from tests.tiny_bert import write_random_checkpoint

# In addition to the texts of tests/contracts, which the same model splits.
AWKWARD = {
    "control characters": "\x00\x01\x02",
    "accents": "e\u0301a\u0308 the ship. " * 200,
    "40,000 newlines": "\n" * 40_000,
    "no spaces": "abc" * 5000,
    "no spaces over two blocks": "a,b" * 12_000,
    "lone surrogates": "the \ud83d ship. the \udc00 sea. " * 50,
    "arabic signs": "\u0633\u0644\u0627\u0645 \u0670 \u0645\u062a\u0646 \u06e5 12 \u06dd 3. " * 40,
    "burmese signs": "\u1019\u103c\u1014\u103a \u102c \u1005\u102c \u1031\u102c a \u0903 b. " * 40,
    "unknown characters": "\U0001f9e0\U000e0041 ship. \u0bb5 sea." * 80,
}


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("text", AWKWARD.values(), ids=AWKWARD)
def test_chunks_tile_every_text(exported: Path, text: str, paper: bool) -> None:
    for threshold in (-100, 0.2):
        splitter = BertChunker(str(exported), paper=paper, threshold=threshold)
        spans = splitter.segment(text).spans
        check_tiling(spans, len(text))
        assert all(breaks(text, [span.start]) for span in spans)


def test_chunks_start_at_sentences_or_words(exported: Path, prose: list[str]) -> None:
    text = " ".join(prose[:30])
    every_sentence = {span.start for span in sentences_and_lines(text)}
    at_sentences = BertChunker(str(exported), threshold=-100)
    assert {s.start for s in at_sentences.segment(text).spans} == every_sentence
    at_words = BertChunker(str(exported), paper=True, threshold=-100)
    starts = [s.start for s in at_words.segment(text).spans]
    assert len(starts) == len(text.split())
    assert all(start == 0 or text[start - 1].isspace() for start in starts)


def test_scores_decide_where_chunks_are_cut(exported: Path, prose: list[str]) -> None:
    text = " ".join(prose[:40])
    splitter = BertChunker(str(exported), threshold=0.3)
    scores = splitter.scores(text)
    assert len(scores) == len(scores.t) == len(scores.starts) == len(scores.ends)
    sentences = np.array([span.start for span in sentences_and_lines(text)])
    cuts = [int(start) for start in sentences[scores.at(sentences) > 0.3] if start > 0]
    assert cuts == [span.start for span in splitter.segment(text).spans[1:]]
    assert len(cuts) > 3


def test_given_scores_are_cut_only_near_a_target_size(exported: Path, prose: list[str]) -> None:
    text = "\n\n".join(prose)[:4_000]
    splitter = BertChunker(str(exported), target_size=60)
    cuts = splitter.cuts(text, splitter.scores(text))
    assert cuts == [span.start for span in splitter.segment(text).spans[1:]] != []
    at_topics = BertChunker(str(exported), threshold=0.3)
    with pytest.raises(ValueError, match="without threshold or paper"):
        at_topics.cuts(text, at_topics.scores(text))


@pytest.mark.parametrize("paper", [False, True])
def test_any_number_of_threads_gives_the_same_scores(exported: Path, prose: list[str], paper: bool):
    chunkers = [BertChunker(str(exported), paper=paper, threads=n) for n in (1, 2, 5)]
    with_one, with_two, with_five = (chunker.scores(" ".join(prose[:60])).t for chunker in chunkers)
    np.testing.assert_array_equal(with_one, with_two)
    np.testing.assert_array_equal(with_one, with_five)


PAGE = "".join(
    f"## Part {n}\n\nThe ship was old. It went to sea.\n\n```sh\nmake {n}.\n\n./run {n}.\n```\n\n"
    for n in range(12)
)


@pytest.mark.parametrize(
    "sizes", [{"target_size": 20}, {"threshold": -100}, {"threshold": -100, "chunk_size": 40}]
)
def test_units_markdown_splits_like_the_format_markdown(exported: Path, sizes: dict) -> None:
    splitter = BertChunker(str(exported), **sizes, units="markdown")
    spans = splitter.segment(PAGE).spans
    marked = Source(PAGE, format="markdown")
    assert spans == BertChunker(str(exported), **sizes).segment(marked).spans
    chunks = [span.of(PAGE) for span in spans]
    assert len(chunks) > 10
    assert all(chunk.count("```") % 2 == 0 for chunk in chunks)


def test_splitting_does_not_import_torch(exported: Path) -> None:
    code = (
        "import sys\nfrom lumber_core import BertChunker, TextEmbedder\n"
        "assert not {'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules)\n"
        f"BertChunker({str(exported)!r}).segment('One. Two.')\n"
        f"TextEmbedder({str(exported)!r}).embed(['One.'])\n"
        "assert not {'torch', 'transformers', 'onnx'} & set(sys.modules)"
    )
    run_python(code)


@pytest.fixture(scope="module")
def smallest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnx")
    source = write_random_checkpoint(tmp_path_factory.mktemp("small"), width=8, layers=1)
    from lumber_training.export import export  # needs PyTorch, as the checkpoint does

    return export(source, output=tmp_path_factory.mktemp("smallest")).folder


MEASURE = """
import random, sys, time
from lumber_core import BertChunker
from tests.tiling import check_tiling
from tests.tiny_bert import WORDS

rng = random.Random(0)
lines = [" ".join(rng.choices(WORDS, k=12)).capitalize() + "." for _ in range(1500)]
block = " ".join(lines) + "\\n\\n"
splitter = BertChunker(sys.argv[1], paper=True)
splitter.segment("One. Two.")
for size in map(int, sys.argv[2:]):
    text = (block * (size // len(block) + 1))[:size]
    began = time.process_time()
    check_tiling(splitter.segment(text).spans, size)
    print(time.process_time() - began)
# Not getrusage: what a new process reports there includes the one that started it.
status = open("/proc/self/status").read()
print(status.partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize(
    ("size", "max_memory"),
    [(1_000_000, 200), pytest.param(10_000_000, 300, marks=pytest.mark.load)],
)
def test_megabytes_take_linear_time_and_little_memory(
    smallest: Path, size: int, max_memory: int
) -> None:
    completed = run_python(MEASURE, smallest, size // 10, size)
    small, large, peak = map(float, completed.stdout.split())
    assert large < 30 * small  # for ten times the text; quadratic time would be 100 times
    assert peak < max_memory * 1024  # peak of the whole process, in KiB


def test_the_first_tokens_are_those_at_offsets_or_after_them(exported: Path) -> None:
    pieces = WordPieceTokenizer.from_folder(exported)("the ship. the sea.  ")
    assert pieces.first_of([0, 10]).tolist() == [0, 3]
    assert pieces.first_of([0, 3, 4, 18, 19]).tolist() == [0, 1]
    assert pieces.first_of([]).tolist() == []


# Work that the result does not need is not done.

SHORT = "# Boats\n\nAnn rowed.\n\n# Prices\n\nA boat is 5 francs."


def test_a_text_within_the_target_is_one_chunk_and_no_model_is_loaded():
    chunker = BertChunker(target_size=60)
    assert chunker.split_text(SHORT) == [SHORT]
    assert [
        len(segmentation.spans) for segmentation in chunker.segment_all([SHORT, "", "Bob sat."])
    ] == [1, 0, 1]
    assert chunker._loaded is None


def test_a_short_text_is_scored_with_a_threshold_and_cut_if_sections_are_not_merged():
    marked = BertChunker(threshold=0.0)
    marked.segment(SHORT)
    assert marked._loaded is not None
    source = Source(SHORT, format="markdown")
    assert len(BertChunker(target_size=60, merge_sections=False).segment(source).spans) == 2


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")


@needs_fork
def test_a_forked_process_splits_and_embeds_as_its_parent(exported: Path) -> None:
    def make_both() -> tuple[BertChunker, TextEmbedder]:
        embedder = TextEmbedder(str(exported), threads=2)
        return BertChunker(str(exported), threads=2, threshold=-7.0), embedder

    def results(splitter: BertChunker, embedder: TextEmbedder) -> tuple[Segmentation, object]:
        return splitter.segment(text), embedder.embed([text, text]).tolist()

    # The text has several windows, which threads share.
    text, models = "The ship was in the harbour. The king said no! " * 120, make_both()
    expected = results(*models)
    assert len(expected[0].spans) > 3
    assert works_in_a_fork(lambda: results(*models) == results(*make_both()) == expected or 1 / 0)
    assert results(*models) == expected


@needs_fork
def test_a_forked_process_splits_with_a_checkpoint_as_its_parent(checkpoint: Path) -> None:
    import torch

    splitter, text = BertChunker(str(checkpoint), threshold=-7.0), "The ship sailed. " * 100
    before = torch.get_num_threads()
    torch.set_num_threads(2)  # a fork has torch's pool without its threads
    try:
        expected = splitter.segment(text)
        assert len(expected.spans) > 3
        assert works_in_a_fork(lambda: splitter.segment(text) == expected or 1 / 0)
    finally:
        torch.set_num_threads(before)
