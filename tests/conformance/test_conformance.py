"""The kit finds the faults of a splitter, and none in one without faults."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter
from llama_index.core.node_parser import SentenceSplitter

from lumber_conformance import CONTRACTS, SplitterConformance, check_conformance
from lumber_conformance.contracts import visible_characters_lost

QUICK = [contract.key for contract in CONTRACTS if contract.key != "linear"]


class Lines(TextSplitter):
    """Splits into pieces of 50 characters, with correct offsets."""

    def __init__(self) -> None:
        super().__init__(chunk_size=50, chunk_overlap=0)

    def split_text(self, text: str) -> list[str]:
        return [text[start : start + 50] for start in range(0, len(text), 50)]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        made = []
        for text, metadata in zip(texts, metadatas or [{}] * len(texts), strict=True):
            for number, chunk in enumerate(self.split_text(text)):
                own = {**metadata, "start_index": number * 50}
                own = {key: list(v) if isinstance(v, list) else v for key, v in own.items()}
                made.append(Document(page_content=chunk, metadata=own))
        return made


class Failing(Lines):
    def split_text(self, text: str) -> list[str]:
        if "\x00" in text:
            raise ValueError("no such character")
        return super().split_text(text)


class Losing(Lines):
    def split_text(self, text: str) -> list[str]:
        return super().split_text(text)[:-1]


class Changing(Lines):
    def split_text(self, text: str) -> list[str]:
        return [chunk.upper() for chunk in super().split_text(text)]


class Searching(Lines):
    """Finds its offsets by searching, as both frameworks do."""

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        made = super().create_documents(texts, metadatas)
        for document in made:
            document.metadata["start_index"] = texts[0].find(document.page_content)
        return made


class Overlong(Lines):
    def split_text(self, text: str) -> list[str]:
        return [text[start : start + 60] for start in range(0, len(text), 60)]


class Wavering(Lines):
    calls = 0

    def split_text(self, text: str) -> list[str]:
        type(self).calls += 1
        return super().split_text(text) if self.calls % 2 else [text]


class Printing(Lines):
    def split_text(self, text: str) -> list[str]:
        print("splitting", file=sys.stderr)  # noqa: T201
        return super().split_text(text)


class OtherwiseAsync(Lines):
    async def atransform_documents(self, documents: Any, **kwargs: Any) -> Any:
        return list(documents)


class Shared(Lines):
    """Keeps the text of a call where other threads overwrite it."""

    def split_text(self, text: str) -> list[str]:
        self.text = text
        time.sleep(0.001)
        return super().split_text(self.text)


class Hanging(Lines):
    """Fails in any process but the one it was made in."""

    home = os.getpid()

    def split_text(self, text: str) -> list[str]:
        if os.getpid() != self.home:
            raise RuntimeError("this is another process")
        return super().split_text(text)


class Unpicklable(Lines):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


class Grabbing(Lines):
    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        made = super().create_documents(texts, metadatas)
        for document in made:
            if metadatas and "tags" in metadatas[0]:
                document.metadata["tags"] = metadatas[0]["tags"]
        return made


class Quadratic(Lines):
    def split_text(self, text: str) -> list[str]:
        return [text[start:][:50] for start in range(0, len(text), 50) if self.visit(text)]

    def visit(self, text: str) -> bool:
        return sum(text.count(letter) for letter in "eta") >= 0


@pytest.mark.parametrize(
    ("broken", "make"),
    [
        ("errors", Failing),
        ("text", Losing),
        ("slices", Changing),
        ("offsets", Searching),
        ("limit", Overlong),
        ("repeatable", Wavering),
        ("quiet", Printing),
        ("async", OtherwiseAsync),
        ("threads", Shared),
        ("fork", Hanging),
        ("pickle", Unpicklable),
        ("metadata", Grabbing),
        ("linear", Quadratic),
    ],
)
def test_a_broken_promise_is_found(broken: str, make: Callable[[], TextSplitter]) -> None:
    report = check_conformance(make, only=[broken])
    assert [finding.contract.key for finding in report.broken] == [broken]
    assert report.broken[0].detail


def test_a_splitter_that_keeps_every_promise_passes() -> None:
    report = check_conformance(Lines, only=QUICK)
    assert report.passed, str(report)


def test_offsets_that_the_frameworks_search_for_are_recognised() -> None:
    def in_tokens() -> TextSplitter:
        return RecursiveCharacterTextSplitter(
            chunk_size=60, chunk_overlap=30, length_function=lambda text: len(text.split())
        )

    assert not check_conformance(in_tokens, only=["offsets"]).passed
    chained = check_conformance(
        lambda: SentenceSplitter(chunk_size=64, chunk_overlap=0), only=["chains"]
    )
    assert not chained.passed


def test_a_limit_of_the_callers_takes_the_place_of_the_splitters_own() -> None:
    in_words = check_conformance(
        Lines, only=["limit"], chunk_size=1, length=lambda text: len(text.split())
    )
    assert "exceed 1" in in_words.broken[0].detail


def test_a_contract_that_does_not_apply_is_no_failure() -> None:
    report = check_conformance(Lines, only=["chains"])
    assert report.findings[0].status == "not applicable"
    assert report.passed


def test_the_report_reads_as_a_table() -> None:
    lines = str(check_conformance(Losing, only=["text", "quiet"])).splitlines()
    assert lines[0] == "Losing"
    assert lines[1].startswith("  broken          loses no visible character: prose: ")
    assert lines[2] == "  kept            prints nothing"


@pytest.mark.parametrize(
    ("visible", "chunks", "lost"),
    [
        ("abcdef", ["abc", "def"], 0),
        ("abcdef", ["abc", "ef"], 1),
        ("abcdef", ["abcd", "cdef"], 0),
        ("ababab", ["ab", "ab", "ab"], 0),
        ("ababab", ["ab", "ab"], 2),
        ("abcdef", [], 6),
        ("abcdef", ["abc", "XYZ", "def"], 0),
    ],
)
def test_lost_characters_are_counted(visible: str, chunks: list[str], lost: int) -> None:
    assert visible_characters_lost(visible, chunks) == lost


@given(
    st.text("ab", min_size=1, max_size=40),
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9))),
)
@example("bbbbbbb", [(3, 0), (1, 2), (3, 2)])
def test_nothing_is_lost_in_chunks_that_overlap_in_a_text_that_repeats_itself(
    text: str, steps: list[tuple[int, int]]
) -> None:
    chunks, start, end = [], 0, 0
    for more, overlap in [*steps, (len(text), 0)]:
        start, end = max(start, end - overlap), min(len(text), end + more)
        chunks.append(text[start:end])
    assert visible_characters_lost(text, chunks) == 0


def test_what_is_no_splitter_is_refused() -> None:
    with pytest.raises(TypeError, match="must return a LangChain TextSplitter"):
        check_conformance(lambda: "text")
    with pytest.raises(TypeError, match="function without arguments"):
        check_conformance(Lines())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown contract 'tokens'"):
        check_conformance(Lines, only=["tokens"])
    with pytest.raises(TypeError, match="not one string"):
        check_conformance(Lines, only="text")


class TestSuiteOfOurs(SplitterConformance):
    """The base class as a user inherits it."""

    def make_splitter(self) -> Any:
        return Lines()


def test_the_suite_has_a_test_for_every_contract() -> None:
    tests = [name for name in vars(SplitterConformance) if name.startswith("test_")]
    assert len(tests) == len(CONTRACTS)
