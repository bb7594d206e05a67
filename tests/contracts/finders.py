"""The core's index and both frameworks' retrievers, joiners and citations, used in one way."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, TextNode
from llama_index.core.schema import Document as LlamaIndexDocument
from llama_index.core.vector_stores.types import MetadataFilters

import langchain_lumber as langchain
import llamaindex_lumber as llamaindex
from lumber_core import GreedyChunker
from lumber_core.calls.deadlines import run_for_loop
from lumber_core.spans import Span
from lumber_core.text.origin import document_key, file_name
from lumber_core.text.pages import place_source
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.passage_index import PassageIndex
from lumber_retrieval.passages.joining import Passage
from lumber_retrieval.passages.ranking import SearchSettings
from lumber_retrieval.retriever import IndexingRetriever
from tests.retrieval.embeddings import WordVectors

SPLIT: dict[str, Any] = {"target_size": 6, "tokenizer": "words", "chunk_size": 12}


class Found(NamedTuple):
    """A passage of any of the finders."""

    document: str
    text: str
    span: Span
    score: float
    metadata: Mapping[str, Any]


class LangChainVectors(WordVectors, Embeddings):
    """`WordVectors` in LangChain."""


class LlamaIndexVectors(BaseEmbedding):
    """`WordVectors` in LlamaIndex."""

    _model: WordVectors = PrivateAttr(default_factory=WordVectors)

    @property
    def texts(self) -> list[str]:
        return self._model.texts

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._model.embed_documents(texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._model.embed_documents([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._model.embed_query(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._model.embed_query(query)


class CoreRetriever(IndexingRetriever[IndexedDocument]):
    """The core of both frameworks' retrievers."""

    def __init__(self, index: PassageIndex, settings: dict[str, Any]) -> None:
        self.index, self.settings, self._opened = index, settings, None
        SearchSettings(**settings)

    def _open(self) -> PassageIndex:
        return self.index

    def _convert_documents(self, documents: Iterable[IndexedDocument]) -> list[IndexedDocument]:
        return [*documents]

    async def afind(self, query: str) -> Any:
        return await run_for_loop(self.index.search, query, **self.settings)


class Core:
    """`lumber_retrieval`."""

    vectors: Any = WordVectors

    def document(self, text: str, name: str, **metadata: Any) -> Any:
        all_metadata = {"source": name, **metadata}
        source = place_source(text, all_metadata)
        return IndexedDocument(document_key(all_metadata), file_name(all_metadata), source)

    def index(self, path: Path | None = None, model: Any = None, **settings: Any) -> Any:
        chunker = GreedyChunker(**SPLIT)
        return CoreRetriever(PassageIndex(chunker, model or WordVectors(), path), settings)

    def find(self, index: Any, query: str, where: Any = None) -> list[Found]:
        return [*map(self.as_found, index.index.search(query, where=where, **index.settings))]

    def as_found(self, passage: Passage) -> Found:
        metadata = {"similarity": passage.similarity, **passage.metadata}
        return Found(passage.document, passage.text, passage.span, passage.score, metadata)

    def find_later(self, index: Any, query: str) -> Any:
        return index.afind(query)


class LangChain:
    """`langchain_lumber`."""

    vectors: Any = LangChainVectors
    retriever: Any = langchain.PassageRetriever
    joiner: Any = langchain.PassageJoiner
    join_pages: Any = staticmethod(langchain.join_pages)
    cite: Any = staticmethod(langchain.cite)
    without_lines: Mapping[str, bool] = {"add_metadata": False, "add_start_index": True}

    def document(self, text: str, name: str, **metadata: Any) -> Any:
        return LangChainDocument(text, metadata={"source": name, **metadata})

    def unnamed_document(self, text: str, **metadata: Any) -> Any:
        return LangChainDocument(text, metadata=metadata)

    def index(self, path: Path | None = None, model: Any = None, **settings: Any) -> Any:
        model = model or LangChainVectors()
        splitter = langchain.GreedyTextSplitter(**SPLIT)
        return self.retriever(splitter=splitter, embeddings=model, path=path, **settings)

    def find(self, index: Any, query: str, where: Any = None) -> list[Found]:
        return [*map(self.as_found, self.search(index, query, where))]

    def search(self, index: Any, query: str, where: Any = None) -> list[Any]:
        return index.invoke(query, filter=where)

    def key(self, document: Any) -> str:
        return document.metadata["source"]

    def text(self, document: Any) -> str:
        return document.page_content

    text_for_model = text

    def as_found(self, passage: Any) -> Found:
        metadata = passage.metadata
        span = Span(metadata["start_index"], metadata["end_index"])
        text = metadata.get("text", passage.page_content)
        return Found(metadata["source"], text, span, metadata.get("relevance_score", 0), metadata)

    def find_later(self, index: Any, query: str) -> Any:
        return index.ainvoke(query)

    def chunks(self, documents: Sequence[Any], **settings: Any) -> list[Any]:
        settings = {**SPLIT, "add_metadata": True, **settings}
        return langchain.GreedyTextSplitter(**settings).split_documents(documents)

    def hits(self, chunks: Sequence[Any]) -> list[Any]:
        return [*chunks]

    def join(
        self, hits: Sequence[Any], texts: Any, query: str = "", **settings: Any
    ) -> list[Found]:
        joined = self.joiner(texts=texts, **settings).compress_documents(hits, query)
        return [*map(self.as_found, joined)]

    def embed(self, chunks: Sequence[Any], model: Any) -> list[list[float]]:
        embeddings = langchain.ContextEmbeddings(chunks, model)
        return embeddings.embed_documents([chunk.page_content for chunk in chunks])

    def embed_later(self, chunks: Sequence[Any], model: Any) -> list[list[float]]:
        embeddings = langchain.ContextEmbeddings(chunks, model)
        texts = [chunk.page_content for chunk in chunks]
        return asyncio.run(embeddings.aembed_documents(texts))


