import copy
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_lumber import GreedyTextSplitter, LumberEmbeddings, PassageJoiner, cite, join_pages
from tests.core.text.test_context import GUIDE

STORY = (
    "Ada mended the clock. She oiled the spring. Then she set the hands. "
    "At sea the storm broke. Sails tore. The mate went below."
)
PAGE = Document(GUIDE, metadata={"source": "guide.md"}, id="guide")
TALE = Document(STORY, metadata={"source": "story.txt"}, id="story")


def chunks_of(*documents: Document, **settings: Any) -> list[Document]:
    settings = {"target_size": 8, "chunk_size": 30, "add_start_index": True, **settings}
    return GreedyTextSplitter(tokenizer="words", **settings).split_documents(documents)


def join_passages(hits: list[Document], texts: Any, **limits: Any) -> list[Document]:
    return PassageJoiner(texts=texts, **limits).compress_documents(hits)


def test_chunks_with_a_context_before_their_text_become_slices_without_it() -> None:
    chunks = chunks_of(PAGE, context=True)
    texts = [GUIDE[c.metadata["start_index"] : c.metadata["end_index"]] for c in chunks]
    assert [chunk.page_content for chunk in chunks] != texts
    (passage,) = join_passages(chunks, [PAGE])
    assert passage.page_content == GUIDE.strip()
    for chunk in chunks:
        del chunk.metadata["end_index"]
    with pytest.raises(ValueError, match="need end_index"):
        join_passages(chunks, [PAGE])


def test_pages_of_one_file_stay_separate_unless_joined() -> None:
    pages = [
        Document(text, metadata={"source": "a.pdf", "page": number})
        for number, text in enumerate(["Otters live along", "clean rivers and eat fish."])
    ]
    apart = join_passages(chunks_of(*pages), pages)
    assert [passage.page_content for passage in apart] == [page.page_content for page in pages]
    files = join_pages(pages)
    (passage,) = join_passages(chunks_of(*files, target_size=3), files)
    assert passage.page_content == "Otters live along\fclean rivers and eat fish."
    assert (passage.metadata["page_first"], passage.metadata["page_last"]) == (1, 2)


def test_passages_of_chunks_of_chunks_are_slices_of_the_parent_chunks() -> None:
    between = chunks_of(TALE, target_size=20)
    chunks = chunks_of(*between, target_size=4)
    passages = join_passages(chunks, between)
    assert [document.page_content for document in passages] == [
        document.page_content for document in between
    ]
    assert len(chunks) > len(between) > 1
    with pytest.raises(ValueError, match="is not at offset"):
        join_passages(chunks, [TALE])


@pytest.mark.parametrize("returned", [float, str, lambda n: str(float(n)), Decimal, np.int64])
def test_numbers_are_read_in_any_type_that_stores_return(returned: Any) -> None:
    page = Document(STORY.replace("At", "\nAt"), metadata={"source": "story.pdf", "page": 2})
    chunks, quotes = chunks_of(page, add_metadata=True), ["Sails tore."]
    hits = copy.deepcopy(chunks)
    for hit in hits:
        hit.metadata |= {k: returned(v) for k, v in hit.metadata.items() if type(v) is int}
    (cited,) = cite(quotes, hits)
    assert (cited.lines, cited.pages) == ((2, 2), (2, 2))
    assert [cited] == cite(quotes, chunks)
    (passage,), (expected,) = join_passages(hits, [page]), join_passages(chunks, [page])
    assert passage.metadata == {**expected.metadata, "page": returned(2)}


@pytest.mark.parametrize("returned", [None, float("nan")])
def test_stores_may_drop_empty_values(returned: float | None) -> None:
    chunks = chunks_of(TALE, add_metadata=True)
    hits = copy.deepcopy(chunks)
    for hit in hits:
        hit.metadata |= {key: returned for key, value in hit.metadata.items() if value == ""}
    joiner, question = PassageJoiner(texts=[TALE], budget=9), "Who oiled the spring?"
    passages, expected = (
        joiner.compress_documents(hits_or_chunks, question) for hits_or_chunks in (hits, chunks)
    )
    assert (
        [passage.page_content for passage in passages] == [p.page_content for p in expected] != []
    )


def with_metadata(**metadata: Any) -> Document:
    return Document("Ada mended", metadata=metadata)


@pytest.mark.parametrize(
    ("hit", "texts", "message"),
    [
        (with_metadata(source="story.txt"), [TALE], "add_start_index=True, and index them again"),
        (with_metadata(start_index=0), [TALE], 'into the metadata of each document as "source"'),
        (with_metadata(source="story.txt", start_index="x"), [TALE], "must be an offset"),
        (with_metadata(source="a", start_index=5, end_index=90), [TALE], "do not fit its text"),
        (with_metadata(source="a", start_index=0), [Document("Ada")], "does not name its document"),
        (TALE, [TALE, Document("Ada", metadata=TALE.metadata)], "and different texts"),
    ],
)
def test_hits_that_cannot_be_placed_are_refused(hit: Document, texts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        join_passages([chunks_of(TALE)[0], hit], texts)


async def test_a_compression_retriever_returns_passages_within_the_budget() -> None:
    retrievers = pytest.importorskip("langchain_classic.retrievers")
    store = InMemoryVectorStore(LumberEmbeddings())
    store.add_documents(chunks_of(PAGE, TALE))
    joiner = PassageJoiner(texts=[PAGE, TALE], max_gap=20, budget=24)
    retriever = retrievers.ContextualCompressionRetriever(
        base_compressor=joiner, base_retriever=store.as_retriever(search_kwargs={"k": 6})
    )
    question = "What happened at sea?"
    passages = retriever.invoke(question)
    assert await retriever.ainvoke(question) == passages
    assert "the storm broke" in passages[0].page_content
    assert sum(len(passage.page_content.split()) for passage in passages) <= 24
    copy = pickle.loads(pickle.dumps(joiner))
    hits = store.similarity_search(question, k=6)
    assert copy.compress_documents(hits, question) == passages
    assert GUIDE[:20] not in repr(joiner)
