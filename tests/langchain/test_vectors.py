"""Vectors that know headings and surroundings, on their way to vector stores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import MarkdownHeaderTextSplitter

from langchain_lumber import (
    GreedyTextSplitter,
    KnownVectors,
    LumberEmbeddings,
    aembed_chunks,
    embed_chunks,
)
from tests.core.bert.test_bundled import TOPICS

GUIDE = (
    "# Boats\n\nOars and sails.\n\n## Care\n\nDry the sails.\n\nWax the oars.\n\n## Crew\n\nTwo.\n"
)
PLAIN = {"context": False, "surroundings": False}


def library() -> list[Document]:
    return [
        Document(page_content=" ".join(TOPICS), metadata={"source": "a.txt"}),
        Document(page_content=GUIDE, metadata={"source": "b.md"}),
    ]


class Counting(Embeddings):
    """The bundled embeddings, and what they were asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.queries: list[str] = []
        self._model = LumberEmbeddings()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return self._model.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        self.queries.append(text)
        return self._model.embed_query(text)


async def test_chunks_are_those_of_split_documents_and_plain_vectors_the_models() -> None:
    splitter = GreedyTextSplitter(target_size=20, add_start_index=True)
    chunks, vectors = splitter.split_and_embed(library(), **PLAIN)
    assert chunks == splitter.split_documents(library())
    plain = LumberEmbeddings().embed_documents([chunk.page_content for chunk in chunks])
    assert np.allclose(vectors, plain, atol=1e-6)
    assert await splitter.asplit_and_embed(library()) == splitter.split_and_embed(library())


@pytest.mark.parametrize("add_metadata", [True, False])
@pytest.mark.parametrize("flags", [PLAIN, {"surroundings": False}, {"context": False}])
def test_a_context_in_the_content_is_embedded_once_in_any_case(
    flags: dict[str, bool], add_metadata: bool
) -> None:
    model, other = Counting(), Counting()
    splitter = GreedyTextSplitter(
        target_size=8, context=True, add_metadata=add_metadata, add_start_index=True
    )
    chunks, vectors = splitter.split_and_embed(library()[1:], model, **flags)
    assert model.texts == [chunk.page_content for chunk in chunks]
    assert "Boats > Care\n\nWax the oars." in model.texts
    again = embed_chunks(chunks, other, **flags)
    assert other.texts == model.texts
    assert np.allclose(again, vectors, atol=0.01)


async def test_wrong_arguments_are_refused_before_any_work() -> None:
    model, wrong = Counting(), "bundled"
    splitter = GreedyTextSplitter()
    with pytest.raises(TypeError, match="embeddings must be an embedding model of LangCh"):
        await splitter.asplit_and_embed(library(), wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="surroundings must be True or False, not None"):
        splitter.split_and_embed(library(), model, surroundings=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="context must be True or False"):
        embed_chunks([], model, context="headings")  # type: ignore[arg-type]
    assert model.texts == []


async def test_the_bundled_embeddings_work_asynchronously() -> None:
    embeddings = LumberEmbeddings()
    assert await embeddings.aembed_query("the sea") == embeddings.embed_query("the sea")
    assert len(embeddings.embed_query("the sea")) == 384


def test_both_steps_show_progress_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    GreedyTextSplitter(target_size=20).split_and_embed(library())
    assert capsys.readouterr().err == ""
    GreedyTextSplitter(target_size=20, show_progress=True).split_and_embed(library())
    assert "text/s" in capsys.readouterr().err


