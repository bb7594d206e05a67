"""The lines of a plain text, and what a line is by its own look and that of its neighbours.

`PlainLines` holds the lines that are not blank. The functions below it count what is around a line,
and find the headers of e-mails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, repeat
from operator import contains

import numpy as np
import numpy.typing as npt

# Punctuation that ends a sentence, or leads to what follows, and what may close after it.
_FINAL = frozenset(".!?:;\u2026\u3002\uff01\uff1f")
_CLOSING = "\"'\u2019\u201d)]\u00bb*_"
_QUOTES = re.compile(r"^\s{0,3}>", re.MULTILINE)
_QUOTE = re.compile(r"\s{0,3}(?:>{1,2}(?!>)\s?)+")  # but not Python's prompt
_SEPARATORS = "\x1c\x1d\x1e"  # white space that ends a line for `str.splitlines`, but not here
AROUND = 10
"""Lines of context on both sides."""

WIDEST_PROSE = 180
"""Characters of the widest line that prose is wrapped to."""

Flags = npt.NDArray[np.bool_]
"""An answer of yes or no for each line."""


class Characters:
    """A character of each line: a test is asked once for each that occurs.

    Args:
        characters: One per line.
    """

    def __init__(self, characters: Sequence[str]) -> None:
        codes = "".join(characters).encode("utf-32-le", "surrogatepass")
        kinds, self._numbers = np.unique(np.frombuffer(codes, np.uint32), return_inverse=True)
        self._kinds = [*map(chr, kinds.tolist())]

    def are(self, test: Callable[[str], bool]) -> Flags:
        """Return for each line what a test says of its character."""
        return flags_of(map(test, self._kinds))[self._numbers]

    def among(self, characters: str) -> Flags:
        """Return for each line whether its character is one of these."""
        return self.are(characters.__contains__)


class PlainLines:
    """The lines of a text that are not blank, one entry per line.

    Attributes:
        starts: Offset of each line.
        offsets: Offset of its first visible character.
        bodies: The line without white space at its ends.
        firsts: The first character of each body.
        lasts: The last character of each body.
        sizes: Number of characters of each body.
        colons: Whether there is a colon in it.
        blank: Whether blank lines come before it.
        indents: Width of its indentation.
        indent_unit: Characters of one level of indentation.
        lengths: Number of characters up to the last visible one.
        open_ended: Whether no sentence ends with it.
        quotes: Whether any line is quoted.
        pages: Numbers of the lines that are the first of a page, after a form feed.
        headers: Numbers of the lines that look as those of an e-mail's header, such as "Subject:
            Re: lunch".
    """

    def __init__(self, text: str) -> None:
        for separator in _SEPARATORS:
            text = text.replace(separator, "\x1f")  # white space as well
        whole = text.splitlines(keepends=True)
        self.quotes = ">" in text and len(_QUOTES.findall(text)) > 1
        bodies = list(map(str.strip, whole))
        prefixes: Iterable[int] = repeat(0)
        if self.quotes:
            ends = _quote_ends(whole)
            bodies = [line[at:].strip() for line, at in zip(whole, ends, strict=True)]
            prefixes = [end for end, body in zip(ends, bodies, strict=True) if body]
        kept = np.flatnonzero(flags_of(map(bool, bodies)))
        lines = [line for line, body in zip(whole, bodies, strict=True) if body]
        self.bodies: list[str] = list(filter(None, bodies))
        self.starts = np.array([*accumulate(map(len, whole), initial=0)], np.int64)[kept]
        insets = np.fromiter(map(str.find, lines, self.bodies, prefixes), np.int64, len(lines))
        self.offsets = self.starts + insets
        self.indents = insets.copy()
        depths = np.zeros(len(lines), np.int64)
        if self.quotes:
            quoted = zip(lines, prefixes, strict=True)
            depths[:] = [line.count(">", 0, end) if end else 0 for line, end in quoted]
            self.indents -= np.array(prefixes, np.int64)
        if "\t" in text:
            for number in np.flatnonzero(insets).tolist():
                self.indents[number] += 3 * lines[number].count("\t", 0, insets[number])
        self.pages = _begin_pages(whole, kept) if "\f" in text else []
        breaks = np.diff(kept, prepend=0)  # line breaks since the line before
        breaks[self.pages] -= 1
        self.blank: Flags = (breaks > 1) | (np.diff(depths, prepend=depths[:1]) != 0)
        self.sizes = np.fromiter(map(len, self.bodies), np.int64, len(self.bodies))
        self.lengths = self.indents + self.sizes
        self.firsts = Characters([body[0] for body in self.bodies])
        self.lasts = Characters([body[-1] for body in self.bodies])
        self.open_ended = ~self.lasts.are(_FINAL.__contains__)
        for number in np.flatnonzero(self.lasts.among(_CLOSING)).tolist():
            self.open_ended[number] = self.bodies[number].rstrip(_CLOSING)[-1:] not in _FINAL
        self.colons = self.having(":")
        self.headers = {*self.matching(_HEADER, self.colons & self.firsts.among("FTCBDSRMIA"))}
        deeper = self.indents[self.indents > 1]
        self.indent_unit = int(deeper.min()) if len(deeper) else 4
        if self.bodies and self.bodies[0][0] in "{[" and (self.indents == 1).any():
            self.indent_unit = 1  # as notebooks write JSON

    def matching(self, pattern: re.Pattern[str], among: Flags) -> list[int]:
        """Return the numbers of the lines that a pattern matches, among some that may."""
        match, bodies = pattern.match, self.bodies
        return [number for number in among.nonzero()[0].tolist() if match(bodies[number])]

    def having(self, sign: str) -> Flags:
        """Return for each line whether a sign is in it."""
        return flags_of(map(contains, self.bodies, repeat(sign)))

    def flagged(self, numbers: Iterable[int]) -> Flags:
        """Return for each line whether its number is among some."""
        flags = np.zeros(len(self.bodies), dtype=np.bool_)
        if flagged := [*numbers]:
            flags[flagged] = True
        return flags


def after(flags: Flags) -> Flags:
    """Return for each line what is said of the one before; no for the first."""
    return np.concatenate([[False], flags[:-1]])


def _quote_ends(lines: list[str]) -> list[int]:
    """Return for each line where the marks of a quotation end; 0 without any."""
    found = map(_QUOTE.match, lines)
    return [quote.end() if quote else 0 for quote in found]


def _begin_pages(lines: list[str], kept: npt.NDArray[np.intp]) -> list[int]:
    """Return the numbers of the kept lines with a form feed between them and the one before."""
    feeds = [number for number, line in enumerate(lines) if line[-1] == "\f"]
    before = np.searchsorted(feeds, kept)
    return np.flatnonzero(np.diff(before, prepend=0)).tolist()


def flags_of(answers: Iterable[bool]) -> Flags:
    """Return an array of answers."""
    return np.fromiter(answers, np.bool_)


def around(values: npt.NDArray[np.generic], *, total: bool = False) -> npt.NDArray[np.float64]:
    """Return the mean, or the total, of each value and its neighbours."""
    sums = np.zeros(len(values) + 1)
    values.cumsum(dtype=np.float64, out=sums[1:])
    places = np.arange(len(values))
    low, high = np.maximum(0, places - AROUND), np.minimum(len(values), places + AROUND + 1)
    found: npt.NDArray[np.float64] = sums[high] - sums[low]
    return found if total else found / (high - low)


def neighbours(values: Flags) -> Flags:
    """Return for each value whether it or a neighbour is true."""
    return (around(values, total=True) - values) > 0


_HEADER = re.compile(
    r"(?:From|To|Cc|Bcc|Date|Sent|Subject|Reply-To|Message-I[Dd]|In-Reply-To|Attachments?):\s"
)
_ATTRIBUTION = re.compile(r"On\s.{0,99}\d.{0,150}\s(?:wrote|writes):$")


def is_mail(lines: PlainLines) -> bool:
    """Return whether the text has quotations or headers as e-mails have."""
    return lines.quotes or len(lines.headers) > 1


def is_attribution(body: str) -> bool:
    """Return whether a line says who wrote the quotation below it."""
    return body[-1] == ":" and _ATTRIBUTION.match(body) is not None


def in_header(lines: PlainLines, number: int) -> bool:
    """Return whether a line, as the one before, belongs to the header of an e-mail."""
    both = number in lines.headers and number - 1 in lines.headers
    return both and not bool(lines.blank[number])


QUOTED = re.compile(r'"[^"]*"')
"""What is quoted in a line, where signs do not separate fields."""
