"""Numbers with their nouns, and tables, as text for people."""

from __future__ import annotations

from collections.abc import Sequence


def with_noun(number: int, noun: str) -> str:
    """Return a number with its noun, as "1 chunk" or "1,200 chunks"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def range_with_noun(noun: str, first: int, last: int) -> str:
    """Return numbers with their noun, as "line 3" or "lines 3 to 5"."""
    return f"{noun} {first}" if first == last else f"{noun}s {first} to {last}"


def align_columns(rows: Sequence[Sequence[str]]) -> str:
    """Return a table as lines: the first column is text, the others are numbers."""
    first_width, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = ([name.ljust(first_width), *map(str.rjust, row, widths)] for name, *row in rows)
    return "\n".join("  ".join(cells).rstrip() for cells in lines)
