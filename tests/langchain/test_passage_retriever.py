"""The retriever of passages in LangChain: chains, filters, vector stores, and what is refused."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import RunnablePassthrough

from langchain_lumber import (
    GreedyTextSplitter,
    PassageRetriever,
    join_pages,
)
from tests.core.text.test_context import GUIDE
from tests.retrieval.test_index import MUSIC, RIVER

RIVERS = Document(RIVER, metadata={"source": "river.txt", "year": 1850})
SONGS = Document(MUSIC, metadata={"source": "music.txt", "year": 1720, "tags": ["string", "harp"]})


def retriever_of(**settings: Any) -> PassageRetriever:
    splitter = GreedyTextSplitter(target_size=6, tokenizer="words", chunk_size=12)
    return PassageRetriever(**{"splitter": splitter, "max_gap": 0, "budget": 12, **settings})


def test_passages_are_slices_of_documents_with_headings_pages_and_lines() -> None:
    pages = [
        Document(text, metadata={"source": "book.pdf", "page": number, "total_pages": 2})
        for number, text in enumerate((RIVER, MUSIC))
    ]
    guide = Document(GUIDE, metadata={"source": "guide.md"}, id="guide")
    (book,) = join_pages(pages)
    retriever = PassageRetriever(budget=60)
    assert retriever.add_documents([book, guide]).added == 2
    for query in ("violins and harps", "Which headings does the guide have?"):
        passages = retriever.invoke(query)
        assert passages
        for passage in passages:
            whole = {"book.pdf": book, "guide.md": guide}[passage.metadata["source"]].page_content
            start, end = passage.metadata["start_index"], passage.metadata["end_index"]
            assert passage.page_content == whole[start:end]
            assert passage.metadata["line_first"] == whole[:start].count("\n") + 1
    found = next(p for p in retriever.invoke("violins") if "Violins" in p.page_content)
    assert (found.metadata["page_last"], found.metadata["source"]) == (2, "book.pdf")
    assert "headings" in next(
        p.metadata
        for p in retriever.invoke(GUIDE[-60:], budget=20)
        if p.metadata["source"] == "guide.md"
    )


def test_it_is_a_retriever_in_chains_batches_and_callbacks(tmp_path: Path) -> None:
    ended: list[tuple[list[Document], list[str]]] = []

    class Seen(BaseCallbackHandler):
        def on_retriever_end(self, documents: Any, **kwargs: Any) -> None:
            ended.append((documents, kwargs["tags"]))

    retriever = retriever_of(tags=["otters"], path=tmp_path / "notes.db")
    retriever.add_documents([RIVERS, SONGS])
    chain: Any = {"context": retriever, "question": RunnablePassthrough()} | RunnablePassthrough()
    parts = [*chain.stream("When do otters hunt?", config={"callbacks": [Seen()]})]
    context = next(part["context"] for part in parts if "context" in part)
    ((found, tags),) = ended
    assert found == context != []
    assert "otters" in tags
    queries = ["otters", "harps"]
    batches = retriever.batch(queries)
    assert batches == [retriever.invoke(query) for query in queries]
    assert batches == asyncio.run(retriever.abatch(queries))
    assert batches == pickle.loads(pickle.dumps(retriever)).batch(queries)
    assert batches == retriever_of(path=str(tmp_path / "notes.db")).batch(queries)
    for budget in (6, 40):
        words = sum(len(p.page_content.split()) for p in retriever.invoke("otters", budget=budget))
        assert budget / 2 < words <= budget


def test_ids_name_documents_instead_of_their_metadata() -> None:
    retriever = retriever_of()
    retriever.add_documents([Document(RIVER), Document(MUSIC)], ids=["a", "b"])
    assert retriever.delete(["a"]) == 1
    assert {p.page_content in MUSIC for p in retriever.invoke("otters", budget=500)} == {True}


@pytest.fixture
def retriever() -> Iterator[PassageRetriever]:
    made = retriever_of()
    yield made
    assert made.invoke("otters") == []  # nothing was stored


def test_bad_documents_are_refused(retriever: PassageRetriever) -> None:
    with pytest.raises(ValueError, match=r"'Bees hum.' has no name.*\"source\", or pass ids"):
        retriever.add_documents([RIVERS, Document("Bees hum.")])
    with pytest.raises(ValueError, match="2 documents but 1 ids"):
        retriever.add_documents([RIVERS, SONGS], ids=["a"])
    with pytest.raises(TypeError, match="pass \\[document\\]"):
        retriever.add_documents(RIVERS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"splitter": "recursive"}, TypeError, "LayoutTextSplitter"),
        ({"budget": 0}, ValueError, "budget"),
        ({"embeddings": "minilm"}, TypeError, "LumberEmbeddings|embedding model"),
    ],
)
def test_bad_settings_say_what_to_pass(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        PassageRetriever(**settings)
