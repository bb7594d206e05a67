"""The outline of a text: its title, its sections and its tables, and what is above each part.

An embedder or a reader sees a chunk alone. Its context names the document and the section it comes
from, and the columns of the table whose rows it continues. An outline is small: an index stores it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from lumber_core.text.markdown import (
    CONTEXT_KEY,
    HEADING_SEPARATOR,
    INSIDE_KEY,
    INSIDE_SEPARATOR,
    LEVELS_KEY,
)
from lumber_core.text.origin import foreign_headings

_MAX_HEADINGS = 3  # in a context; outer headings describe a chunk less
# Maximum characters repeated for each chunk. Longer lines are headings or headers by mistake, or
# are too long to repeat.
_MAX_TITLE_CHARACTERS = 300
_MAX_HEADER_CHARACTERS = 3_000
_VISIBLE = re.compile(r"[^\s\ufeff]")
_CACHED_OUTLINES = 500
"""Maximum number of cached outlines of an index. An outline of 100 sections takes about 30 KB."""


@dataclass(frozen=True, slots=True)
class Context:
    """The titles and the table header that a chunk belongs to but does not contain."""

    titles: tuple[str, ...] = ()  # the document's title and the headings above, outermost first
    table: str = ""  # the header rows of the table whose rows it continues; "" if it does not

    def __str__(self) -> str:
        """Return the titles, joined by " > ", and the header rows on lines of their own."""
        return "\n".join(part for part in (HEADING_SEPARATOR.join(self.titles), self.table) if part)

    @classmethod
    def from_text(cls, written: str) -> Context:
        """Return the context that `str` has written, with its titles as one."""
        titles, _, table = written.partition("\n")
        if titles.startswith("|"):
            titles, table = "", written
        return cls((titles,) if titles else (), table)

    def above(self, text: str) -> str:
        """Return a text below this context: after a blank line, or right below a table header."""
        below = f"{self.table}\n{text}" if self.table else text
        return f"{HEADING_SEPARATOR.join(self.titles)}\n\n{below}" if self.titles else below


class OutlinePlace(NamedTuple):
    """The place of a span in the outline of a text: its context and its headings.

    The context has the title and the deepest three headings above the span, without a title that
    equals one of these headings. Titles of more than 300 characters and header rows of more than
    3,000 are left out.
    """

    titles: tuple[str, ...] = ()  # the headings above it, outermost first, and its first heading
    # The levels of these titles, if splitting the span again needs them: the span begins inside a
    # section and contains a heading, or the metadata has levels. Otherwise `()`.
    levels: tuple[int, ...] = ()
    inside: tuple[str, ...] = ()  # the headings inside it
    context: Context = Context()

    def metadata(self, context: Context | None = None) -> dict[str, str]:
        """Return the metadata of the span about its headings, and about a context."""
        fields = {
            "headings": HEADING_SEPARATOR.join(self.titles),
            LEVELS_KEY: " ".join(map(str, self.levels)),
            INSIDE_KEY: INSIDE_SEPARATOR.join(self.inside),
            CONTEXT_KEY: str(context or ""),
        }
        return {key: value for key, value in fields.items() if value}


class TextSection(NamedTuple):
    """A section of a text; a section without a title only ends the sections above it."""

    start: int
    level: int
    title: str


class TableBody(NamedTuple):
    """The rows of a table below its header: their place in the text, and the header rows."""

    start: int
    end: int
    header: str


_Path = tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...]]  # titles, levels, own title


@dataclass(frozen=True)
class TextOutline:
    """The title, sections and tables of a text, in reading order."""

    kind: str = "text"  # how the text is read; see `Source.kind`
    title: str = ""  # of the document
    above: tuple[str, ...] = ()  # the titles above the start of the text
    levels: str = ""  # of these titles, if the metadata states them
    # The titles that its sections belong to, with levels.
    inherited: tuple[tuple[str, int], ...] = ()
    sections: tuple[TextSection, ...] = ()
    tables: tuple[TableBody, ...] = ()
    has_own_context: bool = False  # whether the metadata states the context of all its parts

    @classmethod
    def of(
        cls,
        text: str,
        metadata: Mapping[Any, Any],
        kind: str,
        title: str,
        sections: Iterable[TextSection] = (),
        tables: Iterable[TableBody] = (),
    ) -> TextOutline:
        """Return the outline of a text.

        Args:
            text: The text.
            metadata: Its metadata. If it is a chunk of a document, "headings" are the titles above
                its start, joined by " > ", and "heading_levels" their levels. Without levels, the
                titles apply up to the first heading of the text, or further if it is the last
                title.
            kind: How the text is read.
            title: The title of its document, or "".
            sections: Its sections.
            tables: Its tables.
        """
        above, levels, sections = headings_above(metadata), metadata.get(LEVELS_KEY), (*sections,)
        level_text = levels if isinstance(levels, str) else ""
        numbers = _numbers(level_text)
        inherited: tuple[tuple[str, int], ...] = ()
        repeated = sections and above[-1:] == (sections[0].title,)
        if len(numbers) == len(above):
            inherited = (*zip(above, numbers, strict=True),)
        elif repeated and not text[: sections[0].start].strip():
            # Upper bounds: levels may be missing between two headings.
            bounds = range(sections[0].level - len(above) + 1, sections[0].level)
            inherited = (*zip(above[:-1], bounds, strict=True),)
        return cls(kind, title, above, level_text, inherited, sections, (*tables,))

    def to_json(self) -> str:
        """Return the outline as JSON, for `read_outline`."""
        fields = (self.kind, self.title, self.above, self.levels, self.inherited)
        parts = (self.sections, self.tables, self.has_own_context)
        return json.dumps([*fields, *parts], separators=(",", ":"))

    def places(self, text: str, spans: Iterable[tuple[int, int]]) -> list[OutlinePlace]:
        """Return where in the outline each span begins, at its first visible character."""
        starts, paths = self._paths
        places = []
        for start, end in spans:
            visible = _VISIBLE.search(text, start, end)
            first = visible.start() if visible else start
            before = bisect_right(starts, first)
            titles, levels, own_title = paths[before]
            headed = bool(own_title) and not text[starts[before - 1] : first].strip()
            inner_paths = paths[before + 1 : bisect_left(starts, end, before) + 1]
            needs_levels = (inner_paths and not headed) or bool(self.levels)
            inside = tuple(title for _, _, titled in inner_paths for title in titled)
            context = self._context(first, titles, headed, inside)
            places.append(OutlinePlace(titles, levels if needs_levels else (), inside, context))
        return places

    def possible_contexts(self, text: str) -> list[Context]:
        """Return the longest contexts that parts may have, wherever they start."""
        starts = {0, *(s.start + 1 for s in self.sections), *(t.start for t in self.tables)}
        return [p.context for p in self.places(text, pairwise([*sorted(starts), len(text)]))]

    @cached_property
    def _paths(self) -> tuple[list[int], list[_Path]]:
        """Where sections start, and the titles, levels and own title before and in each."""
        paths: list[_Path] = [(self.above, _numbers(self.levels), ())]
        path, levels = tuple(title for title, _ in self.inherited), [n for _, n in self.inherited]
        for _, level, title in self.sections:
            titled = (title,) if title else ()
            depth = len([above for above in levels if above < level])
            levels[depth:] = [level for _ in titled]
            path = path[:depth] + titled
            paths.append((path, tuple(levels), titled))
        return [section.start for section in self.sections], paths

    def _context(
        self, start: int, titles: tuple[str, ...], headed: bool, inside: tuple[str, ...]
    ) -> Context:
        """Return the context of a span that starts at a place, given its headings."""
        above = titles[:-1] if headed else titles
        path = above[-_MAX_HEADINGS:]
        if self.title and self.title not in (*path, *titles[len(above) :], *inside):
            path = (self.title, *path)
        short = tuple(title for title in path if len(title) <= _MAX_TITLE_CHARACTERS)
        table = bisect_right(self.tables, start, key=lambda table: table.start) - 1
        continued = table >= 0 and start < self.tables[table].end
        header = self.tables[table].header if continued else ""
        return Context(short, header if len(header) <= _MAX_HEADER_CHARACTERS else "")


@lru_cache(maxsize=_CACHED_OUTLINES)
def read_outline(stored: str) -> TextOutline:
    """Return the outline from the result of `TextOutline.to_json`."""
    kind, title, above, levels, inherited, sections, tables, has_own = json.loads(stored)
    return TextOutline(
        *(kind, title, tuple(above), levels, tuple((name, level) for name, level in inherited)),
        sections=tuple(TextSection(*section) for section in sections),
        tables=tuple(TableBody(*table) for table in tables),
        has_own_context=has_own,
    )


def headings_above(metadata: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the headings above a text from the metadata that this or another splitter added."""
    path = metadata.get("headings")
    titles = path.split(HEADING_SEPARATOR) if isinstance(path, str) else foreign_headings(metadata)
    return tuple(filter(None, titles))


def split_titles(titles: object, separator: str = HEADING_SEPARATOR) -> list[str]:
    """Return the titles in a value of metadata; none if it is missing, or of another type."""
    return titles.split(separator) if isinstance(titles, str) and titles else []


def context_of(metadata: Mapping[Any, Any]) -> str:
    """Return the context in the metadata of a chunk; "" for none, or a value that is not text."""
    context = metadata.get(CONTEXT_KEY)
    return context if isinstance(context, str) else ""


def _numbers(levels: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", levels)))
