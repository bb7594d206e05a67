"""LangChain's pipelines: indexing again, positions in metadata."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_lumber import (
    BertTextSplitter,
    GreedyTextSplitter,
    LumberEmbeddings,
    LumberTextSplitter,
    SpanTextSplitter,
)
from lumber_core import Group, LumberChunker, Prices
from lumber_core.text.source import Source

TEXT = (
    "Ada mended the clock. She oiled the spring.\n\n"
    "Then she set the hands.\n\n"
    "At sea the storm broke. Sails tore.\n\n"
    "The mate went below.\n"
)
SPLITTERS: dict[str, Any] = {
    "greedy": lambda **own: GreedyTextSplitter(chunk_size=12, **own),
    "bert": lambda **own: BertTextSplitter(chunk_size=12, **own),
    "lumber": lambda **own: LumberTextSplitter(llm=second, chunk_size=12, **own),
}
IDS = """
from tests.langchain.test_pipelines import *
print(ids(SPLITTERS["lumber"](stable_ids=True), *library(), tagged()))
"""


def second(group: Group) -> int:
    return group.start + 1


def library() -> list[Document]:
    return [
        Document(page_content=TEXT, metadata={"source": "a.txt"}),
        Document(page_content=TEXT * 2, metadata={"source": "b.txt", "tags": ["x", "y"]}),
    ]


def tagged() -> Document:
    return Document(page_content=TEXT, metadata={"tags": {"x", "y", "z"}})


def ids(splitter: SpanTextSplitter, *documents: Document) -> list[str | None]:
    return [chunk.id for chunk in splitter.split_documents(documents)]


@pytest.mark.parametrize("make", SPLITTERS.values(), ids=SPLITTERS)
class TestStableIds:
    def test_indexing_again_adds_nothing(self, make: Any) -> None:
        splitter = make(stable_ids=True, add_start_index=True)
        records = InMemoryRecordManager(namespace="books")
        records.create_schema()
        store = InMemoryVectorStore(LumberEmbeddings())
        results = [
            index(
                splitter.split_documents(library()),
                records,
                store,
                cleanup="incremental",
                source_id_key="source",
                key_encoder="sha256",
            )
            for _ in range(2)
        ]
        assert results[0]["num_added"] == len(store.store) > 2
        assert (results[1]["num_added"], results[1]["num_deleted"]) == (0, 0)
        assert results[1]["num_skipped"] == results[0]["num_added"]


def test_ids_are_the_same_in_another_process() -> None:
    expected = ids(SPLITTERS["lumber"](stable_ids=True), *library(), tagged())
    printed = subprocess.run(
        [sys.executable, "-c", IDS], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == str(expected)


def test_ids_differ_by_document_splitter_text_and_place() -> None:
    splitter = GreedyTextSplitter(chunk_size=12, stable_ids=True)
    page = Document(page_content=TEXT, metadata={"source": "a.pdf", "page": 1})
    next_page = Document(page_content=TEXT, metadata={"source": "a.pdf", "page": 2})
    named = Document(page_content=TEXT, metadata={"source": "a.pdf", "page": 1}, id="a")
    larger = GreedyTextSplitter(chunk_size=14, stable_ids=True)
    repeated = Document(page_content="Again and again it rang.\n\n" * 4)
    made = [
        *ids(splitter, page, next_page, named, repeated),
        *ids(larger, page),
    ]
    assert len(set(made)) == len(made) > 12


def test_a_document_id_counts_instead_of_metadata() -> None:
    splitter = GreedyTextSplitter(chunk_size=12, stable_ids=True)
    before = Document(page_content=TEXT, metadata={"read": "Monday"}, id="a")
    after = Document(page_content=TEXT, metadata={"read": "Tuesday"}, id="a")
    assert ids(splitter, before) == ids(splitter, after)


def test_text_with_lone_surrogates_has_an_id() -> None:
    (chunk,) = GreedyTextSplitter(stable_ids=True).create_documents(["a \ud800 b"])
    assert chunk.id


@pytest.mark.parametrize("overlap", [0, 4])
@pytest.mark.parametrize("strip", [True, False])
def test_end_and_number_are_added_on_request(overlap: int, strip: bool) -> None:
    splitter = GreedyTextSplitter(
        chunk_size=12,
        chunk_overlap=overlap,
        strip_whitespace=strip,
        add_metadata=True,
    )
    chunks = splitter.create_documents([TEXT, TEXT])
    assert len(chunks) > 4
    for chunk in chunks:
        start, end = chunk.metadata["start_index"], chunk.metadata["end_index"]
        assert TEXT[start:end] == chunk.page_content
    numbers = [chunk.metadata["chunk_index"] for chunk in chunks]
    assert numbers == [*range(len(chunks) // 2)] * 2
    assert GreedyTextSplitter().create_documents([TEXT])[0].metadata == {}


class Shelf:
    """Documents on demand, and how many were taken."""

    def __init__(self, count: int) -> None:
        self.taken = 0
        self._count = count

    def __iter__(self) -> Iterator[Document]:
        for number in range(self._count):
            self.taken += 1
            yield Document(page_content=f"{number}. {TEXT}", metadata={"source": str(number)})

    async def stream(self) -> AsyncIterator[Document]:
        for document in self:
            yield document


def asked_together(**own: Any) -> LumberTextSplitter:
    return LumberTextSplitter(llm=second, max_concurrency=3, chunk_size=12, **own)


@pytest.mark.parametrize("make", [*SPLITTERS.values(), asked_together], ids=[*SPLITTERS, "3"])
class TestLazySplit:
    def test_the_chunks_are_those_of_the_list(self, make: Any) -> None:
        splitter = make(stable_ids=True, add_metadata=True)
        listed = splitter.split_documents(Shelf(7))
        assert [*splitter.lazy_split(Shelf(7))] == listed
        assert len(listed) > 14

    async def test_asynchronously_too(self, make: Any) -> None:
        splitter = make(stable_ids=True)
        listed = splitter.split_documents(Shelf(7))
        assert [chunk async for chunk in splitter.alazy_split(Shelf(7).stream())] == listed
        assert [chunk async for chunk in splitter.alazy_split(Shelf(7))] == listed

    def test_no_more_documents_are_taken_than_are_split_at_once(self, make: Any) -> None:
        splitter, shelf = make(), Shelf(10_000)
        at_once = splitter.chunker.texts_at_once
        chunks = splitter.lazy_split(shelf)
        assert shelf.taken == 0
        for chunk in chunks:
            number = int(chunk.metadata["source"])
            assert shelf.taken == (number // at_once + 1) * at_once
            if number == 6:
                break


def test_lazy_split_rejects_one_document() -> None:
    with pytest.raises(TypeError, match=r"pass \[document\]"):
        next(GreedyTextSplitter().lazy_split(Document(page_content="x")))  # type: ignore[arg-type]


def test_estimates_take_documents_and_read_markdown_as_splitting_does() -> None:
    splitter = LumberTextSplitter(llm=second)
    listing = "# Clocks\n\n" + "- one\n\n- two\n\n" * 300
    plain, marked = (
        Document(page_content=listing),
        Document(page_content=listing, metadata={"source": "a.md"}),
    )
    estimate = splitter.estimate(iter([plain, marked]), prices=Prices(1, 1))
    chunker = LumberChunker(second)
    assert estimate == chunker.estimate(
        [listing, Source(listing, format="markdown")], prices=Prices(1, 1)
    )
    assert estimate != splitter.estimate([plain, plain])
    assert estimate.cost is not None
    with pytest.raises(TypeError, match="use create_documents or split_text"):
        splitter.estimate(["text"])  # type: ignore[list-item]


def test_show_gives_the_chunks_in_colours() -> None:
    splitter = GreedyTextSplitter(chunk_size=12, chunk_overlap=4)
    view = splitter.show(TEXT)
    assert view.spans == splitter.segment(TEXT).spans
    assert view._repr_html_().count("background:") == len(view.spans) > 2
