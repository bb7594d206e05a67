"""What scans and transcripts lose: punctuation, characters and line ends of training items."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from lumber_training.item_lines import ItemLine

_MARKS = re.compile(r"[.,;:!?\"\u201c\u201d()]+(?=\s|$)|(?<!\S)[\"\u201c(]+")


def without_punctuation(lines: Sequence[ItemLine], rng: random.Random) -> list[ItemLine]:
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


def with_misread_words(lines: Sequence[ItemLine], rng: random.Random) -> list[ItemLine]:
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


def with_wrapped_lines(lines: Sequence[ItemLine], rng: random.Random) -> list[ItemLine]:
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
