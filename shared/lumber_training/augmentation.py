"""Rewrites training items to look like the texts that users split.

Items made of clean prose teach a model that chunks start with clean sentences. Here some of them
get labels ("[5] ", "3. ", "Q: "), headings, speakers, tables, citations, hard line breaks, missing
punctuation or OCR errors. A label that opens a segment in one item opens a list item or a turn in
another, so that a label alone does not prove a start.

BERT's tokenizer drops line breaks and, if it is uncased, capital letters. All it sees of hard wraps
is the divided words, and all it sees of lower-case text is the missing punctuation.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

from lumber_training.items import Item


@dataclass(frozen=True, slots=True)
class Augmentation:
    """How many items are rewritten in each way; every value is a share from 0 to 1.

    An item may be rewritten in several ways.

    Attributes:
        labels: Segments start with a label: the number of a note, a bullet, a letter, "Q:".
        lists: Runs of sentences inside segments are labelled as list items, which are no starts.
        headings: Segments start with a heading on a line of its own.
        speakers: Sentences become turns of speakers. Segments start with a turn, but most turns do
            not start a segment.
        tables: Some segments become tables; the first row is the start.
        citations: Sentences contain or end with "[3]" or "(Weber, 1998)".
        unpunctuated: Punctuation is removed; half of these items are also in lower case.
        wrapped: Lines are broken at a fixed width; half of these items have hyphenated words.
        ocr: Characters are confused, words split and joined.
    """

    labels: float = 0.0
    lists: float = 0.0
    headings: float = 0.0
    speakers: float = 0.0
    tables: float = 0.0
    citations: float = 0.0
    unpunctuated: float = 0.0
    wrapped: float = 0.0
    ocr: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 <= value <= 1:
                raise ValueError(f"{field.name} must be a share between 0 and 1, not {value}")


UNCHANGED = Augmentation()
"""Items as they are made."""


def augment(item: Item, augmentation: Augmentation, rng: random.Random) -> Item:
    """Rewrite an item.

    Args:
        item: The item.
        augmentation: The share of items to rewrite in each way.
        rng: Random number generator.

    Returns:
        The rewritten item, with as many segments.
    """
    lines: list[_Line] | None = None
    for name, rewrite in _WAYS.items():
        if rng.random() < getattr(augmentation, name):
            lines = rewrite(_lines(item) if lines is None else lines, rng)
    return item if lines is None else _item(lines)


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence, heading or row, whether a segment starts with it, and the space behind it."""

    text: str
    starts: bool
    gap: str = " "

    def opened(self, label: str) -> _Line:
        """Put a label before it."""
        return _Line(label + self.text, self.starts, self.gap)

    def rewritten(self, text: str) -> _Line:
        """Replace its text; a line is never empty."""
        return _Line(text.strip() or ".", self.starts, self.gap)


def _lines(item: Item) -> list[_Line]:
    starts = set(item.starts)
    lines = []
    for begin, end in pairwise([*item.sentences, len(item.text)]):
        raw = item.text[begin:end]
        text = raw.strip()
        lines.append(_Line(text or ".", begin in starts, raw[len(raw.rstrip()) :] or " "))
    return lines


def _item(lines: Sequence[_Line]) -> Item:
    parts: list[str] = []
    sentences: list[int] = []
    starts: list[int] = []
    position = 0
    for line in lines:
        sentences.append(position)
        if line.starts:
            starts.append(position)
        parts += (line.text, line.gap)
        position += len(line.text) + len(line.gap)
    return Item("".join(parts[:-1]), tuple(sentences), tuple(starts))


def _segments(lines: Sequence[_Line]) -> list[list[_Line]]:
    segments: list[list[_Line]] = []
    for line in lines:
        if line.starts or not segments:
            segments.append([])
        segments[-1].append(line)
    return segments


