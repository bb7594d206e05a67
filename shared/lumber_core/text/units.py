"""Units: the smallest pieces of a text that a splitter may not cut.

A unit finder takes a text and returns the spans of its units. The finders in this module tile the
text: white space between two units belongs to the first, but the indentation of a paragraph stays
with the paragraph.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain, pairwise
from operator import le, lt
from typing import Literal, cast

from lumber_core.identity import safe_repr
from lumber_core.spans import Span, spans_from_starts
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
# The end of a line after punctuation that may end a sentence, and any closing quotes or brackets.
_MARKS = "[.?!:;\u2026\u3002\uff01\uff1f]"
_CLOSING = "[\"'\u2019\u201d)\\]\u00bb\u300d\u300f \\t]"
_MARKED_LINE_END = re.compile(rf"{_MARKS}{_CLOSING}*{_LINE_BREAK}\s*(?=\S)")
_INDENTED = re.compile(r"\n[^\S\n]")
_LINE_FEEDS = re.compile(r"\n\n+")
# Other than line feeds alone, if only these end a line.
_ODD_BLANK_LINES = re.compile(r"\n[^\S\n]+\n(?:[^\S\n]*\n)*")
# Characters that may be at the start of a file without being part of its first word.
_BLANK = re.compile(r"[\s\ufeff]*")
# sentencex 1.0 assumes that white space before an abbreviation takes one byte a character, so it
# must not see any that takes more.
_WIDE_SPACES = [chr(code) for code in range(0x80, 0x3001) if chr(code).isspace()]

_LAST_SPACE = re.compile(r".*\s(?=\S)", re.DOTALL)

# sentencex slows down on long inputs, so longer texts are passed to it in blocks of this size.
_BLOCK = 1 << 14
_SHORT = 1 << 10  # characters: few quotes, and less bytes than those after which blanks are lost
# The time of a call is quadratic in the length of quoted text, so blocks never exceed this size.
_LARGEST_BLOCK = 1 << 15
# It is quadratic in the number of these marks, too: a block with more of them, as a run of
# backticks, is shortened until it has few. Prose has a tenth of that.
_QUOTES, _MOST_QUOTES, _FEW_QUOTES = (
    "`\u201c\u2018\u00ab\u00bb\u2039\u201e\u300c\u300a",
    1 << 10,
    1 << 9,
)

# sentencex looks back to the last blank at each sentence end, which is quadratic in Chinese without
# blanks. Without quotes, brackets and full stops its sentences are the same in parts of such a
# text; these end after a sentence, between two ideographs or kana.
_UNQUOTED = re.compile(r"[\w\u2014\u2026\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]+")
_KANA_OR_HAN = r"[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]"
_PART = re.compile(rf".{{256,}}?{_KANA_OR_HAN}[\u3002\uff01\uff1f](?={_KANA_OR_HAN})|.+")


def paragraphs(text: str, language: str = "en") -> list[Span]:
    r"""Find the paragraphs of a text.

    Paragraphs are separated by blank lines, so hard-wrapped lines stay together. If there are no
    blank lines, every line is a paragraph, except that a line that continues a wrapped line belongs
    to it. If there are no line breaks between paragraphs either, every sentence is a unit.

    Args:
        text: The text.
        language: ISO 639 code for `sentences`, used only if there is no line break.

    Returns:
        Spans that tile the text. White space around the text belongs to its first and last
        paragraph. Form feeds and all Unicode line separators count as line breaks.
    """
    first = _content_start(text)
    last = len(text.rstrip())
    cuts = [match.end() for match in _BLANK_LINES.finditer(text, first, last)]
    if not cuts:
        cuts = [match.end() for match in _LINE_BREAKS.finditer(text, first, last)]
        if len(cuts) > 1:
            from lumber_core.text.plain import read_lines  # deferred: imports numpy

            lines = read_lines(text)
            wrapped = {*lines.starts[lines.wrapped].tolist()}
            cuts = [cut for cut in cuts if cut not in wrapped]
    return list(spans_from_starts([0, *cuts], len(text))) if cuts else sentences(text, language)


def sentences(text: str, language: str = "en") -> list[Span]:
    """Find the sentences of a text with sentencex.

    Args:
        text: The text.
        language: ISO 639 code; sentencex knows some 300 and falls back to related ones.

    Returns:
        Spans that tile the text; each but the first starts with a visible character. A blank
        line ends a sentence. No span starts inside a grapheme cluster.
    """
    return list(spans_from_starts(_starts_of_sentences(text, language), len(text)))


def _starts_of_sentences(text: str, language: str) -> list[int]:
    """Return where the sentences of a text start; nothing for an empty text."""
    if not text:
        return []
    first = _content_start(text)
    found: list[int] = []
    start = 0
    for end in _stretch_ends(text):
        if end > first:
            found += _sentence_starts(text, start, end, first, language)
            start = end
    return [0, *breaks(text, found)]


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
    return list(spans_from_starts(starts_of_sentences_and_lines(text, language), len(text)))


def starts_of_sentences_and_lines(text: str, language: str = "en") -> list[int]:
    """Return where the spans of `sentences_and_lines` start; nothing for an empty text."""
    starts = _starts_of_sentences(text, language)
    first = _content_start(text)
    ends = (match.end() for match in _MARKED_LINE_END.finditer(text, first))
    lines = set(breaks(text, ends)).difference(starts)
    return sorted([*starts, *lines]) if lines else starts


def _stretch_ends(text: str) -> Iterator[int]:
    """Yield where stretches of a text end whose blank lines are two line feeds or more.

    sentencex knows no other blank lines. If there are others, a stretch of several paragraphs is so
    short that sentencex keeps all of it.
    """
    odd: list[re.Match[str]] = []
    if any(mark in text for mark in "\r\v\f\x85\u2028\u2029"):
        odd = [match for match in _BLANK_LINES.finditer(text) if match[0].strip("\n")]
    elif _INDENTED.search(text):
        odd = [*_ODD_BLANK_LINES.finditer(text)]
    start, most = 0, _SHORT if odd else len(text)
    for low, high in chain((match.span() for match in odd), [(len(text), len(text))]):
        while low - start > most:
            last = text.rfind("\n\n", start, start + most)
            separator = _LINE_FEEDS.search(text, max(start, last), low)
            if not separator:
                break
            start = separator.end()
            yield start
        yield high
        start = high


def _content_start(text: str) -> int:
    """Return the offset of the first character after white space and byte order marks."""
    match = _BLANK.match(text)
    return match.end() if match else 0


def _sentence_starts(text: str, start: int, end: int, first: int, language: str) -> list[int]:
    """Return where sentences start inside `text[start:end]`, after the text's first content.

    Long stretches are processed in blocks. The last sentence of a block may continue in the next
    one, so the next block starts with it. A block without a sentence end is doubled; at the maximum
    size it ends at its last white space. This keeps the cost linear. White space at the start of a
    sentence belongs to the sentence before. A start may be inside a grapheme cluster: the caller
    checks that.
    """
    found: list[int] = []
    size = _BLOCK
    in_word = False  # whether the block starts inside a word
    while start < end:
        stop = min(start + size, end)
        quotes = _count_quotes(text, start, stop) if stop - start > _MOST_QUOTES else 0
        if quotes > _MOST_QUOTES:
            stop = start + (stop - start) * _FEW_QUOTES // quotes
        edges = [start + edge for edge in _edges_of_pieces(language, text[start:stop])]
        divided = False
        if stop < end and len(edges) == 2:
            if size < _LARGEST_BLOCK and quotes <= _MOST_QUOTES:
                size *= 2
                continue
            space = _LAST_SPACE.match(text, start, stop)
            divided = space is None
            edges[1:] = [stop if space is None else space.end()]
        elif stop < end:
            edges.pop()
        size = _BLOCK
        skipped = max(first, start) if in_word else first
        for at, after in pairwise(edges[bisect_right(edges, skipped) :]):
            if not text[at].isspace():
                found.append(at)
            elif visible := text[at:after].lstrip():
                found.append(after - len(visible))
        start = edges[-1]
        in_word = divided
    return found


def _count_quotes(text: str, start: int, stop: int) -> int:
    # A sign that is absent is found to be so faster than it is counted.
    found = (mark for mark in _QUOTES if text.find(mark, start, stop) >= 0)
    return sum(text.count(mark, start, stop) for mark in found)


def _edges_of_pieces(language: str, text: str) -> list[int]:
    """Return where sentencex's pieces of `text` start, and where the last one ends."""
    if text.isspace():
        return [0, len(text)]
    import sentencex  # deferred, so that importing this module is cheap

    if "\u3002" in text and _UNQUOTED.fullmatch(text):
        found = (sentencex.segment(language, part) for part in _PART.findall(text))
        return [*accumulate(map(len, chain.from_iterable(found)), initial=0)]
    if not text.isascii():
        for space in _WIDE_SPACES:
            if space in text:
                text = text.replace(space, " ")
    try:
        pieces: list[str] = sentencex.segment(language, text)
    except UnicodeEncodeError:  # a lone surrogate
        text = encodable(text)
        pieces = sentencex.segment(language, text)
    edges = [*accumulate(map(len, pieces), initial=0)]
    return edges if edges[-1] == len(text) else _edges_with_what_was_lost(text, pieces, edges)


