"""The kit's contracts on our own splitters: those of the core, and the adapters of both frameworks.

What the kit cannot see (white space, grapheme clusters, many texts at once, messages below Python)
is tested in `tests/contracts`, and how the work grows in its `test_growth.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from lumber_conformance import CONTRACTS, check_conformance
from lumber_core import Chunker
from tests.contracts.splitters import CHUNKERS, NODE_PARSERS, TEXT_SPLITTERS

# In a chain, nodes overlap twice, which offsets alone cannot show to be right. Asynchronous calls
# and threads have to repeat the result as well.
LEFT_OUT = ("linear", "chains", "repeatable")
EVERY = [contract.key for contract in CONTRACTS if contract.key not in LEFT_OUT]
OF_THE_CORE = ["fork", "pickle"]
OF_CHUNKS = ["text", "slices", "offsets", "limit"]
OVERLAPPING = {"chunk_size": 60, "chunk_overlap": 20, "tokenizer": "o200k_base"}


class InOneCall:
    """A splitter of the core in the form in which the kit takes splitters without a framework."""

    def __init__(self, chunker: Chunker) -> None:
        self.chunker = chunker
        self.chunk_size = chunker.chunk_size

    def chunk(self, text: str) -> list[SimpleNamespace]:
        return chunks_of(text, self.chunker.segment(text).spans)

    def chunk_batch(self, texts: list[str]) -> list[list[SimpleNamespace]]:
        made = self.chunker.segment_all(texts)
        return [chunks_of(text, one.spans) for text, one in zip(texts, made, strict=True)]

    async def achunk(self, text: str) -> list[SimpleNamespace]:
        return chunks_of(text, (await self.chunker.asegment(text)).spans)


def chunks_of(text: str, spans: Any) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(text=span.of(text), start_index=span.start, end_index=span.end)
        for span in spans
    ]


ADAPTERS = {
    f"{framework}, {name}": make
    for framework, splitters in (("LangChain", TEXT_SPLITTERS), ("LlamaIndex", NODE_PARSERS))
    for name, make in splitters.items()
}


@pytest.mark.parametrize("make", ADAPTERS.values(), ids=ADAPTERS)
def test_adapters_keep_every_contract_with_overlap(make: Callable[..., Any]) -> None:
    report = check_conformance(lambda: make(**OVERLAPPING), only=EVERY)
    assert report.passed, str(report)


@pytest.mark.parametrize("make", TEXT_SPLITTERS.values(), ids=TEXT_SPLITTERS)
def test_documents_that_keep_their_white_space_keep_the_limit(make: Callable[..., Any]) -> None:
    report = check_conformance(lambda: make(strip_whitespace=False, **OVERLAPPING), only=OF_CHUNKS)
    assert report.passed, str(report)


# The adapters stand on the others.
@pytest.mark.parametrize("name", ["bert as published", "lumber by bert"])
def test_splitters_of_the_core_can_be_copied_and_forked(name: str) -> None:
    make = CHUNKERS[name]
    report = check_conformance(lambda: InOneCall(make(chunk_size=60)), only=OF_THE_CORE)
    assert report.passed, str(report)
