"""What became of each document: failures and usage, by its number."""

from __future__ import annotations

from langchain_core.documents import Document

from langchain_lumber import LumberTextSplitter
from lumber_core import Group, Segmentation, Usage

TEXTS = ["One.\n\nTwo.", "Three.\n\nFour.\n\nFive."]


def test_failures_and_usage_of_each_document_are_reported() -> None:
    reported: dict[int, tuple[str, Segmentation]] = {}

    def judge(group: Group) -> int | str:
        return "two" if group.texts[0].startswith("Three") else 1

    def report(number: int, text: str, segmentation: Segmentation) -> None:
        reported[number] = text, segmentation

    splitter = LumberTextSplitter(judge=judge, on_segmentation=report, on_failure="keep_group")
    splitter.split_documents([Document(text) for text in TEXTS])
    assert [reported[number][0] for number in range(2)] == TEXTS
    assert [len(reported[number][1].failures) for number in range(2)] == [0, 1]
    assert reported[0][1].usage == Usage(calls=1)
