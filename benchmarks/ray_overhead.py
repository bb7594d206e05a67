"""What Ray adds to splitting: seconds to start, CPU time for a document and for a part, memory.

Usage: python -m benchmarks.ray_overhead [DOCUMENTS] [WORKERS]

Splits DOCUMENTS (4,000) generated documents of 10,000 characters with Greedy, first in this process
and then on a Ray cluster on this machine with WORKERS (2) workers, into the same part files. CPU
time is that of all processes, so it can be compared on a busy machine; seconds cannot. Then it
lists a million documents without their texts, as the driver of a large run does.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
from langchain_text_splitters import RecursiveCharacterTextSplitter

from benchmarks.suite.splitters import use_shipped_vocabulary
from lumber_core import BertChunker, GreedyChunker, LayoutChunker, TextEmbedder
from lumber_core.text.source import Source
from lumber_ray import split_corpus
from lumber_ray.corpus import list_documents
from lumber_ray.destination import Destination, IdSet, part_name
from lumber_ray.rows import DocumentSplitter, FinishedDocument
from lumber_ray.sources import find_source
from lumber_ray.tables import Columns

MARK = "LUMBER_RAY_OVERHEAD"
SENTENCES = (
    "The tide clock had stopped twice that week, and nobody in the harbour knew why. ",
    "Ada opened the case, counted the teeth of the second wheel and wrote the number down. ",
    "In the evening the pilot came for his reading and stayed for a cup of tea. ",
    "It rained. ",
)
CHARACTERS = 10_000
PER_PART = 64
LISTED = 1_000_000
SPLIT = 500


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    os.environ[MARK] = str(os.getpid())  # inherited by every process of the cluster
    with TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        with corpus.open("w", encoding="utf-8") as file:
            for number in range(count):
                file.write(json.dumps({"id": f"document {number}", "text": text_of(number)}) + "\n")
        alone = in_one_process(corpus, Path(folder) / "alone", count)
        on_ray(corpus, Path(folder) / "ray", count, workers, alone)
    without_models()
    splitting_and_embedding()
    with TemporaryDirectory() as folder:
        listing(Path(folder))


def text_of(number: int) -> str:
    """Return a text of about `CHARACTERS` characters, with paragraphs."""
    text, line = f"Document {number}.\n\n", number
    while len(text) < CHARACTERS:
        text += SENTENCES[line % len(SENTENCES)] + ("\n\n" if line % 5 == 0 else "")
        line += 1
    return text


def in_one_process(corpus: Path, destination: Path, count: int) -> float:
    """Split without Ray; return the CPU seconds."""
    start = time.process_time()
    source = find_source(corpus, columns=Columns("id", "text"))
    place = Destination(destination, "parquet")
    place.prepare({})
    splitter = DocumentSplitter(GreedyChunker())
    entries = list(source.entries())
    for first in range(0, len(entries), PER_PART):
        part = entries[first : first + PER_PART]
        done = splitter.split(source.read(part))
        rows = [row for each in done if isinstance(each, FinishedDocument) for row in each.rows]
        place.write(part_name(entry.document for entry in part), rows, [])
    used = time.process_time() - start
    print(f"one process: {1000 * used / count:.2f} ms of CPU time a document")
    return used


def on_ray(corpus: Path, destination: Path, count: int, workers: int, alone: float) -> None:
    import ray

    begun, before = time.perf_counter(), cpu_seconds()
    ray.init(
        address="local",
        num_cpus=workers,
        object_store_memory=200 * 2**20,
        include_dashboard=False,
        logging_level="error",
    )
    print(
        f"Ray starts: {time.perf_counter() - begun:.1f} s, {cpu_seconds() - before:.1f} s of CPU "
        "time"
    )
    chunker = GreedyChunker()
    once = corpus.with_name("one.jsonl")
    once.write_text(json.dumps({"id": "one", "text": text_of(0)}) + "\n", encoding="utf-8")
    timings = []
    for name, source in (("first", once), ("again", once), ("all", corpus)):
        begun, before = time.perf_counter(), cpu_seconds()
        split_corpus(
            source,
            destination / name,
            chunker,
            workers=workers,
            documents_per_part=PER_PART,
        )
        timings.append((time.perf_counter() - begun, cpu_seconds() - before))
    print(f"a run of one document: {timings[1][0]:.1f} s, {timings[1][1]:.1f} s of CPU time")
    seconds, used = timings[2]
    added = used - timings[1][1] - alone
    print(
        f"{count} documents, {workers} workers: {seconds:.1f} s, {used:.1f} s of CPU time; without "
        f"Ray {alone:.1f} s; added {1000 * added / count:.2f} ms a document, "
        f"{1000 * added / -(-count // PER_PART):.0f} ms a part of {PER_PART}"
    )
    ray.shutdown()


def without_models() -> None:
    """Print the CPU time of splitting a document in memory, LangChain's splitter included."""
    use_shipped_vocabulary()
    recursive = RecursiveCharacterTextSplitter
    splitters: dict[str, Callable[[str], object]] = {
        "Greedy": GreedyChunker().segment,
        "Layout": LayoutChunker().segment,
        "LangChain's recursive splitter, by tokens": recursive.from_tiktoken_encoder(
            "cl100k_base", chunk_size=256, chunk_overlap=0
        ).split_text,
        "LangChain's recursive splitter, by characters": recursive(
            chunk_size=1024, chunk_overlap=0
        ).split_text,
    }
    texts = [text_of(number) for number in range(SPLIT)]
    for name, split in splitters.items():
        split(texts[0])
        start = time.process_time()
        for text in texts:
            split(text)
        used = time.process_time() - start
        print(f"{name}: {1000 * used / SPLIT:.2f} ms of CPU time to split a document in memory")


def splitting_and_embedding() -> None:
    """Print the CPU time of the models for one document, for comparison."""
    chunker, embedder = BertChunker(threads=1), TextEmbedder(threads=1)
    file = Source(text_of(1), name="one")
    for name, splitter in (
        ("Bert", DocumentSplitter(chunker)),
        ("Bert with embeddings", DocumentSplitter(chunker, embed=lambda t: embedder.embed(t))),
    ):
        list(splitter.split([file]))  # loads the models
        start = time.process_time()
        (done,) = splitter.split([file])
        assert isinstance(done, FinishedDocument)
        print(
            f"{name}: {time.process_time() - start:.2f} s of CPU time for a document of "
            f"{len(file.text):,} characters, {len(done.rows)} chunks"
        )


def listing(folder: Path) -> None:
    """Print what the driver needs for each document."""
    ids = pa.array([f"collection/folder/document-{number:09}" for number in range(LISTED)])
    pq.write_table(pa.table({"id": ids, "text": [""] * LISTED}), folder / "listed.parquet")
    start = time.process_time()
    source = find_source(folder / "listed.parquet", columns=Columns("id", "text"))
    total, pending = list_documents(source, IdSet([]))
    used = time.process_time() - start
    kept = sum(table.nbytes for table in pending) / total
    print(
        f"the driver lists {total:,} documents in {used:.1f} s of CPU time, and keeps {kept:.0f} "
        "bytes for each"
    )


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those it has started, dead ones left out."""
    ticks = sum(map(_ticks, _processes()))
    return ticks / os.sysconf("SC_CLK_TCK")


def _processes() -> Iterator[Path]:
    mark = f"{MARK}={os.getpid()}".encode()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            started = mark in (path / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if started or path.name == str(os.getpid()):
            yield path


def _ticks(path: Path) -> int:
    try:
        fields = (path / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12]) + int(fields[13]) + int(fields[14])


if __name__ == "__main__":
    main()
