"""Markdown in LangChain: recognised by metadata, headings in the chunks' metadata."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_lumber import BertTextSplitter, GreedyTextSplitter, LumberTextSplitter
from lumber_core import LexicalJudge

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
SPLITTERS: dict[str, Any] = {
    "greedy": lambda **options: GreedyTextSplitter(**{"target_size": 20, **options}),
    "lumber": lambda **options: LumberTextSplitter(judge=LexicalJudge(), theta=20, **options),
    "bert": lambda **options: BertTextSplitter(chunk_size=40, **options),
}


def split(splitter: Any, **metadata: Any) -> list[Document]:
    return list(splitter.split_documents([Document(TEXT, metadata=metadata)]))


@pytest.mark.parametrize("make", SPLITTERS.values(), ids=SPLITTERS)
def test_each_chunk_has_the_titles_above_its_first_words(make: Any) -> None:
    for chunk in split(make(add_start_index=True), source="docs/install.md"):
        start = chunk.metadata["start_index"]
        assert TEXT[start:].startswith(chunk.page_content)
        expected = (
            None
            if start < TEXT.index("# Install")
            else "Install"
            if start < TEXT.index("## From")
            else "Install > From source"
            if start < TEXT.index("# Use")
            else "Use"
        )
        assert chunk.metadata.get("headings") == expected


@pytest.mark.parametrize("name", SPLITTERS)
def test_code_stays_whole_in_a_file_that_is_markdown_by_its_name(name: str) -> None:
    chunks = split(SPLITTERS[name](), file_path="README.MD")
    assert any(FENCE in chunk.page_content for chunk in chunks)


@pytest.mark.parametrize("metadata", [{}, {"source": "notes.txt"}, {"source": 5}, {"source": None}])
def test_other_documents_are_split_as_ever(metadata: dict[str, Any]) -> None:
    splitter = GreedyTextSplitter(target_size=20)
    chunks = split(splitter, **metadata)
    assert [chunk.page_content for chunk in chunks] == splitter.split_text(TEXT)
    assert not any("headings" in chunk.metadata for chunk in chunks)


def test_units_that_the_user_chose_are_kept() -> None:
    splitter = GreedyTextSplitter(target_size=20, units="paragraphs")
    chunks = split(splitter, source="a.md")
    assert [chunk.page_content for chunk in chunks] == splitter.split_text(TEXT)


def test_markdown_units_need_no_metadata() -> None:
    splitter = GreedyTextSplitter(target_size=20, units="markdown")
    chunks = splitter.create_documents([TEXT])
    assert chunks[-1].metadata == {"headings": "Use"}
    assert [chunk.page_content for chunk in chunks] == splitter.split_text(TEXT)


async def test_asynchronous_splitting_gives_the_same_chunks() -> None:
    documents = [Document(TEXT, metadata={"source": name}) for name in ("a.md", "a.txt")]
    splitter = GreedyTextSplitter(target_size=20, chunk_overlap=5)
    assert await splitter.asplit_documents(documents) == splitter.split_documents(documents)


@pytest.mark.parametrize("size", [25, 50, 100])
def test_no_chunk_of_markdown_is_above_the_limit_and_no_row_is_cut(size: int) -> None:
    rows = "".join(f"| item {number} | {number * 7} |\n" for number in range(100))
    text = f"# List\n\n| what | how many |\n| ---- | -------- |\n{rows}"
    splitter = GreedyTextSplitter(chunk_size=size, units="markdown", strip_whitespace=False)
    chunks = splitter.split_text(text)
    assert max(splitter.chunker.counter.count(chunks)) <= size
    assert "".join(chunks) == text
    assert all(chunk.endswith("|\n") for chunk in chunks)