class TestChunksOfOtherSplitters:
    async def test_vectors_are_those_of_our_splitters_with_the_same_chunks(self) -> None:
        splitter = GreedyTextSplitter(target_size=20, add_start_index=True)
        chunks, vectors = splitter.split_and_embed(library()[:1])
        assert np.allclose(embed_chunks(chunks), vectors, atol=1e-3)
        assert np.allclose(await aembed_chunks(chunks), vectors, atol=1e-3)

    def test_headings_of_langchains_markdown_splitter_are_embedded(self) -> None:
        splitter = MarkdownHeaderTextSplitter([("#", "Header 1"), ("##", "Header 2")])
        model = Counting()
        embed_chunks(splitter.split_text(GUIDE), model, surroundings=False)
        assert "Boats > Care\n\nDry the sails.  \nWax the oars." in model.texts

    def test_pages_of_a_file_are_documents_of_their_own(self) -> None:
        def page(number: int, start: int, text: str) -> Document:
            metadata = {"source": "a.pdf", "page": number, "start_index": start}
            return Document(text, metadata=metadata)

        plain = LumberEmbeddings().embed_documents(["Ann ran.", "Boats sink."])
        apart = embed_chunks([page(0, 0, "Ann ran."), page(1, 2, "Boats sink.")])
        assert np.allclose(apart, plain, atol=1e-6)
        anew = embed_chunks([page(0, 9, "Ann ran."), page(0, 9, "Boats sink.")])
        assert np.allclose(anew, plain, atol=1e-6)
        together = embed_chunks([page(0, 0, "Ann ran."), page(0, 9, "Boats sink.")])
        assert not np.allclose(together, plain, atol=1e-2)

    @pytest.mark.parametrize(
        ("metadata", "message"),
        [
            ({"source": "a"}, r'chunk 1 has metadata\["start_index"\]=None.*add_start_index=True'),
            ({"source": "a", "start_index": -1}, r'\["start_index"\]=-1'),
            ({"start_index": 3}, r'chunk 1 has no metadata\["source"\]'),
        ],
    )
    def test_chunks_that_do_not_say_where_they_are_from_are_refused(
        self, metadata: dict[str, Any], message: str
    ) -> None:
        first = Document("Ann ran.", metadata={"source": "a", "start_index": 0})
        chunks = [first, Document("She fell.", metadata=metadata)]
        model = Counting()
        with pytest.raises(ValueError, match=message):
            embed_chunks(chunks, model)
        assert model.texts == []
        assert len(embed_chunks(chunks, model, surroundings=False)) == 2


class TestKnownVectors:
    def test_a_store_keeps_the_vectors_and_asks_the_model_for_queries(self) -> None:
        model = Counting()
        chunks, vectors = GreedyTextSplitter(target_size=20).split_and_embed(library(), model)
        model.texts.clear()
        store = InMemoryVectorStore(KnownVectors(chunks, vectors, model))
        store.add_documents(chunks)
        kept = {entry["text"]: entry["vector"] for entry in store.store.values()}
        for chunk, vector in zip(chunks, vectors, strict=True):
            assert kept[chunk.page_content] == vector
        assert store.similarity_search("When are tides largest?", k=1)[0].metadata == {
            "source": "a.txt"
        }
        assert (model.texts, model.queries) == ([], ["When are tides largest?"])

    async def test_other_texts_are_embedded_by_the_model_each_once(self) -> None:
        model = Counting()
        known = KnownVectors([Document("a")], [[0.5] * 384], model)
        plain = LumberEmbeddings().embed_documents(["b", "c"])
        expected = [plain[0], [0.5] * 384, plain[1], plain[0]]
        for made in (
            known.embed_documents(["b", "a", "c", "b"]),
            await known.aembed_documents(["b", "a", "c", "b"]),
        ):
            assert np.allclose(made, expected, atol=1e-6)
        assert model.texts == ["b", "c", "b", "c"]
        assert await known.aembed_query("a") == known.embed_query("a") != [0.5] * 384
        known.embed_documents(["a"])
        assert len(model.texts) == 4

    def test_chunks_with_the_same_text_get_their_own_vectors_in_order(self) -> None:
        chunks = [Document("a"), Document("b"), Document("a")]
        known = KnownVectors(chunks, [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], Counting())
        assert known.embed_documents(["a", "b"]) == [[1.0, 0.0], [0.6, 0.8]]
        assert known.embed_documents(["a"]) == [[0.0, 1.0]]  # of the next batch
        assert known.embed_documents(["a", "a"]) == [[1.0, 0.0], [0.0, 1.0]]

    def test_vectors_that_do_not_fit_are_refused(self) -> None:
        with pytest.raises(ValueError, match="2 chunks but 1 vectors"):
            KnownVectors([Document("a"), Document("b")], [[1.0]])
        with pytest.raises(ValueError, match="2 vectors of the same width"):
            KnownVectors([Document("a"), Document("b")], [[1.0], [1.0, 2.0]])
        texts: Any = ["a"]
        with pytest.raises(TypeError, match="Documents of LangChain, not str"):
            KnownVectors(texts, [[1.0]])
        known = KnownVectors([Document("a")], [[1.0, 2.0]])
        message = "vectors of 384 numbers, but those of the chunks have 2"
        with pytest.raises(ValueError, match=message):
            known.embed_query("a")
        with pytest.raises(ValueError, match=message):
            known.embed_documents(["a", "b"])
