from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.stores import InMemoryByteStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import MarkdownHeaderTextSplitter

from langchain_lumber import ContextEmbeddings, GreedyTextSplitter
from lumber_core import GreedyChunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.text.source import Source
from lumber_retrieval import split_and_embed
from tests.contracts.finders import LangChainVectors
from tests.core.text.test_context import GUIDE
from tests.retrieval.test_passage_index import MUSIC, RIVER

SPLIT: dict[str, Any] = {"target_size": 8, "chunk_size": 30, "tokenizer": "words"}


def library() -> list[Document]:
    texts = {"river.txt": RIVER, "music.txt": MUSIC, "guide.md": GUIDE}
    return [Document(text, metadata={"source": name}) for name, text in texts.items()]


def chunks_of(documents: list[Document], **settings: Any) -> list[Document]:
    settings = {**SPLIT, "add_metadata": True, **settings}
    return GreedyTextSplitter(**settings).split_documents(documents)


def contents(chunks: list[Document]) -> list[str]:
    return [chunk.page_content for chunk in chunks]


def test_vectors_equal_those_of_the_core() -> None:
    chunks, model = chunks_of(library()), LangChainVectors()
    vectors = ContextEmbeddings(chunks, model).embed_documents(contents(chunks))
    sources = [Source(d.page_content, metadata=d.metadata) for d in library()]
    embed, delivery = LangChainVectors().embed_documents, Delivery(trim=True)
    _, expected = split_and_embed(GreedyChunker(**SPLIT), sources, embed, delivery)
    assert np.allclose(vectors, np.concatenate(expected), atol=1e-6)


@pytest.mark.parametrize("add_metadata", [True, False])
def test_a_context_in_the_content_is_embedded_once(add_metadata: bool) -> None:
    model = LangChainVectors()
    chunks = chunks_of(library()[2:], context=True, add_metadata=add_metadata, add_start_index=True)
    vectors = ContextEmbeddings(chunks, model).embed_documents(contents(chunks))
    assert model.texts == contents(chunks)
    assert "Guide > Prices > Taps\n\nTaps close to the right." in model.texts
    assert len(vectors) == len(chunks)


def test_headings_of_langchains_markdown_splitter_are_embedded() -> None:
    splitter = MarkdownHeaderTextSplitter([("#", "Header 1"), ("##", "Header 2")])
    model = LangChainVectors()
    chunks = splitter.split_text("# Boats\n\nOars.\n\n## Care\n\nDry them.")
    with pytest.raises(ValueError, match="does not name its document"):
        ContextEmbeddings(chunks, model)
    for chunk in chunks:
        chunk.metadata["source"] = "boats.md"
    ContextEmbeddings(chunks, model).embed_documents(contents(chunks))
    assert model.texts == ["Boats\n\nOars.", "Boats > Care\n\nDry them."]


def test_a_new_document_begins_where_offsets_decrease() -> None:
    model, chunks = LangChainVectors(), chunks_of([library()[0], library()[0]])
    first_half = ContextEmbeddings(chunks[: len(chunks) // 2], model)
    expected = first_half.embed_documents(contents(chunks[: len(chunks) // 2]))
    assert ContextEmbeddings(chunks, model).embed_documents(contents(chunks)) == expected * 2


def test_an_invalid_offset_is_refused_before_any_work() -> None:
    chunks = chunks_of(library())
    chunks[1].metadata["start_index"] = -1
    with pytest.raises(ValueError, match="must be an offset in characters"):
        ContextEmbeddings(chunks)


async def test_texts_that_are_not_chunks_are_embedded_once_and_unchanged() -> None:
    model, chunks = LangChainVectors(), chunks_of(library()[:1])
    embeddings = ContextEmbeddings(chunks, model)
    plain = [model.embed_query(text) for text in ("Bees hum.", "Wasps hum.")]
    texts = ["Bees hum.", chunks[0].page_content, "Wasps hum."]
    first = embeddings.embed_documents(texts * 2)
    assert np.allclose([first[0], first[2]], plain, atol=1e-6)
    assert first[:3] == first[3:] == await embeddings.aembed_documents(texts)
    assert model.texts.count("Bees hum.") == 2  # once for each call
    text = chunks[0].page_content  # a query is embedded without context
    query = embeddings.embed_query(text)
    assert query == await embeddings.aembed_query(text) == model.embed_query(text)


def test_chunks_with_the_same_text_get_their_own_vectors_in_order() -> None:
    texts = (("Same.", "a"), ("Otters hunt.", "a"), ("Same.", "b"), ("Owls.", "b"))
    chunks = [Document(text, metadata={"source": name}) for text, name in texts]
    vectors = ContextEmbeddings(chunks, LangChainVectors()).embed_documents(contents(chunks))
    assert vectors[0] != vectors[2]
    embeddings = ContextEmbeddings(chunks, LangChainVectors())
    assert embeddings.embed_documents(["Same.", "Owls."]) == [vectors[0], vectors[3]]
    assert embeddings.embed_documents(["Same."]) == [vectors[2]]  # the chunk in the next batch
    assert embeddings.embed_documents(["Same."] * 2) == [vectors[0], vectors[2]]


def test_chunks_of_other_splitters_are_embedded_below_the_name_of_their_file() -> None:
    model = LangChainVectors()
    chunks = [Document("They hunt at dawn.", metadata={"source": "river_otters.txt"})]
    ContextEmbeddings(chunks, model).embed_documents(contents(chunks))
    assert model.texts == ["river otters\n\nThey hunt at dawn."]


@pytest.mark.parametrize(
    ("cached", "cleanup", "start_index", "embedded", "written"),
    [
        (False, "scoped_full", False, 30, 1),
        (True, "scoped_full", False, 1, 1),
        (True, "incremental", False, 1, 11),
        (True, "scoped_full", True, 1, 15),
    ],
)
def test_an_edit_embeds_its_document_or_with_a_cache_only_the_new_text(
    cached: bool, cleanup: Any, start_index: bool, embedded: int, written: int
) -> None:
    classic = pytest.importorskip("langchain_classic.embeddings")
    text = "\n\n".join(f"The otters of den {n} hunt on day {n}." for n in range(30))
    counting: Any = LangChainVectors()
    model = (
        classic.CacheBackedEmbeddings.from_bytes_store(
            counting, InMemoryByteStore(), namespace="model", key_encoder="sha256"
        )
        if cached
        else counting
    )
    records, store = InMemoryRecordManager("notes"), InMemoryVectorStore(model)
    records.create_schema()
    options = {"source_id_key": "source", "key_encoder": "sha256", "batch_size": 20}
    other = len(chunks_of(library()[1:2], add_metadata=False))
    edit = text.replace("day 15", "the last day")
    for edited, expected in ((text, 30 + other), (text, 0), (edit, embedded)):
        documents = [Document(edited, metadata={"source": "notes.txt"}), library()[1]]
        chunks = chunks_of(documents, add_metadata=False, add_start_index=start_index)
        assert len(chunks) == 30 + other
        store.embedding, before = ContextEmbeddings(chunks, model), len(counting.texts)
        result = index(chunks, records, store, cleanup=cleanup, **options)
        assert len(counting.texts) - before == expected
    assert result["num_added"] == written
