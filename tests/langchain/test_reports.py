"""Failures and usage of each document are reported by its number."""

from __future__ import annotations

from typing import Any

from langchain_core.documents import Document

from langchain_lumber import LumberTextSplitter
from lumber_core import Group

NAMES = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
LONG = "".join(f"Paragraph {name}.\n\n" for name in NAMES)


def answers(group: Group) -> object:
    """Name the group's second unit, then give an unusable answer, then find no shift."""
    if group.texts[0].startswith("Paragraph one"):
        return group.start + 1
    return "what?" if group.texts[0].startswith("Paragraph two") else None


def split(**settings: Any) -> list[Document]:
    splitter = LumberTextSplitter(
        judge=answers, on_failure="keep_group", theta=18, tokenizer=words, **settings
    )
    return splitter.split_documents([Document(LONG, metadata={"source": "a"})])


def words(text: str) -> int:
    """Count 3 tokens a word."""
    return 3 * len(text.split())


def test_chunks_say_on_request_how_their_starts_were_decided() -> None:
    chunks = split(add_verdicts=True)
    told = [(chunk.page_content.split()[:2], chunk.metadata.get("verdict")) for chunk in chunks]
    assert told == [
        (["Paragraph", "one."], None),
        (["Paragraph", "two."], "shift"),
        (["Paragraph", "five."], "unreadable"),
        (["Paragraph", "eight."], "no_shift"),
    ]
    reasons = [chunk.metadata.get("verdict_reason") for chunk in chunks]
    assert [reason is not None for reason in reasons] == [v == "unreadable" for _, v in told]
    assert reasons[2] is not None
    assert "the judge returned str" in reasons[2]
    assert reasons[2].endswith("the group was kept whole")
    assert all(chunk.metadata["source"] == "a" for chunk in chunks)


def test_nothing_is_said_unless_asked_for() -> None:
    assert all(chunk.metadata == {"source": "a"} for chunk in split())


def test_overlap_and_trimming_leave_each_verdict_with_its_chunk() -> None:
    plain = [chunk.metadata.get("verdict") for chunk in split(add_verdicts=True)]
    loose = split(add_verdicts=True, strip_whitespace=False)
    assert [chunk.metadata.get("verdict") for chunk in loose] == plain
    overlapping = split(add_verdicts=True, chunk_overlap=6)
    assert overlapping[2].page_content.startswith("Paragraph four.")
    assert [chunk.metadata.get("verdict") for chunk in overlapping] == plain


async def test_asynchronous_splitting_says_the_same() -> None:
    splitter = LumberTextSplitter(judge=answers, add_verdicts=True, on_failure="keep_group")
    document = Document(LONG)
    assert await splitter.asplit_documents([document]) == splitter.split_documents([document])
