"""Recall of splitters at the same chunk size, on development data.

    python benchmarks/retrieval.py ../shared/data                   everything, at 120 and 250 words
    python benchmarks/retrieval.py ../shared/data --words 120 --only bert recursive
    python benchmarks/retrieval.py ../shared/data --keep work.db    keeps embeddings between runs
    python benchmarks/retrieval.py ../shared/data --sizes           chunk sizes of the defaults only

Every splitter is brought to the same mean number of words a chunk by its own size setting, for each
corpus apart; how near it came is in the table. Chunks are searched within the question's document,
with the bundled embedder. The null controls have the sizes but not the model: `layout` makes
Bert's choice without scores, `random` cuts at random sentences. Differences are between Bert and
each other splitter over the same questions; their 95 % intervals draw documents, and questions
within them where a corpus is one document. Splitters that are not installed are left out, and
named. Needs the extra `evaluation`; the others: pip install langchain-experimental
llama-index-core semchunk semantic-text-splitter chonkie.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lumber_core import BertChunker, GreedyChunker, TextEmbedder
from lumber_core.bert.scores import TokenScores, place_scores
from lumber_core.chunking.cutting import Cutter, SizedPlaces
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.spans import Span
from lumber_core.text.units import sentences
from lumber_core.tokens import token_counter
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_evaluation.corpora import load_chroma, load_covidqa, load_qmsum
from lumber_evaluation.documents import Chunk, Corpus, SplitDocument
from lumber_evaluation.embedders import embedder
from lumber_evaluation.retrieval import QuestionResult, RetrievalResult, retrieve

Starts = Callable[[str], Sequence[int]]
"""Returns where the chunks of a text start."""

TARGET_SHARE = 0.6  # of chunk_size, as BertChunker has it
FIGURES: tuple[tuple[str, Callable[[QuestionResult], float]], ...] = (
    ("recall at 600 words", lambda question: question.word_recall(600)),
    ("recall at 1,200 words", lambda question: question.word_recall(1200)),
    ("Recall@5", lambda question: question.recall(5)),
    ("token recall@5", lambda question: question.token_recall(5)),
)
Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Peer:
    """A splitter with a size setting.

    Attributes:
        make: Makes it from the setting.
        low: A setting that gives chunks that are too short.
        high: One that gives chunks that are too long.
        package: What has to be installed.
    """

    make: Callable[[float], Starts]
    low: float
    high: float
    package: str = "numpy"


class Bert:
    """The cuts of BertChunker at any size, with the scores of each text computed once."""

    def __init__(self, *, scored: bool = True) -> None:
        self._chunker = BertChunker(tokenizer="estimate")
        self._scored = scored
        self._scores: dict[str, TokenScores] = {}
        self._places: dict[tuple[str, int], SizedPlaces] = {}

    def __call__(self, target: float) -> Starts:
        """Return the splitter with a target size."""
        size = round(target)
        limits = SizeLimits(round(size / TARGET_SHARE), None, token_counter("estimate"), "en", size)
        cutter = Cutter(limits)

        def starts(text: str) -> list[int]:
            found = cutter.places(text)
            t = place_scores(self._scores_of(text), found.places) if self._scored else None
            return [0, *cutter.cut(found, t)]

        return starts

    def _scores_of(self, text: str) -> TokenScores:
        if text not in self._scores:
            self._scores[text] = self._chunker.scores(text)
        return self._scores[text]


def greedy(size: float) -> Starts:
    """Return the greedy splitter."""
    chunker = GreedyChunker(round(size), chunk_size=None, tokenizer="estimate")
    return lambda text: [span.start for span in chunker.segment(text).spans]


def at_random(words: float) -> Starts:
    """Return a splitter that cuts at random sentences, so that chunks have `words` on average."""

    def starts(text: str) -> list[int]:
        places = [span.start for span in sentences(text)[1:]]
        count = min(len(places), round(len(text.split()) / words))
        return [0, *sorted(random.Random(len(text)).sample(places, count))]

    return starts


def langchain_recursive(size: float) -> Starts:
    """Return LangChain's RecursiveCharacterTextSplitter."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=round(size), chunk_overlap=0, add_start_index=True
    )
    return lambda text: [d.metadata["start_index"] for d in splitter.create_documents([text])]


def langchain_semantic(share: float) -> Starts:
    """Return LangChain's SemanticChunker, sized by its percentile."""
    from langchain_experimental.text_splitter import SemanticChunker

    splitter = SemanticChunker(Embeddings(), breakpoint_threshold_amount=min(share, 100.0))
    return lambda text: located(text, splitter.split_text(text))


def llamaindex_sentence(size: float) -> Starts:
    """Return LlamaIndex's SentenceSplitter."""
    from llama_index.core.node_parser import SentenceSplitter

    splitter = SentenceSplitter(chunk_size=round(size), chunk_overlap=0)
    return lambda text: located(text, splitter.split_text(text))


