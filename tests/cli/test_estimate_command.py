"""`lumber-splitters estimate`: what is known before a model is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from lumber_core import LumberChunker, Prices
from lumber_core.lumber.fallback import local_judge
from lumber_core.text.source import Source
from tests.cli.running import SAMPLE, run_apart


def test_an_estimate_needs_no_key_and_is_that_of_the_splitter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    text = SAMPLE.read_bytes().decode()
    made = LumberChunker(local_judge(), theta=300).estimate([text], prices=Prices(2, 6))
    (tmp_path / "b.txt").write_text("One. Two.", encoding="utf-8")
    options = ("--theta", 300, "--prices", "2,6", "--model", "gemini:any", "--store", "a.db")
    done = run_apart("estimate", SAMPLE, "b.txt", *options)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines] == ["document", SAMPLE.as_posix(), "b.txt", "all"]
    low, likely, high = map(int, made.calls)
    assert f"{likely} ({low} to {high})" in lines[1]
    assert made.cost is not None
    assert f"{made.cost.likely:.4f} (" in lines[1]
    assert f"{len(text):,}" in lines[1]
    assert not (tmp_path / "a.db").exists()


def test_a_markdown_file_is_estimated_in_the_units_it_is_split_into(tmp_path: Path) -> None:
    text = "# One\n\nProse.\n\n```\na = 1\n\nb = 2\n```\n\nMore prose.\n" * 40
    tokens = {}
    for name in ("a.md", "a.txt"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        made = LumberChunker(local_judge()).estimate([Source(text, metadata={"source": name})])
        done = run_apart("estimate", tmp_path / name)
        assert f"{made.prompt_tokens.likely:,.0f} (" in done.out
        tokens[name] = made.prompt_tokens
    assert tokens["a.md"] != tokens["a.txt"]
