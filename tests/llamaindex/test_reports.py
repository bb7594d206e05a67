"""Failures and usage of each document are reported by its number."""

from __future__ import annotations

from typing import Any

from llama_index.core.schema import Document, MetadataMode

from llamaindex_lumber import LumberNodeParser
from lumber_core import Group

NAMES = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
LONG = "".join(f"Paragraph {name}.\n\n" for name in NAMES)


def answers(group: Group) -> object:
    """Name the group's second unit, then give an unusable answer, then find no shift."""
    if group.texts[0].startswith("Paragraph one"):
        return group.start + 1
    return "what?" if group.texts[0].startswith("Paragraph two") else None


def split(**settings: Any) -> list[Any]:
    splitter = LumberNodeParser(
        judge=answers, on_failure="keep_group", theta=18, tokenizer=words, **settings
    )
    return splitter.get_nodes_from_documents([Document(text=LONG, metadata={"source": "a"})])


def words(text: str) -> int:
    """Count 3 tokens a word."""
    return 3 * len(text.split())


def test_chunks_say_on_request_how_their_starts_were_decided() -> None:
    chunks = split(add_verdicts=True)
    told = [(chunk.text.split()[:2], chunk.metadata.get("verdict")) for chunk in chunks]
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
    assert all(node.metadata == {"source": "a"} for node in split())


def test_verdicts_are_not_embedded() -> None:
    for node in split(add_verdicts=True):
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            assert "verdict" not in node.get_content(metadata_mode=mode)


def test_the_setting_is_part_of_the_cache_key_and_survives_a_round_trip() -> None:
    parser = LumberNodeParser(add_verdicts=True)
    assert parser.to_dict() != LumberNodeParser().to_dict()
    assert LumberNodeParser.from_dict(parser.to_dict()).add_verdicts


def test_an_empty_text_has_no_verdict() -> None:
    (node,) = LumberNodeParser(add_verdicts=True).get_nodes_from_documents([Document(text="")])
    assert node.metadata == {}
