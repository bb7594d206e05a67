"""A training text with its sentences and the places where segments start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """One training text.

    Attributes:
        text: The text.
        sentences: Character offsets where its sentences start; the first is 0.
        starts: Those of them where a segment starts; the first is 0.
    """

    text: str
    sentences: tuple[int, ...]
    starts: tuple[int, ...]