# Labels: {n} is a number, {a} a letter, {r} a Roman numeral.
_NOTES = ("[{n}] ", "[{n}] ", "[{n}] ", "({n}) ", "{n}. ", "{n}) ", "{n} ", "^{n} ", "Note {n}: ")
_BULLETS = (
    *("- ", "\u2022 ", "* ", "\u2013 ", "\u25aa ", "\u00b7 ", "({a}) ", "{a}) ", "{a}. "),
    *("{n}. ", "{n}) ", "({n}) ", "({r}) ", "{r}. ", "{n}: ", "Step {n}: ", "No. {n} ", "# "),
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv")
_MOST_BOLD = 3


def _labelled(lines: Sequence[_Line], rng: random.Random) -> list[_Line]:
    """Start segments with ascending labels."""
    if rng.random() < 0.12:
        return _questions(lines)
    style = rng.choice(_NOTES if rng.random() < 0.6 else _BULLETS)
    label = _counter(style, rng.randint(1, 40) if rng.random() < 0.5 else 1)
    share = 1.0 if rng.random() < 0.8 else 0.5
    bold = rng.random() < 0.25
    gap = rng.choice(("\n", "\n\n", " "))
    made: list[_Line] = []
    for line in lines:
        if line.starts and rng.random() < share:
            text = _bold(line.text, rng) if bold else line.text
            _break(made, gap)
            made.append(line.rewritten(label() + text))
        else:
            made.append(line)
    return made


def _questions(lines: Sequence[_Line]) -> list[_Line]:
    """Write segments as questions with answers; an answer belongs to its question."""
    made: list[_Line] = []
    for segment in _segments(lines):
        _break(made, "\n\n")
        made.append(segment[0].opened("Q: "))
        if len(segment) > 1:
            _break(made, "\n")
            made.append(segment[1].opened("A: "))
        made += segment[2:]
    return made


def _counter(style: str, first: int) -> Callable[[], str]:
    """Return a function that gives the labels of a style in order."""
    number = first - 1

    def label() -> str:
        nonlocal number
        number += 1
        letter = chr(ord("a") + (number - 1) % 26)
        return style.format(n=number, a=letter, r=_ROMAN[(number - 1) % len(_ROMAN)])

    return label


def _bold(text: str, rng: random.Random) -> str:
    words = text.split(" ")
    count = rng.randint(1, min(_MOST_BOLD, len(words)))
    return " ".join(["**" + " ".join(words[:count]) + "**", *words[count:]])


def _break(lines: list[_Line], gap: str) -> None:
    """Change the space before the next line."""
    if lines:
        lines[-1] = _Line(lines[-1].text, lines[-1].starts, gap)


def _listed(lines: Sequence[_Line], rng: random.Random) -> list[_Line]:
    """Label runs of sentences inside segments."""
    made: list[_Line] = []
    for segment in _segments(lines):
        begin = rng.randint(1, 4)
        length = rng.randint(2, 8)
        if len(segment) < begin + 2 or rng.random() < 0.3:
            made += segment
            continue
        style = rng.choice(_BULLETS if rng.random() < 0.85 else _NOTES)
        label = _counter(style, 1)
        for number, line in enumerate(segment):
            if begin <= number < begin + length:
                _break(made, "\n")
                line = line.opened(label())
            made.append(line)
    return made


_HEADINGS = (
    *("Introduction", "Background", "Results", "Discussion", "Methods", "Conclusion", "Summary"),
    *("Overview", "Examples", "Notes", "Procedure", "History", "Definition", "Analysis", "Legacy"),
)


def _headed(lines: Sequence[_Line], rng: random.Random) -> list[_Line]:
    """Put headings before segments."""
    share = rng.choice((0.5, 1.0))
    before = rng.choice(("", "", "", "## ", "### ", "{n}. ", "{n} ", "{n}.{n} ", "Chapter {n}: "))
    upper = rng.random() < 0.15
    made: list[_Line] = []
    for number, segment in enumerate(_segments(lines), start=1):
        if rng.random() < share:
            title = before.format(n=number) + _title(segment, rng)
            _break(made, "\n\n")
            made.append(_Line(title.upper() if upper else title, segment[0].starts, "\n\n"))
            segment[0] = _Line(segment[0].text, False, segment[0].gap)
        made += segment
    return made


def _title(segment: Sequence[_Line], rng: random.Random) -> str:
    words = [word for line in segment for word in re.findall(r"[^\W\d_]+", line.text)]
    if len(words) < 2 or rng.random() < 0.2:
        return rng.choice(_HEADINGS)
    count = rng.randint(1, 5)
    first = rng.randrange(max(1, len(words) - count))
    return " ".join(words[first : first + count]).capitalize()


_NAMES = (
    *("Anna", "Ben", "Chloe", "David", "Elena", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kim"),
    *("Speaker 1", "Speaker 2", "Host", "Guest", "Interviewer", "Dr. Lee", "User", "Agent"),
    *("Chair", "Minister", "Project Manager", "Designer", "Professor B", "Student D", "A", "B"),
)
_TURNS = ("{name}: ", "{name}: ", "{name}: ", "[{time}] {name}: ", "{name} ({time}): ", "<{name}> ")


def _spoken(lines: Sequence[_Line], rng: random.Random) -> list[_Line]:
    """Divide an item into turns of speakers."""
    cast = rng.sample(_NAMES, rng.randint(2, 6))
    style = rng.choice(_TURNS)
    seconds = rng.randrange(3600)
    most = rng.randint(1, 5)
    left = 0
    made: list[_Line] = []
    for line in lines:
        if line.starts or not left:
            left = rng.randint(1, most)
            seconds += rng.randint(2, 90)
            time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
            _break(made, "\n")
            line = line.opened(style.format(name=rng.choice(cast), time=time))
        made.append(line)
        left -= 1
    return made


def _tabled(lines: Sequence[_Line], rng: random.Random) -> list[_Line]:
    """Turn some segments into tables of their words and numbers."""
    segments = _segments(lines)
    chosen = rng.randrange(len(segments))
    made: list[_Line] = []
    for number, segment in enumerate(segments):
        if number == chosen or rng.random() < 0.25:
            _break(made, "\n\n")
            made += _table(segment, rng)
        else:
            made += segment
    return made


def _table(segment: Sequence[_Line], rng: random.Random) -> list[_Line]:
    words = [word for line in segment for word in re.findall(r"[^\W\d_]+", line.text)] or ["total"]
    left, between, right = rng.choice((("", ",", ""), ("", "\t", ""), ("| ", " | ", " |")))
    columns = rng.randint(3, 6)
    numeric = [rng.random() < 0.6 for _ in range(columns)]
    rows = [[rng.choice(words).capitalize() for _ in range(columns)]]
    rows += [
        [_number(rng) if told else rng.choice(words) for told in numeric]
        for _ in range(rng.randint(3, 10))
    ]
    texts = [left + between.join(row) + right for row in rows]
    return [
        _Line(text, segment[0].starts and not number, "\n") for number, text in enumerate(texts)
    ]


def _number(rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.4:
        return str(rng.randint(0, 999))
    if draw < 0.6:
        return f"{rng.random() * 100:.{rng.randint(1, 2)}f}"
    if draw < 0.75:
        return f"{rng.randint(1990, 2026)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return (
        f"{rng.randint(1, 99)}%"
        if draw < 0.85
        else f"${rng.randint(1, 999)},{rng.randrange(1000):03}"
    )


_AUTHORS = ("Weber", "Smith et al.", "Okafor", "Lee and Park", "Rossi", "Nguyen et al.", "Brown")


def _cited(lines: Sequence[_Line], rng: random.Random) -> list[_Line]:
    """Put citations into sentences or at their ends."""
    bracketed = rng.random() < 0.65
    made = []
    for line in lines:
        if rng.random() < 0.35:
            numbers = sorted(rng.sample(range(1, 60), rng.randint(1, 2)))
            year = rng.randint(1950, 2025)
            mark = f"{numbers}" if bracketed else f"({rng.choice(_AUTHORS)}, {year})"
            words = line.text.split(" ")
            if rng.random() < 0.4 and len(words) > 3:
                words.insert(rng.randint(2, len(words) - 1), mark)
                text = " ".join(words)
            elif rng.random() < 0.5:
                text = f"{line.text} {mark}"
            else:
                body = line.text.rstrip(".?!")
                text = f"{body} {mark}{line.text[len(body) :]}"
            line = line.rewritten(text)
        made.append(line)
    return made


_MARKS = re.compile(r"[.,;:!?\"\u201c\u201d()]+(?=\s|$)|(?<!\S)[\"\u201c(]+")


def _unpunctuated(lines: Sequence[_Line], rng: random.Random) -> list[_Line]:
    """Remove punctuation, and sometimes capitals."""
    small = rng.random() < 0.5
    texts = (_MARKS.sub("", line.text) for line in lines)
    return [
        line.rewritten(text.lower() if small else text)
        for line, text in zip(lines, texts, strict=True)
    ]


_CONFUSED = (
    *(("rn", "m"), ("m", "rn"), ("l", "1"), ("I", "l"), ("O", "0"), ("o", "0"), ("e", "c")),
    *(("h", "b"), ("cl", "d"), ("d", "cl"), ("i", "j"), ("u", "v"), ("S", "5"), ("t", "f")),
    *(("n", "ri"), ("a", "o"), ("vv", "w"), ("w", "vv"), (".", ","), (",", ".")),
)
_SHORTEST_SPLIT = 5


def _scanned(lines: Sequence[_Line], rng: random.Random) -> list[_Line]:
    """Put OCR errors into some words."""
    rate = rng.uniform(0.02, 0.12)
    made = []
    for line in lines:
        words = line.text.split(" ")
        parts = [_misread(word, rng) if rng.random() < rate else word for word in words]
        text = parts[0]
        for part in parts[1:]:
            text += part if rng.random() < rate / 6 else f" {part}"
        made.append(line.rewritten(text))
    return made


def _misread(word: str, rng: random.Random) -> str:
    if len(word) >= _SHORTEST_SPLIT and rng.random() < 0.3:
        at = rng.randint(2, len(word) - 2)
        return word[:at] + rng.choice((" ", " ", "- ", "-")) + word[at:]
    fitting = [pair for pair in _CONFUSED if pair[0] in word]
    if not fitting:
        return word
    seen, read = rng.choice(fitting)
    return word.replace(seen, read, 1)


_SHORTEST_DIVIDED = 7


def _wrapped(lines: Sequence[_Line], rng: random.Random) -> list[_Line]:
    """Break lines at a width."""
    width = rng.randint(30, 90)
    divides = rng.random() < 0.5
    column = 0
    made = []
    for line in lines:
        text = ""
        for word in line.text.split():
            if text and column + 1 + len(word) > width:
                if divides and len(word) >= _SHORTEST_DIVIDED and word.isalpha():
                    at = rng.randint(3, len(word) - 3)
                    text += f" {word[:at]}-\n{word[at:]}"
                    column = len(word) - at
                else:
                    text += f"\n{word}"
                    column = len(word)
            else:
                text += f" {word}" if text else word
                column += len(word) + 1
        made.append(line.rewritten(text))
        column = 0 if "\n" in line.gap else column
    return made


_Rewriting = Callable[[Sequence[_Line], random.Random], list[_Line]]
# In this order: first what authors do, then what scanners do.
_WAYS: dict[str, _Rewriting] = {
    "tables": _tabled,
    "headings": _headed,
    "lists": _listed,
    "labels": _labelled,
    "speakers": _spoken,
    "citations": _cited,
    "unpunctuated": _unpunctuated,
    "ocr": _scanned,
    "wrapped": _wrapped,
}
