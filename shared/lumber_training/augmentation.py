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
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lumber_training.authors import (
    with_citations,
    with_headings,
    with_labels,
    with_lists,
    with_speakers,
    with_tables,
)
from lumber_training.item_lines import ItemLine, item_of, lines_of
from lumber_training.items import Item
from lumber_training.scanners import with_misread_words, with_wrapped_lines, without_punctuation


@dataclass(frozen=True, slots=True)
class Augmentation:
    """How many items are rewritten in each way; every value is a share from 0 to 1.

    An item may be rewritten in several ways.

    Attributes:
        labels: Segments start with a label: the number of a note, a bullet, a letter, "Q:".
        lists: Runs of sentences inside segments are labelled as list items, which are not starts.
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
    lines: list[ItemLine] | None = None
    for name, rewrite in _WAYS.items():
        if rng.random() < getattr(augmentation, name):
            lines = rewrite(lines_of(item) if lines is None else lines, rng)
    return item if lines is None else item_of(lines)


_Rewriting = Callable[[Sequence[ItemLine], random.Random], list[ItemLine]]
# In this order: first what authors do, then what scanners do.
_WAYS: dict[str, _Rewriting] = {
    "tables": with_tables,
    "headings": with_headings,
    "lists": with_lists,
    "labels": with_labels,
    "speakers": with_speakers,
    "citations": with_citations,
    "unpunctuated": without_punctuation,
    "ocr": with_misread_words,
    "wrapped": with_wrapped_lines,
}
