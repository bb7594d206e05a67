"""Hybrid search in Qdrant, in memory: its hits become passages, ranked by the question.

The words of a chunk are a sparse vector of their counts. Qdrant multiplies the counts by how rare
the words are in the collection (`Modifier.IDF`): that is BM25 without the lengths of chunks. Its
own BM25 is a model that fastembed downloads. Qdrant fuses both rankings, and `PassageJoiner` ranks
the hits by the question.

Install: pip install '.[langchain]' langchain-qdrant
Run:     python examples/langchain_hybrid_qdrant.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

import re
import zlib
from collections import Counter

from langchain_qdrant import QdrantVectorStore, RetrievalMode, SparseEmbeddings, SparseVector
from qdrant_client.models import Modifier

from common import Options, Passage, options, show
from langchain_lumber import ContextEmbeddings, FilesLoader, LayoutTextSplitter, PassageJoiner

HITS = 50


class Words(SparseEmbeddings):
    """The words of a text, cut to five letters, as a sparse vector of their counts."""

    def embed_documents(self, texts: list[str]) -> list[SparseVector]:
        """Return the words of each text."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> SparseVector:
        """Return the words of a question, or of a text."""
        words = (word[:5] for word in re.findall(r"\w+", text.lower()))
        counts = Counter(zlib.crc32(word.encode()) for word in words)
        return SparseVector(indices=[*counts], values=[*map(float, counts.values())])


def main(args: Options) -> None:
    documents = FilesLoader(args.paths).load()
    chunks = LayoutTextSplitter(target_size=50, add_metadata=True).split_documents(documents)
    store = QdrantVectorStore.from_documents(
        chunks,
        embedding=ContextEmbeddings(chunks),
        sparse_embedding=Words(),
        sparse_vector_params={"modifier": Modifier.IDF},
        retrieval_mode=RetrievalMode.HYBRID,
        location=":memory:",
    )
    hits = store.similarity_search(args.question, k=HITS)
    print(f"{len(hits)} of {len(chunks)} chunks found")

    joiner = PassageJoiner(texts=documents, budget=300)
    passages = joiner.compress_documents(hits, args.question)
    show([Passage.of(hit, hit.metadata["relevance_score"]) for hit in passages], args)


if __name__ == "__main__":
    main(options(__doc__))
