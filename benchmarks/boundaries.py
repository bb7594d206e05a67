"""How well splitters find the boundaries that people set, on development data.

    python benchmarks/boundaries.py ../shared/data                     everything (half an hour)
    python benchmarks/boundaries.py ../shared/data --only bert greedy  some splitters
    python benchmarks/boundaries.py ../shared/data --model FOLDER      weights of your own

Choi's set and Wiki-50 are measured at their own sentences, the topics of QMSum's meetings at the
speakers' turns. "sections" and "stories" are the articles and stories that the training of the
bundled weights held out. The semantic splitters of LangChain and LlamaIndex get the bundled
embedder and their own defaults; the greedy splitter is told the true mean length of a segment.
"bert" cuts where a sentence's score, the highest t among its first six tokens, is above t_c = 0.
TextTiling is nltk's, with each line as a paragraph.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.corpora import load_choi, load_qmsum, load_wiki50
from lumber_core import BertChunker, GreedyChunker, Segmentation
from lumber_core.text.units import sentences, sentences_and_lines
from lumber_evaluation.documents import Document
from lumber_evaluation.segmentation import SegmentationScores, score_segmentation
from lumber_training.documents import load_documents, split_held_out

Splitter = Callable[[str], list[int]]

LINE_BREAKS = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Corpus:
    """Documents measured together."""

    name: str
    documents: Sequence[Document]


def corpora(data: Path) -> list[Corpus]:
    return [
        Corpus("choi", load_choi(data / "choi")),
        Corpus("wiki50", load_wiki50(data / "wiki50")),
        Corpus("qmsum", load_qmsum(data / "qmsum").documents),
        *held_out(data),
    ]


def held_out(data: Path) -> list[Corpus]:
    """Return the articles and stories that the training of the bundled weights held out."""
    articles = load_documents(data / "wiki_sections" / "documents.jsonl")
    documents = [replace(article, source="wiki_sections") for article in articles]
    documents += load_documents(data / "passages" / "passages.jsonl")
    names = {"sections": "wiki_sections", "stories": "fairytaleqa"}
    _, held = split_held_out(documents, share=0.08)
    return [
        Corpus(name, [d for d in held if d.source == source and d.is_segmented])
        for name, source in names.items()
    ]


def of_spans(segment: Callable[[str], Segmentation]) -> Splitter:
    return lambda text: [span.start for span in segment(text).spans[1:]]


def above_threshold(chunker: BertChunker) -> Splitter:
    def split(text: str) -> list[int]:
        places = [start for start, _ in sentences_and_lines(text)]
        scores = chunker.scores(text).at(places)
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


def splitters(mean_tokens: int, model: str) -> dict[str, Callable[[], Splitter]]:
    found: dict[str, Callable[[], Splitter]] = {
        "bert": lambda: above_threshold(BertChunker(model, threshold=0.0)),
        "no cuts": lambda: lambda _text: [],
        "texttiling": texttiling,
        "greedy": lambda: of_spans(GreedyChunker(mean_tokens, tokenizer="words").segment),
        "langchain semantic": langchain_semantic,
        "llamaindex semantic": llama_semantic,
    }
    if model != "bundled":  # which scores places, not words
        found["bert, moving"] = lambda: above_threshold(BertChunker(model, paper=True))
    return found


@dataclass(frozen=True)
class Measured:
    """What a splitter scored on a corpus."""

    scores: SegmentationScores
    words_per_chunk: float
    seconds: float

    def row(self) -> str:
        """Return the columns of a table."""
        found = self.scores.boundaries
        return (
            f"{found.precision:.3f} | {found.recall:.3f} | {found.f1:.3f} | "
            f"{self.scores.pk:.3f} | {self.scores.window_diff:.3f} | "
            f"{self.words_per_chunk:.0f} | {self.seconds:.0f}"
        )


def measure(corpus: Corpus, split: Splitter) -> Measured:
    began = time.perf_counter()
    cuts = [split(document.text) for document in corpus.documents]
    took = time.perf_counter() - began
    words = sum(len(document.text.split()) for document in corpus.documents)
    chunks = sum(len(places) + 1 for places in cuts)
    return Measured(score_segmentation(corpus.documents, cuts), words / chunks, took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", nargs="*", help="names of splitters")
    parser.add_argument("--corpora", nargs="*", help="first words of corpora's names")
    parser.add_argument("--model", default="bundled")
    options = parser.parse_args()
    chosen = [
        corpus
        for corpus in corpora(options.data)
        if not options.corpora or corpus.name.split()[0] in options.corpora
    ]
    print("corpus | splitter | P | R | F1 | Pk | WindowDiff | words/chunk | s")
    print("--- | --- | --- | --- | --- | --- | --- | --- | ---")
    for corpus in chosen:
        counter = GreedyChunker(1, tokenizer="words").counter
        segments = [s.of(d.text) for d in corpus.documents for s in d.segments]
        mean = max(1, sum(counter.count(segments)) // len(segments))
        for name, make in splitters(mean, options.model).items():
            if not options.only or name in options.only:
                print(f"{corpus.name} | {name} | {measure(corpus, make()).row()}", flush=True)


if __name__ == "__main__":
    main()
