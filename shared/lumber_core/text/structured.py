"""Texts with a structure: code, data, captions, and headings of markups other than Markdown.

Code and data are read by indentation alone, which works for most languages: a line belongs to the
nearest line above with less indentation. Cuts are chosen as in any plain text, except that JSON is
cut between its elements, and captions between cues.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property

from lumber_core.spans import Span
from lumber_core.text.captions import read_cues
from lumber_core.text.outline import TextSection
from lumber_core.text.parsed import PlainText
from lumber_core.text.place import Kind, Place, Places
from lumber_core.text.source import Format, Source
from lumber_core.text.titles import document_title
from lumber_core.text.unicode import breaks
from lumber_core.text.units import UnitFinder

NESTED: tuple[Format, ...] = ("code", "data", "json")
"""Formats whose lines are nested by indentation."""
_LINE = re.compile(r"^([^\S\n]*)(\S.*)$", re.MULTILINE)
_MAX_TITLE_LINE_CHARACTERS = 300
# Lines that continue the block of a line above with the same indentation.
_CONTINUATION = re.compile(r"[)\]}{]|(?:end|fi|done|esac)\W?$")
_COMMENT = re.compile(r"#|//|--|/?\*|;")
_SECTION = re.compile(r"\[+\s*([^\[\]]*\w[^\[\]]*)\]+\s*(?:[#;].*)?$")  # in TOML and INI
_ITEM = re.compile(r"(?:-\s+)+")  # in YAML
_FLOW = re.compile(
    r"(?:if|elif|else|for|foreach|while|until|unless|do|loop|switch|match|case(?! class| object)"
    r"|default|when|try|catch|except|finally|with|using|return|yield|raise|throw|await|assert)\b"
)
_DEFINES = re.compile(
    r"(?:^|[^\w.])(?:class|def|function|func|fun|fn|interface|struct|enum|trait|impl|protocol"
    r"|namespace|module|mod|package|object|record|extension|sub|procedure|macro|table|view|trigger"
    r"|type|message|service|resource)\s+[\w\"'<(*&`$]",
    re.IGNORECASE,
)
_BLOCK_START = re.compile(r"\{$|=\s*[\[(]$")  # a block of braces, or a value of several lines
_AROUND_TITLE = " \t\r{([:=,>|&"
_AROUND_KEY = _AROUND_TITLE + "-\"'"

_HEADINGS: dict[str, re.Pattern[str]] = {
    "org": re.compile(r"^(?P<mark>\*{1,6})[ \t]+(?P<title>\S.*)$", re.MULTILINE),
    "asciidoc": re.compile(r"^(?P<mark>={1,6})[ \t]+(?P<title>\S.*)$", re.MULTILINE),
    "latex": re.compile(
        r"^[ \t]*\\(?P<mark>part|chapter|section|subsection|subsubsection|paragraph)\*?"
        r"(?:\[[^\]\n]*\])?\{(?P<title>(?:[^{}\n]|\{[^{}\n]*\})+)\}",
        re.MULTILINE,
    ),
    "rst": re.compile(
        r"^(?:(?P<over>([#*=~^\"'`+.:_-])\2{2,})[ \t\r]*\n)?[ \t]?(?P<title>[^\w\n]*\w.*)\n"
        r"(?P<mark>([#*=~^\"'`+.:_-])\5{2,})[ \t\r]*$",
        re.MULTILINE,
    ),
}
_TITLE_LINES = {
    "org": re.compile(r"^#\+title:(?P<title>[^\w\n]*\w.*)$", re.MULTILINE | re.IGNORECASE),
    "latex": re.compile(
        r"^[ \t]*\\title(?:\[[^\]\n]*\])?\{(?P<title>(?:[^{}]|\{[^{}]*\})*\w)\}", re.MULTILINE
    ),
}
MARKUPS = frozenset(_HEADINGS)
"""Formats whose headings are not those of Markdown."""
_COMMANDS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
_RULES = "#*=-~^\"'`+.:_"  # underlines in rst, outermost first, in the order of most documents

_JSON = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[\[{}\]]|,[^\S\n]*\n?|\n')
_OPENING = re.compile(r"\s*[\[{]")
_MAX_NESTING = 4  # deeper levels of JSON score the same


def parse_plain(
    source: Source, language: str = "en", find_units: UnitFinder | None = None
) -> PlainText:
    """Return a parsed text that is not Markdown, by its format; see `PlainText`."""
    has_structure = source.kind in (*NESTED, *MARKUPS, "captions")
    return (StructuredText if has_structure else PlainText)(source, language, find_units)


class StructuredText(PlainText):
    """A text in a format with nested lines, cues or headings."""

    def places(self, start: int = 0, stop: int | None = None) -> Places:
        """Return cues, elements of JSON, or the places of plain text with headings of a markup."""
        if self._own_places is not None:
            return self._own_places.inside(start, len(self.text) if stop is None else stop)
        places = super().places(start, stop)
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
        """Return the places in spans."""
        if self._own_places is not None:
            return [self.places(*span) for span in spans]
        return super().places_in(spans)

    @cached_property
    def _own_places(self) -> Places | None:
        """The cues of captions, or elements of JSON; None if the text has neither."""
        cues = read_cues(self.text) if self.source.kind == "captions" else []
        if cues:
            return Places.of(Place(cue.span.start, Kind.PARAGRAPH, cue.text_start) for cue in cues)
        # A loader may extract a text from a JSON file, so the name alone does not show JSON. JSON
        # on a single line is cut as in any text.
        body = self.text.strip("\ufeff \t\r\n")
        is_json = self.source.kind == "json" and body[:1] in ("{", "[") and "\n" in body
        return _json_places(self.text) if is_json else None

    @property
    def title(self) -> str:
        """The title in the metadata or in a line for it, the only highest heading, or a name.

        A heading is the title only if it comes before all others.
        """
        kind = self.source.kind
        if kind not in MARKUPS:
            return super().title
        line = _TITLE_LINES[kind].search(self.text) if kind in _TITLE_LINES else None
        top = min((section.level for section in self.sections), default=0)
        highest = [section for section in self.sections if section.level == top]
        only = [one.title for one in highest] if highest == self.sections[:1] else []
        own = [" ".join(line["title"].split())] if line else only
        return document_title(self.source.metadata, self.source.named, own, headed=True)

    @cached_property
    def sections(self) -> list[TextSection]:
        """Where definitions, keys or headings begin; one without a title ends those above."""
        kind = self.source.kind
        if kind in NESTED:
            return [*_nested_sections(self.text, code=kind == "code")]
        return [*_headings(self.text, kind)] if kind in MARKUPS else []


def markup_headings(
    text: str, kind: str, start: int = 0, end: int = sys.maxsize
) -> Iterator[re.Match[str]]:
    """Yield the headings in a range of a text whose format is one of `MARKUPS`."""
    for match in _HEADINGS[kind].finditer(text, start, end):
        if kind != "rst" or len(match["mark"]) >= len(" ".join(match["title"].split())):
            yield match


def _headings(text: str, kind: Format) -> Iterator[TextSection]:
    """Yield the sections that begin with headings of a markup."""
    for match in markup_headings(text, kind):
        title, mark = " ".join(match["title"].split()), match["mark"]
        if kind == "latex":
            level = 1 + _COMMANDS.index(mark)
        elif kind == "rst":
            level = 1 + 2 * _RULES.index(mark[0]) + (match["over"] is None)
        else:
            level = len(mark)
        yield TextSection(match.start(), level, title)


def _nested_sections(text: str, *, code: bool) -> Iterator[TextSection]:
    """Yield sections by indentation: definitions of code, or keys of data."""
    lines = [(line.start(), line[1], line[2].rstrip()) for line in _LINE.finditer(text)]
    levels = [0]  # of each line, and after the last
    for _, indent, body in reversed(lines):
        level = 2 + 2 * len(indent.expandtabs(4))
        if not code and not indent and _SECTION.match(body):
            level = 1
        elif _CONTINUATION.match(body) or (not code and _ITEM.match(body)):
            level += 1
        elif _COMMENT.match(body):  # of the line below
            level = max(level, levels[-1])
        levels.append(level)
    levels.reverse()
    opened: list[int] = []
    least = levels[0]  # a lower level ends a section that began before this text, if it is a chunk
    for number, (start, _, body) in enumerate(lines):
        level, below = levels[number : number + 2]
        ends = level < least or (bool(opened) and level <= opened[-1])
        least = min(least, level)
        while opened and level <= opened[-1]:
            opened.pop()
        title = ""
        if below > level and len(body) <= _MAX_TITLE_LINE_CHARACTERS:
            following = lines[number + 1][2]
            title = _definition(body, following) if code else _key(body)
        if title:
            opened.append(level)
        if title or ends:
            yield TextSection(start, level, title)


def _definition(body: str, below: str) -> str:
    """Return the title of the definition that begins with a line of code; "" if none does."""
    if _COMMENT.match(body) or _CONTINUATION.match(body) or _FLOW.match(body):
        return ""
    defines = _BLOCK_START.search(body) or below == "{" or _DEFINES.search(body.partition("(")[0])
    return body.rstrip(_AROUND_TITLE) if defines else ""


def _key(body: str) -> str:
    """Return the key or section that begins with a line of data; "" if none does."""
    section = _SECTION.match(body)
    if section or _COMMENT.match(body):
        return section[1].strip() if section else ""
    title = body.strip(_AROUND_KEY)
    return title if any(map(str.isalnum, title)) else ""


def _json_places(text: str) -> Places:
    """Return where elements of JSON begin, or lines of it."""
    depth = 0
    closed = False  # whether an object has just ended
    kinds: dict[int, tuple[Kind, int]] = {}
    for token in _JSON.finditer(text):
        sign, end = token[0][0], token.end()
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth = max(0, depth - 1)
        elif sign == ",":
            # Objects are kept whole if possible, even if their members are on separate lines.
            whole = closed or _OPENING.match(text, end)
            levels = min(max(0, depth - 1), _MAX_NESTING)
            kinds[end] = Kind.SENTENCE if whole else Kind.CLAUSE, levels
        elif sign == "\n" and not depth and text[end : end + 1] not in "\r\n":
            kinds[end] = Kind.LINE, 0
        closed = sign == "}"
    return Places.of(Place(at, kinds[at][0], at, kinds[at][1]) for at in breaks(text, kinds))
