"""Cleans up the Markdown that anydoc writes; marks superscripts and subscripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from lumber_core.text.unicode import KANA_HAN

# The parts of anydoc's Markdown that are changed, and code, which is kept.
_CLEANUP = re.compile(
    r"""(?=[`!\[<\\\n\#]|^[\ >]+`)(?:
    (?P<code>^[\ >]*(?P<fence>`{3,})(?!`)[^`\n]*\n.*?^[\ >]*(?P=fence)$
    |(?<![\\`])(?P<ticks>`{1,3})(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`))
    |(?<!\\)!?\[(?!\^)(?P<link>(?:[^\[\]\\]|\\.)*)\]\((?:<[^>]*>|[^()\s]*)\)
    |(?P<anchor><a\ id="[^"]*"></a>)
    |(?P<break>(?<!\\)\\\n)
    |(?P<gap>\n\n(?=(?P<indent>[\ >]*)(?P<marker>-|\d+\.)\ ))
    |^(?P<heading>\#+\ )\*\*(?P<bold>[^*\n]+)\*\*$
    |\\(?=\[[^\[\]\n]{1,20}\](?![(\[:]))
    |(?<!\\)(?P<in_cell><br>))""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_CELL_END = re.compile(r"(?<!\\)\|")
_TABLE = re.compile(
    r"^(?P<code>[ >]*(?P<fence>`{3,})(?!`)[^`\n]*\n.*?^[ >]*(?P=fence)$)"
    r"|^(?P<table>(?P<indent>[ >]*)\|[^\n]*\|\n(?P=indent)\|(?: -+ \|)+"
    r"(?:\n(?P=indent)\|[^\n]*\|)*)$",
    re.MULTILINE | re.DOTALL,
)
NUMBER_START = re.compile(r"[-+(]?[$\u20ac\xa3]?(?!(?:19|20)\d\d$)\d")
"""The start of a number. Numbers do not name columns, except years."""
UNSPACED = f"\u3001-\u303f{KANA_HAN}\uff01-\uff60"
"""Ideographs, kana and their punctuation, for a regular expression; lines end between any two."""
MAX_REPEATED_CELLS = 20_000
"""Maximum number of repeated cells of a table; files with more would exhaust memory."""
_ITEM = re.compile(r"(?P<indent>[ >]*)(?P<marker>-|\d+\.) ")
_Divide = Callable[[list[list[str]]], Iterable[str]]
MAX_HEADING_WORDS = 15
"""Maximum number of words of a heading; longer lines are text."""
_MAX_SENTENCE_WORDS = 6  # of a heading that ends with a full stop, such as "1. Business."
_HAN = "\u3040"  # the first kana: from here on, a letter counts as two
# "(in millions)", captions, sources, formulas, addresses, authors and page numbers are not
# headings.
_NO_SECTION = re.compile(
    r"(?i)\(.*\)$|\W?(?:table|figure|fig\.|chart|graph|photo|plate|tabelle|abb\.|abbildung|grafik"
    r"|tableau|tabla|figura|gr[áa]fico|표|그림|表|图|図) ?(?:(?:[A-Z]{1,3}[-.]?)?\d|[IVX]+\b)"
    r"|(?:sources?|photos?|credits?|quelle|foto|fuente)\s?:|.*left blank$|continued on "
    r"|.*(?:\s[=<>≤≥≈≡∝→]\s|[∑∫√∏∂]|<\w|\w@\w|\w\.\w+/\w|\^\W?\d.*\^\W?\d|\bpage \d+(?: of \d+)?$)"
)
_NO_END = ",;=+\u3001\u3002\uff0c\uff1b"  # in Chinese, a full stop ends sentences only
_BOLD = re.compile(r"(\*{2,3})(\S[^*\n]*?) *\1(:?) *")  # a bold paragraph
_PART = re.compile(r"(?:[^\W\d_]+ )?(?:\d+|[A-Z])[.:)]|.*:$")  # no title of a document: "Part 1:"
_NUMBER_SIGNS = "+-\u2212\u2013"
_ORDINALS = frozenset(["st", "nd", "rd", "th", "er", "re", "e", "ème", "eme", "º", "ª", "o", "a"])
_NOTE_LETTERS = re.compile("(?![eorst]$)[a-z](?:, ?[a-z])*")  # as in "Lee^a,b", not in "Mr" or "1o"


def mark_script(kind: str, before: str, text: str) -> str:
    """Return a text with "^", "_" or a space before it, if it would join the number `before` it.

    `kind` is "sup" for a superscript, "sub" for a subscript, "note" for the mark of a note, and
    "after" for the text after one of these.
    """
    first = text[:1]
    if before in ("", *" [(") or not first.strip():
        return text
    is_number = first.isdigit() or (first in _NUMBER_SIGNS and text[1:2].isdigit())
    marks = first.isalnum() if kind == "note" else kind == "sup" and _NOTE_LETTERS.fullmatch(text)
    if (marks and before.isalnum()) or (is_number and kind in ("sup", "note")):
        return f"^{text}"
    if kind == "sup" and before.isdigit() and first.isalpha():
        return text if text.strip().lower() in _ORDINALS else f"^{text}"
    if kind == "sub" and before.isdigit() and is_number:
        return f"_{text}"
    return f" {text}" if kind == "after" and before.isdigit() and first.isdigit() else text


def convert_document(content: bytes, kind: Any, divide: _Divide | None = None) -> str:
    """Return the Markdown of a document by anydoc, cleaned up; `divide` divides sheets."""
    from anydoc import to_document, to_markdown_bytes

    markdown = _CLEANUP.sub(_clean_up, to_markdown_bytes(content, kind)).strip("\n")
    markdown = "\n".join(_indent_items(markdown.split("\n")))
    if not _TABLE.search(markdown):
        return markdown
    tables = list(_find_tables(to_document(content, kind).blocks))
    return _TABLE.sub(lambda match: _write_table(match, tables, kind, divide), markdown)


def join_table(rows: Iterable[Sequence[str]], indent: str = "") -> str:
    """Return a Markdown table, whose first row is the header."""
    head, *others = rows
    lines = [head, ["---"] * len(head), *others]
    return "\n".join(f"{indent}| {' | '.join(line)} |" for line in lines)


def may_be_heading(text: str) -> bool:
    """Return whether a text may be a heading: no sentence, caption, formula, address or number."""
    letters = sum(character.isalpha() * (1 + (character >= _HAN)) for character in text)
    is_long = len(text.split()) > _MAX_SENTENCE_WORDS
    ends = text[-1] in _NO_END or (text[-1] in ".:" and is_long) or _NO_SECTION.match(text)
    return not ends and letters > max(2, sum(map(str.isdigit, text))) and not text[0].islower()


def show_headings(markdown: str) -> str:
    """Return a document with headings for bold paragraphs, unless it has several headings.

    Many people make headings bold, instead of choosing a style for them.
    """
    blocks = markdown.split("\n\n")
    bold = {n: m[2] + m[3] for n, m in enumerate(map(_BOLD.fullmatch, blocks)) if m}
    headings = {
        n: o for n, o in bold.items() if len(o.split()) <= MAX_HEADING_WORDS and may_be_heading(o)
    }
    # A single bold paragraph may be a warning; if most paragraphs are bold, the text is bold.
    if 1 < len(headings) <= len(blocks) / 2 and len(re.findall("(?m)^#", markdown)) < 2:
        for n, text in headings.items():
            blocks[n] = f"# {text}" if not n and not _PART.match(text) else f"## {text}"
    return "\n\n".join(blocks)


def _indent_items(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines with blocks of items below their text: anydoc indents by a label's width."""
    items: list[list[int]] = []  # the minimum, first and right indent in each open item
    fence = ""
    for line in lines:
        text = line.lstrip(" ")
        indent = right = len(line) - len(text)
        while text and items and not fence and indent < items[-1][0]:
            items.pop()
        if text and items:
            items[-1][1] = items[-1][1] or indent
            right = max(items[-1][2], items[-1][2] + indent - items[-1][1])
        yield " " * right + text
        if (item := _ITEM.match(text)) and not fence and not item["indent"]:
            items.append([indent + item.end(), 0, right + item.end()])
        # A fence may be in an item.
        if mark := re.match(fence or r"(?:(?:-|\w+\.) )*(`{3,})", text):
            fence = "" if fence else mark[1]


def _find_tables(blocks: Any) -> Iterator[Any]:
    """Yield the grids of the tables in blocks, and the count of their header rows."""
    for block in blocks:
        if block.kind == "table":
            yield block.table.grid, block.table.header_rows
        inner = block.list.items if block.kind == "list" else [block]
        for part in inner if block.kind in ("list", "block_quote") else ():
            yield from _find_tables(part.blocks)


def _write_table(match: re.Match[str], tables: list[Any], kind: str, divide: _Divide | None) -> str:
    """Return a table with spanning cells repeated, below a header row.

    The match may be code. `tables` loses the tables of the document before this one.
    """
    if match["code"]:
        return match["code"]
    head, _, *body = match["table"].split("\n")
    rows = [[*map(str.strip, _CELL_END.split(line)[1:-1])] for line in (head, *body)]
    indent = head[: head.index("|")]
    if len(rows[0]) == 1 and not divide:  # a frame around texts
        return f"\n{indent.rstrip()}\n".join(
            indent + text.replace("\\|", "|") for [text] in rows if text
        )
    while tables:
        grid, header_rows = tables.pop(0)
        below = rows if header_rows else rows[1:]
        if len(grid) == len(below) and max(map(len, grid)) == len(rows[0]):
            # In a sheet, a cell alone in its row is a title.
            _repeat_spanning_cells(below, grid, divide is not None)
            # A cell may state that it spans more columns than the table has.
            begins = [n for slots in grid for n, slot in enumerate(slots) if slot.kind == "origin"]
            width = max(begins) + 1
            rows = [row[:width] for row in rows]
            break
    if divide:
        return "\n\n".join(divide(rows))
    # Other formats than Word do not state whether the first row is a header. With two columns, it
    # is a header only above numbers: other such tables may be lists of names and values.
    if kind != "docx" and rows[2:] and not any(rows[0]):
        is_data = len(rows[0]) > 2 or all(NUMBER_START.match(row[-1]) for row in rows[2:])
        del rows[: is_data and names_columns(rows[1], rows[2:])]
    return join_table(rows, indent)


def names_columns(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a first row may be a header, in a table that does not state it.

    Columns besides the first need names, unless all cells below one of the names are numbers.
    """
    if any(map(NUMBER_START.match, row)):
        return False
    columns = ([cells[n] for cells in below if cells[n]] for n, name in enumerate(row) if name)
    return all(row[1:]) or any(cells and all(map(NUMBER_START.match, cells)) for cells in columns)


def _repeat_spanning_cells(rows: list[list[str]], grid: list[list[Any]], has_titles: bool) -> None:
    """Repeat each cell in the rows and columns that it spans, so that each row is complete."""
    room = MAX_REPEATED_CELLS
    filled = [sum(map(bool, texts)) for texts in rows]
    for number, (texts, slots) in enumerate(zip(rows, grid, strict=True)):
        for column, slot in enumerate(slots):
            if slot.kind == "covered" and room > 0:
                top, text = slot.origin_row, rows[slot.origin_row][slot.origin_col]
                is_title = has_titles and filled[top] == 1 and filled[number] == (top == number)
                texts[column] = texts[column] if is_title else text
                room -= bool(text)


def _clean_up(match: re.Match[str]) -> str:
    if match["code"]:
        return match["code"]
    if match["break"]:
        return "  \n"
    if match["gap"]:  # between items of a list; some have several paragraphs
        line = match.string.rfind("\n", 0, match.start()) + 1
        item = _ITEM.match(match.string, line)
        goes_on = item and item["marker"] != "-" and len(item["indent"]) >= len(match["indent"])
        return "\n" if item and (goes_on or match["marker"] in ("-", "1.")) else "\n\n"
    heading = f"{match['heading'] or ''}{match['bold'] or ''}"
    return " " if match["in_cell"] else heading or match["link"] or ""
