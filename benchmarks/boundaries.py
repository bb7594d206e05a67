"""Measures how well splitters find boundaries that people annotated, on development data.

    python benchmarks/boundaries.py ../shared/data                     everything (half an hour)
    python benchmarks/boundaries.py ../shared/data --only bert greedy  some splitters
    python benchmarks/boundaries.py ../shared/data --model FOLDER      weights of your own

Choi's set and Wiki-50 are measured at their own sentences, the topics of QMSum's meetings at the
speakers' turns. "sections" and "stories" are the articles and stories that the training of the
bundled weights held out. The semantic splitters of LangChain and LlamaIndex get the bundled
embedder and their own defaults; the greedy splitter is given the true mean length of a segment.
"bert" cuts where a sentence's score, the highest t among its first six tokens, is above t_c = 0.
TextTiling is nltk's, with each line as a paragraph.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from benchmarks.corpora import iter_wiki, load_choi, load_qmsum
from benchmarks.embedding import Bundled
from benchmarks.packages import langchain_semantic
from benchmarks.splitters import llamaindex_semantic
from lumber_core import BertChunker, GreedyChunker
from lumber_core.text.units import sentences_and_lines
from lumber_evaluation.boundary_metrics import score_segmentation
from lumber_evaluation.dataset import Document
from lumber_evaluation.splitters import wrap_splitter
from lumber_training.training_data import load_documents, split_held_out

LINE_BREAKS = re.compile(r"\s*\n\s*")


def corpora(data: Path) -> dict[str, Sequence[Document]]:
    """Return documents by the name of their corpus."""
    articles = load_documents(data / "wiki_sections" / "documents.jsonl")
    passages = load_documents(data / "passages" / "passages.jsonl")
    sections = [replace(article, source="wiki_sections") for article in articles]
    _, held = split_held_out([*sections, *passages], share=0.08)
    held = [document for document in held if document.is_segmented]
    return {
        "choi": load_choi(data / "choi"),
        "wiki50": [*iter_wiki(data / "wiki50")],
        "qmsum": load_qmsum(data / "qmsum").documents,
        "sections": [document for document in held if document.source == "wiki_sections"],
        "stories": [document for document in held if document.source == "fairytaleqa"],
    }


def above_threshold(chunker: BertChunker) -> Callable[[str], list[tuple[int, int]]]:
    """Return a splitter that cuts at the sentences and lines whose score is above 0."""

    def split(text: str) -> list[tuple[int, int]]:
        places = [start for start, _ in sentences_and_lines(text)]
        scores = chunker.scores(text).at(places)
        cuts = [place for place, t in zip(places, scores, strict=True) if place and t > 0]
        return [*pairwise([0, *cuts, len(text)])]

    return split


def texttiling() -> Callable[[str], list[str]]:
    from nltk.tokenize import TextTilingTokenizer
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    # nltk's own stop words are a download.
    tokenizer = TextTilingTokenizer(stopwords=ENGLISH_STOP_WORDS)
    return lambda text: tokenizer.tokenize(LINE_BREAKS.sub("\n\n", text))


def splitters(mean_tokens: int, model: str) -> dict[str, Callable[[], object]]:
    """Return a function that makes each splitter, by name."""
    makers: dict[str, Callable[[], object]] = {
        "bert": lambda: above_threshold(BertChunker(model, threshold=0.0)),
        "no cuts": lambda: lambda text: [text],
        "texttiling": texttiling,
        "greedy": lambda: GreedyChunker(mean_tokens, tokenizer="words"),
        "langchain semantic": lambda: langchain_semantic(embeddings=Bundled()),
        "llamaindex semantic": llamaindex_semantic,
    }
    if model != "bundled":  # the bundled model scores no words, which `paper` needs
        makers["bert, moving"] = lambda: above_threshold(BertChunker(model, paper=True))
    return makers


def measure(documents: Sequence[Document], splitter: object) -> str:
    """Return the columns of a row: scores, words in a chunk, and seconds."""
    wrapped = wrap_splitter(splitter)
    splits = [wrapped.split(document) for document in documents]
    cuts = [[chunk.span.start for chunk in split.chunks] for split in splits]
    scores = score_segmentation(documents, cuts)
    found = scores.boundaries
    shares = (found.precision, found.recall, found.f1, scores.pk, scores.window_diff)
    words = sum(len(document.text.split()) for document in documents) / sum(map(len, cuts))
    seconds = sum(split.seconds for split in splits)
    return " | ".join([*(f"{share:.3f}" for share in shares), f"{words:.0f}", f"{seconds:.0f}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", nargs="*", help="names of splitters")
    parser.add_argument("--corpora", nargs="*", help="names of corpora")
    parser.add_argument("--model", default="bundled")
    options = parser.parse_args()
    print("corpus | splitter | P | R | F1 | Pk | WindowDiff | words/chunk | s")
    print("--- | --- | --- | --- | --- | --- | --- | --- | ---")
    counter = GreedyChunker(1, tokenizer="words").counter
    for corpus, documents in corpora(options.data).items():
        if options.corpora and corpus not in options.corpora:
            continue
        segments = [s.of(d.text) for d in documents for s in d.segments]
        mean = max(1, sum(counter.count(segments)) // len(segments))
        for name, make in splitters(mean, options.model).items():
            if not options.only or name in options.only:
                print(f"{corpus} | {name} | {measure(documents, make())}", flush=True)


if __name__ == "__main__":
    main()
