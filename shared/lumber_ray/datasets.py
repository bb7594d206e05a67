"""Splitting as a step of a Ray Data pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lumber_core.checks import check_positive
from lumber_core.chunking.base import Chunker
from lumber_core.text.source import NAME_KEYS, TYPE_KEYS, Source
from lumber_ray.documents import FailedDocument
from lumber_ray.rows import FinishedDocument, chunk_schema
from lumber_ray.tables import Columns, document_of
from lumber_ray.workers import WorkerSetup, checked_pool, checked_setup, in_cluster

if TYPE_CHECKING:
    from ray.data import Dataset


def split_dataset(
    dataset: Dataset,
    splitter: Chunker,
    *,
    id_column: str = "id",
    text_column: str = "text",
    chunk_overlap: int = 0,
    embedder: Any = None,
    context: bool = True,
    surroundings: bool = True,
    workers: int | None = None,
    worker_options: Mapping[str, Any] | None = None,
    batch_size: int = 16,
) -> Dataset:
    """Split the documents of a Ray dataset.

    The result is lazy, as all of Ray Data, and can be written by any writer of Ray Data. Workers
    are actors that load the model once. The splitter's limits on requests and tokens per minute
    hold for all workers together. Ray processes blocks in parallel, so call
    `dataset.repartition(...)` first if there are fewer blocks than workers.

    Args:
        dataset: A row for each document. A document is split as Markdown if a column such as
            "file_type" or "source" says so, as the metadata of loaders does.
        splitter: The splitter.
        id_column: Column of the ids.
        text_column: Column of the texts.
        chunk_overlap: Tokens to repeat from the chunk before.
        embedder: A `TextEmbedder`, LangChain `Embeddings` or a LlamaIndex embedding model: adds
            the column `embedding`.
        context: Embed a chunk below its context: title, headings, header of a table.
        surroundings: Add the vectors of its neighbours, which helps to find chunks of about 50
            tokens, and not those of 150.
        workers: Maximum number of actors. None: as many as the cluster has CPUs for.
        worker_options: Further arguments of `map_batches` of Ray Data, such as `{"num_gpus": 1}`,
            with which Bert runs on a GPU.
        batch_size: Number of documents that a worker gets at a time.

    Returns:
        A dataset of rows of chunks: `document`, `chunk_id`, `index`, `start`, `end`, `headings`,
        `pages`, `text`, `embedding` if there is an embedder, and `error`. A document that cannot be
        split is one row with its id and the error; in rows of chunks the error is null. Ids of
        chunks are those of LlamaIndex nodes and LangChain documents (`stable_ids`) with the same
        document id and splitter.

    Raises:
        TypeError: `splitter` or `embedder` is of the wrong kind, or cannot be pickled.
        ValueError: A number is out of range, a column is missing, or the workers do not fit into
            the cluster.
        StoreError: The splitter's store cannot be used.
        WeightsError: The files of the splitter's model are missing.
        MissingExtraError: Ray is not installed.
    """
    setup = checked_setup(splitter, chunk_overlap, embedder, context, surroundings)
    check_positive("batch_size", batch_size)
    columns = Columns(id_column, text_column)
    known = dataset.schema(fetch_if_missing=False)
    if known is not None:
        columns.check(known.names, "the dataset")
    pool = checked_pool(workers, worker_options)
    arguments = pool.arguments(in_cluster(setup, pool), columns, elastic=True)
    return dataset.map_batches(_BatchSplitter, batch_size=batch_size, **arguments)


class _BatchSplitter:
    """A worker: splits batches of documents."""

    def __init__(self, setup: WorkerSetup, columns: Columns) -> None:
        self._splitter = setup.open()
        self._columns = columns
        schema = chunk_schema(embedding=setup.embedder is not None)
        self._schema = schema.append(pa.field("error", pa.string()))

    def __call__(self, batch: pa.Table) -> pa.Table:
        rows: list[dict[str, object]] = []
        for done in self._splitter.split(self._documents(batch)):
            if isinstance(done, FinishedDocument):
                rows += done.rows
            else:
                rows.append({"document": done.document, "error": done.error})
        return pa.Table.from_pylist(rows, self._schema)

    def _documents(self, batch: pa.Table) -> Iterator[Source | FailedDocument]:
        names: Sequence[str] = batch.column_names
        self._columns.check(names, "the dataset")
        used = {*self._columns, *NAME_KEYS, *TYPE_KEYS}
        for row in batch.select([name for name in names if name in used]).to_pylist():
            document = row[self._columns.id]
            if document is None:
                yield FailedDocument("", f"{self._columns.id!r} is missing")
            else:
                yield document_of(str(document), row, self._columns.text)
