import asyncio
from typing import Any

import pytest
from llama_index.core.schema import Document as LlamaIndexDocument
from llama_index.core.schema import MetadataMode

from langchain_lumber import LumberTextSplitter
from llamaindex_lumber import LumberNodeParser
from lumber_core import Group, Segmentation, Usage
from tests.contracts.splitters import Chunk, asplit, document_for, facts_of, split

TEXTS = ["One.\n\nTwo.", "Three.\n\nFour.\n\nFive."]
NAMES = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
LONG = "".join(f"Paragraph {name}.\n\n" for name in NAMES)
UNTIL_FAILURE = {"on_failure": "keep_group", "theta": 18, "chunk_size": None}

in_both_frameworks = pytest.mark.parametrize("make", [LumberTextSplitter, LumberNodeParser])


def chunks_of(make: Any, *texts: str, **settings: Any) -> list[Chunk]:
    splitter = make(**settings)
    return facts_of(split(splitter, *(document_for(splitter, text, source="a") for text in texts)))


def words(text: str) -> int:
    """Count three tokens for each word."""
    return 3 * len(text.split())


def answers(group: Group) -> object:
    """Name the group's second unit, then give an unusable answer, then find no shift."""
    if group.texts[0].startswith("Paragraph one"):
        return group.start + 1
    return "what?" if group.texts[0].startswith("Paragraph two") else None


@in_both_frameworks
def test_failures_and_usage_of_each_document_are_reported(make: Any) -> None:
    reported: dict[int, tuple[str, Segmentation]] = {}

    def judge(group: Group) -> int | str:
        return "two" if group.texts[0].startswith("Three") else 1

    def report(number: int, text: str, segmentation: Segmentation) -> None:
        reported[number] = text, segmentation

    chunks_of(make, *TEXTS, llm=judge, on_segmentation=report, on_failure="keep_group")
    assert [reported[number][0] for number in range(2)] == TEXTS
    assert [len(reported[number][1].failures) for number in range(2)] == [0, 1]
    assert reported[0][1].usage == Usage(calls=1)


@in_both_frameworks
def test_chunks_state_on_request_how_their_starts_were_decided(make: Any) -> None:
    chunks = chunks_of(make, LONG, llm=answers, tokenizer=words, add_metadata=True, **UNTIL_FAILURE)
    verdicts = [(text.split()[:2], metadata["verdict"]) for text, _, metadata in chunks]
    assert verdicts == [
        *((["Paragraph", "one."], ""), (["Paragraph", "two."], "shift")),
        *((["Paragraph", "five."], "unreadable"), (["Paragraph", "eight."], "no_shift")),
    ]
    reasons: list[Any] = [metadata["verdict_reason"] for *_, metadata in chunks]
    assert [reason != "" for reason in reasons] == [v == "unreadable" for _, v in verdicts]
    assert "the judge returned str" in reasons[2]
    assert reasons[2].endswith("the group was kept whole")
    assert all(metadata["source"] == "a" for *_, metadata in chunks)


def test_overlap_and_trimming_leave_each_verdict_with_its_chunk() -> None:
    def verdicts(**settings: Any) -> list[str | None]:
        settings |= {"llm": answers, "tokenizer": words, "add_metadata": True, **UNTIL_FAILURE}
        chunks = chunks_of(LumberTextSplitter, LONG, **settings)
        texts.append([text for text, *_ in chunks])
        return [metadata.get("verdict") for *_, metadata in chunks]

    texts: list[list[str]] = []
    plain = verdicts()
    assert verdicts(strip_whitespace=False) == plain
    assert verdicts(chunk_overlap=6) == plain
    assert texts[2][2].startswith("Paragraph four.")


def test_verdicts_are_not_embedded() -> None:
    parser = LumberNodeParser(llm=answers, tokenizer=words, add_metadata=True, **UNTIL_FAILURE)
    for node in parser.get_nodes_from_documents([LlamaIndexDocument(text=LONG)]):
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            assert "verdict" not in node.get_content(metadata_mode=mode)


@in_both_frameworks
def test_asynchronous_calls_ask_about_several_documents_at_once(make: Any) -> None:
    at_once, most = 0, 0
    full = asyncio.Event()

    async def judge(group: Group) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        if at_once == 8:
            full.set()
        await asyncio.wait_for(full.wait(), 120)
        await asyncio.sleep(0.01)  # time for further calls to arrive
        at_once -= 1

    splitter = make(llm=judge)
    asyncio.run(asplit(splitter, *(document_for(splitter, LONG) for _ in range(10))))
    assert most == 8
