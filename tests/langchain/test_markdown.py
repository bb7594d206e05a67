"""Markdown in LangChain: recognised by metadata, headings in the chunks' metadata."""

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_lumber import BertTextSplitter, GreedyTextSplitter, LumberTextSplitter
from tests.lexical_judge import LexicalJudge

TEXT = """\
Words above all headings.

# Install

Take the box.

## From source

```sh
make all

make install
```

| tool | version |
| ---- | ------- |
| make | 4.4     |

# Use

Run it twice a day.
"""
FENCE = TEXT[TEXT.index("```sh") : TEXT.index("| tool")].strip()
HEADINGS = {"Words": "", "# Install": "Install", "## From": "Install > From source", "# Use": "Use"}
SPLITTERS: dict[str, Any] = {
    "greedy": lambda **options: GreedyTextSplitter(**{"target_size": 20, **options}),
    "lumber": lambda **options: LumberTextSplitter(llm=LexicalJudge(), theta=20, **options),
    "bert": lambda **options: BertTextSplitter(chunk_size=40, **options),
}


def split(splitter: Any, **metadata: Any) -> list[Document]:
    return list(splitter.split_documents([Document(TEXT, metadata=metadata)]))


@pytest.mark.parametrize("make", SPLITTERS.values(), ids=SPLITTERS)
def test_each_chunk_has_the_titles_above_its_first_words(make: Any) -> None:
    for chunk in split(make(add_start_index=True), source="docs/install.md"):
        start = chunk.metadata["start_index"]
        assert TEXT[start:].startswith(chunk.page_content)
        above = [titles for words, titles in HEADINGS.items() if TEXT.index(words) <= start]
        assert chunk.metadata["headings"] == above[-1]


@pytest.mark.parametrize("metadata", [{}, {"source": "notes.txt"}, {"source": 5}, {"source": None}])
def test_other_documents_are_split_as_ever(metadata: dict[str, Any]) -> None:
    splitter = GreedyTextSplitter(target_size=20)
    chunks = split(splitter, **metadata)
    assert [chunk.page_content for chunk in chunks] == splitter.split_text(TEXT)
    assert not any(chunk.metadata["headings"] for chunk in chunks)


def test_markdown_units_need_no_metadata() -> None:
    splitter = GreedyTextSplitter(target_size=20, units="markdown")
    chunks = splitter.create_documents([TEXT])
    assert chunks[-1].metadata == {"headings": "Use", "heading_levels": "", "headings_inside": ""}
    assert [chunk.page_content for chunk in chunks] == splitter.split_text(TEXT)


NESTED = """\
# Boats

A word on boats.

## Sails

Dry them after rain, and fold them along the seams. Never leave them wet.

### Repairs

Sew a tear at once with waxed thread. Patch a hole on both sides of the cloth.

## Oars

Oil them once a year. Keep them in the shade, or the blades will crack.

### Repairs

Bind a split shaft with cord and glue it under tension for a night.
"""


TITLES = {
    "A word": "Boats",
    "Dry them": "Boats > Sails",
    "Sew a tear": "Boats > Sails > Repairs",
    "Oil them": "Boats > Oars",
    "Bind a": "Boats > Oars > Repairs",
}


@pytest.mark.parametrize(
    "parent_splitter",
    [GreedyTextSplitter(chunk_size=80), BertTextSplitter(chunk_size=80)],
    ids=["greedy", "bert"],
)
def test_children_of_a_parent_keep_the_titles_above_the_parent(parent_splitter: Any) -> None:
    retrievers = pytest.importorskip("langchain_classic.retrievers")
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=4))
    retriever = retrievers.ParentDocumentRetriever(
        vectorstore=store,
        docstore=InMemoryStore(),
        parent_splitter=parent_splitter,
        child_splitter=GreedyTextSplitter(chunk_size=20),
    )
    retriever.add_documents([Document(NESTED, metadata={"source": "boats.md"})])
    children = store.store.values()
    for words, titles in TITLES.items():
        assert [c["metadata"]["headings"] for c in children if words in c["text"]] == [titles]


def test_headings_of_other_tools_are_above_those_of_the_text() -> None:
    document = Document("# A\n\nb", metadata={"source": "a.md", "headings": ["Other", "A"]})
    (chunk,) = GreedyTextSplitter().split_documents([document])
    assert chunk.metadata["headings"] == "Other > A"
