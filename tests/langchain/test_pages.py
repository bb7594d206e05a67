"""Pages and lines in LangChain: pages of a loader joined, and where each chunk comes from."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_lumber import BertTextSplitter, GreedyTextSplitter, join_pages
from lumber_core import BertChunker
from lumber_core.chunking.delivery import Delivery
from lumber_files import read_file
from tests.making_files import pdf

TITLE = "The Otter Handbook, third edition"
PROSE = (
    "Otters are long and slender animals that live along clean rivers and on the coast of the sea. "
    "They hunt fish at dawn and eat it on the bank, where they leave the bones beside their holts. "
    "A mother teaches her young to swim in the third month and stays with them for almost a year. "
    "In winter they slide down the snow on their bellies, which looks like a game and is one. "
)


def printed(pages: int, lines: int = 14, width: int = 66) -> list[list[str]]:
    """Return printed pages, each with a running title and its number, that end inside sentences."""
    words, rows, row = (PROSE * 3 * pages).split(), [], ""
    for word in words:
        if len(row) + len(word) >= width:
            rows.append(row)
            row = ""
        row = f"{row} {word}".strip()
    bodies = [rows[n * lines : (n + 1) * lines] for n in range(pages)]
    return [[TITLE, *body, str(n)] for n, body in enumerate(bodies, start=1)]


def page(number: int, text: str, source: str | None = "a.pdf", **own: Any) -> Document:
    """Return a page as PyPDFLoader does."""
    return Document(text, metadata={"source": source, "page": number, "total_pages": 9, **own})


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    path = tmp_path / "handbook.pdf"
    path.write_bytes(pdf(printed(5)))
    return path


def load(path: Path) -> list[Document]:
    pytest.importorskip("langchain_community")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it is no longer maintained
        from langchain_community.document_loaders import PyPDFLoader
    return list(PyPDFLoader(str(path)).load())


def in_mid_sentence(chunks: list[Document]) -> int:
    """Return how many chunks but the last end inside a sentence, page numbers aside."""
    ends = [chunk.page_content.rstrip("0123456789\n ") for chunk in chunks[:-1]]
    return sum(not end.endswith((".", TITLE)) for end in ends)


def test_chunks_of_joined_pages_go_on_to_the_next_page_and_say_so(handbook: Path) -> None:
    pages = load(handbook)
    (joined,) = join_pages(pages)
    splitter = BertTextSplitter(chunk_size=120, add_start_index=True)
    apart, chunks = splitter.split_documents(pages), splitter.split_documents([joined])
    assert in_mid_sentence(apart) >= 4
    assert in_mid_sentence(chunks) == 0
    starts = joined.metadata["page_starts"]
    assert any(chunk.metadata["page_first"] < chunk.metadata["page_last"] for chunk in chunks)
    for chunk in chunks:
        start = chunk.metadata["start_index"]
        end = start + len(chunk.page_content)
        assert joined.page_content[start:end] == chunk.page_content
        within = [n for n, at in enumerate(starts, 1) if at <= end - 1]
        first = [n for n, at in enumerate(starts, 1) if at <= start]
        assert (chunk.metadata["page_first"], chunk.metadata["page_last"]) == (
            first[-1],
            within[-1],
        )
        assert chunk.metadata["total_pages"] == 5
        assert not {"page", "page_label", "page_starts"} & chunk.metadata.keys()


def test_joined_pages_have_the_text_and_chunks_of_the_file(handbook: Path) -> None:
    file, (joined,) = read_file(handbook), join_pages(load(handbook))
    assert joined.page_content == file.text
    assert tuple(joined.metadata["page_starts"]) == file.pages
    chunks = BertTextSplitter(add_metadata=True).split_documents([joined])
    of_file = BertChunker().split(file, Delivery(trim=True))
    assert [chunk.page_content for chunk in chunks] == [chunk.text for chunk in of_file]
    for chunk, other in zip(chunks, of_file, strict=True):
        said = chunk.metadata
        assert (said["page_first"], said["page_last"]) == other.pages
        assert (said["line_first"], said["line_last"]) == other.lines


def test_a_document_that_is_no_page_stays_as_it_is_and_joining_again_changes_nothing() -> None:
    note = Document("A note.", metadata={"source": "a.txt", "own": ["x"]}, id="note")
    documents = [note, page(0, "One."), page(1, "Two."), note, page(0, "Alone.", "b.pdf")]
    documents[1].id = "one"
    before = [document.model_copy(deep=True) for document in documents]
    joined = join_pages(iter(documents))
    assert [document.page_content for document in joined] == [
        "A note.",
        "One.\fTwo.",
        "A note.",
        "Alone.",
    ]
    assert joined[0] is note
    assert joined[1].id == "one"
    assert joined[3].metadata == {"source": "b.pdf", "total_pages": 9, "page_starts": [0]}
    assert join_pages(joined) == joined
    assert documents == before
    assert join_pages([]) == []
    with pytest.raises(TypeError, match=r"pass \[document\]"):
        join_pages(note)  # type: ignore[arg-type]


def test_pages_that_are_not_joined_and_form_feeds_give_pages_on_request() -> None:
    documents = [page(4, "Five."), Document("One.\fTwo."), Document("Plain.")]
    chunks = GreedyTextSplitter(target_size=3, add_metadata=True).split_documents(documents)
    assert [chunk.metadata.get("page_first") for chunk in chunks] == [5, 1, 2, None]
    assert [chunk.metadata.get("page_last") for chunk in chunks] == [5, 1, 2, None]
    for chunk in GreedyTextSplitter(target_size=3).split_documents(documents):
        assert not {"page_first", "page_last", "line_first"} & chunk.metadata.keys()


def test_chunks_of_chunks_have_pages_and_lines_of_the_file() -> None:
    texts = ["Ann ran. She fell.\nShe got up.", "Bob slept. He woke.\nHe ran.", "Eve ate. She sat."]
    joined = join_pages([page(n, text) for n, text in enumerate(texts)])
    parents = GreedyTextSplitter(target_size=14, add_metadata=True).split_documents(joined)
    children = GreedyTextSplitter(target_size=3).split_documents(parents)
    assert len(parents) < len(children)
    for child in children:
        at = joined[0].page_content.index(child.page_content)
        before = joined[0].page_content[:at]
        assert child.metadata["page_first"] == before.count("\f") + 1
        assert child.metadata["line_first"] == before.count("\n") + 1