def _edges_with_what_was_lost(text: str, pieces: Sequence[str], edges: Sequence[int]) -> list[int]:
    """Return the edges with the blank lines that sentencex loses every 10,000 bytes.

    Without these, all later offsets would be wrong.

    Args:
        text: The text.
        pieces: The pieces, which lack these lines.
        edges: The edges if there were none.
    """
    starts: list[int] = []
    joined = "".join(pieces)
    at = number = 0
    while number < len(pieces):
        piece, first = pieces[number], edges[number]
        if number and not text.startswith(piece, at):
            place = at
            while text[place : place + 1].isspace() and not text.startswith(piece, place):
                place += 1
            # A piece that does not match the text here belongs at the end of the piece before.
            at = place if text.startswith(piece, place) else min(at, len(text))
        # Those up to the next loss follow without a gap.
        last = number + 1
        step = len(pieces)
        while step and last < len(pieces):
            stop = min(last + step, len(pieces))
            if text.startswith(joined[edges[last] : edges[stop]], at + edges[last] - first):
                last = stop
            else:
                step //= 2
        # Most blocks have lost one blank line, so that nothing has moved before it.
        moved = at - first
        starts += [edge + moved for edge in edges[number:last]] if moved else edges[number:last]
        at, number = at + edges[last] - first, last
    return sorted({*starts, len(text)})


