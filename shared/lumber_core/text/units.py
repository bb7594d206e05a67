"""Units: pieces of a text, such as sentences, that a splitter keeps whole if they fit in a chunk.

A unit finder takes a text and returns the spans of its units. The finders in this module tile the
text: white space between two units belongs to the first, but the indentation of a paragraph stays
with the paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import le, lt
from typing import Literal

from lumber_core.spans import Span, outside, spans_from_starts
from lumber_core.support.identity import safe_repr
from lumber_core.text.lines.columns import broken_cells
from lumber_core.text.lines.line_starts import read_layout
from lumber_core.text.markdown import markdown_blocks, markdown_units
from lumber_core.text.sentence_starts import (
    ANY_LINE_BREAK,
    BLANK_LINES,
    content_start,
    starts_of_sentences,
)
from lumber_core.text.unicode import breaks

UnitFinder = Callable[[str], Sequence[Span]]
UnitName = Literal["paragraphs", "sentences", "sentences_and_lines", "markdown"]
UnitSpec = UnitName | Callable[[str], Iterable[tuple[int, int]]]
_LINE_BREAKS = re.compile(rf"{ANY_LINE_BREAK}+")
# The end of a line after punctuation that may end a sentence and any closing quotes or brackets.
_MARKS = "[.?!:;\u2026\u3002\uff01\uff1f]"
_CLOSING = "[\"'\u2019\u201d)\\]\u00bb\u300d\u300f \\t]"
_MARKED_LINE_END = re.compile(rf"{_MARKS}{_CLOSING}*{ANY_LINE_BREAK}\s*(?=\S)")


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
    first = content_start(text)
    last = len(text.rstrip())
    cells = broken_cells(text)
    cuts = outside(map(re.Match.end, BLANK_LINES.finditer(text, first, last)), cells)
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
        language: ISO 639 code; a language without rules in sentencex uses a related language's.

    Returns:
        Spans that tile the text; each but the first starts with a visible character. A blank
        line ends a sentence. No span starts inside a grapheme cluster.
    """
    return list(spans_from_starts(starts_of_sentences(text, language), len(text)))


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
    ends = _MARKED_LINE_END.finditer(text, content_start(text))
    return breaks(text, map(re.Match.end, ends))


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
