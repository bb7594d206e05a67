"""What is split: a text, and what is known about it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

from lumber_core.checks import check_text, check_texts, text_hint
from lumber_core.spans import Span
from lumber_core.support.identity import safe_repr
from lumber_core.text.context import Context
from lumber_core.text.markdown import Block, markdown_blocks
from lumber_core.text.titles import name_as_title

Format = Literal["text", "markdown", "csv"]
"""How a text is read: as plain text, as Markdown, or as comma- or tab-separated values."""

Written = Callable[[str, Context], Iterable[str]]
"""Returns the forms in which a chunk is stored or embedded, given its text and its context."""

NAME_KEYS = ("file_path", "file_name", "source")
TYPE_KEYS = ("file_type", "mimetype")
"""Where the metadata of loaders has the name and the type of a document's file."""
_KINDS: dict[Format, tuple[frozenset[str], tuple[str, ...]]] = {
    "markdown": (frozenset(["text/markdown"]), (".md", ".markdown")),
    "csv": (frozenset(["text/csv", "text/tab-separated-values"]), (".csv", ".tsv")),
}
"""The types of files of a format, and the endings of their names."""


@dataclass(frozen=True)
class Source:
    """A text to split, with what is known about it.

    Attributes:
        text: Any string.
        name: Name of the document, or the path of its file.
        format: How the text is read. "markdown" holds whatever the units of the splitter; one
            with `units="markdown"` reads every text as Markdown. "csv" is plain text that may begin
            with a header row. None: as Markdown if `metadata` says that it is and the splitter has
            its default units, otherwise as plain text, or as "csv" if `metadata` says so.
        metadata: The document's metadata. Splitters read the file's name and type from it, and
            the headings above a text that is itself a chunk.
        written: Returns the forms in which a chunk is stored or embedded, given its text and its
            context: none has more than `chunk_size` tokens. None: the text alone.
        pages: Offsets in characters where pages start, ascending; empty if it has no pages. A page
            that is missing starts where the next one does.
        first_line: The line of its file on which the text begins, from 1.

    Raises:
        TypeError: `text` is not a string.
        ValueError: `format` is unknown.
    """

    text: str
    name: str = field(default="", kw_only=True)
    format: Format | None = field(default=None, kw_only=True)
    metadata: Mapping[Any, Any] = field(default_factory=dict, kw_only=True)
    written: Written | None = field(default=None, kw_only=True, repr=False)
    pages: tuple[int, ...] = field(default=(), kw_only=True)
    first_line: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        check_text(self.text)
        if self.format is not None and self.format not in get_args(Format):
            raise ValueError(
                f'format must be "text", "markdown", "csv" or None, not {safe_repr(self.format)}'
            )

    @property
    def kind(self) -> Format:
        """How the text is read, by `format`, or else by the metadata.

        Metadata tells Markdown and separated values by the type of the file ("text/markdown",
        "text/csv", "text/tab-separated-values") under "file_type" or "mimetype", or by the end of
        its name (".md", ".markdown", ".csv", ".tsv") under "file_path", "file_name" or "source".
        """
        if self.format is not None or not self.metadata:
            return self.format or "text"
        types = [self.metadata.get(key) for key in TYPE_KEYS]
        names = tuple(str(self.metadata.get(key) or "").casefold() for key in NAME_KEYS)
        for kind, (known, endings) in _KINDS.items():
            if not known.isdisjoint(types) or any(name.endswith(endings) for name in names):
                return kind
        return "text"

    @cached_property
    def named(self) -> str:
        """The name of its file as words, "" if it says nothing: a title, if it has no other."""
        names = [str(self.metadata.get(key) or "") for key in NAME_KEYS]
        return next(filter(None, map(name_as_title, (*names, self.name))), "")

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks of the text as Markdown, which is read once."""
        return markdown_blocks(self.text)

    def pages_of(self, span: Span) -> tuple[int, int] | None:
        """Return the first and the last page of a span's visible characters, from 1.

        None if there are no pages.
        """
        if not self.pages:
            return None
        body = span.stripped(self.text)
        first = bisect_right(self.pages, body.start)
        return first, max(first, bisect_right(self.pages, body.end - 1))


def as_source(source: str | Source) -> Source:
    """Return a source, made of a text if it is one.

    Raises:
        TypeError: It is neither; the message says what to pass.
    """
    return source if isinstance(source, Source) else Source(source)


def as_sources(sources: Iterable[str | Source]) -> list[Source]:
    """Return a list of sources, all checked before the first is split.

    Raises:
        TypeError: It is a single text or source, not iterable, or has an item of another kind; the
            message says what to pass.
    """
    if isinstance(sources, Source):
        raise TypeError("texts must be a list of str or Source, not one Source: pass [source]")
    if isinstance(sources, str) or not isinstance(sources, Iterable) or text_hint(sources):
        check_texts(sources)  # raises
    return [as_source(source) for source in sources]
