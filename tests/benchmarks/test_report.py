"""The benchmark's report: Markdown with tables, and charts as SVG files."""

from pathlib import Path

import pytest

from benchmarks.suite.report import Bars, Lines, Section, Table, short, spread, write_report


def test_a_report_has_every_block_and_a_file_for_each_chart(tmp_path: Path):
    pytest.importorskip("matplotlib")
    bars = Bars("speed", "Speed", "characters/s", {"slow": 1e3, "fast": 2e6}, frozenset({"fast"}))
    lines = Lines("growth", "Growth", "size", "s", {"one": [(10, 0.1), (100, 1.0)]})
    table = Table(["", "speed"], [["slow", "1"], ["fast", "2,000"]])
    section = Section("Splitters", ["Some prose.", table, bars, lines], frozenset({"numpy"}))
    text = write_report([section], tmp_path).read_text(encoding="utf-8")
    assert "## Splitters\n\nSome prose." in text
    assert "|  | speed |\n| --- | --: |\n| slow | 1 |\n| fast | 2,000 |" in text
    assert "numpy " in text
    for name in ("speed", "growth"):
        assert f"(benchmarks/{name}.svg)" in text
        assert "<svg" in (tmp_path / "benchmarks" / f"{name}.svg").read_text(encoding="utf-8")


def test_the_same_chart_gives_the_same_file(tmp_path: Path):
    pytest.importorskip("matplotlib")
    section = Section("One", [Bars("bars", "Bars", "x", {"a": 1.0, "b": 20.0})])
    files = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        write_report([section], folder)
        files.append((folder / "benchmarks" / "bars.svg").read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize(
    ("value", "said"), [(0.5, "0.50"), (12.34, "12.3"), (123456, "123 k"), (2.5e6, "2.50 M")]
)
def test_numbers_are_short(value: float, said: str):
    assert short(value) == said


def test_spread_is_the_median_and_the_middle_half():
    assert spread([1, 2, 3, 4, 5]) == "3.00 (2.00 to 4.00)"
    assert spread([2.0]) == "2.00"
