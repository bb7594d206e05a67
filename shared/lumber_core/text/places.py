"""Places where a chunk may start, each with its kind: sentences, lines, paragraphs, headings.

`find_places` finds the places that a reader would accept. If these are too far apart,
`finer_places` returns clauses, words and characters as a last resort.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from functools import partial
from itertools import repeat
from string import ascii_uppercase
from typing import NamedTuple

import numpy as np

from lumber_core.text.lines import heading_level
from lumber_core.text.plain import Break, Lines, read_lines
from lumber_core.text.prose import prose_lines
from lumber_core.text.unicode import breaks, space_cuts
from lumber_core.text.units import sentences, starts_of_sentences_and_lines

_ABBREVIATED = (
    *("approx", "cf", "vs", "al", "etc", "viz", "No", "no", "Nos", "nos", "Fig", "fig", "Figs"),
    *("figs", "Eq", "eq", "Eqs", "eqs", "Ref", "ref", "Refs", "refs", "Tab", "tab", "Vol", "vol"),
    *("p", "pp", "Ch", "ch", "Sec", "sec", "Art", "art", "Dr", "dr", "Mr", "Mrs", "Ms", "Prof"),
    *("St", "Jr", "Sr", "ca", "resp", "incl", "ed", "eds", "Inc", "Ltd", "Co"),
)
_ABBREVIATION = re.compile(
    rf"(?:\b(?:e\.\s?g|i\.\s?e|{'|'.join(_ABBREVIATED)})\.|(?<![\w.])[A-Z]\.)[\"')\]]*\s*$"
)
_LONGEST_ABBREVIATION = 12  # characters, with what may close after it
# Last words of abbreviations: other words need no search for one.
_LAST_WORDS = frozenset({*_ABBREVIATED, "g", "e", *ascii_uppercase})
# After these, the sentence continues only with a lower-case letter or a number.
_MAY_END = re.compile(r"\b(?:[Nn]o|al|etc|Inc|Ltd|Co|Jr|Sr|ed|eds)\.[\"')\]]*\s*$")
_QUOTED_BLANK = re.compile(r"[> \t]+(?:[\r\n]|\Z)")
_OBJECT = re.compile(r"\}(?:[,;]\s*|\s+)(?=\{)")
_RECORD = re.compile(r"[}\])][,;]\s*(?=[\[{(])")
_WIDE = "\u3001\uff0c\uff1b\uff1a"  # the next clause may follow them without a space
_CLAUSE = re.compile(rf"([,;:\u2013\u2014)\]{_WIDE}]+)(\s*)(?=\S)")


class Kind(IntEnum):
    """What starts at a place; a higher kind is a stronger break."""

    CHARACTER = 0
    WORD = 1
    CLAUSE = 2
    SENTENCE = 3
    LINE = 4
    PARAGRAPH = 5
    HEADING = 6


class Place(NamedTuple):
    """A place where a chunk may start.

    Attributes:
        offset: Offset of its first character.
        kind: What starts there.
        words: Offset where its first words are: past a label such as "[5]" or "ANNA:".
        depth: Levels of indentation, in code and markup.
        level: Level of a heading of Markdown, 1 to 6; 0 for any other place.
    """

    offset: int
    kind: Kind
    words: int
    depth: int = 0
    level: int = 0


# There may be many: the constructor of a named tuple is written in Python, this one is not.
_new_place = partial(tuple.__new__, Place)


def places_at(offsets: Iterable[int], known: Mapping[int, Place]) -> list[Place]:
    """Return the place at each offset; a sentence if none is known there.

    Args:
        offsets: Offsets where units start.
        known: Places by their offsets.
    """
    return [known.get(offset, Place(offset, Kind.SENTENCE, offset)) for offset in offsets]


def find_places(text: str, language: str = "en", begin: int = 0) -> list[Place]:
    """Find the sentences, lines, paragraphs and headings of a text.

    These are not places: line breaks in wrapped prose, and any position between a heading and the
    text below it, after an abbreviation such as "No.", between a label and its item, or inside a
    table row or a line of code.

    Args:
        text: The text.
        language: ISO 639 code for finding sentences.
        begin: Where the text begins in that of the offsets that are returned.

    Returns:
        Places in order, strictly inside the text.
    """
    prose = prose_lines(text)
    if prose is not None:
        return _of_prose(text, prose, language, begin)
    lines = read_lines(text)
    if not len(lines.starts):
        return []
    cuts = np.array(starts_of_sentences_and_lines(text, language), np.int64)
    numbers = np.searchsorted(lines.starts, cuts, side="right") - 1  # of their lines
    inside = cuts > lines.labels[numbers]
    # At the start of a line the layout decides, except in wrapped prose.
    goes_on = lines.wrapped & (lines.breaks == Break.NONE)
    goes_on[0] = False
    begins = ~inside & (cuts <= lines.bodies[numbers]) & goes_on[numbers]
    kept = (numbers >= 0) & (inside | begins) & ~lines.whole[numbers]
    before = np.where(begins, lines.starts[numbers], -1)[kept]  # only one of them is a place
    found = [0]
    for at, start in zip(cuts[kept].tolist(), before.tolist(), strict=True):
        if text[at] == ">" and _QUOTED_BLANK.match(text, at):
            continue
        if found[-1] != start and not _is_abbreviated(text, at):
            found.append(at)
    sentence_starts = [begin + at for at in found[1:]]
    fields = zip(
        sentence_starts, repeat(Kind.SENTENCE), sentence_starts, repeat(0), repeat(0), strict=False
    )
    return sorted([*_of_lines(text, lines, begin), *map(_new_place, fields)])


def _of_prose(text: str, lines: Mapping[int, bool], language: str, begin: int) -> list[Place]:
    """Return the places of a text of which `prose_lines` says where lines start."""
    kinds = {
        at: Kind.SENTENCE
        for at in starts_of_sentences_and_lines(text, language)
        if at not in lines and not _is_abbreviated(text, at)
    }
    kinds.update((at, Kind.PARAGRAPH if lines[at] else Kind.LINE) for at in lines if at)
    return [_new_place((begin + at, kinds[at], begin + at, 0, 0)) for at in sorted(kinds)]


def finer_places(text: str, start: int, stop: int) -> Iterator[list[Place]]:
    """Yield places inside a range, level by level: records, sentences in a row, clauses, words.

    Args:
        text: The text.
        start: Where the range begins.
        stop: Where it ends.
    """
    body = text[start:stop]
    levels: tuple[tuple[Kind, Callable[[str], Iterable[int]]], ...] = (
        (Kind.SENTENCE, partial(_cuts_after, _OBJECT)),
        (Kind.CLAUSE, _sentence_cuts),
        (Kind.CLAUSE, partial(_cuts_after, _RECORD)),
        (Kind.CLAUSE, _clause_cuts),
        (Kind.WORD, space_cuts),
    )
    for kind, cuts in levels:
        last = len(body)
        inside = [start + cut for cut in cuts(body) if 0 < cut < last]
        fields = zip(inside, repeat(kind), inside, repeat(0), repeat(0), strict=False)
        yield list(map(_new_place, fields))


def _of_lines(text: str, lines: Lines, begin: int) -> Iterator[Place]:
    """Return the places at the starts of the lines that divide the text."""
    dividing = lines.breaks != Break.NONE
    starts = lines.starts[dividing]
    edges = [*breaks(text, starts.tolist())]
    if len(edges) < len(starts):
        dividing[dividing] = np.isin(starts, edges)
    bodies, depths = (each[dividing].tolist() for each in (lines.bodies, lines.depths))
    offsets = (begin + lines.starts[dividing]).tolist()
    words = (begin + lines.labels[dividing]).tolist()
    kinds = np.where(lines.breaks == Break.BLANK, Kind.PARAGRAPH, Kind.LINE)
    kinds = np.where(lines.headings, Kind.HEADING, kinds)[dividing]
    levels = np.zeros(len(kinds), dtype=np.int64)
    for number in np.flatnonzero(kinds == Kind.HEADING).tolist():
        levels[number] = heading_level(text[bodies[number] : bodies[number] + 7])
    named = map([*Kind].__getitem__, kinds.tolist())
    return map(_new_place, zip(offsets, named, words, depths, levels.tolist(), strict=True))


def _is_abbreviated(text: str, at: int) -> bool:
    """Return whether an abbreviation before `at` ends no sentence, as in "No. 5"."""
    if not (text[at - 1].isspace() or text[at - 1] in ".\"')]"):
        return False
    start = max(0, at - _LONGEST_ABBREVIATION)
    before = text[start:at].rstrip().rstrip("\"')]")
    if before[-1:] != "." or not before[-2:-1].isalpha():
        return False
    last = before[:-1].rpartition(" ")[2]
    if last.isalpha() and last not in _LAST_WORDS:
        return False
    if not _ABBREVIATION.search(text, start, at):
        return False
    # As in "Smith Inc. Then".
    return not (_MAY_END.search(text, start, at) and text[at].isupper())


def _sentence_cuts(text: str) -> Iterator[int]:
    """Yield where sentences start inside `text`."""
    for span in sentences(text):
        yield span.start


def _clause_cuts(text: str) -> list[int]:
    """Return where clauses start inside `text`."""
    return breaks(text, _clause_starts(text))


def _clause_starts(text: str) -> list[int]:
    # A run of signs is read once: a pattern that tried each sign of it would take quadratic time.
    starts: list[int] = []
    for run in _CLAUSE.finditer(text):
        if run[2]:
            starts.append(run.end())
        else:
            starts += [at + 1 for at in range(*run.span(1)) if text[at] in _WIDE]
    return starts


def _cuts_after(pattern: re.Pattern[str], text: str) -> list[int]:
    """Return the offset just past each match of a pattern."""
    return breaks(text, map(re.Match.end, pattern.finditer(text)))
