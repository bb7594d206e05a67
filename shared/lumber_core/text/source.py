"""A source: a text to split, with its format and metadata."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any, Literal, get_args

from lumber_core.checks import check_text, check_texts, text_hint
from lumber_core.spans import Span
from lumber_core.support.identity import safe_repr
from lumber_core.text.captions import begins_with_cue
from lumber_core.text.markdown import Block, markdown_blocks
from lumber_core.text.origin import file_names
from lumber_core.text.outline import Context
from lumber_core.text.titles import name_as_title

Format = Literal[
    "text", "markdown", "csv", "json", "captions", "code", "data", "rst", "org", "latex", "asciidoc"
]
"""How a text is read: as plain text, as Markdown, as comma- or tab-separated values, as JSON or
lines of JSON, as captions with times, as source code, as other nested data (YAML, TOML, INI), or as
plain text with the headings of a markup."""

Forms = Callable[[str, Context], Iterable[str]]
"""Returns the forms in which a chunk is stored or embedded, given its text and its context."""

TYPE_KEYS = ("file_type", "mimetype")
"""Metadata keys under which loaders put the type of a document's file."""

_CODE = (
    *(".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".vue", ".svelte", ".java"),
    *(".kt", ".kts", ".scala", ".groovy", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".cs"),
    *(".fs", ".go", ".rs", ".swift", ".m", ".rb", ".php", ".pl", ".sh", ".bash", ".zsh", ".ps1"),
    *(".sql", ".r", ".jl", ".lua", ".dart", ".ex", ".exs", ".erl", ".hs", ".ml", ".clj", ".css"),
    *(".scss", ".less", ".proto", ".graphql", ".tf", ".zig", ".vb", ".pm", ".psm1", ".sol"),
)
# For each format, the types and the suffixes of its files. The first suffix has the first type, and
# so on; further suffixes have the last type.
_FILES: dict[Format, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "markdown": (("text/markdown",), (".md", ".markdown", ".mdx", ".qmd", ".rmd")),
    "csv": (("text/csv", "text/tab-separated-values"), (".csv", ".tsv")),
    "json": (("application/json", "application/x-ndjson"), (".json", ".jsonl", ".ndjson")),
    "captions": (
        ("text/vtt", "application/x-subrip"),
        (".vtt", ".srt", ".sbv", ".ttml", ".dfxp", ".smi", ".ass", ".ssa", ".lrc"),
    ),
    "data": (
        ("application/yaml", "application/toml", "text/x-ini", "text/yaml"),
        (".yaml", ".toml", ".ini", ".yml", ".cfg"),
    ),
    "rst": (("text/x-rst",), (".rst",)),
    "org": (("text/x-org",), (".org",)),
    "latex": (("text/x-tex", "application/x-tex"), (".tex",)),
    "asciidoc": (("text/asciidoc",), (".adoc", ".asciidoc")),
    "code": (("text/x-source",), _CODE),
}
_FORMAT_OF_SUFFIX = {end: kind for kind, (_, ends) in _FILES.items() for end in ends}
_FORMAT_OF_TYPE = {name: kind for kind, (types, _) in _FILES.items() for name in types}
_FORMATS_OF_URLS: tuple[Format, ...] = ("markdown", "csv")  # other suffixes may be domains (.rs)

_PLAIN = (".txt", ".text", ".log")  # suffixes of files that no converter reads
# Marks of Markdown: headings, fences, tables, links, emphasis and code, items.
_HEADING = re.compile(r"(#{1,6})[ \t]+[^\s#].{0,300}$")
_MARKS = (
    re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE),
    re.compile(r"^[ \t]*\|?[ \t:]{0,99}-{3,}[ \t:]*\|[-|: \t]*$", re.MULTILINE),
    re.compile(r"\]\([^\s)]+\)"),
    re.compile(r"\*(?<![\w*]\*)\*\w[^*\n]*\*\*|`\w[^`\n]*`"),  # fast, as either begins with a sign
    re.compile(r"^[ \t]*[-*+][ \t]+\S", re.MULTILINE),
)
_TITLE = re.compile(r"(?!#)[^\n]{1,100}[^\s.,;:!?]")  # a line that does not end as a sentence does

FILE_TYPES = {
    end: types[min(number, len(types) - 1)]
    for types, ends in _FILES.values()
    for number, end in enumerate(ends)
}
"""The file type of each suffix that has a format."""
TYPE_OF = {kind: types[0] for kind, (types, _) in _FILES.items()}
"""A file type for each format except plain text."""


