"""`lumber-splitters estimate`: what is known before a model is asked."""

from pathlib import Path

from lumber_core import LumberChunker, Prices
from lumber_core.lumber.bert_judge import BertJudge
from lumber_core.text.source import Source
from tests.cli.running import SAMPLE, run_apart


def test_an_estimate_needs_no_key_and_is_that_of_the_splitter(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    text = SAMPLE.read_bytes().decode()
    made = LumberChunker(BertJudge(), theta=300).estimate([text], prices=Prices(2, 6))
    marked = "# One\n\nProse.\n\n```\na = 1\n\nb = 2\n```\n\nMore prose.\n" * 40
    (tmp_path / "b.md").write_text(marked, encoding="utf-8")
    options = ("--theta", 300, "--prices", "2,6", "--model", "gemini:any", "--store", "a.db")
    done = run_apart("estimate", SAMPLE, "b.md", *options)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines] == ["document", SAMPLE.as_posix(), "b.md", "all"]
    low, likely, high = map(int, made.calls)
    assert f"{likely} ({low} to {high})" in lines[1]
    assert made.cost is not None
    assert f"{made.cost.likely:.4f} (" in lines[1]
    assert f"{len(text):,}" in lines[1]
    source = Source(marked, format="markdown")  # a fence is one of its units
    tokens = LumberChunker(BertJudge(), theta=300).estimate([source]).prompt_tokens
    assert f"{tokens.likely:,.0f} (" in lines[2]
    assert not (tmp_path / "a.db").exists()