def markdown(text: str) -> list[Span]:
    """Find units of a Markdown text: its blocks, each heading with the first block below it.

    A block is a paragraph, a list item, a fence of code, a table, a paragraph of a quote, HTML or
    front matter; see `lumber_core.text.markdown.markdown_blocks`.

    Args:
        text: The text.

    Returns:
        Spans that tile the text; each but the first starts at the start of a line.
    """
    return markdown_units(markdown_blocks(text))


def after_markers(text: str, markers: tuple[str, ...]) -> list[Span]:
    """Find units that end just past an explicit marker, such as `<|end_sentence|>`.

    Args:
        text: A text in which an earlier step has written the markers.
        markers: The strings that end a unit.

    Returns:
        Spans that tile the text; what follows the last marker is the last unit.
    """
    pattern = "|".join(re.escape(marker) for marker in sorted(markers, key=len, reverse=True))
    cuts = [match.end() for match in re.finditer(pattern, text)]
    starts = [0, *breaks(text, (cut for cut in cuts if cut < len(text)))] if text else []
    return list(spans_from_starts(starts, len(text)))


def _own(text: str, finder: Callable[[str], Iterable[tuple[int, int]]]) -> list[Span]:
    """Run a custom finder; text between two units is attached to the unit before."""
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
    if type(units[0]) is Span and starts[0] == 0 and ends == (*starts[1:], len(text)):
        return cast("list[Span]", units)  # they already tile the text
    return list(spans_from_starts([0, *starts[1:]], len(text)))


def unit_finder(spec: UnitSpec, *, language: str = "en") -> UnitFinder:
    """Turn a user's choice of units into a function that finds them.

    Args:
        spec: "paragraphs", "sentences", "sentences_and_lines", "markdown", or a callable that
            takes a text and returns `(start, end)` character offsets in order. Gaps
            between the units of a callable are attached to the unit before, so no text is lost.
        language: ISO 639 code for finding sentences.

    Raises:
        ValueError: For an unknown name or an empty language.
        TypeError: For anything that is neither a name nor callable.
    """
    if not isinstance(language, str) or not language:
        raise ValueError(f'language must be an ISO 639 code such as "en", not {language!r}')
    if spec == "paragraphs":
        return partial(paragraphs, language=language)
    if spec == "sentences":
        return partial(sentences, language=language)
    if spec == "sentences_and_lines":
        return partial(sentences_and_lines, language=language)
    if spec == "markdown":
        return markdown
    if callable(spec):
        return partial(_own, finder=spec)
    message = (
        'units must be "paragraphs", "sentences", "sentences_and_lines", "markdown" or a callable '
        f"that takes a text and returns (start, end) offsets, not {safe_repr(spec)}"
    )
    raise ValueError(message) if isinstance(spec, str) else TypeError(message)