def llamaindex_semantic(share: float) -> Starts:
    """Return LlamaIndex's SemanticSplitterNodeParser, sized by its percentile."""
    from llama_index.core import Document
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    from llamaindex_lumber import LumberEmbedding

    parser = SemanticSplitterNodeParser(
        embed_model=LumberEmbedding(),
        breakpoint_percentile_threshold=min(100, round(share)),
        sentence_splitter=lambda text: [span.of(text) for span in sentences(text)],
    )
    return lambda text: located(
        text,
        [node.get_content() for node in parser.get_nodes_from_documents([Document(text=text)])],
    )


def semchunk(size: float) -> Starts:
    """Return semchunk, counting words."""
    import semchunk as package

    chunker = package.chunkerify(lambda text: len(text.split()), round(size))
    return lambda text: [start for start, _ in chunker(text, offsets=True)[1]]


def semantic_text_splitter(size: float) -> Starts:
    """Return semantic-text-splitter, counting characters."""
    from semantic_text_splitter import TextSplitter

    splitter = TextSplitter(round(size))
    return lambda text: [start for start, _ in splitter.chunk_indices(text)]


def chonkie_recursive(size: float) -> Starts:
    """Return chonkie's RecursiveChunker, counting characters."""
    from chonkie import RecursiveChunker

    chunker = RecursiveChunker(
        tokenizer="character", chunk_size=round(size), min_characters_per_chunk=12
    )
    return lambda text: [chunk.start_index for chunk in chunker.chunk(text)]


class Embeddings:
    """The bundled embedder as LangChain's splitter wants one, each text embedded once."""

    known: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(new, TextEmbedder().embed(new).tolist(), strict=True))
        return [self.known[text] for text in texts]


def located(text: str, chunks: Iterable[str]) -> list[int]:
    """Return where chunks start that were joined anew: by the visible characters before them."""
    visible = [match.start() for match in re.finditer(r"\S", text)]
    starts, passed = [], 0
    for chunk in chunks:
        length = sum(map(len, chunk.split()))
        if length and passed < len(visible):
            starts.append(visible[passed])
        passed += length
    return starts


def peers() -> dict[str, Peer]:
    """Return the splitters by name."""
    return {
        "bert": Peer(Bert(), 30, 1500),
        "layout": Peer(Bert(scored=False), 30, 1500),
        "random": Peer(at_random, 20, 1000),
        "greedy": Peer(greedy, 30, 1500),
        "langchain recursive": Peer(langchain_recursive, 200, 6000, "langchain_text_splitters"),
        "llamaindex sentence": Peer(llamaindex_sentence, 40, 1500, "llama_index"),
        "semchunk": Peer(semchunk, 30, 1500, "semchunk"),
        "semantic-text-splitter": Peer(semantic_text_splitter, 200, 6000, "semantic_text_splitter"),
        "chonkie recursive": Peer(chonkie_recursive, 200, 6000, "chonkie"),
        "langchain semantic": Peer(langchain_semantic, 20, 100, "langchain_experimental"),
        "llamaindex semantic": Peer(llamaindex_semantic, 20, 100, "llama_index"),
    }


def split(corpus: Corpus, starts: Starts) -> list[SplitDocument]:
    """Split the documents of a corpus; white space around chunks is trimmed."""
    splits = []
    for document in corpus.documents:
        edges = sorted({0, *starts(document.text), len(document.text)})
        spans = [Span(a, b).stripped(document.text) for a, b in pairwise(edges)]
        chunks = [
            Chunk(document.name, span, span.of(document.text))
            for span in spans
            if span.start < span.end
        ]
        splits.append(SplitDocument(document.name, tuple(chunks), 0.0))
    return splits


def sized(corpus: Corpus, peer: Peer, words: int) -> tuple[list[SplitDocument], float]:
    """Split a corpus with the setting that comes nearest to `words` a chunk; return the mean."""
    total = sum(len(document.text.split()) for document in corpus.documents)
    low, high = peer.low, peer.high
    best: tuple[float, list[SplitDocument], float] | None = None
    for _ in range(11):
        setting = (low + high) / 2
        splits = split(corpus, peer.make(setting))
        mean = total / sum(len(one.chunks) for one in splits)
        if best is None or abs(mean - words) < best[0]:
            best = abs(mean - words), splits, mean
        if abs(mean - words) < 0.01 * words:
            break
        low, high = (setting, high) if mean < words else (low, setting)
    assert best is not None
    return best[1], best[2]


@dataclass(frozen=True)
class Measured:
    """What one splitter scored on one corpus.

    Attributes:
        words: Mean words of a chunk.
        values: For each of `FIGURES`, a value for each question.
        documents: The document of each question.
    """

    words: float
    values: list[Values]
    documents: list[str]


