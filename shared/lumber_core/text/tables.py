"""The header row of a table in plain text: comma-, semicolon- or tab-separated values."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

_SEPARATORS = ",;\t|"
_SAMPLE = 20  # records that are read to tell a header from a record
_LONGEST_NAME = 80  # characters of a column's name
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


def find_header(text: str) -> int:
    """Return where the header row of separated values ends.

    Args:
        text: The values. Those in quotes may contain separators and line breaks.

    Returns:
        The offset just past the first record if it names columns, otherwise 0. It does if it has at
        least two cells, as many as the next record, and they are different short names, not
        numbers. Readers such as LlamaIndex's for pandas drop the header and write a space behind
        each comma; in such a text, only a column of numbers tells a header from a record.
    """
    found = [(0, 0)]
    for separator in _SEPARATORS:
        records, end = _first_records(text, separator)
        if records and _is_header(records[0], records[1:]):
            found.append((len(records[0]), end))
    return max(found)[1]


def _first_records(text: str, separator: str) -> tuple[list[list[str]], int]:
    """Return some records, and the offset just past the first."""
    position = int(text.startswith("\ufeff"))

    def lines() -> Iterator[str]:
        nonlocal position
        for match in _LINE.finditer(text, position):
            position = match.end()
            yield match.group()

    records: list[list[str]] = []
    end = 0
    try:
        for record in csv.reader(lines(), delimiter=separator):
            if any(map(str.strip, record)):
                end = end or position
                records.append(record)
            if len(records) > _SAMPLE:
                break
    except csv.Error:
        pass  # a quote that is never closed: the records before it count
    return records, end


def _is_header(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Return whether a record has the names of the columns of the others."""
    if len(first) < 2 or not others or len(others[0]) != len(first):
        return False
    names = [cell.strip() for cell in first]
    unnamed = not all(names[1:])  # the first column may be the numbers of the rows
    if unnamed or len({*names}) < len(names) or max(map(len, names)) > _LONGEST_NAME:
        return False
    columns = list(zip(*(row for row in others if len(row) == len(first)), strict=True))
    for name, column in zip(names, columns, strict=True):
        is_year = _YEAR.fullmatch(name) and not all(map(_YEAR.fullmatch, column))
        if _is_value(name) and not is_year:
            return False
    with_numbers = any(
        any(column) and all(map(_is_value, filter(None, column))) for column in columns
    )
    return with_numbers or names == [*first]


def _is_value(cell: str) -> bool:
    """Return whether a cell is a number, a date or an amount."""
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))
