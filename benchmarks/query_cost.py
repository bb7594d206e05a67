"""Measures the cost of a query, without its embedding, and of adding to a large index.

    python -m benchmarks.query_cost
    python -m benchmarks.query_cost --chunks 1000000 --only passages
    python -m benchmarks.query_cost --texts ../shared/data/multi_corpus

Texts are generated: words by Zipf's law, a fifth of them a document's own, and vectors of 384
numbers around 2,000 topics. Every retriever gets the same chunks, vectors, and questions of ten
words, in a process of its own, and returns the best 100. `passages` is the search of
`PassageRetriever`, on an index that another process has written. CPU time is that of all threads:
the median of the questions after the first. Memory is the peak of the process minus its memory
before it opened or made the index. Retrievers whose packages are not installed are left out:
rank-bm25, faiss-cpu, llama-index-retrievers-bm25, chromadb.

With --texts, `PassageRetriever` is asked about the first 60 Markdown files of a folder, by the
questions in its `questions.jsonl`, twice: with empty caches, and with full caches. The first time,
a query includes its embedding, whose CPU time is also printed alone; then its vector is cached.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from benchmarks.processes import peak_memory, run_alone
from langchain_lumber import LumberEmbeddings, PassageRetriever
from lumber_core import LayoutChunker
from lumber_core.spans import Span
from lumber_retrieval.index.adding import texts_around
from lumber_retrieval.index.embedded_texts import EmbeddingModel
from lumber_retrieval.index.rows import NewDocument
from lumber_retrieval.index.store import PassageStore
from lumber_retrieval.index.vectors import Vectors, unit_length
from lumber_retrieval.passage_index import PassageIndex
from lumber_retrieval.words.sentences import DividedText, divide_chunks

WIDTH = 384  # dimensions of a vector
CHUNKS_PER_DOCUMENT, WORDS_PER_CHUNK = 50, 45
DOCUMENTS_PER_BATCH = 20  # documents added in one call: 1,000 chunks
QUESTIONS = 30
MAX_FILES, MAX_QUESTIONS = 60, 80  # of a folder of Markdown
TOP_K = 100
Search = Callable[[str, Vectors], object]
Make = Callable[[int, Path], Search]
"""Makes a search, from a number of chunks and the path of the index of `passages`."""

_WEIGHTS = 1 / (np.arange(200_000) + 2.7)
_ZIPF = np.cumsum(_WEIGHTS) / _WEIGHTS.sum()
_TOPICS = np.random.default_rng(0).standard_normal((2_000, WIDTH)).astype(np.float32)


def document(number: int) -> tuple[list[str], Vectors]:
    """Return the chunks of a document and their vectors."""
    rng = np.random.default_rng([1, number])
    words = np.searchsorted(_ZIPF, rng.random((CHUNKS_PER_DOCUMENT, WORDS_PER_CHUNK)))
    is_own = rng.random(words.shape) < 0.2
    words[is_own] = rng.choice(np.searchsorted(_ZIPF, rng.random(100)), int(is_own.sum()))
    vectors = _TOPICS[rng.integers(2_000)] + 1.5 * rng.standard_normal((len(words), WIDTH))
    texts = [" ".join(f"w{word}" for word in chunk) for chunk in words]
    return texts, unit_length(vectors.astype(np.float32))


def documents(count: int, first: int = 0) -> Iterator[tuple[str, list[str], Vectors]]:
    """Yield the name, texts and vectors of each document, for `count` chunks."""
    for number in range(first, first + count // CHUNKS_PER_DOCUMENT):
        yield (f"d{number}", *document(number))


def questions(count: int) -> list[tuple[str, Vectors]]:
    """Return questions about some of the documents, with their vectors."""
    rng = np.random.default_rng(2)
    result = []
    for number in rng.integers(count // CHUNKS_PER_DOCUMENT, size=QUESTIONS):
        texts, vectors = document(int(number))
        words = rng.choice(texts[7].split(), 10, replace=False)
        vector = vectors[7] + 0.05 * rng.standard_normal(WIDTH).astype(np.float32)
        result.append((" ".join(words), vector))
    return result


class StubEmbeddings(Embeddings):
    """An embedding model that returns the vector that it is given."""

    vector = [1.0] * WIDTH

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text."""
        return [self.vector for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        del text
        return self.vector


# Without a probe in the index, each search looks for it in a transaction.
PROBE = EmbeddingModel(StubEmbeddings().embed_documents).probe


def new_documents(count: int, first: int = 0) -> Iterator[list[NewDocument]]:
    """Yield batches of documents."""
    new = (
        NewDocument(
            name,
            source=name,
            digest="",
            text="\n".join(texts),
            metadata={"source": name},
            spans=_spans(texts),
            details=[{"line": number} for number in range(len(texts))],
            words=texts,
            around=texts_around(texts),
            vectors=vectors,
            sentences=divide_chunks(
                DividedText.of_kind("\n".join(texts), "text"), _spans(texts), "en"
            ),
        )
        for name, texts, vectors in documents(count, first)
    )
    while batch := [*islice(new, DOCUMENTS_PER_BATCH)]:
        yield batch


def _spans(texts: Sequence[str]) -> list[Span]:
    ends = np.cumsum([len(text) + 1 for text in texts]) - 1
    return [Span(int(end) - len(text), int(end)) for text, end in zip(texts, ends, strict=True)]


def add(path: Path, count: int, first: int = 0) -> list[float]:
    """Add chunks to an index; return the CPU seconds of each thousand."""
    store, seconds = PassageStore(path), []
    for batch in new_documents(count, first):
        start = time.process_time()
        store.put(batch, PROBE)
        seconds.append(time.process_time() - start)
    return seconds


def passages(count: int, path: Path) -> Search:
    """Return the search of `PassageRetriever`."""
    del count
    index = PassageIndex(LayoutChunker(), StubEmbeddings(), path)
    return lambda question, vector: index.search(question, vector=vector.tolist())


def ensemble(count: int, path: Path) -> Search:
    """Return LangChain's `EnsembleRetriever` of BM25 and FAISS."""
    del path
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_community.vectorstores import FAISS

    texts: list[str] = []
    pairs: list[tuple[str, list[float]]] = []
    for _, chunks, vectors in documents(count):
        texts += chunks
        pairs += zip(chunks, vectors.tolist(), strict=True)
    embeddings = StubEmbeddings()
    by_vectors = FAISS.from_embeddings(pairs, embeddings).as_retriever(search_kwargs={"k": TOP_K})
    retriever = EnsembleRetriever(
        retrievers=[BM25Retriever.from_texts(texts, k=TOP_K), by_vectors], weights=[0.5, 0.5]
    )

    def search(question: str, vector: Vectors) -> object:
        embeddings.vector = vector.tolist()
        return retriever.invoke(question)

    return search


def fusion(count: int, path: Path) -> Search:
    """Return LlamaIndex's `QueryFusionRetriever` of BM25 and vectors."""
    del path
    from llama_index.core import MockEmbedding, QueryBundle, VectorStoreIndex
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import TextNode
    from llama_index.retrievers.bm25 import BM25Retriever

    nodes = [
        TextNode(text=text, embedding=vector.tolist())
        for _, texts, vectors in documents(count)
        for text, vector in zip(texts, vectors, strict=True)
    ]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(WIDTH))
    retriever = QueryFusionRetriever(
        [
            BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=TOP_K),
            index.as_retriever(similarity_top_k=TOP_K),
        ],
        llm=MockLLM(),
        similarity_top_k=TOP_K,
        num_queries=1,
        use_async=False,
    )
    return lambda question, vector: retriever.retrieve(
        QueryBundle(question, embedding=vector.tolist())
    )


