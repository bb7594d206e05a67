"""Chunks as every adapter delivers them, with overlap, however it is run."""

import asyncio
import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

import pytest
from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import Document as LlamaIndexDocument

from lumber_core.tokens import token_counter
from tests.contracts.splitters import CHUNKERS, NODE_PARSERS, TEXT_SPLITTERS
from tests.contracts.texts import TEXTS

LIMIT, TOKENIZER = 60, "o200k_base"
OVERLAPPING: dict[str, Any] = {"chunk_size": LIMIT, "chunk_overlap": 20, "tokenizer": TOKENIZER}
PATIENCE = 120  # seconds for a forked process

Chunk = tuple[str, int, dict[str, Any]]


def document_for(splitter: Any, text: str) -> Any:
    metadata = {"source": "a.txt", "tags": ["x", "y"]}
    if hasattr(splitter, "split_documents"):
        return LangChainDocument(page_content=text, metadata=metadata)
    return LlamaIndexDocument(text=text, metadata=metadata)


def chunks_of(delivered: list[Any]) -> list[Chunk]:
    return [
        (one.page_content, one.metadata["start_index"], one.metadata)
        if isinstance(one, LangChainDocument)
        else (one.text, one.start_char_idx, one.metadata)
        for one in delivered
    ]


def split(splitter: Any, text: str) -> list[Chunk]:
    document = document_for(splitter, text)
    if hasattr(splitter, "split_documents"):
        return chunks_of(splitter.split_documents([document]))
    return chunks_of(splitter.get_nodes_from_documents([document]))


async def asplit(splitter: Any, text: str) -> list[Chunk]:
    document = document_for(splitter, text)
    if hasattr(splitter, "split_documents"):
        return chunks_of(await splitter.atransform_documents([document]))
    return chunks_of(await splitter.aget_nodes_from_documents([document]))


def texts_for(splitter: Any) -> dict[str, str]:
    """LlamaIndex hashes every document's UTF-8, which a lone surrogate has not."""
    both = hasattr(splitter, "split_documents")
    return {name: text for name, text in TEXTS.items() if both or "surrogates" not in name}


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
def test_chunks_are_where_they_say_and_keep_the_text_and_the_limit(
    name: str, trimmed: bool, overlap: int
) -> None:
    more = {"strip_whitespace": trimmed} if "LangChain" in name else {}
    splitter = ADAPTERS[name](chunk_overlap=overlap, **more)
    for text in texts_for(splitter).values():
        chunks = split(splitter, text)
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
        # LlamaIndex drops nodes of white space alone.
        if not (overlap or trimmed or text.isspace()):
            assert "".join(bodies) == text


@every_adapter
def test_asynchronous_calls_threads_and_copies_give_the_same_chunks(
    make: Callable[..., Any],
) -> None:
    splitter = make()
    texts = [text for text in texts_for(splitter).values() if len(text) < 3_000]
    alone = [split(splitter, text) for text in texts]

    async def all_texts() -> list[list[Chunk]]:
        return [await asplit(splitter, text) for text in texts]

    assert asyncio.run(all_texts()) == alone
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(lambda text: split(splitter, text), texts)] == alone
    copied = pickle.loads(pickle.dumps(splitter))
    assert [split(copied, text) for text in texts] == alone


def in_a_forked_process(work: Callable[[], object]) -> Any:
    """Return what a function returns in a process forked from this one."""

    def run(sending: Connection) -> None:
        sending.send(work())

    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=run, args=(sending,), daemon=True)
    child.start()
    sending.close()
    try:
        assert receiving.poll(PATIENCE), "the child process hangs"
        return receiving.recv()
    finally:
        child.kill()
        child.join()
        receiving.close()


@every_adapter
def test_a_forked_process_gives_the_same_chunks(make: Callable[..., Any]) -> None:
    splitter, text = make(), TEXTS["CR LF"]
    expected = split(splitter, text)
    used, fresh = in_a_forked_process(lambda: (split(splitter, text), split(make(), text)))
    assert used == fresh == expected


# The adapters stand on the others.
@pytest.mark.parametrize("name", ["bert as published", "lumber by bert"])
def test_splitters_of_the_core_can_be_copied_and_forked(name: str) -> None:
    chunker, text = CHUNKERS[name](chunk_size=LIMIT), TEXTS["CR LF"]
    expected = chunker.segment(text)
    assert pickle.loads(pickle.dumps(chunker)).segment(text) == expected
    assert in_a_forked_process(lambda: chunker.segment(text)) == expected


@every_adapter
def test_each_chunk_has_metadata_of_its_own(make: Callable[..., Any]) -> None:
    splitter = make()
    document = document_for(splitter, TEXTS["CR LF"])
    given = copy.deepcopy(document.metadata)
    transform = getattr(splitter, "split_documents", None) or splitter.get_nodes_from_documents
    first, *others = transform([document])
    first.metadata["tags"].append("z")
    first.metadata["source"] = "b.txt"
    assert document.metadata == given
    assert others
    for chunk in others:
        assert {key: chunk.metadata[key] for key in given} == given
