"""What any splitter makes of a text: chunks with the places where they stand.

Neither framework is imported here unless a splitter of theirs is at work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lumber_core.chunker import Chunker
from lumber_core.segmentation import Usage
from lumber_core.spans import Span
from lumber_evaluation.locating import locate
from lumber_evaluation.settings import settings_of


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a splitter made of a text.

    Attributes:
        spans: Where the chunks stand, in order of their starts.
        texts: What each chunk says.
        usage: What a model was asked.
        failures: Answers of a model that could not be used.
    """

    spans: Sequence[Span]
    texts: Sequence[str]
    usage: Usage = field(default=Usage())
    failures: int = 0


Cut = Callable[[str], Pieces]


def cut_with(splitter: object) -> Cut:
    """Return the function that cuts a text with a splitter, whoever made it.

    The frameworks' splitters are known by what they can do. Their chunks are located in the text,
    because the offsets that the frameworks give are found by a search that repeated text misleads.

    Args:
        splitter: See `splitters.subject`.

    Returns:
        A function that raises ChunkNotFoundError where a chunk is no part of the text.

    Raises:
        TypeError: `splitter` is none that is known.
    """
    chunker = getattr(splitter, "chunker", splitter)  # this project's adapters have one
    if isinstance(chunker, Chunker):
        return partial(_segment, chunker)
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


def _segment(chunker: Chunker, text: str) -> Pieces:
    """Split with a splitter of this project, whose spans are exact."""
    made = chunker.segment(text)
    return Pieces(made.spans, made.chunks(text), made.usage, len(made.failures))


def _split_text(splitter: Any, text: str) -> Pieces:
    """Split with a LangChain splitter: its chunks are strings, or documents for some."""
    chunks = [
        chunk if isinstance(chunk, str) else chunk.page_content
        for chunk in splitter.split_text(text)
    ]
    overlap = getattr(splitter, "_chunk_overlap", None)
    in_characters = overlap == 0 or getattr(splitter, "_length_function", None) is len
    return _located(text, chunks, overlap if in_characters else None)


def _parse(parser: Any, text: str) -> Pieces:
    """Split with a LlamaIndex node parser; of a hierarchy of nodes, the leaves are taken."""
    from llama_index.core import Document  # the parser's own framework is there

    nodes = parser.get_nodes_from_documents([Document(text=text)])
    leaves = [node.get_content() for node in nodes if not node.child_nodes]
    overlap = 0 if getattr(parser, "chunk_overlap", None) == 0 else None
    return _located(text, leaves, overlap)


def _call(function: Callable[[str], Iterable[Any]], text: str) -> Pieces:
    """Split with a function.

    Raises:
        TypeError: It returns neither offsets nor strings.
        ValueError: An offset lies outside the text, or the spans are not in order.
    """
    pieces = list(function(text))
    if all(isinstance(piece, str) for piece in pieces):
        return _located(text, pieces, None)
    spans: list[Span] = []
    for piece in pieces:
        if not isinstance(piece, tuple) or len(piece) != 2:
            raise TypeError(
                f"{settings_of(function)} should return (start, end) offsets or strings, "
                f"found {piece!r}"
            )
        span = Span(*piece)
        before = spans[-1].start if spans else 0
        if not before <= span.start < span.end <= len(text):
            raise ValueError(
                f"{settings_of(function)} returned {piece} for a text of {len(text)} characters, "
                f"after a chunk that starts at {before}; chunks should come in the order of their "
                "starts, inside the text, and none empty"
            )
        spans.append(span)
    return Pieces(spans, [span.of(text) for span in spans])


def _located(text: str, chunks: Sequence[str], overlap: int | None) -> Pieces:
    visible = [chunk for chunk in chunks if chunk.strip()]
    return Pieces(locate(text, visible, overlap=overlap), visible)