@dataclass(frozen=True)
class Source:
    """A text to split, with its format and metadata.

    Attributes:
        text: Any string.
        name: Name of the document, or the path of its file.
        format: How the text is read. "markdown" overrides the units of the splitter; a splitter
            with `units="markdown"` reads every text as Markdown. The other formats are kinds of
            plain text. None: the file type or name in `metadata` decides; a type of Markdown is
            ignored if other units were chosen.
        metadata: The document's metadata. Splitters read the file's name and type from it, and
            the headings above a text that is itself a chunk.
        forms: A function from a chunk's text and context to the strings that are stored and
            embedded for it, such as the text with metadata. Each of them has at most `chunk_size`
            tokens. None: the text alone counts.
        pages: Offsets in characters where pages start, ascending; empty if it has no pages. A page
            that is missing starts where the next one starts.
        first_line: The line of its file on which the text begins, from 1.

    Raises:
        TypeError: `text` is not a string.
        ValueError: `format` is unknown.
    """

    text: str
    name: str = field(default="", kw_only=True)
    format: Format | None = field(default=None, kw_only=True)
    metadata: Mapping[Any, Any] = field(default_factory=dict, kw_only=True)
    forms: Forms | None = field(default=None, kw_only=True, repr=False)
    pages: tuple[int, ...] = field(default=(), kw_only=True)
    first_line: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        check_text(self.text)
        if self.format is not None and self.format not in get_args(Format):
            raise ValueError(
                f"format must be one of {', '.join(get_args(Format))}, or None, not "
                f"{safe_repr(self.format)}"
            )

    @cached_property
    def kind(self) -> Format:
        """How the text is read, by `format`, or else by the metadata.

        The metadata may contain the type of the file, such as "text/markdown", under "file_type" or
        "mimetype", or its name, such as "a.md", "a.csv" or "a.py". The text of an office document
        or a web page is Markdown if it has several marks, as converters write them. The text of a
        Markdown file is plain text if a loader has removed the marks.
        """
        if self.format or not self.metadata:
            return self.format or "text"
        for key in TYPE_KEYS:
            kind = _FORMAT_OF_TYPE.get(str(self.metadata.get(key)))
            if kind is not None:
                return kind
        if "element_id" in self.metadata:  # Unstructured's elements have no marks
            return "text"
        names = [name.casefold() for name in file_names(self.metadata)]
        for name in names:
            kind = _FORMAT_OF_SUFFIX.get("".join(name.rpartition(".")[1:]))
            if kind is not None and ("://" not in name or kind in _FORMATS_OF_URLS):
                if kind == "csv" and begins_with_cue(self.text):
                    return "captions"
                return "text" if kind == "markdown" and _has_lost_marks(self.text) else kind
        ends = {PurePath(name).suffix or ("url" if "://" in name else "") for name in names}
        plain = ends <= {""} or ends.intersection(_PLAIN)
        if not plain and has_markdown_marks(self.text):
            return "markdown"
        return "captions" if begins_with_cue(self.text) else "text"

    @cached_property
    def file_title(self) -> str:
        """The name of its file as words, a possible title; "" if it is not descriptive."""
        names = (*file_names(self.metadata), self.name)
        return next(filter(None, map(name_as_title, names)), "")

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks of the text as Markdown, cached."""
        return markdown_blocks(self.text)

    def pages_of(self, span: Span) -> tuple[int, int] | None:
        """Return the first and the last page of a span's visible characters, from 1.

        None if there are no pages.
        """
        if not self.pages:
            return None
        body = span.strip(self.text)
        first = bisect_right(self.pages, body.start)
        return first, max(first, bisect_right(self.pages, body.end - 1))


def as_source(source: str | Source) -> Source:
    """Return a source, made from a text if necessary.

    Raises:
        TypeError: It is neither a text nor a source; the message states what to pass.
    """
    return source if isinstance(source, Source) else Source(source)


def as_sources(sources: Iterable[str | Source]) -> list[Source]:
    """Return a list of sources after checking all of them.

    Raises:
        TypeError: It is a single text or source, not iterable, or has an item of another kind; the
            message states what to pass.
    """
    if isinstance(sources, Source):
        raise TypeError("texts must be a list of str or Source, not one Source: pass [source]")
    if isinstance(sources, str) or not isinstance(sources, Iterable) or text_hint(sources):
        check_texts(sources)  # raises an error that fits
    return [as_source(source) for source in sources]


def _headings(text: str) -> list[tuple[str, bool]]:
    """Return the marks of lines that look like headings, and whether each line stands alone.

    A line next to a line with the same mark does not stand alone: both are comments.
    """
    lines = [line.strip() for line in text.splitlines()] if "#" in text else []
    marks = [mark[1] if (mark := _HEADING.match(line)) else "#" * (line == "#") for line in lines]
    marked = [("", ""), *zip(lines, marks, strict=True), ("", "")]
    headings = []
    for above, (line, own_mark), below in zip(marked, marked[1:], marked[2:], strict=False):
        beside_text = (above[0] and not above[1]) or below[0][:1].isalnum()
        if own_mark and line != "#":
            headings.append((own_mark, not beside_text and own_mark not in (above[1], below[1])))
    return headings


def has_markdown_marks(text: str) -> bool:
    """Return whether a text has headings that stand alone, and other marks of Markdown."""
    alone = [mark for mark, stands_alone in _headings(text) if stands_alone]
    signs = [len({*alone}) > 1, len(alone) > 1, len(alone) > 3]
    # Fences and tables count twice, as they are reliable. No mark is searched without a heading.
    marks = (mark.search(text) is not None for mark in (*_MARKS, *_MARKS[:2]))
    return bool(alone) and sum([*signs, *marks]) > 1


def _has_lost_marks(text: str) -> bool:
    """Return whether a loader has removed the marks: only titles and comments in code are left."""
    headings = _headings(text)
    if {mark for mark, _ in headings} != {"#"} or any(mark.search(text) for mark in _MARKS):
        return False
    paragraphs = re.split(r"\n\s*\n", text.strip())
    titles = [_TITLE.fullmatch(paragraph.strip()) is not None for paragraph in paragraphs]
    return titles[0] and (sum(titles) > 1 or not all(alone for _, alone in headings))
