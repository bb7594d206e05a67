"""Writing a text as tokenised corpora do, so that both ways of writing are learnt alike."""

from __future__ import annotations

import random
import re
from itertools import pairwise

from lumber_training.items import Item

_OPENING = re.compile(r"(?:(?<=\s)|(?<=^)|(?<=[(\[]))[\"\u201c]")
_CLOSING = re.compile(r"[\"\u201d]")
_NEGATION = re.compile(r"(?<=\w)n['\u2019]t\b", re.IGNORECASE)
_ENDING = re.compile(r"(?<=\w)['\u2019](s|re|ve|ll|d|m)\b", re.IGNORECASE)
_PUNCTUATION = re.compile(r"\s*([,;:?!()\[\]]|--|\u2014|\.(?=\s*$))\s*")
_SPACES = re.compile(r"\s+")


def tokenised(item: Item, rng: random.Random) -> Item:
    """Put an item's sentences as tokenised corpora write them.

    Punctuation stands between spaces, contractions are split, quotation marks are `` and '' or,
    in a third of the items, left out, and question marks may be doubled.

    Args:
        item: The item.
        rng: Source of chance.

    Returns:
        The same sentences and starts, with the offsets of the new text; sentences are joined by
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
    """Write one sentence so."""
    text = _OPENING.sub(" `` " if quotes else " ", sentence)
    text = _CLOSING.sub(" '' " if quotes else " ", text)
    text = _NEGATION.sub(" n't", text)
    text = _ENDING.sub(r" '\1", text)
    text = _PUNCTUATION.sub(_doubled if doubled else r" \1 ", text)
    return _SPACES.sub(" ", text).strip() or "."


def _doubled(match: re.Match[str]) -> str:
    mark = match[1]
    return f" {mark} {mark} " if mark in ";?!" else f" {mark} "
