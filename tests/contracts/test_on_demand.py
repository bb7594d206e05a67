"""Documents of any number, split as they come: the chunks of the whole list, and no long wait."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from typing import Any

import pytest
from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import Document as LlamaIndexDocument

from langchain_lumber import LumberTextSplitter
from llamaindex_lumber import LumberNodeParser
from tests.contracts.splitters import NODE_PARSERS, TEXT_SPLITTERS, second_unit

TEXT = (
    "Ada mended the clock. She oiled the spring.\n\nThen she set the hands.\n\n"
    "At sea the storm broke. Sails tore.\n\nThe mate went below.\n"
)


class Shelf:
    """Documents on demand, and how many were taken."""

    def __init__(self, splitter: Any, count: int) -> None:
        self.taken = 0
        self._for_langchain = hasattr(splitter, "split_documents")
        self._count = count

    def __iter__(self) -> Iterator[Any]:
        for number in range(self._count):
            self.taken += 1
            text, name = f"{number}. {TEXT}", str(number)
            if self._for_langchain:
                yield LangChainDocument(page_content=text, metadata={"source": name}, id=name)
            else:
                yield LlamaIndexDocument(text=text, id_=name, metadata={"source": name})

    async def stream(self) -> AsyncIterator[Any]:
        for document in self:
            yield document


ASKED_TOGETHER: dict[str, Any] = {"llm": second_unit, "max_concurrency": 3, "chunk_size": 24}
ADAPTERS: dict[str, Callable[[], Any]] = {
    **{
        f"LangChain, {name}": partial(make, chunk_size=24, stable_ids=True, add_metadata=True)
        for name, make in TEXT_SPLITTERS.items()
    },
    "LangChain, three asked together": lambda: LumberTextSplitter(**ASKED_TOGETHER),
    **{f"LlamaIndex, {name}": partial(make, chunk_size=24) for name, make in NODE_PARSERS.items()},
    "LlamaIndex, three asked together": lambda: LumberNodeParser(**ASKED_TOGETHER),
}
every_adapter = pytest.mark.parametrize("make", ADAPTERS.values(), ids=ADAPTERS)


def data(chunks: Iterable[Any]) -> list[dict[str, Any]]:
    return [chunk.model_dump() for chunk in chunks]


@every_adapter
async def test_the_chunks_are_those_of_the_list(make: Callable[[], Any]) -> None:
    splitter = make()
    split = getattr(splitter, "split_documents", None) or splitter.get_nodes_from_documents
    listed = data(split([*Shelf(splitter, 7)]))
    assert len(listed) > 7
    assert data(splitter.lazy_split(Shelf(splitter, 7))) == listed
    for given in (Shelf(splitter, 7), Shelf(splitter, 7).stream()):
        assert data([chunk async for chunk in splitter.alazy_split(given)]) == listed


@every_adapter
def test_no_more_documents_are_taken_than_are_split_at_once(make: Callable[[], Any]) -> None:
    splitter = make()
    shelf, at_once = Shelf(splitter, 10_000), splitter.chunker.texts_at_once
    chunks = splitter.lazy_split(shelf)
    assert shelf.taken == 0
    for chunk in chunks:
        number = int(chunk.metadata["source"])
        assert shelf.taken == (number // at_once + 1) * at_once
        if number == 6:
            break


@pytest.mark.parametrize("name", ["LangChain, greedy", "LlamaIndex, greedy"])
def test_one_document_is_refused(name: str) -> None:
    splitter = ADAPTERS[name]()
    with pytest.raises(TypeError, match=r"pass \[document\]"):
        next(splitter.lazy_split(next(iter(Shelf(splitter, 1)))))


@pytest.mark.parametrize("name", ["LangChain, greedy", "LlamaIndex, greedy"])
def test_chunks_are_shown_in_colours(name: str) -> None:
    splitter = ADAPTERS[name]()
    view = splitter.show(TEXT)
    assert view.spans == splitter.segment(TEXT).spans
    assert view._repr_html_().count("background:") == len(view.spans) > 1