def chroma(count: int, path: Path) -> Search:
    """Return Chroma's search, which is by vectors alone."""
    import chromadb

    client: Any = chromadb.PersistentClient(str(path.with_suffix(".chroma")))
    collection = client.get_or_create_collection("chunks", embedding_function=None)
    if not collection.count():
        for name, texts, vectors in documents(count):
            ids = [f"{name} {number}" for number in range(len(texts))]
            collection.add(ids=ids, embeddings=vectors, documents=texts)
    return lambda _, vector: collection.query(query_embeddings=[vector], n_results=TOP_K)


RETRIEVERS: dict[str, Make] = {
    "passages": passages,
    "LangChain EnsembleRetriever, BM25 and FAISS": ensemble,
    "LlamaIndex QueryFusionRetriever, BM25 and vectors": fusion,
    "Chroma, vectors alone": chroma,
}


def measure(name: str, count: int, path: Path) -> tuple[float, float, float, float] | str:
    """Return CPU s to open or make an index, CPU ms of the first query and others, and MiB.

    If a package is missing, return its name.
    """
    pairs = questions(count)
    before, start = peak_memory(), time.process_time()
    try:
        search = RETRIEVERS[name](count, path)
    except ImportError as error:
        return error.name or str(error)
    opened = time.process_time() - start
    seconds = []
    for question, vector in pairs:
        start = time.process_time()
        search(question, vector)
        seconds.append(time.process_time() - start)
    return opened, seconds[0] * 1e3, median(seconds[1:]) * 1e3, peak_memory() - before


