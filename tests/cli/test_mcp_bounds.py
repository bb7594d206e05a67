"""Outlines and grep leave out parts of large files, and report it."""

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lumber_cli.agents import grep
from lumber_cli.agents.file_outline import headings_of
from lumber_cli.agents.folders import ServedFolders
from lumber_cli.agents.texts import FileTexts, LinedText
from lumber_files import MAX_UNPACKED, read_bytes


def find(folder: Path, pattern: str, *, regex: bool = True) -> dict[str, Any]:
    files = [*ServedFolders([str(folder)]).list_files().files.values()]
    texts = FileTexts(None, MAX_UNPACKED)
    return grep.find_lines(texts, files, pattern, regex=regex, ignore_case=False).structured_content


def text_with_headings(*levels: int) -> LinedText:
    """Return a text with headings of some levels, on every second line."""
    text = "".join(f"{'#' * level} Title {n}\n\n" for n, level in enumerate(levels))
    return LinedText(read_bytes(text.encode(), name="a.md", suffix=".md"))


@pytest.mark.parametrize("level", [1, 2])
def test_only_the_first_of_too_many_headings_of_one_level_are_listed(level: int) -> None:
    sections, note = headings_of(text_with_headings(*[level] * 1000))
    assert [section["first_line"] for section in sections] == [*range(1, 600, 2)]
    assert note.startswith("only the first 300 of 1,000 headings are listed: those from line 601")


def test_the_deepest_headings_are_left_out_only_if_others_show_how_a_file_is_built() -> None:
    sections, note = headings_of(text_with_headings(1, *[2] * 400))
    assert [section["level"] for section in sections] == [1, *[2] * 299]
    assert sections[0]["last_line"] == 801  # spans the unlisted sections too
    assert "first 300 of 401" in note
    sections, note = headings_of(text_with_headings(*[1, 2, 3, 3, 3, 3, 3, 3] * 50))
    assert [section["level"] for section in sections] == [1, 2] * 50
    assert note == "headings below level 2 are left out"
    sections, note = headings_of(text_with_headings(*[1, 2, 2] * 100))
    assert (len(sections), note) == (300, "")
    sections, note = headings_of(text_with_headings(*[1, 2] * 500, *[3] * 10))
    assert [section["level"] for section in sections] == [1] * 300
    assert note.startswith("headings below level 1 are left out; only the first 300 of 500")


def test_a_line_break_at_the_end_of_a_file_does_not_begin_another_line(tmp_path: Path) -> None:
    for name, text in {"a": "line\n", "b": "\n", "c": "", "d": "x\r\n\r\n", "e": "x"}.items():
        (tmp_path / f"{name}.txt").write_bytes(text.encode())
    result = find(tmp_path, "^$")
    assert [(match["file"], match["line"]) for match in result["matches"]] == [
        ("b.txt", 1),
        ("d.txt", 2),
    ]


def test_the_time_for_any_regular_expression_is_bounded(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "a.txt").write_text("a" * 200_000, encoding="utf-8")
    (tmp_path / "b.txt").write_text("x\n", encoding="utf-8")
    # A second passes between two reads of the clock; one part of a line is searched between them.
    looks = itertools.count()
    monkeypatch.setattr(grep, "time", SimpleNamespace(monotonic=lambda: float(next(looks))))
    monkeypatch.setattr(grep, "_MAX_SEARCH_SECONDS", 4.5)
    result = find(tmp_path, "a.x")
    assert next(looks) == 6
    assert (result["truncated"], result["files_searched"]) == (True, 0)
    assert result["note"].startswith("stopped after 4.5 s with 2 files left: narrow the search")
    (tmp_path / "a.txt").write_text("ab\n" * 200_000, encoding="utf-8")
    assert find(tmp_path, "a.x")["truncated"]
    assert next(looks) == 13


def test_an_expression_is_found_anywhere_in_a_long_line(tmp_path: Path) -> None:
    long = "é word " * 5_000
    text = f"{long}needle 42{long}\n{long}the end"
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    result = find(tmp_path, "needle [0-9]+")
    assert [match["line"] for match in result["matches"]] == [1]
    assert "needle 42" in result["matches"][0]["text"]
    assert "matches longer than 1,000 characters may be missing" in result["note"]
    assert [match["line"] for match in find(tmp_path, "the end$")["matches"]] == [2]
    # An anchor does not match where a long line is divided into parts.
    for pattern in ("^word", "word$", r"\bord", r"wor\b", r"\Aword"):
        assert find(tmp_path, pattern)["count"] == 0
    assert find(tmp_path, "^é word")["count"] == 2
    assert find(tmp_path, "the end", regex=False)["note"] == ""
