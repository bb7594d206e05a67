"""Documents, questions about them, and chunks of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

from lumber_core.segmentation import Usage
from lumber_core.spans import Span, spans_from_starts
from lumber_core.text.outline import Context
from lumber_core.text.source import TYPE_OF, Format, Source


@dataclass(frozen=True, slots=True)
class Document:
    """A text, optionally with annotated segments.

    Attributes:
        name: Name within its corpus.
        text: The text, without marks of the corpus.
        units: Character offsets where its sentences or paragraphs start; the first is 0.
        starts: Character offsets where its segments start: a subset of `units`, the first is 0.
            Without annotated segments, only 0.
        source: The corpus, or the part of it, that the document comes from.
        format: How this project's splitters read the text, unless other units are chosen.
    """

    name: str
    text: str = field(repr=False)
    units: tuple[int, ...] = field(repr=False)
    starts: tuple[int, ...] = field(repr=False)
    source: str
    format: Format = "text"

    def to_split(self) -> Source:
        """Return the document as a source for splitters."""
        file_type = {} if self.format == "text" else {"file_type": TYPE_OF[self.format]}
        return Source(self.text, name=self.name, metadata={"source": self.name, **file_type})

    @property
    def segments(self) -> tuple[Span, ...]:
        """The reference segments; they tile the text."""
        return spans_from_starts(self.starts, len(self.text)) if self.text else ()

    @property
    def is_segmented(self) -> bool:
        """Whether it has annotated segments: two or more."""
        return len(self.starts) > 1


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a document, with its expected answer.

    Attributes:
        question: The question.
        document: Name of the document that contains the answer.
        answer: The answer in words; "" if there is none to compare with.
        must_contain: A string that a chunk must contain to count as answering the question
            (GutenQA's `Chunk Must Contain`); None if `references` are used.
        references: The excerpts that answer the question, as spans of the document.
    """

    question: str
    document: str
    answer: str = ""
    must_contain: str | None = None
    references: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Corpus:
    """Documents that splitters are measured on together, and questions about them.

    Attributes:
        name: Name of the corpus.
        documents: Its documents, with different names.
        questions: Its questions; each names one of the documents.

    Raises:
        ValueError: Two documents have the same name, or a question is about an unknown document.
    """

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...] = ()

    def __post_init__(self) -> None:
        if len(self.by_name) < len(self.documents):
            names = [document.name for document in self.documents]
            double = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two documents of the corpus {self.name!r} are named {double!r}")
        unknown = [q.document for q in self.questions if q.document not in self.by_name]
        if unknown:
            present = ", ".join(sorted(self.by_name)[:5]) or "none"
            raise ValueError(
                f"{len(unknown)} questions of the corpus {self.name!r} are about documents that "
                f"it does not have, the first about {unknown[0]!r}; it has: {present}"
            )

    @cached_property
    def by_name(self) -> dict[str, Document]:
        """The documents by their names."""
        return {document.name: document for document in self.documents}

    @property
    def formats(self) -> str:
        """How the texts are read, in words: "text", or "3 markdown, 1 text"."""
        counts = Counter(document.format for document in self.documents)
        if len(counts) < 2:
            return "".join(counts)
        return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))


@runtime_checkable
class EvaluatedSplitter(Protocol):
    """A splitter under evaluation; `splitters.wrap_splitter` makes one of any splitter."""

    @property
    def name(self) -> str:
        """Its name, unique within a comparison."""

    @property
    def settings(self) -> str:
        """Readable settings that determine its result."""

    @property
    def identity(self) -> str | None:
        """A cache key of everything that determines its result; None: splits are not cached."""

    def split(self, document: Document) -> SplitDocument:
        """Split a document."""


def document_from_segments(
    segments: Iterable[Sequence[str]], *, name: str, source: str
) -> Document:
    """Join segments into one document with a line for each sentence.

    Blank sentences and empty segments are left out. `source` is the document's corpus.
    """
    parts: list[str] = []
    units: list[int] = []
    starts: list[int] = []
    position = 0
    for segment in segments:
        visible = [sentence.strip() for sentence in segment if sentence.strip()]
        if visible:
            starts.append(position)
        for sentence in visible:
            units.append(position)
            parts.append(sentence)
            position += len(sentence) + 1
    return Document(name, "\n".join(parts), tuple(units), tuple(starts), source)


@dataclass(frozen=True, slots=True)
class EvaluatedChunk:
    """A piece of a document that can be retrieved.

    Attributes:
        document: Name of the document.
        span: Its place in the document. Chunks of other libraries' splitters may overlap
            or leave gaps.
        text: What is embedded and shown: the span's text, which other libraries' splitters may give
            with other white space.
        context: What is embedded above the text, and retrieved with it.
    """

    document: str
    span: Span
    text: str
    context: Context = field(default=Context())


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """A document as one splitter splits it.

    Attributes:
        document: Name of the document.
        chunks: Its chunks, in order of their spans.
        seconds: Time that splitting took.
        usage: Calls and tokens of a model, if one was asked.
        failures: Answers of a model that could not be used.
    """

    document: str
    chunks: tuple[EvaluatedChunk, ...]
    seconds: float
    usage: Usage = field(default=Usage())
    failures: int = 0


_MAX_LISTED_NAMES = 10
_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,5}$")


def find_document(by_name: Mapping[str, Document], name: str, where: str) -> Document:
    """Return the document of that name, or the only document for "".

    A document `tales/fox.txt` is also found by the end of its path, with or without extension, if
    that is unambiguous: `fox.txt`, `fox`. The name may have an extension that the document's lacks.
    Errors begin with `where`.

    Raises:
        ValueError: No document has the name, or several could be meant.
    """
    if not name and len(by_name) == 1:
        return next(iter(by_name.values()))
    if not name:
        raise ValueError(
            f"{where}: the question names no document and there are {len(by_name)}; name one of "
            f"them in a column 'document' (or 'Book Name'): {name_list([*by_name])}"
        )
    if name in by_name:
        return by_name[name]
    for form in (_path, lambda name: _EXTENSION.sub("", _path(name))):
        matches = [full_name for full_name in by_name if form(full_name).endswith(form(name))]
        if len(matches) == 1:
            return by_name[matches[0]]
        if matches:
            raise ValueError(
                f"{where}: {name!r} could be any of several documents; give one of their full "
                f"names: {', '.join(matches)}"
            )
    raise ValueError(
        f"{where}: there is no document {name!r}; expected one of these, with or without "
        f"extension: {name_list([*by_name])}"
    )


def name_list(names: Sequence[str]) -> str:
    """Return the first few names, for errors."""
    more = f" and {len(names) - _MAX_LISTED_NAMES} more" if len(names) > _MAX_LISTED_NAMES else ""
    return (", ".join(names[:_MAX_LISTED_NAMES]) or "none") + more


def _path(name: str) -> str:
    return "/" + name.replace("\\", "/")
