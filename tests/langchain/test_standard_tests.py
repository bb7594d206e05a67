"""LangChain's own tests of retrievers and embedding models, which state what users expect."""

from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_lumber import ContextEmbeddings, LumberEmbeddings, PassageRetriever
from tests.langchain.test_passage_retriever import RIVERS, SONGS

standard = pytest.importorskip("langchain_tests.integration_tests")


class Filled(PassageRetriever):
    """A retriever that has documents from the start."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        others = (Document(f"{name} hum.", metadata={"source": name}) for name in ("Bees", "Wasps"))
        self.add_documents([RIVERS, SONGS, *others])


class TestPassageRetriever(standard.RetrieversIntegrationTests):  # type: ignore[misc,name-defined]
    @property
    def retriever_constructor(self) -> type[PassageRetriever]:
        return Filled

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {}

    @property
    def retriever_query_example(self) -> str:
        return "Do bees, wasps, otters and violins hum?"


class TestLumberEmbeddings(standard.EmbeddingsIntegrationTests):  # type: ignore[misc,name-defined]
    @property
    def embeddings_class(self) -> type[LumberEmbeddings]:
        return LumberEmbeddings


class TestContextEmbeddings(standard.EmbeddingsIntegrationTests):  # type: ignore[misc,name-defined]
    @property
    def embeddings_class(self) -> type[ContextEmbeddings]:
        return ContextEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        # Of the texts that are embedded, "foo" and "bar" are chunks, and "baz" is not.
        return {"chunks": [Document(text, metadata={"source": "a.txt"}) for text in ("foo", "bar")]}