def measured(corpus: Corpus, result: RetrievalResult, words: float) -> Measured:
    values = [np.array(result.per_question(measure)) for _, measure in FIGURES]
    names = [f"{corpus.name}/{question.document}" for question in corpus.questions]
    return Measured(words, values, names)


def interval(difference: Values, documents: Sequence[str]) -> tuple[float, float]:
    """Return the 95 % interval of a mean difference.

    Documents are drawn, then questions within each: those of one document share its difficulty.
    """
    generator = np.random.default_rng(0)
    names = sorted(set(documents))
    groups = [
        difference[[number for number, name in enumerate(documents) if name == one]]
        for one in names
    ]
    means = []
    for _ in range(2000):
        # A corpus of one document has no other to be drawn: only its questions are.
        few = len(names) < 5
        drawn = range(len(groups)) if few else generator.integers(len(groups), size=len(groups))
        values = [
            group[generator.integers(len(group), size=len(group))]
            for group in (groups[number] for number in drawn)
        ]
        means.append(np.nanmean(np.concatenate(values)))
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def table(title: str, rows: dict[str, Measured]) -> None:
    """Write a table in Markdown: means, and differences to Bert with their intervals."""
    print(f"\n**{title}** ({len(next(iter(rows.values())).documents)} questions)\n")
    print(" | ".join(["splitter", "words", *(name for name, _ in FIGURES)]))
    print(" | ".join(["---"] * (2 + len(FIGURES))))
    bert = rows.get("bert")
    for name, row in rows.items():
        cells = []
        for number in range(len(FIGURES)):
            mean = f"{np.nanmean(row.values[number]):.3f}"
            if bert is not None and row is not bert:
                gain = bert.values[number] - row.values[number]
                low, high = interval(gain, row.documents)
                mean += f" ({np.nanmean(gain):+.3f}, {low:+.3f} to {high:+.3f})"
            cells.append(mean)
        print(" | ".join([name, f"{row.words:.0f}", *cells]), flush=True)


def pooled(parts: Sequence[Measured]) -> Measured:
    """Return several corpora as one."""
    return Measured(
        sum(part.words for part in parts) / len(parts),
        [np.concatenate([part.values[number] for part in parts]) for number in range(len(FIGURES))],
        [name for part in parts for name in part.documents],
    )


def sizes(corpora: Sequence[Corpus], books: Path) -> None:
    """Write how large the chunks of the default are, in tokens of cl100k_base."""
    chunker, counter = BertChunker(), token_counter("cl100k_base")
    texts = {corpus.name: [d.text for d in corpus.documents] for corpus in corpora}
    for book in sorted(books.glob("*.txt")):
        texts[book.stem] = [book.read_bytes().decode("utf-8", "replace")]
    print("text | chunks | mean | 95 % below | largest\n--- | --- | --- | --- | ---")
    for name, members in texts.items():
        counts = counter.count([chunk for text in members for chunk in chunker.split_text(text)])
        print(
            f"{name} | {len(counts)} | {np.mean(counts):.0f} | {np.quantile(counts, 0.95):.0f} | "
            f"{max(counts)}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", type=int, nargs="+", default=[120, 250])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--corpora", nargs="+", help="beginnings of names, such as covidqa")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--sizes", action="store_true")
    options = parser.parse_args()
    corpora = [
        *load_chroma(options.data / "chroma_eval"),
        load_covidqa(options.data / "covidqa"),
        load_qmsum(options.data / "qmsum"),
    ]
    if options.corpora is not None:
        corpora = [c for c in corpora if c.name.lower().startswith(tuple(options.corpora))]
    if options.sizes:
        sizes(corpora, options.data / "books")
        return
    embeds = embedder("bundled")
    if options.keep is not None:
        embeds = CachedEmbedder(embeds, options.keep)
    chosen = {
        name: peer for name, peer in peers().items() if options.only is None or name in options.only
    }
    absent = [name for name, p in chosen.items() if importlib.util.find_spec(p.package) is None]
    if absent:
        print(f"not installed, left out: {', '.join(absent)}")
    for words in options.words:
        found: dict[str, list[Measured]] = {}
        for name, peer in chosen.items():
            if name in absent:
                continue
            for corpus in corpora:
                splits, mean = sized(corpus, peer, words)
                result = retrieve(corpus, splits, embeds)
                found.setdefault(name, []).append(measured(corpus, result, mean))
                done = found[name][-1]
                means = " ".join(f"{np.nanmean(values):.3f}" for values in done.values)
                print(f"{words} {name}, {corpus.name}: {mean:.0f} words, {means}", file=sys.stderr)
        for number, corpus in enumerate(corpora):
            rows = {name: parts[number] for name, parts in found.items()}
            table(f"{corpus.name}, about {words} words", rows)
        table(f"all, about {words} words", {n: pooled(parts) for n, parts in found.items()})


if __name__ == "__main__":
    main()
