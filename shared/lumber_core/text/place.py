"""A place where a chunk may start, and many of them as columns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from itertools import chain
from typing import NamedTuple


class Kind(IntEnum):
    """What starts at a place; a higher kind is a stronger break."""

    CHARACTER = 0
    WORD = 1
    CLAUSE = 2
    SENTENCE = 3
    LINE = 4
    PARAGRAPH = 5
    HEADING = 6


class Place(NamedTuple):
    """A place where a chunk may start."""

    offset: int  # of its first character
    kind: Kind
    first_word: int  # offset of its first word: past a label such as "[5]" or "ANNA:"
    depth: int = 0  # levels of indentation, in code and markup
    level: int = 0  # level of a heading, 1 to 6; 0 for any other place


# The constructor of a named tuple is written in Python; `tuple.__new__` is faster.
_new_place = partial(tuple.__new__, Place)


@dataclass(frozen=True, slots=True)
class Places:
    """Places in ascending order, one list for each attribute of `Place`.

    There may be a place at every character of a long text. Do not change the lists: attributes
    and other instances may share them.
    """

    offsets: list[int]
    kinds: list[Kind]
    first_words: list[int]
    depths: list[int]
    levels: list[int]

    @classmethod
    def of(cls, places: Iterable[Place]) -> Places:
        """Return places as columns."""
        columns = [list(column) for column in zip(*places, strict=True)]
        return cls(*columns) if columns else cls([], [], [], [], [])

    @classmethod
    def of_kind(cls, offsets: list[int], kind: Kind, depth: int = 0) -> Places:
        """Return places of one kind and depth, without labels."""
        count = len(offsets)
        return cls(offsets, [kind] * count, offsets, [depth] * count, [0] * count)

    @classmethod
    def join(cls, parts: Iterable[Places]) -> Places:
        """Return consecutive groups of places as one."""
        filled = [part for part in parts if part]
        if len(filled) < 2:
            return filled[0] if filled else cls.of(())
        columns = zip(*(part.columns for part in filled), strict=True)
        return cls(*(list(chain.from_iterable(column)) for column in columns))

    @property
    def columns(self) -> tuple[list[int], list[Kind], list[int], list[int], list[int]]:
        """The lists, in the order of the attributes of `Place`."""
        return self.offsets, self.kinds, self.first_words, self.depths, self.levels

    def inside(self, start: int, end: int) -> Places:
        """Return the places strictly inside a range."""
        first, last = bisect_right(self.offsets, start), bisect_left(self.offsets, end)
        return self if last - first == len(self) else self[first:last]

    def __len__(self) -> int:
        return len(self.offsets)

    def __iter__(self) -> Iterator[Place]:
        return map(_new_place, zip(*self.columns, strict=True))

    def __getitem__(self, at: slice) -> Places:
        first_words, depths, levels = self.first_words[at], self.depths[at], self.levels[at]
        return Places(self.offsets[at], self.kinds[at], first_words, depths, levels)


def places_with(places: Places, offsets: Iterable[int]) -> Places:
    """Return places, with a sentence at each offset that has no place."""
    added = {*offsets}.difference(places.offsets)
    return Places.of(sorted([*places, *(Place(at, Kind.SENTENCE, at) for at in added)]))


def places_at(offsets: Iterable[int], places: Places) -> Places:
    """Return the place at each offset, ascending; a sentence if there is none."""
    by_offset = dict(zip(places.offsets, places, strict=True))
    return Places.of(
        by_offset.get(offset, Place(offset, Kind.SENTENCE, offset)) for offset in offsets
    )
