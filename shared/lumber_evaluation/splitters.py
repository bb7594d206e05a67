"""Splitters under evaluation: this project's, LangChain's, LlamaIndex's, or any function."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lumber_core.bert import BertChunker
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.chunking.greedy import GreedyChunker
from lumber_core.chunking.layout import LayoutChunker
from lumber_core.lumber import BertJudge, LumberChunker
from lumber_core.lumber.lumber_chunker import THETA
from lumber_core.spans import Span
from lumber_core.support.identity import NOT_COVERED, safe_repr
from lumber_core.support.secrets import is_secret
from lumber_evaluation.baselines import (
    SemanticChunks,
    fixed_length,
    paragraph_by_paragraph,
    recursive_characters,
)
from lumber_evaluation.dataset import Document, EvaluatedChunk, EvaluatedSplitter, SplitDocument
from lumber_evaluation.locating import ChunkNotFoundError, locate
from lumber_retrieval.embedders import Embedder


@dataclass(frozen=True)
class _WrappedSplitter:
    """A splitter of any library, called as a function of a document."""

    name: str
    settings: str
    identity: str | None
    cut: Callable[[Document], SplitDocument]

    def split(self, document: Document) -> SplitDocument:
        """Split a document; chunks of only white space are left out.

        A chunk that is not part of the document raises a ValueError.
        """
        start = time.perf_counter()
        try:
            split = self.cut(document)
        except ChunkNotFoundError as error:
            raise ValueError(
                f"the chunks of {document.name!r} by {self.name} cannot be scored: {error}"
            ) from error
        chunks = tuple(chunk for chunk in split.chunks if chunk.text.strip())
        return replace(split, chunks=chunks, seconds=time.perf_counter() - start)


def wrap_splitter(splitter: object, *, name: str | None = None) -> EvaluatedSplitter:
    """Wrap a splitter for evaluation.

    Args:
        splitter: A splitter of `lumber_core` or one of its adapters, whose spans are exact; a
            LangChain splitter (anything with `split_text`) or a LlamaIndex node parser, whose
            chunks are located in the text; or a callable from a text to `(start, end)` offsets or
            to chunks as strings. An `EvaluatedSplitter` of your own is returned as it is.
        name: Its name in tables; by default the name of its class or function.

    Returns:
        A splitter whose `split` raises ValueError if a chunk is not in the text.

    Raises:
        TypeError: `splitter` is something else.
    """
    if isinstance(splitter, _WrappedSplitter):
        return replace(splitter, name=name or splitter.name)
    if isinstance(splitter, EvaluatedSplitter) and not isinstance(splitter, type):
        return splitter
    chunker = getattr(splitter, "chunker", splitter)  # this project's adapters have one
    cut = _make_cut(splitter, chunker)
    label = name or getattr(splitter, "__name__", None) or type(splitter).__name__
    identity = None  # a change of the code of other splitters would not show
    if isinstance(chunker, Chunker) and NOT_COVERED not in chunker.identity:
        overlap = getattr(splitter, "chunk_overlap", 0)
        identity = f"{chunker.identity}, chunk_overlap={overlap}"
    return _WrappedSplitter(label, readable_repr(splitter), identity, cut)


def readable_repr(instance: object) -> str:
    """Return an object's class and those of its settings that are data, without secrets.

    Objects of this project and functions are shown by their `repr`.
    """
    shown = re.sub(r" at 0x\w+", "", safe_repr(instance))  # addresses differ from run to run
    if not shown.endswith(" object>") or not hasattr(instance, "__dict__"):
        return shown
    settings = {
        name.lstrip("_"): value
        for name, value in vars(instance).items()
        if _is_data(value) and not is_secret(name, value)
    }
    listed = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    return f"{type(instance).__name__}({listed})"


def _is_data(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_data, value))
    return value is None or isinstance(value, bool | int | float | str)


@dataclass(frozen=True, slots=True)
class Preset:
    """A splitter with a name on the command line."""

    number: str  # the meaning of the number after the colon; "" if there is none
    default: float
    make: Callable[[float, Embedder | None], object]  # from the number and an embedder


PRESETS = {
    "bert": Preset(
        "target size, tokens", 154, lambda value, _: BertChunker(target_size=int(value))
    ),
    "lumber": Preset(
        "theta, tokens", THETA, lambda value, _: LumberChunker(BertJudge(), theta=int(value))
    ),
    "lumber:window": Preset("", 0, lambda *_: LumberChunker(BertJudge(), method="window")),
    "layout": Preset(
        "target size, tokens", 154, lambda value, _: LayoutChunker(target_size=int(value))
    ),
    "greedy": Preset("target size, tokens", 400, lambda value, _: GreedyChunker(int(value))),
    "paragraphs": Preset("", 0, lambda *_: paragraph_by_paragraph),
    "fixed": Preset("tokens", 200, lambda value, _: fixed_length(int(value))),
    "recursive": Preset("characters", 1000, lambda value, _: recursive_characters(int(value))),
    "semantic": Preset(
        "percentile", 95, lambda value, model: SemanticChunks(model or "bundled", percentile=value)
    ),
}
"""The splitters that `preset` makes. All run without a key."""


def preset(spec: str, *, embedder: Embedder | None = None) -> EvaluatedSplitter:
    """Make a splitter by name, as the command line does.

    Args:
        spec: A name of `PRESETS`, or one with a number: "greedy" or "greedy:400".
        embedder: The embedder for "semantic"; by default the bundled encoder.

    Raises:
        ValueError: The name is unknown, or the part after the colon is not a valid number. The
            message lists the names.
    """
    kind, colon, number = (spec, "", "") if spec in PRESETS else spec.partition(":")
    chosen = PRESETS.get(kind)
    listed = ", ".join(
        f"{name}:{entry.default:g} ({entry.number})" if entry.number else name
        for name, entry in PRESETS.items()
    )
    if chosen is None or (colon and not chosen.number):
        raise ValueError(f"unknown splitter {spec!r}. Choose from {listed}")
    try:
        value = float(number) if colon else chosen.default
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(
            f"{spec!r}: {number!r} is not a number; {kind} takes the {chosen.number} there"
        )
    return wrap_splitter(chosen.make(value, embedder), name=spec)


def _make_cut(splitter: object, chunker: object) -> Callable[[Document], SplitDocument]:
    """Return a function that cuts a document with a splitter of any library.

    Frameworks' splitters are recognised by their methods. Their chunks are located in the text,
    because the frameworks' own offsets are wrong if text repeats.
    """
    if isinstance(chunker, Chunker):
        return partial(_split, splitter, chunker)
    if not isinstance(splitter, type):
        if hasattr(splitter, "get_nodes_from_documents"):
            return partial(_parse, splitter)
        if hasattr(splitter, "split_text"):
            return partial(_split_text, splitter)
        if callable(splitter):
            return partial(_call, splitter)
    raise TypeError(
        "a splitter is a Chunker of lumber_core, a LangChain text splitter, a LlamaIndex node "
        f"parser, or a function from a text to (start, end) offsets or strings, not {splitter!r}"
    )


def _split(splitter: Any, chunker: Chunker, document: Document) -> SplitDocument:
    """Split with a splitter of this project or an adapter, into the chunks that users get."""
    source, delivery = document.to_split(), getattr(splitter, "delivery", Delivery())
    segmentation = chunker.segment(source, overlap=delivery.overlap)
    chunks = chunker.chunks(source, segmentation, delivery)
    split = _to_split_document(document, [(chunk.span, chunk.text) for chunk in chunks])
    return replace(split, usage=segmentation.usage, failures=len(segmentation.failures))


def _split_text(splitter: Any, document: Document) -> SplitDocument:
    """Split with a LangChain splitter: its chunks are strings, or documents for some."""
    chunks = [
        chunk if isinstance(chunk, str) else chunk.page_content
        for chunk in splitter.split_text(document.text)
    ]
    overlap = getattr(splitter, "_chunk_overlap", None)
    in_characters = overlap == 0 or getattr(splitter, "_length_function", None) is len
    return _locate(document, chunks, overlap if in_characters else None)


def _parse(parser: Any, document: Document) -> SplitDocument:
    """Split with a LlamaIndex node parser; if its nodes form a hierarchy, return the leaves."""
    from llama_index.core import Document as LlamaDocument  # installed: the parser needs it

    nodes = parser.get_nodes_from_documents([LlamaDocument(text=document.text)])
    leaves = [node.get_content() for node in nodes if not node.child_nodes]
    return _locate(document, leaves, 0 if getattr(parser, "chunk_overlap", None) == 0 else None)


def _call(function: Callable[[str], Iterable[Any]], document: Document) -> SplitDocument:
    """Split with a function; raise a TypeError or ValueError for wrong results."""
    text = document.text
    pieces = list(function(text))
    if all(isinstance(piece, str) for piece in pieces):
        return _locate(document, pieces, None)
    spans: list[Span] = []
    for piece in pieces:
        if not isinstance(piece, tuple) or len(piece) != 2:
            raise TypeError(
                f"{readable_repr(function)} should return (start, end) offsets or strings, "
                f"found {piece!r}"
            )
        span = Span(*piece)
        before = spans[-1].start if spans else 0
        if not before <= span.start < span.end <= len(text):
            raise ValueError(
                f"{readable_repr(function)} returned {piece} for a text of {len(text)} characters, "
                f"after a chunk that starts at {before}; chunks should come in the order of their "
                "starts, inside the text, and none empty"
            )
        spans.append(span)
    return _to_split_document(document, [(span, span.of(text)) for span in spans])


def _locate(document: Document, chunks: Sequence[str], overlap: int | None) -> SplitDocument:
    visible = [chunk for chunk in chunks if chunk.strip()]
    spans = locate(document.text, visible, overlap=overlap)
    return _to_split_document(document, zip(spans, visible, strict=True))


def _to_split_document(document: Document, chunks: Iterable[tuple[Span, str]]) -> SplitDocument:
    pieces = (EvaluatedChunk(document.name, span, text) for span, text in chunks)
    return SplitDocument(document.name, tuple(pieces), 0.0)
