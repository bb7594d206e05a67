"""Recall of splitters at the same chunk size, on development data.

    python benchmarks/retrieval.py ../shared/data                   everything, at 120 and 250 words
    python benchmarks/retrieval.py ../shared/data --words 120 --only bert recursive
    python benchmarks/retrieval.py ../shared/data --keep work.db    keeps vectors and scores

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
import importlib.metadata
import json
import random
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from kept_scores import KeptScores

from lumber_core import BertChunker, GreedyChunker
from lumber_core.bert.scores import place_scores
from lumber_core.cache import Cache, digest
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.spans import Span
from lumber_core.text.units import sentences
from lumber_core.tokens import token_counter
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_evaluation.corpora import load_chroma, load_covidqa, load_qmsum
from lumber_evaluation.documents import Chunk, Corpus, SplitDocument
from lumber_evaluation.embedders import Embedder, embedder
from lumber_evaluation.retrieval import QuestionResult, RetrievalResult, retrieve

Starts = Callable[[str], Sequence[int]]
"""Returns where the chunks of a text start."""

OURS = "lumber-splitters"
TARGET_SHARE = 0.6  # of chunk_size, as BertChunker has it
FIGURES: tuple[tuple[str, Callable[[QuestionResult], float]], ...] = (
    ("recall at 600 words", lambda question: question.word_recall(600)),
    ("recall at 1,200 words", lambda question: question.word_recall(1200)),
    ("Recall@5", lambda question: question.recall(5)),
    ("token recall@5", lambda question: question.token_recall(5)),
)
Values = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Peer:
    """A splitter with a size setting.

    Attributes:
        make: Makes it from the setting.
        low: A setting that gives chunks that are too short.
        high: One that gives chunks that are too long.
        distribution: What has to be installed.
    """

    make: Callable[[float], Starts]
    low: float
    high: float
    distribution: str = OURS


class Bert:
    """The cuts of BertChunker at any size, with the scores of each text computed once."""

    def __init__(
        self, kept: Path | None = None, *, model: str = "bundled", scored: bool = True
    ) -> None:
        self._scores = KeptScores(BertChunker(model, tokenizer="estimate"), kept)
        self._scored = scored

    def __call__(self, target: float) -> Starts:
        """Return the splitter with a target size."""
        size = round(target)
        limits = SizeLimits(round(size / TARGET_SHARE), None, token_counter("estimate"), "en", size)
        cutter = Cutter(limits)

        def starts(text: str) -> list[int]:
            found = cutter.places(text)
            t = place_scores(self._scores(text), found.places) if self._scored else None
            return [0, *cutter.cut(found, t)]

        return starts


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

    parser = SemanticSplitterNodeParser(
        embed_model=llamaindex_embedding(),
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


def chonkie_semantic(threshold: float) -> Starts:
    """Return chonkie's SemanticChunker, sized by its threshold, without a limit."""
    from chonkie import SemanticChunker

    chunker = SemanticChunker(chonkie_embedding(), threshold=threshold, chunk_size=1_000_000)
    return lambda text: located(text, [chunk.text for chunk in chunker.chunk(text)])


