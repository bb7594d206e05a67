"""Texts with a structure: code, data, captions, and headings other than those of Markdown.

Code and data are read by indentation alone, which works for most languages: a line belongs to the
nearest line above with less indentation. Cuts are chosen as in any plain text, except that JSON is
cut between its elements, and captions between cues.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from lumber_core.text.captions import read_cues
from lumber_core.text.outline import TextSection
from lumber_core.text.place import Kind, Place, Places
from lumber_core.text.source import Format
from lumber_core.text.unicode import breaks

NESTED: tuple[Format, ...] = ("code", "data", "json")
"""Formats whose lines are nested by indentation."""
_LINE = re.compile(r"^([^\S\n]*)(\S.*)$", re.MULTILINE)
_MAX_TITLE_LINE_CHARACTERS = 300  # of the line of a definition or key
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
    r"(?i)(?:^|[^\w.])(?:class|def|function|func|fun|fn|interface|struct|enum|trait|impl|protocol"
    r"|namespace|module|mod|package|object|record|extension|sub|procedure|macro|table|view|trigger"
    r"|type|message|service|resource)\s+[\w\"'<(*&`$]"
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
    "text": re.compile(  # as wikis write them
        r"^[ \t]?(?P<mark>=(?: ?=){0,5})[ \t]*(?P<title>[^=\s](?:.{0,198}[^=\s])?)[ \t]*(?P=mark)"
        r"[ \t\r]*$",
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
MARKUPS = frozenset(_HEADINGS) - {"text"}
"""Formats that mark headings in another way than Markdown."""
HIDDEN_LINES = {
    "org": r"[ \t]*(?:#(?:[ \t].*|\+(?!caption)[\w-]+:.*)?"
    r"|:(?:PROPERTIES|LOGBOOK):[ \t\r]*(?:\n.*){0,99}?\n[ \t]*:END:)[ \t\r]*$",
    "asciidoc": r"(?:\[\[[^\]\n]+\]\]|\[#[^\]\n]*\]|:!?[\w-]+!?:.*|//(?!/).*"
    r"|(?:include|ifn?def|ifeval|endif|toc)::.*\])[ \t\r]*$",
    "latex": r"[ \t]*(?=[\\%])(?:\\(?:label|begin|end|documentclass|usepackage|input|include"
    r"|bibliography\w*|maketitle|tableofcontents|centering|(?:new|clear)page|[hv]space)\*?"
    r"(?:\[[^\]\n]*\])?(?:\{[^{}\n]*\})*[ \t]*)*(?:%.*)?\r?$",
    "rst": r"[ \t]*\.\.[ \t]+(?:_.*|(?:index|highlight|contents|(?:current)?module|toctree|only"
    r"|meta|include|default-role)::.*|(?!\S.*::|\[|\|)\S.*(?:\n[ \t]+\S.*)*)$",
}
"""Patterns of lines that a reader does not see: comments, settings, and targets of links."""
_COMMANDS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
_RULES = "#*=-~^\"'`+.:_"  # underlines in rst, outermost first, in the order of most documents

# In plain text, a line between blank lines.
_NUMBERED = re.compile(
    r"^(?<!\S\n)(?<!\S\r\n)(?P<indent> {0,3})(?P<number>\d{1,2}(?:\.\d{1,2}){0,5})\.?[ \t]+"
    r"(?P<title>\W?\w(?:(?!\.[ .]?\.|\s{3})[^\n]){1,88}(?<![\s.,:;]))(?=[ \t\r]*\n[ \t\f\r]*$)",
    re.MULTILINE,
)
_MIN_NUMBERED_SECTIONS, _MIN_MEAN_LENGTH = 3, 200
"""Minimum number of numbered sections in a text, and their minimum mean length in characters:
shorter sections are list items or entries of a table of contents."""

_JSON = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[\[{}\]]|,[^\S\n]*\n?|\n')
_OPENING = re.compile(r"\s*[\[{]")
_MAX_NESTING = 4  # deeper levels of JSON score the same


def elements_of(text: str, kind: Format) -> Places | None:
    """Return the cues of captions, or the elements of JSON; None if a text has neither."""
    cues = read_cues(text) if kind == "captions" else []
    if cues:
        return Places.of(Place(cue.span.start, Kind.PARAGRAPH, cue.text_start) for cue in cues)
    # A loader may extract a text from a JSON file, so the name alone does not show JSON. JSON on a
    # single line is cut as in any text.
    body = text.strip("\ufeff \t\r\n")
    is_json = kind == "json" and body[:1] in ("{", "[") and "\n" in body
    return _json_places(text) if is_json else None


def titles_of(text: str, kind: Format, sections: Sequence[TextSection]) -> list[str]:
    """Return the title in a title line, or else the only highest heading, if it comes first."""
    line = _TITLE_LINES[kind].search(text) if kind in _TITLE_LINES else None
    top = min((section.level for section in sections), default=0)
    highest = [section for section in sections if section.level == top]
    only = [section.title for section in highest] if highest == sections[:1] else []
    return [" ".join(line["title"].split())] if line else only


def sections_of(text: str, kind: Format) -> list[TextSection]:
    """Return the sections below headings, definitions or keys; see `TextSection`."""
    if kind in NESTED:
        return [*_nested_sections(text, code=kind == "code")]
    marked = [*_headings(text, kind)] if kind in _HEADINGS else []
    return marked or (_numbered_sections(text) if kind == "text" else [])


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


def _numbered_sections(text: str) -> list[TextSection]:
    """Return the sections of a text in which the numbers of all headings follow each other."""
    sections: list[TextSection] = []
    path: list[int] = []
    indents: dict[int, str] = {}
    for match in _NUMBERED.finditer(text):
        *above, last = number = [*map(int, match["number"].split("."))]
        title, level = " ".join(match["title"].split()), len(number)
        if number == [1] and sections and title == sections[0].title:
            sections, path = [], []  # the sections so far are in a table of contents
        # A long heading may be on two lines, and is missed.
        follows = above == path[: level - 1] and 0 < last - sum(path[level - 1 : level]) <= 2
        if follows and match["indent"] == indents.setdefault(level, match["indent"]):
            path = number
            sections.append(TextSection(match.start(), level, title))
    length = sections[-1].start - sections[0].start if sections else 0
    # The title of all page numbers is the same: "2 of 5".
    titles = {section.title for section in sections}
    enough = len(titles) >= _MIN_NUMBERED_SECTIONS and length >= _MIN_MEAN_LENGTH * len(sections)
    return sections if enough else []


def _nested_sections(text: str, *, code: bool) -> Iterator[TextSection]:
    """Yield sections by indentation: definitions of code, or keys of data."""
    lines = [(line.start(), line[1], line[2].rstrip()) for line in _LINE.finditer(text)]
    levels = [0]  # the level of each line, and of the end of the text
    for _, indent, body in reversed(lines):
        level = 2 + 2 * len(indent.expandtabs(4))
        if not code and not indent and _SECTION.match(body):
            level = 1
        elif _CONTINUATION.match(body) or (not code and _ITEM.match(body)):
            level += 1
        elif _COMMENT.match(body):  # a comment belongs to the line below
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
    """Return where elements or lines of JSON begin."""
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
