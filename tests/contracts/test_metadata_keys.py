"""All chunks of a splitter have the same metadata keys, of types that every vector store takes."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.documents import Document
from llama_index.core import Document as LlamaDocument
from llama_index.core.schema import MetadataMode

from langchain_lumber import GreedyTextSplitter, LayoutTextSplitter, LumberTextSplitter
from llamaindex_lumber import GreedyNodeParser, LayoutNodeParser, LumberNodeParser
from lumber_core.lumber.grouping import Group

TEXTS = {
    "boats.md": "A word first.\n\n# Boats\n\nRow out.\n\n## Oars\n\nTwo oars.\n\n# Nets\n\nDry.\n",
    "prices.md": "# Prices\n\n| Boat | Hour |\n| --- | --- |\n" + "| Gull | 2 |\n" * 40,
    "plain.txt": "Gulls sleep. They wake early. The bakers wake later.",
    "rows.csv": "name,price\n" + "gull,2\n" * 60,
}


def judge(group: Group) -> object:
    """Find a shift, then give an answer that cannot be read."""
    return group.start + 1 if group.start == 0 else "what?"


def langchain_metadata(make: Any, **settings: Any) -> list[dict[str, Any]]:
    documents = [Document(text, metadata={"source": name}) for name, text in TEXTS.items()]
    chunks = make(chunk_size=40, **settings).split_documents(documents)
    again = make(chunk_size=10, **settings).split_documents(chunks)
    assert len(chunks) > 8
    return [chunk.metadata for chunk in [*chunks, *again]]


def llamaindex_metadata(make: Any, **settings: Any) -> list[dict[str, Any]]:
    documents = [
        LlamaDocument(text=text, metadata={"file_name": name}) for name, text in TEXTS.items()
    ]
    nodes = make(chunk_size=60, **settings)(documents)
    again = make(chunk_size=55, **settings)(nodes)
    assert len(nodes) > 8
    return [node.metadata for node in [*nodes, *again]]


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize(
    ("read", "make", "settings"),
    [
        (langchain_metadata, LayoutTextSplitter, {}),
        (langchain_metadata, GreedyTextSplitter, {"add_start_index": True}),
        (langchain_metadata, LumberTextSplitter, {"llm": judge, "theta": 20}),
        (llamaindex_metadata, LayoutNodeParser, {}),
        (llamaindex_metadata, GreedyNodeParser, {"context": False}),
        (llamaindex_metadata, LumberNodeParser, {"llm": judge, "theta": 20}),
    ],
)
def test_all_chunks_of_a_splitter_have_the_same_keys(
    read: Callable[..., Any], make: Any, settings: dict[str, Any], everything: bool
) -> None:
    found = read(make, add_metadata=everything, **settings)
    assert {frozenset(metadata) for metadata in found} == {frozenset(found[0])}
    assert {type(value) for metadata in found for value in metadata.values()} <= {str, int}


def test_keys_without_a_value_are_not_embedded() -> None:
    (node,) = LayoutNodeParser()([LlamaDocument(text="Gulls sleep.", metadata={"year": 2024})])
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert node.get_content(mode) == "year: 2024\n\nGulls sleep."


def test_what_a_document_brings_stays_as_it_is() -> None:
    own = {"source": "a.md", "tags": ["a"], "none": None, "headings": "Above", "more": {"a": 1}}
    for everything in (False, True):
        splitter = LayoutTextSplitter(add_metadata=everything)
        (chunk,) = splitter.split_documents([Document("Gulls sleep.", metadata=own)])
        assert {key: chunk.metadata[key] for key in own} == own
