"""The benchmark's report: Markdown with tables."""

from pathlib import Path

import pytest

from benchmarks.suite.report import Section, Table, short, spread, write_report


def test_a_report_has_every_block(tmp_path: Path):
    table = Table(["", "speed"], [["slow", "1"], ["fast", "2,000"]])
    section = Section("Splitters", ["Some prose.", table], frozenset({"numpy"}))
    text = write_report([section], tmp_path).read_text(encoding="utf-8")
    assert "## Splitters\n\nSome prose." in text
    assert "|  | speed |\n| --- | --: |\n| slow | 1 |\n| fast | 2,000 |" in text
    assert "numpy " in text


@pytest.mark.parametrize(
    ("value", "said"), [(0.5, "0.50"), (12.34, "12.3"), (123456, "123 k"), (2.5e6, "2.50 M")]
)
def test_numbers_are_short(value: float, said: str):
    assert short(value) == said


def test_spread_is_the_median_and_the_middle_half():
    assert spread([1, 2, 3, 4, 5]) == "3.00 (2.00 to 4.00)"
    assert spread([2.0]) == "2.00"
