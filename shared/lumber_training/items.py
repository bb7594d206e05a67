"""Training items: a text with the offsets where its sentences and segments start.

`tokenised` rewrites an item in the style of tokenised corpora, so that a model sees both styles.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import pairwise

_OPENING = re.compile(r"(?:(?<=\s)|(?<=^)|(?<=[(\[]))[\"\u201c]")
_CLOSING = re.compile(r"[\"\u201d]")
_NEGATION = re.compile(r"(?<=\w)n['\u2019]t\b", re.IGNORECASE)
_ENDING = re.compile(r"(?<=\w)['\u2019](s|re|ve|ll|d|m)\b", re.IGNORECASE)
_PUNCTUATION = re.compile(r"\s*([,;:?!()\[\]]|--|\u2014|\.(?=\s*$))\s*")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Item:
    """One training text.

    Attributes:
        text: The text.
        sentences: Character offsets of the sentence starts; the first is 0.
        starts: The sentence starts that also start a segment; the first is 0.
    """

    text: str
    sentences: tuple[int, ...]
    starts: tuple[int, ...]


def tokenised(item: Item, rng: random.Random) -> Item:
    """Rewrite an item in the style of tokenised corpora.

    Punctuation is surrounded by spaces, contractions are split, quotation marks become `` and ''
    or, in a third of the items, are removed, and question marks may be doubled.

    Args:
        item: The item.
        rng: Random number generator.

    Returns:
        The same sentences and starts with the offsets of the new text; sentences are joined by
        single spaces.
    """
    quotes = rng.random() > 1 / 3
    doubled = rng.random() < 0.3
    bounds = [*item.sentences, len(item.text)]
    starts = set(item.starts)
    parts: list[str] = []
    sentences: list[int] = []
    new_starts: list[int] = []
    position = 0
    for begin, end in pairwise(bounds):
        sentence = _tokenised(item.text[begin:end].strip(), quotes=quotes, doubled=doubled)
        sentences.append(position)
        if begin in starts:
            new_starts.append(position)
        parts.append(sentence)
        position += len(sentence) + 1
    return Item(" ".join(parts), tuple(sentences), tuple(new_starts))


def _tokenised(sentence: str, *, quotes: bool, doubled: bool) -> str:
    """Rewrite one sentence."""
    text = _OPENING.sub(" `` " if quotes else " ", sentence)
    text = _CLOSING.sub(" '' " if quotes else " ", text)
    text = _NEGATION.sub(" n't", text)
    text = _ENDING.sub(r" '\1", text)
    text = _PUNCTUATION.sub(_doubled if doubled else r" \1 ", text)
    return _SPACES.sub(" ", text).strip() or "."


def _doubled(match: re.Match[str]) -> str:
    mark = match[1]
    return f" {mark} {mark} " if mark in ";?!" else f" {mark} "
