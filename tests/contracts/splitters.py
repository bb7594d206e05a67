"""Every splitter and every adapter, behind one interface, for the contract tests.

A new splitter joins the whole suite by an entry in `CHUNKERS` and one in each adapter's table.
"""

import atexit
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import Document as LlamaIndexDocument

from langchain_lumber import (
    BertTextSplitter,
    GreedyTextSplitter,
    LayoutTextSplitter,
    LumberTextSplitter,
)
from langchain_lumber.span_text_splitter import SpanTextSplitter
from llamaindex_lumber import BertNodeParser, GreedyNodeParser, LayoutNodeParser, LumberNodeParser
from llamaindex_lumber.span_node_parser import SpanNodeParser
from lumber_core import BertChunker, Chunker, GreedyChunker, Group, LayoutChunker, LumberChunker
from lumber_core.lumber.bert_judge import BertJudge
from tests.core.core_support import with_
from tests.lexical_judge import LexicalJudge
from tests.tiny_bert import write_random_checkpoint


def small_model() -> str:
    """Return a small BertChunker, or the bundled one if the small one cannot be made."""
    return make_model_folder() or "bundled"


@cache
def make_model_folder() -> str | None:
    """Return the folder of a small BertChunker, made on the spot: books take seconds, not minutes.

    Its weights are random. None where it cannot be made.
    """
    if not (find_spec("torch") and find_spec("transformers") and find_spec("onnx")):
        return None
    from lumber_training.export import export

    folder = Path(mkdtemp(prefix="small-bert-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    export(write_random_checkpoint(folder / "checkpoint"), output=folder / "exported")
    return str(folder / "exported")


def second_unit(group: Group) -> int | None:
    """Judge that the second unit of every group starts new content."""
    return group.start + 1


def judge_no_shift(group: Group) -> int | None:
    """Judge that content never changes."""
    return None


def every_third(window: Group) -> list[int]:
    """Judge that every third unit of a text starts new content."""
    return [unit for unit in window.choices if unit % 3 == 0]


def small_target(options: dict[str, Any]) -> dict[str, Any]:
    """Add a target of 30 tokens, or less if the limit is smaller."""
    return {"target_size": min(30, options.get("chunk_size") or 30), **options}


CHUNKERS: dict[str, Callable[..., Chunker]] = {
    "bert": lambda **options: BertChunker(small_model(), **options),
    "bert as published": lambda **given: BertChunker(
        make_model_folder() or "large", paper=True, **given
    ),
    "layout": lambda **options: LayoutChunker(**small_target(options)),
    "greedy": lambda **options: GreedyChunker(**small_target(options)),
    "greedy by paragraphs": lambda **own: GreedyChunker(units="paragraphs", **small_target(own)),
    "lumber by word use": lambda **options: LumberChunker(LexicalJudge(), theta=60, **options),
    "lumber by bert": lambda **given: LumberChunker(BertJudge(small_model()), theta=60, **given),
    "lumber by sentences": partial(LumberChunker, second_unit, theta=60, units="sentences"),
    "lumber, never a shift": partial(LumberChunker, judge_no_shift, theta=60),
    "lumber by windows": lambda **options: with_(
        LumberChunker(every_third, theta=60, method="window", **options), window_tokens=200
    ),
    "lumber as published": lambda **options: LumberChunker.as_published(
        second_unit, theta=60, **{k: v for k, v in options.items() if k != "tokenizer"}
    ),
}


def adapters(bert: Any, layout: Any, greedy: Any, lumber: Any) -> dict[str, Callable[..., Any]]:
    """Return functions that make each splitter of a framework."""
    return {
        "bert": lambda **options: bert(model=small_model(), **options),
        "layout": lambda **options: layout(**small_target(options)),
        "greedy": lambda **options: greedy(**small_target(options)),
        "lumber": partial(lumber, llm=LexicalJudge(), theta=60),
        "lumber by windows": partial(lumber, llm=LexicalJudge(), theta=60, method="window"),
    }


TEXT_SPLITTERS: dict[str, Callable[..., SpanTextSplitter]] = adapters(
    BertTextSplitter, LayoutTextSplitter, GreedyTextSplitter, LumberTextSplitter
)
NODE_PARSERS: dict[str, Callable[..., SpanNodeParser]] = adapters(
    BertNodeParser, LayoutNodeParser, GreedyNodeParser, LumberNodeParser
)

SAME_IN_BOTH: dict[str, Callable[..., Chunker]] = {
    **{name: CHUNKERS[name] for name in ("bert", "layout", "greedy")},
    "lumber": CHUNKERS["lumber by word use"],
    "lumber by windows": partial(LumberChunker, LexicalJudge(), theta=60, method="window"),
}
"""The core splitter that each pair of adapters stands on."""


Chunk = tuple[str, Any, dict[str, Any]]
"""The text of a chunk, where it starts, and its metadata."""


def document_for(splitter: Any, text: str, **metadata: Any) -> Any:
    """Return a document of the framework that a splitter belongs to."""
    if isinstance(splitter, SpanTextSplitter):
        return LangChainDocument(text, metadata=metadata)
    return LlamaIndexDocument(text=text, metadata=metadata)


def split(splitter: Any, *documents: Any) -> list[Any]:
    """Split documents, or chunks of documents, as the framework does."""
    if isinstance(splitter, SpanTextSplitter):
        return splitter.split_documents(documents)
    return splitter.get_nodes_from_documents([*documents])


async def asplit(splitter: Any, *documents: Any) -> list[Any]:
    """Split documents asynchronously."""
    if isinstance(splitter, SpanTextSplitter):
        return [*await splitter.atransform_documents(documents)]
    return await splitter.aget_nodes_from_documents([*documents])


def facts_of(delivered: list[Any]) -> list[Chunk]:
    """Return the facts that both frameworks give about chunks."""
    return [
        (chunk.page_content, chunk.metadata.get("start_index"), chunk.metadata)
        if isinstance(chunk, LangChainDocument)
        else (chunk.text, chunk.start_char_idx, chunk.metadata)
        for chunk in delivered
    ]
