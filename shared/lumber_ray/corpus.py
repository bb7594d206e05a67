"""Splits a corpus of files into a folder of part files; runs that were cut short can be resumed."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
from tqdm import tqdm

from lumber_core.checks import check_positive
from lumber_core.chunking.base import Chunker
from lumber_core.segmentation import Usage
from lumber_core.support.concurrency import batches
from lumber_core.support.extras import load
from lumber_files import MAX_UNPACKED
from lumber_ray.destination import Destination, IdSet, PartFormat, part_name
from lumber_ray.documents import DocumentSource, Entry, FailedDocument
from lumber_ray.rows import STOPPING, FinishedDocument
from lumber_ray.sources import find_source
from lumber_ray.tables import Columns
from lumber_ray.workers import WorkerSetup, checked_pool, checked_setup, in_cluster

_MOST_PER_PART = 256
_PARTS_PER_WORKER = 4
_MOST_BLOCKS = 2000
_SHOWN = 3
_AT_ONCE = 10_000

_ENTRIES = pa.schema(
    [
        ("document", pa.string()),
        ("file", pa.dictionary(pa.int32(), pa.string())),
        ("position", pa.int64()),
    ]
)
_PARTS = pa.schema(
    [
        ("documents", pa.list_(pa.string())),
        ("files", pa.list_(pa.string())),
        ("counts", pa.list_(pa.int64())),
        ("positions", pa.list_(pa.int64())),
    ]
)
_COUNTS = ("documents", "failed", "chunks", "unanswered", *Usage.__dataclass_fields__)
_REPORTS = pa.schema([*((name, pa.int64()) for name in _COUNTS), ("raised", pa.binary())])


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """What a run of `split_corpus` has done.

    Attributes:
        documents: Number of documents in the source.
        finished_before: Those that an earlier run had finished.
        failed: Those that have no chunks; `failed/` in the destination has their errors.
        chunks: Number of chunks that this run made.
        usage: What the language model used, without answers that were stored.
        unanswered: Number of groups for which it gave no usable answer.
    """

    documents: int
    finished_before: int
    failed: int
    chunks: int
    usage: Usage
    unanswered: int


def split_corpus(
    source: str | Path | Sequence[str | Path],
    destination: str | Path,
    splitter: Chunker,
    *,
    id_column: str = "id",
    text_column: str = "text",
    encoding: str | None = None,
    max_unpacked: int = MAX_UNPACKED,
    format: PartFormat = "parquet",  # noqa: A002 - as in the command line
    chunk_overlap: int = 0,
    embedder: Any = None,
    context: bool = True,
    surroundings: bool = True,
    workers: int | None = None,
    worker_options: Mapping[str, Any] | None = None,
    documents_per_part: int | None = None,
    show_progress: bool = False,
) -> CorpusSummary:
    """Split a corpus into a folder of part files.

    Workers are Ray actors that load the model once, read documents and write part files. The
    splitter's limits on requests and tokens per minute hold for all workers together. Each document
    is in exactly one part file, even if workers are killed. With a `store` in the splitter, no
    answer of a language model is paid for twice.

    The same call again resumes: documents with chunks in the destination are skipped, those that
    failed are tried again. A document whose text has changed meanwhile is skipped as well. Only one
    run at a time may use a destination.

    Args:
        source: Files, folders or glob patterns: Parquet or JSON Lines with a row for each document,
            or text files, which are read as by the command `lumber-splitters split`. Parquet and
            JSON Lines may be URIs, such as "s3://bucket/corpus/". All workers must be able to read
            them.
        destination: The folder of results: a path that all workers can write to, or a URI. Chunks
            are in its folder `chunks`, documents without chunks in `failed`.
        splitter: The splitter.
        id_column: Column of the ids, in Parquet and JSON Lines. The id of a text file is its path
            as given.
        text_column: Column of the texts.
        encoding: Encoding of text files. None: it is detected.
        max_unpacked: Maximum size in bytes that a DOCX or PDF unpacks to; larger ones fail.
        format: "parquet" or "jsonl".
        chunk_overlap: Tokens to repeat from the chunk before.
        embedder: A `TextEmbedder`, LangChain `Embeddings` or a LlamaIndex embedding model: adds
            the column `embedding`.
        context: Embed a chunk below its context: title, headings, header of a table.
        surroundings: Add the vectors of its neighbours, which helps to find chunks of about 50
            tokens, and not those of 150.
        workers: Number of actors. None: as many as the cluster has CPUs for.
        worker_options: Further arguments of `map_batches` of Ray Data, such as `{"num_gpus": 1}`,
            with which Bert runs on a GPU.
        documents_per_part: Maximum number of documents in a part file, which are lost if their
            worker is killed. None: a quarter of a worker's share, 256 at most.
        show_progress: Show a progress bar of documents.

    Returns:
        What was done.

    Raises:
        TypeError: `splitter` or `embedder` is of the wrong kind, or cannot be pickled.
        ValueError: An argument is out of range, a column or an id is missing, an id occurs twice,
            or the destination holds other results.
        FileNotFoundError: The source does not exist.
        ModelSettingsError: The model rejects the key, its name or the settings.
        StoreError: The splitter's store cannot be used.
        WeightsError: The files of the splitter's model are missing.
        MissingExtraError: Ray or a reader is not installed.
    """
    setup = checked_setup(splitter, chunk_overlap, embedder, context, surroundings)
    if documents_per_part is not None:
        check_positive("documents_per_part", documents_per_part)
    place = Destination(destination, format, embedding=embedder is not None)
    found = find_source(
        source,
        columns=Columns(id_column, text_column),
        encoding=encoding,
        max_unpacked=max_unpacked,
    )
    settings = setup.settings(format)
    place.check(settings)
    total, pending = list_documents(found, IdSet(place.finished()))
    left = sum(table.num_rows for table in pending)
    pool = checked_pool(workers, worker_options)
    place.prepare(settings)
    shares = pool.workers * _PARTS_PER_WORKER
    most = documents_per_part or max(1, min(_MOST_PER_PART, -(-left // shares)))
    done = CorpusSummary(total, total - left, failed=0, chunks=0, usage=Usage(), unanswered=0)
    reported = 0
    with tqdm(total=total, initial=total - left, unit="document", disable=not show_progress) as bar:
        if left:
            data = load("ray.data", package="ray", extra="ray")
            blocks = _blocks(pending, most)
            arguments = pool.arguments(in_cluster(setup, pool), found, place)
            results = data.from_blocks(blocks).map_batches(_PartWriter, batch_size=1, **arguments)
            results.context.enable_progress_bars = False
            for batch in results.iter_batches(batch_size=None, batch_format="pyarrow"):
                for row in batch.to_pylist():
                    if row["raised"]:
                        raise pickle.loads(row["raised"])
                    done = _with(done, row)
                    reported += row["documents"]
                    bar.update(row["documents"])
    if reported != left:
        raise RuntimeError(
            f"the workers reported {reported} of {left} documents: call split_corpus again to "
            "split those that are missing"
        )
    return done


def list_documents(source: DocumentSource, finished: IdSet) -> tuple[int, list[pa.Table]]:
    """Return the number of documents, and tables of the entries that are not finished.

    Raises:
        ValueError: An id occurs twice.
    """
    pending: list[pa.Table] = []

    def ids() -> Iterator[list[str]]:
        for some in batches(source.entries(), _AT_ONCE):
            names = [entry.document for entry in some]
            yield names
            known = finished.contains(names)
            left = [entry for entry, done in zip(some, known, strict=True) if not done]
            columns = zip(*left, strict=True) if left else ((), (), ())
            pending.append(pa.table(dict(zip(Entry._fields, columns, strict=True)), _ENTRIES))

    all_ids = IdSet(ids())
    repeated = all_ids.repeated()
    if len(repeated):
        names = [e.document for e in source.entries() if repeated.contains([e.document]).any()]
        shown = ", ".join(map(repr, list(dict.fromkeys(names))[:_SHOWN]))
        raise ValueError(
            f"{len(repeated)} ids occur more than once, such as {shown}: every document needs an "
            "id of its own"
        )
    return len(all_ids), pending


def _blocks(pending: Sequence[pa.Table], size: int) -> list[pa.Table]:
    """Return blocks of parts with `size` documents each; a worker gets a block at a time."""
    table = pa.concat_tables(pending)
    starts = range(0, len(table), size)
    parts = (_part(table.slice(start, size)) for start in starts)
    in_block = -(-len(starts) // _MOST_BLOCKS)
    return [pa.Table.from_pylist(some, _PARTS) for some in batches(parts, in_block)]


def _part(entries: pa.Table) -> dict[str, list[Any]]:
    """Return entries as one row; consecutive entries in the same file name it once."""
    columns = entries.to_pydict()
    runs = [(file, len(list(group))) for file, group in groupby(columns["file"])]
    return {
        "documents": columns["document"],
        "files": [file for file, _ in runs],
        "counts": [count for _, count in runs],
        "positions": columns["position"],
    }


def _entries(part: Mapping[str, list[Any]]) -> list[Entry]:
    """Return the entries of a part."""
    runs = zip(part["files"], part["counts"], strict=True)
    files = [file for file, count in runs for _ in range(count)]
    return [*map(Entry._make, zip(part["documents"], files, part["positions"], strict=True))]


def _with(done: CorpusSummary, part: Mapping[str, Any]) -> CorpusSummary:
    """Return a summary with the results of a part added."""
    return replace(
        done,
        failed=done.failed + part["failed"],
        chunks=done.chunks + part["chunks"],
        usage=done.usage + Usage(*(part[name] for name in Usage.__dataclass_fields__)),
        unanswered=done.unanswered + part["unanswered"],
    )


class _PartWriter:
    """A worker: reads the documents of a part, splits them and writes the part's files."""

    def __init__(
        self, setup: WorkerSetup, source: DocumentSource, destination: Destination
    ) -> None:
        self._splitter = setup.open()
        self._source = source
        self._destination = destination

    def __call__(self, batch: pa.Table) -> pa.Table:
        try:
            reports = [self._report(_entries(row)) for row in batch.to_pylist()]
        except STOPPING as error:  # Ray would wrap it in an error of its own
            reports = [{"raised": pickle.dumps(error)}]
        return pa.Table.from_pylist(reports, _REPORTS)

    def _report(self, entries: Sequence[Entry]) -> dict[str, Any]:
        """Split and write a part; if that was done before the worker was killed, only count."""
        name = part_name(entry.document for entry in entries)
        usage, unanswered = Usage(), 0
        counts = self._destination.written(name)
        if counts is None:
            rows: list[dict[str, object]] = []
            failed: list[FailedDocument] = []
            for done in self._splitter.split(self._source.read(entries)):
                if isinstance(done, FinishedDocument):
                    rows += done.rows
                    usage += done.usage
                    unanswered += done.unanswered
                else:
                    failed.append(done)
            self._destination.write(name, rows, failed)
            counts = len(rows), len(failed)
        return {
            "documents": len(entries),
            "chunks": counts[0],
            "failed": counts[1],
            "unanswered": unanswered,
            **asdict(usage),
        }
