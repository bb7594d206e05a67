"""How well splitters find the boundaries that people set, on development data.

    python benchmarks/boundaries.py ../shared/data                     everything (half an hour)
    python benchmarks/boundaries.py ../shared/data --only bert greedy  some splitters
    python benchmarks/boundaries.py ../shared/data --versus-fp32 CHECKPOINT [--model FOLDER]
                                     what 8-bit integers cost: the bundled weights, or those of a
                                     folder, beside the checkpoint they were exported from

Choi's set and Wiki-50 are measured at their own sentences, the topics of QMSum's meetings at the
speakers' turns, numbered notes (labelled_notes.py) at sentences. "sections" and "stories" are the
articles and stories that training holds out; with --wikipedia, "wikipedia" are the articles that
it holds out of that dump, which are annotated at all levels. Chroma's corpora have no segments but
excerpts that answer questions: their edges are the reference, and how many excerpts no cut divides
is told as well. The semantic splitters of LangChain and LlamaIndex get the bundled embedder and
their own defaults; the greedy splitter is told the true mean length of a segment. "bert" cuts
where a sentence's score, the highest t among its first six tokens, is above t_c = 0; "bert, first
token" reads the first alone. TextTiling is nltk's, with each line as a paragraph.
"""

from __future__ import annotations

import argparse
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from labelled_notes import labelled_notes

from lumber_core import BertChunker, GreedyChunker, Segmentation
from lumber_core.text.units import sentences, sentences_and_lines
from lumber_evaluation.corpora import (
    iter_wiki_dump,
    load_choi,
    load_chroma,
    load_passages,
    load_qmsum,
    load_wiki50,
    load_wiki_sections,
)
from lumber_evaluation.documents import Document
from lumber_evaluation.segmentation import SegmentationScores, nearest_units, score_segmentation
from lumber_training.calibration import split_held_out
from lumber_training.recipes import SENTENCES

Splitter = Callable[[str], list[int]]

LINE_BREAKS = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Corpus:
    """Documents measured together; `excerpts` are (start, end) offsets, for each document."""

    name: str
    documents: Sequence[Document]
    excerpts: Sequence[Sequence[tuple[int, int]]] = ()


def corpora(data: Path, wikipedia: Path | None) -> list[Corpus]:
    found = [
        Corpus("choi", load_choi(data / "choi")),
        Corpus("wiki50", load_wiki50(data / "wiki50")),
        Corpus("qmsum", load_qmsum(data / "qmsum").documents),
        Corpus("notes", labelled_notes()),
        *held_out(data, wikipedia),
    ]
    for questioned in load_chroma(data / "chroma_eval"):
        (document,) = questioned.documents
        units = document.units
        excerpts = sorted({(r.start, r.end) for q in questioned.questions for r in q.references})
        edges = nearest_units((edge for excerpt in excerpts for edge in excerpt), units)
        starts = (0, *(units[edge] for edge in edges))
        marked = replace(document, starts=starts)
        found.append(Corpus(f"chroma {questioned.name}", [marked], [excerpts]))
    return found


def held_out(data: Path, wikipedia: Path | None) -> list[Corpus]:
    """Return the articles and stories that the recipes hold out of training, by source."""
    documents = load_wiki_sections(data / "wiki_sections") + load_passages(data / "passages")
    names = {"sections": "wiki_sections", "stories": "fairytaleqa"}
    if wikipedia is not None:
        documents += iter_wiki_dump(wikipedia)
        names["wikipedia"] = "wikipedia"
    _, held = split_held_out(documents, share=SENTENCES.held_out)
    return [
        Corpus(name, [d for d in held if d.source == source and d.is_segmented])
        for name, source in names.items()
    ]


def of_spans(segment: Callable[[str], Segmentation]) -> Splitter:
    return lambda text: [span.start for span in segment(text).spans[1:]]


def above_threshold(chunker: BertChunker, *, first_tokens: int) -> Splitter:
    def split(text: str) -> list[int]:
        places = [start for start, _ in sentences_and_lines(text)]
        scores = chunker.scores(text).at(places, first_tokens=first_tokens)
        return [place for place, t in zip(places, scores, strict=True) if place and t > 0]

    return split


def texttiling() -> Splitter:
    from nltk.tokenize import TextTilingTokenizer
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    # nltk's own stop words are a download.
    tokenizer = TextTilingTokenizer(stopwords=ENGLISH_STOP_WORDS)

    def split(text: str) -> list[int]:
        words = word_ends(text)
        cuts, passed = [], 0
        for tile in tokenizer.tokenize(LINE_BREAKS.sub("\n\n", text)):
            cuts.append(words[passed])
            passed += len("".join(tile.split()))
            if passed == len(words):
                break
        return cuts[1:]

    return split


def langchain_semantic() -> Splitter:
    from langchain_experimental.text_splitter import SemanticChunker

    from langchain_lumber import LumberEmbeddings

    chunker = SemanticChunker(LumberEmbeddings())

    def split(text: str) -> list[int]:
        # It joins sentences again with single spaces, so offsets are found by the words passed.
        words = word_ends(text)
        cuts, passed = [], 0
        for chunk in chunker.split_text(text)[:-1]:
            passed += len("".join(chunk.split()))
            cuts.append(words[passed - 1] + 1)
        return cuts

    return split


def word_ends(text: str) -> list[int]:
    """Return the offset of every character that is not white space."""
    return [place for place, character in enumerate(text) if not character.isspace()]


