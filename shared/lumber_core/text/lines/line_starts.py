"""What begins at each line of a plain text, or whether the line continues the one before.

The meaning of a line break depends on the text. In wrapped prose it means nothing; in a list, a
chat or a table it ends an item, a message or a row. `read_layout` finds code and rows first, then
wrapped lines, then lines that belong to the line below (headings, and the times and speakers above
speech), and finally what begins at each line.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import add

from lumber_core.text.lines.code import code_lines
from lumber_core.text.lines.columns import Lines, speech_heads
from lumber_core.text.lines.headings import find_headings, lines_after_lead_in
from lumber_core.text.lines.tables import find_rows
from lumber_core.text.lines.wrapping import page_edges, wrapped_lines
from lumber_core.text.place import Kind

_MAX_HEADINGS_IN_A_ROW = 4  # part, chapter, section: only the first of them starts a chunk
_DEPTH_INSIDE_ENTRY = 2  # depth of the lines that continue a dated entry


@dataclass(frozen=True)
class Layout:
    """The lines of a text that are not blank, by their numbers."""

    starts: list[int]  # offset of the first character, indentation included
    # Offset just past the indentation and a label such as "[5]", "3.", "-" or "ANNA:". A line with
    # only the time or speaker of the text below has the offset of that text.
    first_words: list[int]
    kinds: dict[int, Kind]  # what begins with a line, if it does not continue the one before
    whole: set[int]  # lines in which no sentence ends: rows, lines of code and of logs
    wrapped: set[int]  # lines that continue the line before, which was wrapped or ended a page
    depths: dict[int, int]  # levels of indentation in code; 2 inside an entry with a date
    levels: dict[int, int]  # levels of headings, such as 2 for "## Use"


def read_layout(text: str) -> Layout:
    """Return what begins at each line of a text that is not blank."""
    lines = Lines(text)
    edges, in_pages = page_edges(lines)
    code, inside = code_lines(lines)
    rows, entries = find_rows(lines)
    whole = rows.union(code, edges)
    wrapped = wrapped_lines(lines, whole)
    stamps = speech_heads(lines.bodies, lines.blank)
    headings, rules = find_headings(lines, wrapped, whole | stamps)
    continued = wrapped | in_pages
    begins = [number for number in range(len(lines.starts)) if number not in continued]
    joined = inside.union(
        rules, lines_after_lead_in(lines, begins) - code.keys(), (n + 1 for n in stamps)
    )
    leads = headings | rules
    kinds: dict[int, Kind] = {}
    kept = 0  # consecutive headings that continue the one before
    for number in begins:
        headed = number - 1 in leads
        if number and number not in joined and not (headed and kept < _MAX_HEADINGS_IN_A_ROW):
            kind = Kind.PARAGRAPH if lines.blank[number] else Kind.LINE
            kinds[number] = Kind.HEADING if number in headings else kind
        if number not in rules:
            kept = kept + 1 if headed and number in headings else 0
    words = [*map(add, lines.offsets, lines.labels)]
    for number in continued:
        words[number] = lines.offsets[number]
    for number in sorted(stamps, reverse=True):
        below = number + 1
        words[number] = words[below] if below in stamps else lines.offsets[below]
    for number in entries - stamps:
        code[number] = max(code.get(number, 0), _DEPTH_INSIDE_ENTRY)
    levels = {n: len(lines.bodies[n]) - len(lines.bodies[n].lstrip("#")) for n in headings}
    whole -= continued - edges
    return Layout(lines.starts, words, kinds, whole, continued, code, levels)
