"""What an evaluation gets from a splitter, whoever made the splitter."""

from __future__ import annotations

from dataclasses import dataclass, field

from lumber_core.segmentation import Usage
from lumber_core.spans import Span


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that can be retrieved.

    Attributes:
        document: Name of the document.
        span: Where it stands in the document. Chunks of other makers' splitters may overlap or
            leave gaps, and several propositions share the span of the passage they come from.
        text: What is embedded and shown: the span's text, or what was made of it.
    """

    document: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """A document as one splitter splits it.

    Attributes:
        document: Name of the document.
        chunks: Its chunks, in order of their spans.
        seconds: Time that splitting took.
        usage: What a model was asked, where one was.
        failures: Answers of a model that could not be used.
    """

    document: str
    chunks: tuple[Chunk, ...]
    seconds: float
    usage: Usage = field(default=Usage())
    failures: int = 0