def llama_semantic() -> Splitter:
    from llama_index.core import Document as LlamaDocument
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    from llamaindex_lumber import LumberEmbedding

    parser = SemanticSplitterNodeParser(
        embed_model=LumberEmbedding(),
        sentence_splitter=lambda text: [span.of(text) for span in sentences(text)],
    )

    def split(text: str) -> list[int]:
        nodes = parser.get_nodes_from_documents([LlamaDocument(text=text)])
        cuts, position = [], 0
        for node in nodes[:-1]:
            position += len(node.get_content())
            cuts.append(position)
        return cuts

    return split


def splitters(
    mean_tokens: int, model: str, backend: Literal["onnx", "torch"]
) -> dict[str, Callable[[], Splitter]]:
    return {
        "bert": lambda: above_threshold(
            BertChunker(model, backend=backend, threshold=0.0), first_tokens=6
        ),
        "bert, first token": lambda: above_threshold(
            BertChunker(model, backend=backend, threshold=0.0), first_tokens=1
        ),
        "bert, moving": lambda: above_threshold(
            BertChunker(model, backend=backend, windows="moving", threshold=0.0), first_tokens=6
        ),
        "no cuts": lambda: lambda _text: [],
        "texttiling": texttiling,
        "greedy": lambda: of_spans(GreedyChunker(mean_tokens, tokenizer="words").segment),
        "langchain semantic": langchain_semantic,
        "llamaindex semantic": llama_semantic,
    }


def kept_whole(excerpts: Iterable[tuple[int, int]], cuts: Sequence[int]) -> float:
    """Return the share of excerpts that no cut divides."""
    whole = [bisect_left(cuts, end) == bisect_left(cuts, start + 1) for start, end in excerpts]
    return sum(whole) / len(whole)


@dataclass(frozen=True)
class Measured:
    """What a splitter scored on a corpus."""

    scores: SegmentationScores
    whole: str
    words_per_chunk: float
    seconds: float

    def row(self) -> str:
        """Return the columns of a table."""
        found = self.scores.boundaries
        return (
            f"{found.precision:.3f} | {found.recall:.3f} | {found.f1:.3f} | "
            f"{self.scores.pk:.3f} | {self.scores.window_diff:.3f} | {self.whole} | "
            f"{self.words_per_chunk:.0f} | {self.seconds:.0f}"
        )


def measure(corpus: Corpus, split: Splitter) -> Measured:
    began = time.perf_counter()
    cuts = [split(document.text) for document in corpus.documents]
    took = time.perf_counter() - began
    shares = [kept_whole(*pair) for pair in zip(corpus.excerpts, cuts, strict=False)]
    whole = f"{sum(shares) / len(shares):.3f}" if shares else "-"
    words = sum(len(document.text.split()) for document in corpus.documents)
    chunks = sum(len(places) + 1 for places in cuts)
    return Measured(score_segmentation(corpus.documents, cuts), whole, words / chunks, took)


def versus_fp32(chosen: Sequence[Corpus], model: str, checkpoint: str) -> None:
    print("corpus | windows | F1 of fp32 | F1 of int8 | loss in points | Pk of fp32 | Pk of int8")
    print("--- | --- | --- | --- | --- | --- | ---")
    for corpus in chosen:
        for windows in ("overlapping", "moving"):
            exact, rounded = (
                measure(corpus, above_threshold(splitter, first_tokens=6)).scores
                for splitter in (
                    BertChunker(checkpoint, backend="torch", windows=windows, threshold=0.0),
                    BertChunker(model, windows=windows, threshold=0.0),
                )
            )
            f1s = exact.boundaries.f1, rounded.boundaries.f1
            print(
                f"{corpus.name} | {windows} | {f1s[0]:.3f} | {f1s[1]:.3f} | "
                f"{100 * (f1s[0] - f1s[1]):+.1f} | {exact.pk:.3f} | {rounded.pk:.3f}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", nargs="*", help="names of splitters")
    parser.add_argument("--corpora", nargs="*", help="first words of corpora's names")
    parser.add_argument("--model", default="bundled")
    parser.add_argument("--backend", default="onnx", help="torch: a checkpoint in 32-bit floats")
    parser.add_argument("--versus-fp32", metavar="CHECKPOINT", help="compare 8-bit integers")
    parser.add_argument(
        "--wikipedia", type=Path, help="the dump that training holds articles out of"
    )
    options = parser.parse_args()
    chosen = [
        corpus
        for corpus in corpora(options.data, options.wikipedia)
        if not options.corpora or corpus.name.split()[0] in options.corpora
    ]
    if options.versus_fp32:
        versus_fp32(chosen, options.model, options.versus_fp32)
        return
    print("corpus | splitter | P | R | F1 | Pk | WindowDiff | excerpts whole | words/chunk | s")
    print("--- | --- | --- | --- | --- | --- | --- | --- | --- | ---")
    for corpus in chosen:
        counter = GreedyChunker(1, tokenizer="words").counter
        segments = [s.of(d.text) for d in corpus.documents for s in d.segments]
        mean = max(1, sum(counter.count(segments)) // len(segments))
        for name, make in splitters(mean, options.model, options.backend).items():
            if not options.only or name in options.only:
                print(f"{corpus.name} | {name} | {measure(corpus, make()).row()}", flush=True)


if __name__ == "__main__":
    main()
