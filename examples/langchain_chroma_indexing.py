"""LangChain's indexing API over a Chroma store on disk: only changes are written again.

Vectors include the surroundings of their chunks, and hits are joined into passages.

Install: pip install '.[langchain]' langchain-chroma langchain-classic greenlet
Run:     python examples/langchain_chroma_indexing.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

from pathlib import Path

from langchain_chroma import Chroma
from langchain_classic.indexes import SQLRecordManager
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import index

import langchain_lumber as lumber
from common import Options, Passage, options, show, temporary_folder


def main(args: Options) -> None:
    with temporary_folder() as folder:
        documents = lumber.FilesLoader(args.paths).load()
        changed = [document.model_copy() for document in documents]
        changed[0].page_content += "\n\nOne more line.\n"

        print("chunks                 added  skipped  deleted")
        ingest("first run", documents, folder)
        ingest("second run", documents, folder)
        ingest("a file has grown", changed, folder)
        ingest("as it was before", documents, folder)

        retriever = store(folder, lumber.LumberEmbeddings()).as_retriever(search_kwargs={"k": 8})
        joiner = lumber.PassageJoiner(texts=documents, budget=300)
        passages = joiner.compress_documents(retriever.invoke(args.question), args.question)
        show([Passage.of(passage) for passage in passages], args)


def ingest(title: str, documents: list[Document], folder: Path) -> None:
    """Update the store with the files; everything is opened again, as in a new process."""
    # Remembers a hash of every chunk in the store, and which file it is from.
    records = SQLRecordManager("chroma/files", db_url=f"sqlite:///{folder / 'records.sqlite'}")
    records.create_schema()
    # With add_metadata, chunks have their headings, and equal passages of one file stay apart.
    splitter = lumber.LayoutTextSplitter(target_size=50, add_metadata=True)
    chunks = splitter.split_documents(documents)
    result = index(
        chunks,
        records,
        store(folder, lumber.ContextEmbeddings(chunks)),
        # Deletes the old chunks of a changed file at the end. "incremental" deletes after every 100
        # chunks, and so deletes and adds again the unchanged chunks of a longer file.
        cleanup="scoped_full",
        source_id_key="source",
        key_encoder="sha256",
    )
    added, skipped, deleted = (result["num_added"], result["num_skipped"], result["num_deleted"])
    print(f"{title:<21}{added:>7}{skipped:>9}{deleted:>9}")


def store(folder: Path, embeddings: Embeddings) -> Chroma:
    return Chroma(
        "files",
        embeddings,
        persist_directory=str(folder / "chroma"),
        collection_metadata={"hnsw:space": "cosine"},
    )


if __name__ == "__main__":
    main(options(__doc__))
