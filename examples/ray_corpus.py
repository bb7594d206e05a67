"""A corpus on Ray: files or Parquet in, chunks and their vectors out as Parquet.

Splitters can be pickled and keep no state, so Ray Data runs them as they are. The answers of a
language model are shared over Redis: a run that was killed or is repeated pays for no answer twice.

Install: pip install '.[langchain,openai,documents]' 'ray[data]' langchain-community redis
Run:     python examples/ray_corpus.py OUTPUT PATH ... [--vectors] [--llm URL#MODEL --redis URL]

A PATH is a file, a folder, or Parquet with the columns `id` and `text`; `*.parquet` may be on S3.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import pyarrow as pa
import ray
from langchain_community.storage import RedisStore
from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from langchain_lumber import BertTextSplitter, LumberEmbeddings, LumberTextSplitter
from lumber_core.llms import OpenAIModel
from lumber_files import find_files, read_file

CHUNKS = {"document": pa.string(), "start": pa.int64(), "context": pa.string(), "text": pa.string()}


class Split:
    """A worker, which loads its models once: splits batches of documents."""

    def __init__(self, splitter: TextSplitter, *, vectors: bool) -> None:
        self._splitter = splitter
        self._embeddings = LumberEmbeddings(threads=1) if vectors else None
        embedding = {"embedding": pa.list_(pa.float32())} if vectors else {}
        self._schema = pa.schema({**CHUNKS, **embedding})

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Return a row for each chunk of a batch of documents."""
        chunks = self._splitter.split_documents(
            Document(row.pop("text"), metadata={"source": row.pop("id"), **row})
            for row in batch.to_pylist()
        )
        rows = [
            {
                "document": chunk.metadata["source"],
                "start": chunk.metadata["start_index"],
                "context": chunk.metadata.get("context", ""),
                "text": chunk.page_content,
            }
            for chunk in chunks
        ]
        if self._embeddings is not None:
            texts = [f"{row['context']}\n\n{row['text']}".strip() for row in rows]
            for row, vector in zip(rows, self._embeddings.embed_documents(texts), strict=True):
                row["embedding"] = vector
        return pa.Table.from_pylist(rows, self._schema)


def read(row: dict[str, str]) -> dict[str, str]:
    """Read a file as a document."""
    file = read_file(row["path"], name=row["id"])
    return {"id": row["id"], "text": file.text, "file_type": file.metadata.get("file_type", "")}


def corpus(paths: list[str]) -> ray.data.Dataset:
    """Return a row for each document."""
    if paths[0].endswith(".parquet"):
        return ray.data.read_parquet(paths, columns=["id", "text"])
    files = find_files(paths).files
    return ray.data.from_items([{"id": f.name, "path": str(f.path)} for f in files]).map(read)


def main(args: argparse.Namespace) -> None:
    settings: dict[str, Any] = {
        "add_start_index": True,
        "add_metadata": True,
        "strip_whitespace": False,
    }
    splitter: TextSplitter = BertTextSplitter(threads=1, **settings)
    if args.llm:
        url, _, model = args.llm.partition("#")
        # A function that opens the store, because a connection to Redis cannot be pickled.
        store = partial(RedisStore, redis_url=args.redis, namespace="corpus")
        llm = OpenAIModel(model, base_url=url)
        splitter = LumberTextSplitter(llm, store=store, max_concurrency=16, **settings)
    workers = max(1, int(ray.cluster_resources()["CPU"]) - 1)  # one CPU is left for reading
    documents = corpus(args.paths).repartition(target_num_rows_per_block=16)
    chunks = documents.map_batches(
        Split,
        batch_format="pyarrow",
        fn_constructor_args=[splitter],
        fn_constructor_kwargs={"vectors": args.vectors},
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=workers),
        num_cpus=1,
    )
    chunks.write_parquet(args.output, mode=ray.data.SaveMode.OVERWRITE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", help="folder for the chunks; its content is replaced")
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--vectors", action="store_true", help="embed the chunks as well")
    parser.add_argument("--llm", metavar="URL#MODEL", help="ask an OpenAI-compatible server")
    parser.add_argument("--redis", default="redis://127.0.0.1:6379", help="keeps its answers")
    options = parser.parse_args()
    ray.init(logging_level="warning")
    main(options)
