"""How authors write: labels, lists, headings, speakers, tables and citations in training items."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from lumber_training.item_lines import ItemLine, segments_in, set_gap

# Labels: {n} is a number, {a} a letter, {r} a Roman numeral.
_NOTES = ("[{n}] ", "[{n}] ", "[{n}] ", "({n}) ", "{n}. ", "{n}) ", "{n} ", "^{n} ", "Note {n}: ")
_BULLETS = (
    *("- ", "\u2022 ", "* ", "\u2013 ", "\u25aa ", "\u00b7 ", "({a}) ", "{a}) ", "{a}. "),
    *("{n}. ", "{n}) ", "({n}) ", "({r}) ", "{r}. ", "{n}: ", "Step {n}: ", "No. {n} ", "# "),
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv")
_MOST_BOLD = 3


def with_labels(lines: Sequence[ItemLine], rng: random.Random) -> list[ItemLine]:
    """Start segments with ascending labels."""
    if rng.random() < 0.12:
        return _questions(lines)
    style = rng.choice(_NOTES if rng.random() < 0.6 else _BULLETS)
    label = _counter(style, rng.randint(1, 40) if rng.random() < 0.5 else 1)
    share = 1.0 if rng.random() < 0.8 else 0.5
    bold = rng.random() < 0.25
    gap = rng.choice(("\n", "\n\n", " "))
    made: list[ItemLine] = []
    for line in lines:
        if line.starts and rng.random() < share:
            text = _bold(line.text, rng) if bold else line.text
            set_gap(made, gap)
            made.append(line.rewritten(label() + text))
        else:
            made.append(line)
    return made


def _questions(lines: Sequence[ItemLine]) -> list[ItemLine]:
    """Write segments as questions with answers; an answer belongs to its question."""
    made: list[ItemLine] = []
    for segment in segments_in(lines):
        set_gap(made, "\n\n")
        made.append(segment[0].opened("Q: "))
        if len(segment) > 1:
            set_gap(made, "\n")
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


def with_lists(lines: Sequence[ItemLine], rng: random.Random) -> list[ItemLine]:
    """Label runs of sentences inside segments."""
    made: list[ItemLine] = []
    for segment in segments_in(lines):
        begin = rng.randint(1, 4)
        length = rng.randint(2, 8)
        if len(segment) < begin + 2 or rng.random() < 0.3:
            made += segment
            continue
        style = rng.choice(_BULLETS if rng.random() < 0.85 else _NOTES)
        label = _counter(style, 1)
        for number, line in enumerate(segment):
            if begin <= number < begin + length:
                set_gap(made, "\n")
                line = line.opened(label())
            made.append(line)
    return made


_HEADINGS = (
    *("Introduction", "Background", "Results", "Discussion", "Methods", "Conclusion", "Summary"),
    *("Overview", "Examples", "Notes", "Procedure", "History", "Definition", "Analysis", "Legacy"),
)


def with_headings(lines: Sequence[ItemLine], rng: random.Random) -> list[ItemLine]:
    """Put headings before segments."""
    share = rng.choice((0.5, 1.0))
    before = rng.choice(("", "", "", "## ", "### ", "{n}. ", "{n} ", "{n}.{n} ", "Chapter {n}: "))
    upper = rng.random() < 0.15
    made: list[ItemLine] = []
    for number, segment in enumerate(segments_in(lines), start=1):
        if rng.random() < share:
            title = before.format(n=number) + _title(segment, rng)
            set_gap(made, "\n\n")
            made.append(ItemLine(title.upper() if upper else title, segment[0].starts, "\n\n"))
            segment[0] = ItemLine(segment[0].text, False, segment[0].gap)
        made += segment
    return made


def _title(segment: Sequence[ItemLine], rng: random.Random) -> str:
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


def with_speakers(lines: Sequence[ItemLine], rng: random.Random) -> list[ItemLine]:
    """Divide an item into turns of speakers."""
    cast = rng.sample(_NAMES, rng.randint(2, 6))
    style = rng.choice(_TURNS)
    seconds = rng.randrange(3600)
    most = rng.randint(1, 5)
    left = 0
    made: list[ItemLine] = []
    for line in lines:
        if line.starts or not left:
            left = rng.randint(1, most)
            seconds += rng.randint(2, 90)
            time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
            set_gap(made, "\n")
            line = line.opened(style.format(name=rng.choice(cast), time=time))
        made.append(line)
        left -= 1
    return made


def with_tables(lines: Sequence[ItemLine], rng: random.Random) -> list[ItemLine]:
    """Turn some segments into tables of their words and numbers."""
    segments = segments_in(lines)
    chosen = rng.randrange(len(segments))
    made: list[ItemLine] = []
    for number, segment in enumerate(segments):
        if number == chosen or rng.random() < 0.25:
            set_gap(made, "\n\n")
            made += _table(segment, rng)
        else:
            made += segment
    return made


def _table(segment: Sequence[ItemLine], rng: random.Random) -> list[ItemLine]:
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
        ItemLine(text, segment[0].starts and not number, "\n") for number, text in enumerate(texts)
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


def with_citations(lines: Sequence[ItemLine], rng: random.Random) -> list[ItemLine]:
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
