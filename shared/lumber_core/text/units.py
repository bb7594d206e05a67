"""Units: pieces of a text, such as sentences, that a splitter keeps whole if they fit in a chunk.

A unit finder takes a text and returns the spans of its units. The finders in this module tile the
text: white space between two units belongs to the first, but the indentation of a paragraph stays
with the paragraph.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from operator import le, lt
from typing import Literal

from lumber_core.spans import Span, outside, spans_from_starts
from lumber_core.support.identity import safe_repr
from lumber_core.text.full_stops import sentence_continues, starts_after_series, without_region
from lumber_core.text.lines.code import with_colons
from lumber_core.text.lines.columns import broken_cells
from lumber_core.text.lines.line_starts import read_layout
from lumber_core.text.markdown import markdown_blocks, markdown_units
from lumber_core.text.unicode import breaks, encodable

UnitFinder = Callable[[str], Sequence[Span]]
UnitName = Literal["paragraphs", "sentences", "sentences_and_lines", "markdown"]
UnitSpec = UnitName | Callable[[str], Iterable[tuple[int, int]]]

# A form feed ends a page, so it ends a line; CR LF is one line break. The characters are written
# out because the regular expression engine can then skip to the next possible first character.
_LINE_BREAK = r"(?:\n|\r\n|\r(?!\n)|\v|\f|\x85|\u2028|\u2029)"
_BLANK_LINES = re.compile(rf"{_LINE_BREAK}(?:[^\S\n\r\v\f\x85\u2028\u2029]*{_LINE_BREAK})+")
_LINE_BREAKS = re.compile(rf"{_LINE_BREAK}+")
# The end of a line after punctuation that may end a sentence and any closing quotes or brackets.
_MARKS = "[.?!:;\u2026\u3002\uff01\uff1f]"
_CLOSING = "[\"'\u2019\u201d)\\]\u00bb\u300d\u300f \\t]"
_MARKED_LINE_END = re.compile(rf"{_MARKS}{_CLOSING}*{_LINE_BREAK}\s*(?=\S)")
_BLANKS = re.compile(r"\n[^\S\n]+(?=\n)")  # in blank lines, if only LF ends lines
# Characters that may be at the start of a file without being part of its first word.
_BLANK = re.compile(r"[\s\ufeff]*")
# sentencex 1.0 assumes that white space before an abbreviation has one byte a character, and does
# not know the full stops of Khmer, of Tibetan, and in vertical text. `str.replace` is much faster
# than `str.translate`.
_REPLACED = {chr(code): " " for code in range(0x80, 0x3001) if chr(code).isspace()}
_REPLACED |= dict.fromkeys("\u17d4\u17d5\u0f0d\ufe12", "\u3002")

# A sentence in parentheses or emphasis before another one, which sentencex does not divide. Fewer
# words in emphasis are a title.
_ASIDE = re.compile(
    r"(?:\((?:[^\s()]+\s+){2}[^()]{0,999}[.!?\u2026]\)\s+"
    r"|([*_]{1,3})(?:[^\s*_]+\s+){5}[^*_]{0,999}[.!]\1\s+"
    r"|\uff08[^\uff08\uff09]{0,999}[\u3002\uff01\uff1f]\uff09\s*)"
    r"(?=[\"'\u2018\u201c\u00ab(\u300c\u300e\uff08]?([^\W\d_]))"
)
# Where sentencex sees no end: the number of a footnote that is raised in print, as in
# "as others found.12 The", units such as "5 m." and "5 kg.", which are no initials, and what begins
# with a short word in Dutch or Afrikaans, as in "laat. 's Avonds".
_ENDS = re.compile(
    r"\.(?:(?<=[^\W\d_]{4}.)\d{1,3}(?:[,-]\d{1,3}){0,9}|(?<=\d\s[ghlmst\u043b\u043c\u0441\u0442\u0447].)"
    r"|(?<=\d\s(?:[kcm][gml]|\u043a\u0433|[\u043a\u043c\u0441]\u043c).)"
    r"|(?<=\d\s(?:min|\u043c\u0438\u043d|\u0441\u0435\u043a).)"
    r"|(?<=[^\W\d_]{2}.)(?=[^\S\n]['\u2019][a-z]\s))[^\S\n]+(?=(?:['\u2019][a-z]\s)?([^\W\d_]))"
)
# A heading or quote of Japanese or Chinese above an indented line; items continue in these.
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
_MAX_LABEL_CHARACTERS = 40  # longer than any match
_OPENED = re.compile(r"(?:(?<=\s)(?:[`\"\u201c-\u201e]|\u00ab\s?)|(?<=[\u3002\uff01\uff1f])`)\Z")
_OPENING_MARKS = '`"\u201c\u201d\u201e\u00ab'
_LABEL_BEHIND = re.compile(r"(?<=[^\W\d_]{2}[.!?]\s)\(?\d{1,2}\.\s+\Z")  # a sentence above it
# Marks that sentencex misreads: "(1)" before a paragraph or a long line, which it does not divide,
# and bullets before items, which it does not divide either.
_NUMBER = r"\((?:[^\W\d_]|\d{1,2}|[ivxIVX]{2,5})\)(?=[^\S\n]"
_BULLET = r"[\u2022\u2043\u204c\u204d\u25a0-\u25ff\u2605\u2606\u27a2-\u27a4](?=[^\S\n])"
_ITEM = re.compile(
    rf"\n(?:\n[^\S\n]*{_NUMBER}.*(?:\n(?![^\S\n]*\().+)*(?:\n\n|\n?\Z))"
    rf"|[^\S\n]*(?:{_NUMBER}.{{200}})|{_BULLET}))"
)
_ABOVE = "\n\n"  # a text begins as a paragraph does
# The ends of numbers such as those in "(Lee, 2010) and (3) . Then", which are no marks of items.
_REFERENCE = re.compile(r"\)(?<=\d\))(?=\s?[.,;:]|\s\()")
_DIGITS, _MAX_DIGITS = re.compile(r"\d+\Z"), 4
# What sentencex does not divide if it is quoted, however long it is; apostrophes are no quotes.
_QUOTES = re.compile('["\u2018\u201c-\u201f\u00ab\u00bb]|\u2019(?!\\w)')
_OPENING_QUOTES, _LONG_SPEECH = '"\u2018\u201c\u201e\u00ab', 300  # characters
_MAX_ADJACENT_QUOTES = 3  # opening marks
_SECTION = re.compile(r"[^\W\d_]{4}[.!?]\s+(?=§)")
# The mark of an item, which sentencex does not divide without blank lines.
_MARK = re.compile(r"\s*(?:[-*+]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)])[^\S\n]+")
_LAST_SPACE = re.compile(r".*\s", re.DOTALL)
# Characters that sentencex reads at a time: a few paragraphs, or part of a long one. It misses a
# blank line every 10,000 bytes, and takes quadratic time for quotes and for Chinese.
_BLOCK_CHARACTERS = 1 << 11


def paragraphs(text: str, language: str = "en") -> list[Span]:
    r"""Find the paragraphs of a text.

    Paragraphs are separated by blank lines, so hard-wrapped lines stay together. If there are no
    blank lines, every line is a paragraph, together with the lines wrapped from it. If there are no
    line breaks between paragraphs either, every sentence is a unit.

    Args:
        text: The text.
        language: ISO 639 code for `sentences`, used only if there is no line break.

    Returns:
        Spans that tile the text. White space around the text belongs to its first and last
        paragraph. Form feeds and all Unicode line separators count as line breaks.
    """
    first = _content_start(text)
    last = len(text.rstrip())
    cells = broken_cells(text)
    cuts = outside(map(re.Match.end, _BLANK_LINES.finditer(text, first, last)), cells)
    if not cuts:
        cuts = outside(map(re.Match.end, _LINE_BREAKS.finditer(text, first, last)), cells)
        if len(cuts) > 1:
            layout = read_layout(text)
            wrapped = {layout.starts[number] for number in layout.wrapped}
            cuts = [cut for cut in cuts if cut not in wrapped]
    return list(spans_from_starts([0, *cuts], len(text))) if cuts else sentences(text, language)


def sentences(text: str, language: str = "en") -> list[Span]:
    """Find the sentences of a text with sentencex.

    Args:
        text: The text.
        language: ISO 639 code; languages without rules of sentencex have those of a related one.

    Returns:
        Spans that tile the text; each but the first starts with a visible character. A blank
        line ends a sentence. No span starts inside a grapheme cluster.
    """
    return list(spans_from_starts(starts_of_sentences(text, language), len(text)))


def starts_of_sentences(text: str, language: str = "en") -> list[int]:
    """Return where the spans of `sentences` start; `[]` for an empty text."""
    if not text:
        return []
    first = _content_start(text)
    starts: list[int] = []
    readable = _prepare(text)
    if "(" in readable or not readable.isascii():  # as each item has one of these
        below = _ABOVE + readable
        items = (item.end() - len(item[0].strip() + _ABOVE) for item in _ITEM.finditer(below))
        starts += [item for item in items if item > first]
        readable = _ITEM.sub(_replace_mark, below).removeprefix(_ABOVE)
    for start, end in pairwise(_block_edges(readable)):
        if end > first:
            starts += _sentence_starts(readable, start, end, first, language)
    starts += _inner_starts(readable, [first, *starts, len(text)], language)
    if "§" in text:
        starts += [before.end() for before in _SECTION.finditer(text)]
    opened = [at for at in (first, *starts) if text.startswith(("(", "\uff08", "*", "_"), at)]
    asides = filter(None, [_ASIDE.match(text, at) for at in opened])
    starts += [aside.end() for aside in asides if not aside[2].islower()]
    starts += [end.end() for end in _ENDS.finditer(text) if end[1].isupper()]
    starts += starts_after_series(text, language)
    if "\n\u3000" in text:
        starts += [above.end() for above in _ABOVE_INDENT.finditer(text)]
    if not text.isascii() and any(map(text.__contains__, _CLOSING_MARKS)):
        closed = (_CLOSED.match(text, at) for at in starts)
        starts = [end.end() if end else at for end, at in zip(closed, starts, strict=True)]
    # sentencex leaves marks that open code or quotes in the sentence before.
    for number, at in enumerate(starts):
        if text[at - 1] in _OPENING_MARKS or text[at - 2] == "\u00ab":  # else most need no search
            mark = _OPENED.search(text, max(0, at - 2), at)
            starts[number] = mark.start() if mark else at
    numbered = (at for at in starts if text[max(0, at - 8) : at].rstrip()[-2:-1].isdecimal())
    labels = [_LABEL_BEHIND.search(text, max(0, at - 8), at) for at in numbered]
    starts += [label.start() for label in labels if label]  # sentencex reads these as ordinals
    ends = [0]
    for at in sorted({*starts} - {len(text)}):
        if not sentence_continues(text, at, language):
            short = len(text[ends[-1] : at].strip()) <= _MAX_LABEL_CHARACTERS
            if not (short and _LABEL.fullmatch(text, ends[-1], at)):
                ends.append(at)
    return [0, *breaks(text, ends[1:])]


def sentences_and_lines(text: str, language: str = "en") -> list[Span]:
    r"""Find sentences; a line that ends with punctuation always ends a sentence.

    In a text with one sentence or paragraph per line, `sentences` misses the end of a line if the
    line ends in an abbreviation or a colon, or if the next line starts with a lower-case letter or
    a number: `"at 9 p.m.\n14 people came"`. In hard-wrapped text this rule splits `"Mr.\nSmith"`,
    so use it only if something else decides whether to cut there.

    Args:
        text: The text.
        language: ISO 639 code, as for `sentences`.

    Returns:
        Spans that tile the text: each span of `sentences`, whole or in several parts.
    """
    starts = {*starts_of_sentences(text, language), *starts_of_marked_lines(text)}
    return list(spans_from_starts(sorted(starts), len(text)))


def starts_of_marked_lines(text: str) -> list[int]:
    """Return where text begins again after lines that end with punctuation."""
    ends = _MARKED_LINE_END.finditer(text, _content_start(text))
    return breaks(text, map(re.Match.end, ends))


def _prepare(text: str) -> str:
    """Return a text of the same length without characters that sentencex misreads.

    sentencex recognises only line feeds as blank lines, fails on white space of several bytes and
    on lone surrogates, reads text between backticks as a quotation, and takes the numbers of
    references for marks of items.
    """
    text = _hide_references(with_colons(text))
    only_feeds = not any(map(text.__contains__, "\r\v\f\x85\u2028\u2029"))
    blanks = _BLANKS if only_feeds else _BLANK_LINES  # in a tenth of the time
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
        if end - start <= _LONG_SPEECH:
            continue
        mark, long = _MARK.match(text, start, end), text[start:end]
        if mark:
            starts += _sentence_starts(text, mark.end(), end, mark.end(), language)
        if _QUOTES.search(long) and '":' not in long:  # which is JSON
            for at in _sentence_starts(_QUOTES.sub(" ", long), 0, end - start, 0, language):
                before = long[max(0, at - _MAX_ADJACENT_QUOTES) : at]  # belong to the sentence
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


def _content_start(text: str) -> int:
    """Return the offset of the first character after white space and byte order marks."""
    match = _BLANK.match(text)
    return match.end() if match else 0


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
        pieces = sentencex.segment(without_region(language), part)  # it has no regional codes
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


def markdown(text: str) -> list[Span]:
    """Return the blocks of a Markdown text, each heading with the first block below it.

    A block is a paragraph, a list item, a fence of code, a table, a paragraph of a quote, HTML or
    front matter; see `lumber_core.text.markdown.markdown_blocks`. Blocks tile the text.
    """
    return markdown_units(markdown_blocks(text))


def _find_custom_units(text: str, finder: Callable[[str], Iterable[tuple[int, int]]]) -> list[Span]:
    """Run a custom finder, and attach text between two units to the unit before."""
    units = list(finder(text))
    if not text or not units:
        return [Span(0, len(text))] if text else []
    starts, ends = zip(*units, strict=True)
    ordered = all(map(lt, starts, ends)) and all(map(le, ends, starts[1:]))
    if not ordered or starts[0] < 0 or ends[-1] > len(text):
        previous_end = 0
        for number, (start, end) in enumerate(units):
            if not (previous_end <= start < end <= len(text)):
                raise ValueError(
                    f"the unit finder returned ({start}, {end}) as unit {number} of a text of "
                    f"{len(text)} characters, after a unit that ends at {previous_end}; it should "
                    "return (start, end) character offsets in order, not empty, not overlapping"
                )
            previous_end = end
    return list(spans_from_starts([0, *starts[1:]], len(text)))


def unit_finder(spec: UnitSpec, *, language: str = "en") -> UnitFinder:
    """Turn a user's choice of units into a function that finds them.

    Args:
        spec: "paragraphs", "sentences", "sentences_and_lines", "markdown", or a callable that
            takes a text and returns `(start, end)` character offsets in order. Gaps
            between the units of a callable are attached to the unit before, so no text is lost.
        language: ISO 639 code for finding sentences.

    Raises:
        ValueError: The name is unknown.
        TypeError: `spec` is neither a name nor callable.
    """
    for finder in (paragraphs, sentences, sentences_and_lines):
        if spec == finder.__name__:
            return partial(finder, language=language)
    if spec == "markdown":
        return markdown
    if callable(spec):
        return partial(_find_custom_units, finder=spec)
    message = (
        'units must be "paragraphs", "sentences", "sentences_and_lines", "markdown" or a callable '
        f"that takes a text and returns (start, end) offsets, not {safe_repr(spec)}"
    )
    raise ValueError(message) if isinstance(spec, str) else TypeError(message)
