"""LangChain's ParentDocumentRetriever: short chunks are found, the long ones around them returned.

Install: pip install '.[langchain]' langchain-classic langchain-qdrant
Run:     python examples/langchain_parent_documents.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_classic.storage import LocalFileStore, create_kv_docstore
from langchain_core.documents import Document
from langchain_qdrant import QdrantVectorStore
from qdrant_client import QdrantClient
from qdrant_client.models import Distance, VectorParams

from common import Options, Passage, options, show
from langchain_lumber import GreedyTextSplitter, LumberEmbeddings, LumberTextSplitter
from lumber_core import ModelJudge

NAME = "children"


def main(given: Options) -> None:
    with given.folder() as folder:
        client = QdrantClient(path=str(folder / "qdrant"))
        if not client.collection_exists(NAME):
            client.create_collection(NAME, VectorParams(size=384, distance=Distance.COSINE))
        children = QdrantVectorStore(client, NAME, LumberEmbeddings())
        retriever = ParentDocumentRetriever(
            vectorstore=children,
            docstore=create_kv_docstore(LocalFileStore(folder / "parents")),
            child_splitter=GreedyTextSplitter(
                target_size=40, chunk_size=80, add_start_index=True, stable_ids=True
            ),
            search_kwargs={"k": 4},
        )

        # Given `parent_splitter=topics`, the retriever would split the files itself, but under
        # random ids: a second run would keep every parent twice. These ids stay the same.
        topics = topic_splitter(given, folder)
        parents = topics.split_documents(
            Document(text, metadata={"source": name}) for name, text in given.files.items()
        )
        retriever.add_documents(parents, ids=[str(parent.id) for parent in parents])
        print(f"{len(parents)} parents, {client.count(NAME).count} children")

        found = children.similarity_search(given.question, **retriever.search_kwargs)
        passages = []
        for parent in retriever.invoke(given.question):
            whole = Passage.of_document(parent)
            # A child's start_index counts from its parent's start.
            ranges = [
                f"[{whole.start + start}:{whole.start + start + len(child.page_content)}]"
                for child in found
                if child.metadata[retriever.id_key] == parent.id
                for start in [child.metadata["start_index"]]
            ]
            passages.append(replace(whole, detail=f"found by {', '.join(ranges)}"))
        show(passages, given)
        client.close()


def topic_splitter(given: Options, folder: Path) -> LumberTextSplitter:
    """Return the splitter that makes parents: the language model decides if there is one."""
    if given.llm is None:
        return LumberTextSplitter(add_start_index=True, stable_ids=True)
    return LumberTextSplitter(
        judge=ModelJudge(given.llm),
        store=folder / "answers.db",
        max_concurrency=8,
        add_start_index=True,
        stable_ids=True,
    )


if __name__ == "__main__":
    main(options(__doc__))