class LlamaIndex:
    """`llamaindex_lumber`."""

    vectors: Any = LlamaIndexVectors
    retriever: Any = llamaindex.PassageRetriever
    joiner: Any = llamaindex.PassageJoiner
    join_pages: Any = staticmethod(llamaindex.join_pages)
    cite: Any = staticmethod(llamaindex.cite)
    without_lines: Mapping[str, bool] = {"add_metadata": False}

    def document(self, text: str, name: str, **metadata: Any) -> Any:
        all_metadata = {"file_name": name, **metadata}
        return LlamaIndexDocument(text=text, id_=document_key(all_metadata), metadata=all_metadata)

    def unnamed_document(self, text: str, **metadata: Any) -> Any:
        return LlamaIndexDocument(text=text, metadata=metadata)

    def index(self, path: Path | None = None, model: Any = None, **settings: Any) -> Any:
        model = model or LlamaIndexVectors()
        parser = llamaindex.GreedyNodeParser(**SPLIT)
        return self.retriever(parser, embed_model=model, path=path, **settings)

    def find(self, index: Any, query: str, where: Any = None) -> list[Found]:
        return [*map(self.as_found, self.search(index, query, where))]

    def key(self, document: Any) -> str:
        return document.node_id

    def text(self, document: Any) -> str:
        return document.text

    def search(self, index: Any, query: str, where: Any = None) -> list[Any]:
        if where is not None:
            filters = [{"key": k, "value": v, "operator": "=="} for k, v in where.items()]
            index = index.with_filters(MetadataFilters.from_dicts(filters))
        return index.retrieve(query)

    def text_for_model(self, passage: NodeWithScore) -> str:
        return passage.node.get_content(MetadataMode.LLM)

    def as_found(self, passage: NodeWithScore) -> Found:
        node = passage.node
        assert isinstance(node, TextNode)
        assert node.start_char_idx is not None
        assert node.end_char_idx is not None
        span = Span(node.start_char_idx, node.end_char_idx)
        return Found(node.metadata["file_name"], node.text, span, passage.score or 0, node.metadata)

    def find_later(self, index: Any, query: str) -> Any:
        return index.aretrieve(query)

    def chunks(self, documents: Sequence[Any], **settings: Any) -> list[Any]:
        settings = {**SPLIT, "add_metadata": True, "chunk_size": 60, **settings}
        return llamaindex.GreedyNodeParser(**settings).get_nodes_from_documents(documents)

    def hits(self, chunks: Sequence[BaseNode]) -> list[Any]:
        return [NodeWithScore(node=node, score=1 - n / 100) for n, node in enumerate(chunks)]

    def join(
        self, hits: Sequence[Any], texts: Any, query: str | None = None, **settings: Any
    ) -> list[Found]:
        joiner = self.joiner(texts=texts, **settings)
        joined = joiner.postprocess_nodes([*hits], query_str=query)
        return [*map(self.as_found, joined)]

    def embed(self, chunks: Sequence[Any], model: Any) -> list[list[float]]:
        nodes = llamaindex.ContextEmbedding(model)(chunks)
        return [node.get_embedding() for node in nodes]

    def embed_later(self, chunks: Sequence[Any], model: Any) -> list[list[float]]:
        nodes = asyncio.run(llamaindex.ContextEmbedding(model).acall(chunks))
        return [node.get_embedding() for node in nodes]


FRAMEWORKS: dict[str, Any] = {"langchain": LangChain(), "llamaindex": LlamaIndex()}
FINDERS: dict[str, Any] = {"core": Core(), **FRAMEWORKS}