def measure_texts(folder: Path, path: Path) -> tuple[int, list[float], float, float]:
    """Return chunks, mean CPU ms of first and of later queries, of an embedding alone, and MiB."""
    files = sorted(folder.rglob("*.md"))[:MAX_FILES]
    names = {file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in files}
    rows = map(json.loads, (folder / "questions.jsonl").read_text("utf-8").splitlines())
    texts = [
        row["question"]
        for row in rows
        if all(place.get("document") in names for place in row["references"])
    ][:MAX_QUESTIONS]
    embeddings = LumberEmbeddings(threads=1)
    retriever = PassageRetriever(embeddings=embeddings, path=path)
    documents = [Document(text, metadata={"source": name}) for name, text in names.items()]
    chunks = retriever.add_documents(documents).chunks
    retriever.invoke("What is the first question about?")  # reads segments, loads models
    before = peak_memory()
    queries = [_mean_ms(retriever.invoke, texts) for _ in range(2)]
    embedding = _mean_ms(embeddings.embed_query, texts)
    return chunks, queries, embedding, peak_memory() - before


def _mean_ms(ask: Callable[[str], object], texts: Sequence[str]) -> float:
    start = time.process_time()
    for question in texts:
        ask(question)
    return (time.process_time() - start) / len(texts) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--only", nargs="+", choices=[*RETRIEVERS], default=[*RETRIEVERS])
    parser.add_argument("--texts", type=Path, metavar="FOLDER", help="Markdown files, questions")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, empty = Path(folder, "index.db"), Path(folder, "empty.db")
        if options.texts:
            chunks, (first, later), embedding, used = run_alone(measure_texts, options.texts, path)
            print(
                f"{chunks:,} chunks of real texts: {first:.1f} ms of CPU time a query, "
                f"{embedding:.1f} of it for its vector; {later:.1f} a second time; {used:.0f} MiB"
            )
            return
        seconds = run_alone(add, path, options.chunks)
        size = path.stat().st_size / 2**20
        print(f"{options.chunks:,} chunks: {sum(seconds):.0f} s to index, {size:.0f} MiB on disk\n")
        print("retriever | made or opened, s | first query, ms | a query, ms | MiB")
        print("--- | --: | --: | --: | --:")
        for name in options.only:
            result = run_alone(measure, name, options.chunks, path)
            if isinstance(result, str):
                print(f"not installed, left out: {name} ({result})", file=sys.stderr)
                continue
            opened, first, later, used = result
            print(f"{name} | {opened:.1f} | {first:.0f} | {later:.1f} | {used:.0f}", flush=True)
        to_large = run_alone(add, path, 20_000, options.chunks // CHUNKS_PER_DOCUMENT)
        to_empty = run_alone(add, empty, 20_000)
        print(
            f"\nAdding 1,000 chunks, twenty times: {mean(to_large):.2f} s to the large index "
            f"(at most {max(to_large):.2f}), {mean(to_empty):.2f} s to an empty one "
            f"(at most {max(to_empty):.2f})"
        )


if __name__ == "__main__":
    main()
