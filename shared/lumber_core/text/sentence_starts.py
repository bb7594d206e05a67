"""Where sentences start, as sentencex finds them, corrected where it errs.

`full_stops` knows the abbreviations after which a sentence continues.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from lumber_core.text.full_stops import (
    sentence_continues,
    starts_after_abbreviations,
    without_region,
)
from lumber_core.text.lines.code import with_colons
from lumber_core.text.unicode import breaks, encodable

# A form feed ends a page, so it ends a line; CR LF is one line break. The characters are written
# out because the regular expression engine can then skip to the next possible first character.
ANY_LINE_BREAK = r"(?:\n|\r\n|\r(?!\n)|\v|\f|\x85|\u2028|\u2029)"
BLANK_LINES = re.compile(rf"{ANY_LINE_BREAK}(?:[^\S\n\r\v\f\x85\u2028\u2029]*{ANY_LINE_BREAK})+")
_BLANKS = re.compile(r"\n[^\S\n]+(?=\n)")  # in blank lines, if only LF ends lines
# Characters that may be at the start of a file without being part of its first word.
_BLANK = re.compile(r"[\s\ufeff]*")
# sentencex 1.0 assumes that white space before an abbreviation has one byte a character, and does
# not know the full stops of Khmer, of Tibetan, and in vertical text. `str.replace` is much faster
# than `str.translate`.
_REPLACED = {chr(code): " " for code in range(0x80, 0x3001) if chr(code).isspace()}
_REPLACED |= dict.fromkeys("\u17d4\u17d5\u0f0d\ufe12", "\u3002")
# A sentence in parentheses or emphasis before another sentence, which sentencex joins. Fewer
# words in emphasis are a title.
_ASIDE = re.compile(
    r"(?:\((?:[^\s()]+\s+){2}[^()]{0,999}[.!?\u2026]\)\s+"
    r"|([*_]{1,3})(?:[^\s*_]+\s+){5}[^*_]{0,999}[.!]\1\s+"
    r"|\uff08[^\uff08\uff09]{0,999}[\u3002\uff01\uff1f]\uff09\s*)"
    r"(?=[\"'\u2018\u201c\u00ab(\u300c\u300e\uff08]?([^\W\d_]))"
)
# Where sentencex misses an end: before the number of a footnote that is raised in print, as in "as
# others found.12 The"; after units such as "5 m." and "5 kg.", which are not initials; and before a
# short first word in Dutch or Afrikaans, as in "laat. 's Avonds".
_ENDS = re.compile(
    r"\.(?:(?<=[^\W\d_]{4}.)\d{1,3}(?:[,-]\d{1,3}){0,9}|(?<=\d\s[ghlmst\u043b\u043c\u0441\u0442\u0447].)"
    r"|(?<=\d\s(?:[kcm][gml]|\u043a\u0433|[\u043a\u043c\u0441]\u043c).)"
    r"|(?<=\d\s(?:min|\u043c\u0438\u043d|\u0441\u0435\u043a).)"
    r"|(?<=[^\W\d_]{2}.)(?=[^\S\n]['\u2019][a-z]\s))[^\S\n]+(?=(?:['\u2019][a-z]\s)?([^\W\d_]))"
)
# A heading or quote of Japanese or Chinese above an indented line. Items continue on such lines.
_ABOVE_INDENT = re.compile(
    "(?m)(?:^(?![^\\w\u3010]|\\d|[一二三四五六七八九十]{1,3}[、\uff0e])[^\n]{1,40}|[\u300d\u300f])"
    "(?<![\u3001\uff0c])\n\u3000+(?=[^\\Wとっ])"
)
_CLOSING_MARKS = "\u300b\u300d\u300f\uff09¹²³⁰ⁱ⁴⁵⁶⁷⁸⁹"  # sentencex divides before these
_CLOSED = re.compile(rf"[{_CLOSING_MARKS}]+\s*")
# Labels: of items on one line, of paragraphs and headings ("2.1.", "**5.", "### 5.", "Fig. 1.").
_LABEL = re.compile(
    r"\s*(?:(?:[-*+>]|#{1,6})\s|[*_]{1,3})?\(?"
    r"(?:(?:[^\W\d_]{1,12}\.?[^\S\n]|\xa7[^\S\n]?)(?:\d{1,3}|[IVX]{1,5})"
    r"|\d{1,3}(?:\.\d{1,2}){0,3}|[A-Z]|[IVX]{2,5})[.)][*_]{0,3}[^\S\n]*"
)
_MAX_LABEL_CHARACTERS = 40  # more than any match of `_LABEL` has
_OPENED = re.compile(r"(?:(?<=\s)(?:[`\"\u201c-\u201e]|\u00ab\s?)|(?<=[\u3002\uff01\uff1f])`)\Z")
_OPENING_MARKS = '`"\u201c\u201d\u201e\u00ab'
_LABEL_BEHIND = re.compile(r"(?<=[^\W\d_]{2}[.!?]\s)\(?\d{1,2}\.\s+\Z")  # after a sentence
# Marks that sentencex misreads: "(1)" before a paragraph or a long line, which it does not divide,
# and bullets before items, which it does not divide either.
_NUMBER = r"\((?:[^\W\d_]|\d{1,2}|[ivxIVX]{2,5})\)(?=[^\S\n]"
_BULLET = r"[\u2022\u2043\u204c\u204d\u25a0-\u25ff\u2605\u2606\u27a2-\u27a4](?=[^\S\n])"
_ITEM = re.compile(
    rf"\n(?:\n[^\S\n]*{_NUMBER}.*(?:\n(?![^\S\n]*\().+)*(?:\n\n|\n?\Z))"
    rf"|[^\S\n]*(?:{_NUMBER}.{{200}})|{_BULLET}))"
)
_ABOVE = "\n\n"  # put above a text, so that its first line begins a paragraph
# The ends of numbers such as those in "(Lee, 2010) and (3) . Then", which do not mark items.
_REFERENCE = re.compile(r"\)(?<=\d\))(?=\s?[.,;:]|\s\()")
_DIGITS, _MAX_DIGITS = re.compile(r"\d+\Z"), 4
# What sentencex does not divide if it is quoted, however long it is; apostrophes are not quotes.
_QUOTES = re.compile('["\u2018\u201c-\u201f\u00ab\u00bb]|\u2019(?!\\w)')
_OPENING_QUOTES = '"\u2018\u201c\u201e\u00ab'
_MIN_LONG_CHARACTERS = 300  # sentences up to this length are not divided
_MAX_ADJACENT_QUOTES = 3  # opening quotation marks next to each other
_SECTION = re.compile(r"[^\W\d_]{4}[.!?]\s+(?=§)")
# The mark of an item, which sentencex does not divide without blank lines.
_MARK = re.compile(r"\s*(?:[-*+]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)])[^\S\n]+")
_LAST_SPACE = re.compile(r".*\s", re.DOTALL)
# Characters that sentencex reads at a time: a few paragraphs, or a part of a long paragraph. It
# misses a blank line every 10,000 bytes, and takes quadratic time for quotes and for Chinese.
_BLOCK_CHARACTERS = 1 << 11


def starts_of_sentences(text: str, language: str = "en") -> list[int]:
    """Return where the spans of `sentences` start; `[]` for an empty text."""
    if not text:
        return []
    first = content_start(text)
    starts = _read_text(text, first, language)
    starts += _find_missed_starts(text, [first, *starts], language)
    starts = _move_marks(text, starts)
    final = [0]
    for at in sorted({*starts} - {len(text)}):
        if not sentence_continues(text, at, language):
            short = len(text[final[-1] : at].strip()) <= _MAX_LABEL_CHARACTERS
            if not (short and _LABEL.fullmatch(text, final[-1], at)):
                final.append(at)
    return [0, *breaks(text, final[1:])]


def content_start(text: str) -> int:
    """Return the offset of the first character after white space and byte order marks."""
    match = _BLANK.match(text)
    return match.end() if match else 0


def _read_text(text: str, first: int, language: str) -> list[int]:
    """Return the starts that sentencex finds in blocks of a text, items, and long quotes."""
    starts: list[int] = []
    readable = _prepare(text)
    if "(" in readable or not readable.isascii():  # each mark of an item has one of these
        below = _ABOVE + readable
        items = (item.end() - len(item[0].strip() + _ABOVE) for item in _ITEM.finditer(below))
        starts += [item for item in items if item > first]
        readable = _ITEM.sub(_replace_mark, below).removeprefix(_ABOVE)
    for start, end in pairwise(_block_edges(readable)):
        starts += _sentence_starts(readable, start, end, first, language)
    return starts + _inner_starts(readable, [first, *starts, len(text)], language)


def _find_missed_starts(text: str, starts: Sequence[int], language: str) -> list[int]:
    """Return starts that sentencex misses; `starts` are those that it finds."""
    opened = [at for at in starts if text.startswith(("(", "\uff08", "*", "_"), at)]
    asides = filter(None, [_ASIDE.match(text, at) for at in opened])
    missed = [aside.end() for aside in asides if not aside[2].islower()]
    missed += [end.end() for end in _ENDS.finditer(text) if end[1].isupper()]
    missed += starts_after_abbreviations(text, language)
    if "§" in text:
        missed += [before.end() for before in _SECTION.finditer(text)]
    if "\n\u3000" in text:
        missed += [above.end() for above in _ABOVE_INDENT.finditer(text)]
    return missed


def _move_marks(text: str, starts: list[int]) -> list[int]:
    """Move closing marks to the sentence before, opening marks and labels to the sentence after."""
    if not text.isascii() and any(map(text.__contains__, _CLOSING_MARKS)):
        closed = (_CLOSED.match(text, at) for at in starts)
        starts = [end.end() if end else at for end, at in zip(closed, starts, strict=True)]
    for number, at in enumerate(starts):
        if text[at - 1] in _OPENING_MARKS or text[at - 2] == "\u00ab":  # most starts need no search
            mark = _OPENED.search(text, max(0, at - 2), at)
            starts[number] = mark.start() if mark else at
    numbered = (at for at in starts if text[max(0, at - 8) : at].rstrip()[-2:-1].isdecimal())
    labels = [_LABEL_BEHIND.search(text, max(0, at - 8), at) for at in numbered]
    return starts + [label.start() for label in labels if label]


def _prepare(text: str) -> str:
    """Return a text of the same length without characters that sentencex misreads.

    sentencex recognises only line feeds as blank lines, fails on white space of several bytes and
    on lone surrogates, reads text between backticks as a quotation, and takes the numbers of
    references for marks of items.
    """
    text = _hide_references(with_colons(text))
    only_feeds = not any(map(text.__contains__, "\r\v\f\x85\u2028\u2029"))
    blanks = _BLANKS if only_feeds else BLANK_LINES  # takes a tenth of the time
    text = blanks.sub(lambda blank: "\n" * len(blank[0]), text)
    if not text.isascii():
        for character, replacement in _REPLACED.items():
            text = text.replace(character, replacement)
        text = encodable(text)
    return text


def _inner_starts(text: str, edges: Sequence[int], language: str) -> list[int]:
    """Return where sentences start inside long items, and inside quotes in long sentences."""
    starts = []
    for start, end in pairwise(sorted({*edges})):
        if end - start <= _MIN_LONG_CHARACTERS:
            continue
        mark, long = _MARK.match(text, start, end), text[start:end]
        if mark:
            starts += _sentence_starts(text, mark.end(), end, mark.end(), language)
        if _QUOTES.search(long) and '":' not in long:  # a quote with a colon after it is JSON
            for at in _sentence_starts(_QUOTES.sub(" ", long), 0, end - start, 0, language):
                # Opening quotes belong to the sentence after them.
                before = long[max(0, at - _MAX_ADJACENT_QUOTES) : at]
                starts.append(start + at - len(before) + len(before.rstrip(_OPENING_QUOTES)))
    return starts


def _hide_references(text: str) -> str:
    """Return a text with dashes in place of numbers that sentencex takes for marks of items."""
    edges = [0]
    for end in map(re.Match.start, _REFERENCE.finditer(text)):
        number = _DIGITS.search(text, max(end - _MAX_DIGITS, edges[-1]), end)
        edges += [number.start(), end] if number else []
    parts = [text[start:end] for start, end in pairwise([*edges, len(text)])]
    parts[1::2] = ["-" * len(number) for number in parts[1::2]]
    return "".join(parts)


def _replace_mark(item: re.Match[str]) -> str:
    """Return the blanks before an item, and a word or a dash in place of its mark."""
    mark = item[0].lstrip()
    return item[0].removesuffix(mark) + (f"X{mark[1:-1]}," if mark[0] == "(" else "-")


def _block_edges(text: str) -> Iterator[int]:
    """Yield where blocks of whole paragraphs start, and where the last one ends."""
    start = 0
    yield start
    while len(text) - start > _BLOCK_CHARACTERS:
        last = text.rfind("\n\n", start, start + _BLOCK_CHARACTERS)
        at = last if last > start else text.find("\n\n", start + 1)
        if at < 0:
            break
        following = text[at : at + _BLOCK_CHARACTERS]
        start = at + len(following) - len(following.lstrip("\n"))
        yield start
    yield len(text)


def _sentence_starts(text: str, start: int, end: int, first: int, language: str) -> list[int]:
    """Return where sentences start inside a block, after the text's first content.

    A long paragraph is read in parts. The last sentence of a part may continue in the next part, so
    the next part starts with this sentence, or at a word inside it if it fills the part. White
    space at the start of a sentence belongs to the sentence before. A start may be inside a
    grapheme cluster: the caller checks that.
    """
    import sentencex  # deferred, so that importing this module is cheap

    starts: list[int] = []
    inside = False  # whether the part starts inside a sentence
    while start < end:
        stop = _part_end(text, start, end)
        part = text[start:stop]
        if part.isspace():
            start = stop
            continue
        pieces = sentencex.segment(
            without_region(language), part
        )  # sentencex has no regional codes
        edges = [*accumulate(map(len, pieces), initial=start)]
        continues = stop < end and len(edges) == 2
        if continues:
            space = _LAST_SPACE.match(text, start, stop)
            edges[1] = space.end() if space else stop
        elif stop < end:
            edges.pop()
        skipped = max(first, start) if inside else first
        for at, after in pairwise(edges[bisect_right(edges, skipped) :]):
            if not text[at].isspace():
                starts.append(at)
            elif visible := text[at:after].lstrip():
                starts.append(after - len(visible))
        start, inside = edges[-1], continues
    return starts


def _part_end(text: str, start: int, end: int) -> int:
    """Return where a part of a paragraph ends: outside of a quotation, if possible."""
    stop = start + _BLOCK_CHARACTERS
    if stop >= end:
        return end
    line = text.rfind("\n", start, stop)
    if line < 0 and text.count('"', start, stop) % 2:
        return max(text.rfind('"', start, stop), start + 1)
    return line + 1 or stop
