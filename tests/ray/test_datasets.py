"""The settings of `split_dataset`: columns, overlap and the number of workers."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

from lumber_core import GreedyChunker
from lumber_core.text.source import Source
from lumber_ray import split_dataset
from lumber_ray.rows import DocumentSplitter, FinishedDocument
from tests.ray.corpus import tales

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("cluster")]

Rows = Sequence[Mapping[str, Any]]


class Worker:
    """An embedder whose vectors tell which process made them."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        time.sleep(0.2)  # long enough for Ray to want another worker
        return [[float(os.getpid())] for _ in texts]


def dataset_of(cluster: Any, rows: Rows, *, blocks: int = 4) -> Any:
    # Without these blocks at hand, the tasks that make them need a CPU beside the workers.
    return cluster.data.from_items([dict(row) for row in rows]).repartition(blocks).materialize()


def rows_of(dataset: Any) -> list[dict[str, Any]]:
    return sorted(dataset.take_all(), key=lambda row: (row["document"], row["index"] or 0))


def split_here(documents: Rows, chunker: GreedyChunker, **options: int) -> list[dict[str, Any]]:
    """Return the rows that splitting without Ray gives."""
    splitter = DocumentSplitter(chunker, **options)
    files = (
        Source(row["text"], name=row["id"], metadata={"file_type": row["file_type"]})
        for row in documents
    )
    rows: list[dict[str, Any]] = []
    for done in splitter.split(files):
        assert isinstance(done, FinishedDocument)
        rows += [{**row, "error": None} for row in done.rows]
    return sorted(rows, key=lambda row: (row["document"], row["index"]))


def test_ids_and_texts_come_from_the_columns_that_are_named(cluster: Any) -> None:
    documents, chunker = tales(5), GreedyChunker(chunk_size=20)
    renamed = [
        # A column with the default name has no part in it.
        {"id": -1, "key": row["id"], "body": row["text"], "file_type": row["file_type"]}
        for row in documents
    ]
    dataset = dataset_of(cluster, renamed)
    rows = rows_of(split_dataset(dataset, chunker, id_column="key", text_column="body"))
    assert rows == split_here(documents, chunker)


def test_ids_that_are_numbers_become_text_and_a_missing_one_is_an_error(cluster: Any) -> None:
    dataset = dataset_of(cluster, [{"id": 7, "text": "A tale."}, {"id": None, "text": "Another."}])
    nameless, numbered = rows_of(split_dataset(dataset, GreedyChunker(chunk_size=20)))
    assert (numbered["document"], numbered["text"], numbered["error"]) == ("7", "A tale.", None)
    assert (nameless["document"], nameless["text"]) == ("", None)
    assert nameless["error"] == "'id' is missing"


@pytest.mark.parametrize("columns", [{"id_column": "key"}, {"text_column": "key"}])
def test_a_column_that_is_not_there_is_named_before_any_work(
    cluster: Any, columns: dict[str, str]
) -> None:
    dataset = dataset_of(cluster, tales(1), blocks=1)
    with pytest.raises(ValueError, match=r"the dataset.*'key'|'key'.*the dataset"):
        split_dataset(dataset, GreedyChunker(), **columns)


def test_chunks_overlap_as_they_do_without_ray(cluster: Any) -> None:
    documents, chunker = tales(5), GreedyChunker(chunk_size=20)
    rows = rows_of(split_dataset(dataset_of(cluster, documents), chunker, chunk_overlap=8))
    assert rows == split_here(documents, chunker, chunk_overlap=8)
    assert rows != split_here(documents, chunker)
    texts = {row["id"]: row["text"] for row in documents}
    repeated = 0
    for before, row in pairwise(rows):
        assert row["text"] == texts[row["document"]][row["start"] : row["end"]]
        if row["index"]:
            repeated += before["end"] - row["start"]
    assert repeated > 0


@pytest.mark.parametrize("overlap", [-1, 20])
def test_an_overlap_that_cannot_be_is_refused_before_any_work(cluster: Any, overlap: int) -> None:
    dataset = dataset_of(cluster, tales(1), blocks=1)
    with pytest.raises(ValueError, match="chunk_overlap"):
        split_dataset(dataset, GreedyChunker(chunk_size=20), chunk_overlap=overlap)


def test_no_more_workers_start_than_are_allowed(cluster: Any) -> None:
    documents, chunker = tales(16), GreedyChunker(chunk_size=40)
    dataset = dataset_of(cluster, documents, blocks=16)
    split = split_dataset(
        dataset,
        chunker,
        embedder=Worker(),
        context=False,
        surroundings=False,
        workers=1,
        batch_size=1,
    )
    rows = rows_of(split)
    assert len({row["embedding"][0] for row in rows}) == 1
    assert {row["document"] for row in rows} == {row["id"] for row in documents}


@pytest.mark.parametrize(
    ("workers", "message"), [(0, "workers must be"), (1000, "1000 workers .* do not fit")]
)
def test_a_number_of_workers_that_cannot_be_is_refused_before_any_work(
    cluster: Any, workers: int, message: str
) -> None:
    dataset = dataset_of(cluster, tales(1), blocks=1)
    with pytest.raises(ValueError, match=message):
        split_dataset(dataset, GreedyChunker(), workers=workers)