class Embeddings:
    """The bundled embedder as the semantic splitters want one, each text embedded once."""

    known: dict[str, Vector] = {}
    kept: Embedder | None = None  # where vectors are kept between runs, if anywhere

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            made = (self.kept or embedder("bundled")).embed_documents(new)
            self.known.update(zip(new, made, strict=True))
        return [self.known[text] for text in texts]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts for LangChain."""
        return [vector.tolist() for vector in self.vectors(texts)]


def llamaindex_embedding() -> Any:
    """Return the bundled embedder as LlamaIndex wants one."""
    from llama_index.core.embeddings import BaseEmbedding

    class Embedding(BaseEmbedding):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return Embeddings().embed_documents(texts)

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    return Embedding(embed_batch_size=2048)


def chonkie_embedding() -> Any:
    """Return the bundled embedder as chonkie wants one."""
    from chonkie.embeddings import BaseEmbeddings

    class Embedding(BaseEmbeddings):  # type: ignore[misc]  # not installed for checks
        dimension = 384

        def embed(self, text: str) -> Vector:
            return Embeddings().vectors([text])[0]

        def embed_batch(self, texts: list[str]) -> list[Vector]:
            return Embeddings().vectors(texts)

        def get_tokenizer(self) -> str:
            return "word"

    return Embedding()


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


def peers(kept: Path | None) -> dict[str, Peer]:
    """Return the splitters by name."""
    return {
        "bert": Peer(Bert(kept), 30, 1500),
        "layout": Peer(Bert(scored=False), 30, 1500),
        "random": Peer(at_random, 20, 1000),
        "greedy": Peer(greedy, 30, 1500),
        "langchain recursive": Peer(langchain_recursive, 200, 6000, "langchain-text-splitters"),
        "llamaindex sentence": Peer(llamaindex_sentence, 40, 1500, "llama-index-core"),
        "semchunk": Peer(semchunk, 30, 1500, "semchunk"),
        "semantic-text-splitter": Peer(semantic_text_splitter, 200, 6000, "semantic-text-splitter"),
        "chonkie recursive": Peer(chonkie_recursive, 200, 6000, "chonkie"),
        "langchain semantic": Peer(langchain_semantic, 20, 100, "langchain-experimental"),
        "llamaindex semantic": Peer(llamaindex_semantic, 20, 100, "llama-index-core"),
        "chonkie semantic": Peer(chonkie_semantic, 0.999, 0.001, "chonkie"),
    }


def split(corpus: Corpus, starts: Starts) -> dict[str, list[int]]:
    """Return where the chunks of each document start."""
    return {
        document.name: sorted({0, *map(int, starts(document.text))})
        for document in corpus.documents
    }


def chunked(corpus: Corpus, starts: dict[str, list[int]]) -> list[SplitDocument]:
    """Return the chunks of a corpus; white space around them is trimmed."""
    splits = []
    for document in corpus.documents:
        edges = [*starts[document.name], len(document.text)]
        spans = [Span(a, b).stripped(document.text) for a, b in pairwise(edges) if a < b]
        chunks = [
            Chunk(document.name, span, span.of(document.text))
            for span in spans
            if span.start < span.end
        ]
        splits.append(SplitDocument(document.name, tuple(chunks), 0.0))
    return splits


def sized(
    corpus: Corpus, name: str, peer: Peer, words: int, kept: Cache | None
) -> tuple[list[SplitDocument], float]:
    """Split a corpus with the setting that comes nearest to `words` a chunk; return the mean.

    The splits of other packages are kept in `kept`; ours are always made.
    """
    total = sum(len(document.text.split()) for document in corpus.documents)
    key = digest(
        name,
        importlib.metadata.version(peer.distribution),
        json.dumps([d.text for d in corpus.documents]),
        str(words),
    )
    stored = kept.get(key) if kept and peer.distribution != OURS else None
    if stored is not None:
        best = json.loads(stored)
    else:
        low, high = peer.low, peer.high
        best, nearest = {}, float("inf")
        for _ in range(11):
            setting = (low + high) / 2
            starts = split(corpus, peer.make(setting))
            mean = total / sum(map(len, starts.values()))
            if abs(mean - words) < nearest:
                nearest, best = abs(mean - words), starts
            if nearest < 0.01 * words:
                break
            low, high = (setting, high) if mean < words else (low, setting)
        if kept and peer.distribution != OURS:
            kept.put(key, json.dumps(best).encode())
    splits = chunked(corpus, best)
    return splits, total / sum(len(one.chunks) for one in splits)


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
    names = np.array(documents)
    groups = [difference[names == one] for one in sorted(set(documents))]
    draws = (2000, len(groups))
    # A corpus of a few documents has no others to be drawn: only its questions are.
    drawn = (
        np.broadcast_to(np.arange(len(groups)), draws)
        if len(groups) < 5
        else generator.integers(len(groups), size=draws)
    )
    totals, counts = np.zeros(draws[0]), np.zeros(draws[0])
    for number, group in enumerate(groups):
        rows = np.nonzero(drawn == number)[0]
        values = group[generator.integers(len(group), size=(len(rows), len(group)))]
        np.add.at(totals, rows, np.nansum(values, axis=1))
        np.add.at(counts, rows, np.isfinite(values).sum(axis=1))
    low, high = np.quantile(totals / counts, [0.025, 0.975])
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


def installed(distribution: str) -> bool:
    """Return whether a distribution is installed."""
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def pooled(parts: Sequence[Measured]) -> Measured:
    """Return several corpora as one."""
    return Measured(
        sum(part.words for part in parts) / len(parts),
        [np.concatenate([part.values[number] for part in parts]) for number in range(len(FIGURES))],
        [name for part in parts for name in part.documents],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", type=int, nargs="+", default=[120, 250])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--corpora", nargs="+", help="beginnings of names, such as covidqa")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--versus", help="folder of other weights, measured as one more splitter")
    options = parser.parse_args()
    corpora = [
        *load_chroma(options.data / "chroma_eval"),
        load_covidqa(options.data / "covidqa"),
        load_qmsum(options.data / "qmsum"),
    ]
    if options.corpora is not None:
        corpora = [c for c in corpora if c.name.lower().startswith(tuple(options.corpora))]
    embeds, kept = embedder("bundled"), None
    if options.keep is not None:
        embeds, kept = CachedEmbedder(embeds, options.keep), Cache(options.keep, "starts")
    Embeddings.kept = embeds
    chosen = {
        name: peer
        for name, peer in peers(options.keep).items()
        if options.only is None or name in options.only
    }
    if options.versus is not None:
        chosen["other weights"] = Peer(Bert(options.keep, model=options.versus), 30, 1500)
    absent = [name for name, peer in chosen.items() if not installed(peer.distribution)]
    if absent:
        print(f"not installed, left out: {', '.join(absent)}")
    for words in options.words:
        found: dict[str, list[Measured]] = {}
        for name, peer in chosen.items():
            if name in absent:
                continue
            for corpus in corpora:
                splits, mean = sized(corpus, name, peer, words, kept)
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
