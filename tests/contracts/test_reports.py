"""What became of each document is reported in both frameworks: failures and usage, by number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import Document as LlamaIndexDocument

from langchain_lumber import LumberTextSplitter
from llamaindex_lumber import LumberNodeParser
from lumber_core import Group, Segmentation, Usage

TEXTS = ["One.\n\nTwo.", "Three.\n\nFour.\n\nFive."]


def split_with_langchain(**settings: Any) -> None:
    documents = [LangChainDocument(text) for text in TEXTS]
    LumberTextSplitter(**settings).split_documents(documents)


def split_with_llamaindex(**settings: Any) -> None:
    documents = [LlamaIndexDocument(text=text) for text in TEXTS]
    LumberNodeParser(**settings).get_nodes_from_documents(documents)


@pytest.mark.parametrize("split", [split_with_langchain, split_with_llamaindex])
def test_failures_and_usage_of_each_document_are_reported(split: Callable[..., None]) -> None:
    reported: dict[int, tuple[str, Segmentation]] = {}

    def judge(group: Group) -> int | str:
        return "two" if group.texts[0].startswith("Three") else 1

    def report(number: int, text: str, segmentation: Segmentation) -> None:
        reported[number] = text, segmentation

    split(judge=judge, on_segmentation=report, on_failure="keep_group")
    assert [reported[number][0] for number in range(2)] == TEXTS
    assert [len(reported[number][1].failures) for number in range(2)] == [0, 1]
    assert reported[0][1].usage == Usage(calls=1)
