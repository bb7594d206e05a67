"""The bundled encoder as an embedding model of each framework, and an index with it.

Every text is embedded once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from langchain_core.embeddings import Embeddings

from lumber_core import LayoutChunker, Source
from lumber_evaluation.cached_work import CachedEmbedder
from lumber_retrieval.embedders import Embedder, embedder
from lumber_retrieval.hits import TARGET_SIZE, TOKENIZER
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import PassageIndex

Vector = npt.NDArray[np.float32]


class Bundled(Embeddings):
    """The bundled encoder for LangChain and `PassageIndex`; all instances share the vectors."""

    cache: ClassVar[dict[str, Vector]] = {}
    encoder: ClassVar[Embedder | None] = None

    @classmethod
    def keep(cls, path: Path | None) -> None:
        """Keep vectors in a file for later runs; None: only in memory."""
        encoder = embedder("bundled")
        cls.encoder = encoder if path is None else CachedEmbedder(encoder, path)

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self.cache]
        if new:
            encoder = self.encoder or embedder("bundled")
            self.cache.update(zip(new, encoder.embed_documents(new), strict=True))
        return [self.cache[text] for text in texts]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts as lists."""
        return [vector.tolist() for vector in self.vectors(texts)]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self.embed_documents([text])[0]


def index_of(sources: Iterable[tuple[str, Source]]) -> PassageIndex:
    """Return an index of sources by name, with the defaults of `PassageRetriever`."""
    index = PassageIndex(LayoutChunker(target_size=TARGET_SIZE, tokenizer=TOKENIZER), Bundled())
    index.add(IndexedDocument(name, name, source) for name, source in sources)
    return index


def for_llamaindex() -> Any:
    """Return the bundled encoder as an embedding model of LlamaIndex."""
    from llama_index.core.embeddings import BaseEmbedding

    class Embedding(BaseEmbedding):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return Bundled().embed_documents(texts)

        def _get_text_embedding(self, text: str) -> list[float]:
            return Bundled().embed_query(text)

        def _get_query_embedding(self, query: str) -> list[float]:
            return Bundled().embed_query(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return Bundled().embed_query(query)

    return Embedding(embed_batch_size=2048)
