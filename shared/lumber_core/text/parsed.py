"""A parsed text: its units, its headings, and the places where a chunk may start.

A text is parsed once. Splitters, size limits, overlap and headings share the result.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, TypeVar, cast

from lumber_core.spans import Span, spans_from_starts
from lumber_core.text.lines.code import is_edge_of_block
from lumber_core.text.lines.line_starts import Layout, read_layout
from lumber_core.text.lines.tables import find_header
from lumber_core.text.markdown import HIDDEN, LINE_BREAK, Block, markdown_units
from lumber_core.text.outline import Context, TableBody, TextOutline, TextSection, context_of
from lumber_core.text.place import Kind, Places
from lumber_core.text.places import (
    find_markdown_places,
    find_places,
    finer_markdown_places,
    finer_places,
    places_in_rows,
)
from lumber_core.text.sentence_starts import starts_of_sentences
from lumber_core.text.source import Format, Source, as_source
from lumber_core.text.structured import MARKUPS, elements_of, sections_of, titles_of
from lumber_core.text.titles import document_title
from lumber_core.text.unicode import breaks
from lumber_core.text.units import UnitFinder, sentences

BY_ROWS: tuple[Format, ...] = ("csv", "captions")
"""Formats whose units are rows: records or cues."""

K = TypeVar("K")
T = TypeVar("T")

# Indentation, quotation marks of Markdown and bullets before a row of a table.
_BEFORE_ROW = re.compile(r"^[\s>]*(?:(?:[-*+]|\d+[.)])\s+)?(?=\|)")
_DASHES = re.compile("-{3,}")
_UNDERLINED = re.compile(r"\s*\S.*\n[ \t]*([=\-~*#^_])\1{2,}[ \t]*(?:[\r\n]|$)")  # a title


class ParsedText(ABC):
    """One parsed text: where it may be divided, and the headings and titles of its parts.

    `language` is an ISO 639 code for finding sentences.
    """

    def __init__(self, source: str | Source, language: str = "en") -> None:
        self.source = as_source(source)
        self.text = self.source.text
        self.language = language
        self._cached: list[tuple[object, Any]] = []

    def compute_once(self, key: K, compute: Callable[[str, K], T]) -> T:
        """Return `compute(text, key)`, such as the text's tokens by a token counter.

        The result is cached for each key; keys are compared by identity.
        """
        for cached_key, value in self._cached:
            if cached_key is key:
                return cast("T", value)
        value = compute(self.text, key)
        self._cached.append((key, value))
        return value

    @abstractmethod
    def units(self) -> Sequence[Span]:
        """Return the units, which tile the text."""

    @abstractmethod
    def places(self, start: int = 0, stop: int | None = None) -> Places:
        """Return the places where a chunk may start, strictly inside a range."""

    @cached_property
    def all_places(self) -> Places:
        """The places in the whole text, cached for callers that read them more than once."""
        return self.places()

    def places_in(self, spans: Sequence[Span]) -> list[Places]:
        """Return the places in each of some spans, which are in order and do not overlap.

        If spans touch, these may be more than `places` returns.
        """
        return [self.places(*span) for span in spans]

    @abstractmethod
    def finer_places(self, start: int, stop: int) -> Iterator[Places]:
        """Yield the places inside a range that is too long, level by level, best level first."""

    @cached_property
    def outline(self) -> TextOutline:
        """The title of the document, the sections and the tables."""
        return TextOutline.of(
            *(self.text, self.source.metadata, self.source.kind, self.title),
            sections=self.sections,
            tables=self._table_bodies(),
        )

    @property
    @abstractmethod
    def sections(self) -> list[TextSection]:
        """Sections below headings, definitions or keys; see `TextSection`."""

    @abstractmethod
    def _table_bodies(self) -> Iterator[TableBody]:
        """Yield the rows of tables below their headers."""

    def _continued_table(self, end: int) -> Iterator[TableBody]:
        """Yield the rows of a chunk up to `end` if its context has the header of their table."""
        if context := context_of(self.source.metadata):
            below = f"{context}\n{self.text}" if self.source.kind == "csv" else ""
            header = find_header(below)
            is_last = header.end > len(context)
            table = context[header.start :] if is_last else Context.from_text(context).table
            yield from [TableBody(0, end, table)] if table else []

    @cached_property
    def section_starts(self) -> list[int]:
        """Starts of sections that are not merged with the section before, ascending, without 0."""
        return []

    @property
    @abstractmethod
    def title(self) -> str:
        """The title of the document; see `lumber_core.text.titles.document_title`."""


class PlainText(ParsedText):
    """A text that is not Markdown.

    `find_units` finds the units; by default, rows in the formats of `BY_ROWS`, else sentences. In
    code, a sentence is a unit only if it ends where a chunk may end.
    """

    def __init__(
        self, source: str | Source, language: str = "en", find_units: UnitFinder | None = None
    ) -> None:
        super().__init__(source, language)
        self._is_code = self.source.kind in ("code", "data")
        if find_units is None and self.source.kind not in BY_ROWS and not self._is_code:
            find_units = partial(sentences, language=language)
        self._find_units = find_units

    def units(self) -> Sequence[Span]:
        """Return the units of the unit finder; without one, rows of separated values or cues."""
        if self._find_units or not self.text:
            return self._find_units(self.text) if self._find_units else ()
        places = self.all_places
        starts = {
            at for at, kind in zip(places.offsets, places.kinds, strict=True) if kind >= Kind.LINE
        }
        if self._is_code:  # a comment stays with the lines below
            starts &= {*starts_of_sentences(self.text, self.language)}
        return spans_from_starts(sorted({0, *starts}), len(self.text))

    def places(self, start: int = 0, stop: int | None = None) -> Places:
        """Return sentences, lines, paragraphs and headings; only the text of the range is read.

        For captions and JSON, return cues and elements.
        """
        if self._elements is not None:
            return self._elements.inside(start, len(self.text) if stop is None else stop)
        text = self.text[start:stop]
        layout = self._layout if text == self.text else None
        places = find_places(text, self.language, start, (), self._is_code, layout)
        if self.source.kind not in MARKUPS:
            return places
        levels = {section.start: min(6, section.level) for section in self.sections}
        return Places.of(
            place._replace(kind=Kind.HEADING, level=levels[place.offset])
            if place.offset in levels
            else place
            for place in places
        )

    def places_in(self, spans: Sequence[Span]) -> list[Places]:
        """Return the places in spans; the lines of touching spans are read together."""
        if self._elements is not None:
            return [self.places(*span) for span in spans]
        places_of_spans: list[Places] = []
        firsts = [n for n, span in enumerate(spans) if not n or spans[n - 1].end < span.start]
        for run in (spans[start:end] for start, end in pairwise([*firsts, len(spans)])):
            begin, end = run[0].start, run[-1].end
            edges = [span.start - begin for span in run[1:]]
            places = find_places(self.text[begin:end], self.language, begin, edges, self._is_code)
            places_of_spans += [places.inside(*span) for span in run]
        return places_of_spans

    def finer_places(self, start: int, stop: int) -> Iterator[Places]:
        """Yield lines of code, lines and sentences in a row or record, clauses and words."""
        lines = self._code_starts
        lines = lines[bisect_right(lines, start) : bisect_left(lines, stop)]
        for edges in (False, True) if lines else ():
            starts = [at for at in lines if edges or not is_edge_of_block(self.text, at)]
            yield Places.of_kind(starts, Kind.LINE, 3)  # this depth scores less than a sentence
        yield from places_in_rows(self.text, start, stop, self.language)
        yield from finer_places(self.text, start, stop)

    def _table_bodies(self) -> Iterator[TableBody]:
        """Yield the rows of separated values below their header row."""
        # A chunk from further down in a file has no header.
        below = self.source.first_line > 1 or self.source.metadata.get("start_index")
        if self.source.kind == "csv" and below:
            yield from self._continued_table(len(self.text))
        elif self.source.kind == "csv" and (header := find_header(self.text)).end:
            yield TableBody(header.end, len(self.text), header.of(self.text).rstrip("\r\n"))

    @cached_property
    def sections(self) -> list[TextSection]:
        """Sections below headings, definitions or keys; see `TextSection`."""
        return sections_of(self.text, self.source.kind)

    @property
    def title(self) -> str:
        """The title in the metadata, or in a format with headings, or the name of the file."""
        source, marked = self.source, self.source.kind in MARKUPS
        titles = titles_of(self.text, source.kind, self.sections) if marked else []
        titled = not marked and _UNDERLINED.match(self.text) is not None
        about = source.metadata, source.file_title, titles
        return document_title(*about, has_title=titled, has_headings=marked)

    @cached_property
    def _elements(self) -> Places | None:
        return elements_of(self.text, self.source.kind)

    @cached_property
    def _code_starts(self) -> list[int]:
        """Where lines of code begin."""
        if self.source.kind not in ("text", "code", "data"):
            return []
        starts = self._layout.starts
        if not self._is_code:
            starts = [starts[number] for number in self._layout.code]
        return breaks(self.text, starts)

    @cached_property
    def _layout(self) -> Layout:
        return read_layout(self.text, self._is_code)


class MarkdownText(ParsedText):
    """A Markdown text, which is parsed when it is first needed.

    `merge_sections` is whether a chunk may hold several sections.
    """

    def __init__(
        self, source: str | Source, language: str = "en", merge_sections: bool = True
    ) -> None:
        super().__init__(source, language)
        self._merge_sections = merge_sections

    def units(self) -> Sequence[Span]:
        """Return the blocks, each heading with the first block below it."""
        return markdown_units(self.source.blocks)

    def places(self, start: int = 0, stop: int | None = None) -> Places:
        """Return headings, list items and other blocks, and sentences of prose."""
        end = len(self.text) if stop is None else stop
        return find_markdown_places(self.text, self._blocks_between(start, end), self.language)

    def finer_places(self, start: int, stop: int) -> Iterator[Places]:
        """Yield rows and lines first, then the same places as `PlainText`."""
        return finer_markdown_places(self.text, self._blocks_between(start, stop))

    @cached_property
    def sections(self) -> list[TextSection]:
        """Sections below the headings."""
        return [TextSection(b.start, b.level, b.title) for b in self.source.blocks if b.level]

    @cached_property
    def section_starts(self) -> list[int]:
        """Where headings start, except below another heading; none if sections are merged."""
        if self._merge_sections:
            return []
        # A thematic break below a heading belongs to it: no place is between them.
        blocks = [block for block in self.source.blocks if block.kind != "rule"]
        starts = [
            block.start
            for before, block in pairwise(blocks)
            if block.level and before.kind != "heading"
        ]
        leading_rule = bool(blocks) and blocks[0] is not self.source.blocks[0]
        return [blocks[0].start, *starts] if leading_rule and blocks[0].level else starts

    @property
    def title(self) -> str:
        """The title in the metadata, the only first-level heading if it is first, or a file name.

        Without such a heading, the title in front matter comes before a name.
        No name is added if a heading at the start contains all others: it is above all chunks.
        """
        blocks = self.source.blocks
        headings = [block for block in blocks if block.level and block.title]
        top = min((block.level for block in headings), default=0)
        contains_all = [block for block in headings if block.level == top] == headings[:1]
        front = [block for block in blocks[:1] if block.kind == "front matter" and block.title]
        titles = headings[:1] if contains_all and top == 1 else front
        texts = [block.title for block in titles]
        titled = contains_all and top > 1  # the title must be the first text that a reader sees
        titled = titled and not re.sub(HIDDEN, "", self.text[: headings[0].start]).strip()
        return document_title(
            self.source.metadata, self.source.file_title, texts, has_title=titled, has_headings=True
        )

    def _table_bodies(self) -> Iterator[TableBody]:
        """Yield the rows of tables, with the header row and the line of dashes without padding."""
        for block in self.source.blocks:
            if block.kind == "table" and not (block.start or block.header.end):
                yield from self._continued_table(block.end)
            if block.header.end:
                header = block.header.of(self.text)
                rows = (_BEFORE_ROW.sub("", row) for row in LINE_BREAK.split(header))
                names, *below = (" ".join(row.split()) for row in rows)
                dashed = f"{names}\n{_DASHES.sub('---', below[0] if below else '')}"
                short = " ".join(header.split()) if block.kind == "html" else dashed
                yield TableBody(block.header.end, block.end, short)

    def _blocks_between(self, start: int, stop: int) -> list[Block]:
        """Return the blocks inside a range; the first and the last may be parts of blocks."""
        blocks = self.source.blocks
        first = bisect_right(blocks, start, key=lambda block: block.start) - 1
        last = bisect_left(blocks, stop, key=lambda block: block.start)
        inside = blocks[max(0, first) : last]
        for number, block in enumerate(inside):
            if block.start < start or block.end > stop:
                begin, end = max(start, block.start), min(stop, block.end)
                rows = tuple(row for row in block.rows if start < row < stop)
                inside[number] = replace(block, start=begin, end=end, rows=rows)
        return inside
