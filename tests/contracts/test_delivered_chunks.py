import asyncio
import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lumber_core.tokens import token_counter
from tests.contracts.splitters import (
    CHUNKERS,
    NODE_PARSERS,
    TEXT_SPLITTERS,
    Chunk,
    asplit,
    document_for,
    facts_of,
    split,
)
from tests.contracts.texts import TEXTS
from tests.core.forking import works_in_a_fork

LIMIT, TOKENIZER = 60, "o200k_base"
OVERLAPPING: dict[str, Any] = {"chunk_size": LIMIT, "chunk_overlap": 20, "tokenizer": TOKENIZER}


def document(splitter: Any, text: str) -> Any:
    return document_for(splitter, text, source="a.txt", tags=["x", "y"])


def chunks_of(splitter: Any, text: str) -> list[Chunk]:
    return facts_of(split(splitter, document(splitter, text)))


def texts_for(splitter: Any) -> dict[str, str]:
    """Leave out lone surrogates for LlamaIndex, which hashes the UTF-8 of every document."""
    is_langchain = hasattr(splitter, "split_documents")
    return {name: text for name, text in TEXTS.items() if is_langchain or "surrogates" not in name}


def of_langchain(make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **more: make(add_start_index=True, **{**OVERLAPPING, **more})


def of_llama_index(make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **more: make(**{**OVERLAPPING, **more})


ADAPTERS: dict[str, Callable[..., Any]] = {
    **{f"LangChain, {name}": of_langchain(make) for name, make in TEXT_SPLITTERS.items()},
    **{f"LlamaIndex, {name}": of_llama_index(make) for name, make in NODE_PARSERS.items()},
}
every_adapter = pytest.mark.parametrize("make", ADAPTERS.values(), ids=ADAPTERS)


@pytest.mark.parametrize("overlap", [0, OVERLAPPING["chunk_overlap"]])
@pytest.mark.parametrize(
    ("name", "trimmed"),
    [
        (name, trimmed)
        for name in ADAPTERS
        for trimmed in ((True, False) if "LangChain" in name else (False,))
    ],
)
def test_chunks_are_at_their_offsets_and_keep_the_text_and_the_limit(
    name, trimmed, overlap
) -> None:
    more = {"strip_whitespace": trimmed} if "LangChain" in name else {}
    splitter = ADAPTERS[name](chunk_overlap=overlap, **more)
    for text in texts_for(splitter).values():
        chunks = chunks_of(splitter, text)
        bodies, end, before = [body for body, *_ in chunks], 0, -1
        for body, start, _ in chunks:
            assert text.startswith(body, start)
            assert before < start
            assert not text[end:start].strip()
            assert overlap or start >= end
            assert body == body.strip() or not trimmed
            before, end = start, max(end, start + len(body))
        assert not text[end:].strip()
        assert max(token_counter(TOKENIZER).count(bodies), default=0) <= LIMIT
        # LlamaIndex drops nodes that are only white space.
        if not (overlap or trimmed or text.isspace()):
            assert "".join(bodies) == text


@every_adapter
def test_asynchronous_calls_threads_and_copies_give_equal_chunks(make: Callable[..., Any]):
    splitter = make()
    texts = [text for text in texts_for(splitter).values() if len(text) < 600]
    expected = [chunks_of(splitter, text) for text in texts]

    async def all_texts() -> list[list[Chunk]]:
        return [facts_of(await asplit(splitter, document(splitter, text))) for text in texts]

    assert asyncio.run(all_texts()) == expected
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(lambda text: chunks_of(splitter, text), texts)] == expected
    copied = pickle.loads(pickle.dumps(splitter))
    assert [chunks_of(copied, text) for text in texts] == expected


@every_adapter
def test_a_forked_process_gives_the_same_chunks(make: Callable[..., Any]) -> None:
    splitter, text = make(), TEXTS["CR LF"]
    expected = chunks_of(splitter, text)

    def split_again() -> None:
        assert chunks_of(splitter, text) == chunks_of(make(), text) == expected

    assert works_in_a_fork(split_again)


# The other splitters are covered through their adapters.
@pytest.mark.parametrize("name", ["bert as published", "lumber by bert"])
def test_splitters_of_the_core_can_be_copied_and_forked(name: str) -> None:
    chunker, text = CHUNKERS[name](chunk_size=LIMIT), TEXTS["CR LF"]
    expected = chunker.segment(text)
    assert pickle.loads(pickle.dumps(chunker)).segment(text) == expected
    assert works_in_a_fork(lambda: chunker.segment(text) == expected or 1 / 0)


@every_adapter
def test_each_chunk_has_its_own_metadata_object(make: Callable[..., Any]) -> None:
    splitter = make()
    parent = document(splitter, TEXTS["CR LF"])
    metadata = copy.deepcopy(parent.metadata)
    first, *others = split(splitter, parent)
    first.metadata["tags"].append("z")
    first.metadata["source"] = "b.txt"
    assert parent.metadata == metadata
    assert others
    for chunk in others:
        assert {key: chunk.metadata[key] for key in metadata} == metadata
