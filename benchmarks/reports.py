"""Measures passages of annual reports: pages of the evidence, and numbers with row and column.

Run by `benchmarks/passages.py --reports`. Only the first words of each retriever count. A number of
the evidence counts as read if a passage contains it in a line with the label of its row, or in the
line below, and contains the year at the head of its column, in its text or above it. The evidence
has a line for each cell. Only rows with a number for each year above them are measured.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.corpora import load_financebench
from benchmarks.searches import Build, Found
from lumber_core.spans import Span

BUDGETS = (300, 600, 1200)  # words
_WORD = re.compile(r"[^\s|]\S*")  # the bars of tables are not words
_NUMBER = re.compile(r"[$(\s-]*(\d[\d,]*(?:\.\d+)?)[)%\s]*")
_YEAR = re.compile(r"\b(?:19|20)\d\d$")
_MAX_HEAD_CHARACTERS = 30  # of a column's head; a year at the end of a longer line is in a sentence
_EMPTY = ("", "\u2014", "\u2013", "-")


class Fact(NamedTuple):
    """A number in a table."""

    label: str  # of its row
    number: str  # without signs
    year: str  # the head of its column

    def is_in(self, text: str) -> bool:
        """Return whether a text has the number with its row's label and its column's head."""
        if self.year not in text:
            return False
        number = re.compile(rf"(?<![\d.,]){re.escape(self.number)}(?![\d,]*\d)")
        label = _letters(self.label)
        lines = ["", *filter(str.strip, text.split("\n"))]
        return any(
            number.search(line) and label in _letters(before + line)
            for before, line in pairwise(lines)
        )


def facts(evidence: str) -> Iterator[Fact]:
    """Yield the numbers of an evidence whose rows have a number for each year at their head."""
    years: list[str] = []
    label, numbers, in_head = "", list[str](), False
    for line in (*map(str.strip, evidence.split("\n")), "end"):
        year, number = _YEAR.search(line), _NUMBER.fullmatch(line)
        if year and len(line) < _MAX_HEAD_CHARACTERS and (in_head or not number):
            years = [*(years if in_head else ()), year[0]]
            label, numbers, in_head = "", [], True
        elif number or line in _EMPTY[1:]:
            numbers += [number[1] if number else ""] if label else []
        elif any(map(str.isalpha, line)):
            in_head &= not numbers
            if len(numbers) == len(years) > 1:
                yield from (
                    Fact(label, cell, head)
                    for cell, head in zip(numbers, years, strict=True)
                    if cell
                )
            label, numbers = line, []


def _first_words(
    hits: Found, texts: Mapping[str, str], words: int
) -> Iterator[tuple[str, Span, str]]:
    """Yield the hits within a number of words, headings included; the last hit is cut."""
    for name, span, above in hits:
        words -= len(_WORD.findall(above))
        ends = [word.end() for word in _WORD.finditer(texts[name], span.start, span.end)]
        if words <= 0 or not ends:
            return
        yield name, Span(span.start, ends[:words][-1]), above
        words -= len(ends)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def measure_reports(data: Path, chosen: Mapping[str, Sequence[Build]]) -> None:
    """Print how often passages have a page of the evidence, and which share of its numbers."""
    reports, questions = load_financebench(data / "financebench")
    stated = [
        {fact for text in question["evidence"] for fact in facts(text)} for question in questions
    ]
    heads = [f"page at {n:,} words" for n in BUDGETS] + [f"numbers at {n:,}" for n in BUDGETS]
    for title, indexes in (
        ("each within its report", [[report] for report in reports]),
        ("all reports in one index", [reports]),
    ):
        print(f"\n**Evidence in annual reports, {title}** ({len(questions)} questions)\n")
        print(" | ".join(["retriever", *heads]), " | ".join(["---"] * (1 + len(heads))), sep="\n")
        for name, builds in chosen.items():
            touched: dict[int, list[bool]] = defaultdict(list)
            read: dict[int, list[float]] = defaultdict(list)
            for index in indexes:
                search, within = builds[0](index), {report.stem: report for report in index}
                text_of = {report.name: report.text for report in index}
                for question, expected in zip(questions, stated, strict=True):
                    for words in BUDGETS if question["document"] in within else ():
                        report = within[question["document"]]
                        hits = _first_words(search(question["question"], words), text_of, words)
                        in_report = [hit for hit in hits if hit[0] == report.name]
                        pages = report.pages([span for _, span, _ in in_report])
                        read_pages = {n for first, last in pages for n in range(first, last + 1)}
                        touched[words].append(not read_pages.isdisjoint(question["pages"]))
                        if expected:
                            texts = [f"{above}\n{s.of(report.text)}" for _, s, above in in_report]
                            are_read = [any(fact.is_in(t) for t in texts) for fact in expected]
                            read[words].append(float(np.mean(are_read)))
            cells = [np.mean(values[words]) for values in (touched, read) for words in BUDGETS]
            print(" | ".join([name, *(f"{cell:.3f}" for cell in cells)]), flush=True)
