"""Numbers with their nouns, for people."""

from __future__ import annotations


def with_noun(number: int, noun: str) -> str:
    """Return a number with its noun, as "1 chunk" or "1,200 chunks"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def range_with_noun(noun: str, first: int, last: int) -> str:
    """Return numbers with their noun, as "line 3" or "lines 3 to 5"."""
    return f"{noun} {first}" if first == last else f"{noun}s {first} to {last}"
