"""`lumber-splitters conform`, run as a user runs it."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from lumber_cli.app import app

RECURSIVE = "langchain_text_splitters:RecursiveCharacterTextSplitter"


def conform(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["conform", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_a_splitter_that_keeps_its_promises_ends_with_status_0() -> None:
    status, shown, _ = conform(
        RECURSIVE, "--set", "chunk_size=200", "--set", "chunk_overlap=0", "--only", "text"
    )
    assert status == 0
    assert shown.splitlines() == [
        "RecursiveCharacterTextSplitter",
        "  kept            loses no visible character",
    ]


def test_a_broken_promise_ends_with_status_1() -> None:
    status, shown, _ = conform(
        "llama_index.core.node_parser:SentenceSplitter",
        "--set",
        "chunk_size=64",
        "--set",
        "chunk_overlap=0",
        "--only",
        "chains",
    )
    assert status == 1
    assert "broken          keeps offsets exact in a chain of parsers" in shown


def test_a_function_that_returns_a_splitter_works_too(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "my_splitters.py").write_text(
        "from langchain_text_splitters import CharacterTextSplitter\n\n"
        "def make(separator):\n"
        "    return CharacterTextSplitter(separator, chunk_size=50, chunk_overlap=0)\n"
    )
    monkeypatch.chdir(tmp_path)
    status, shown, _ = conform("my_splitters:make", "--set", "separator=.", "--only", "limit")
    assert status == 1
    assert "holds its chunk size" in shown


def test_mistakes_are_reported_in_one_line() -> None:
    for arguments, message in [
        (["Recursive"], "expected module:Class"),
        (["no_such_module:Splitter"], "cannot import 'no_such_module'"),
        (["langchain_text_splitters:Nothing"], "has no 'Nothing'"),
        ([RECURSIVE, "--set", "chunk_size"], "--set takes NAME=VALUE"),
        ([RECURSIVE, "--set", "size=3"], "unexpected keyword argument 'size'"),
        ([RECURSIVE, "--only", "tokens"], "unknown contract 'tokens'"),
        (["builtins:dict"], "must return a LangChain TextSplitter"),
    ]:
        status, _, shown = conform(*arguments)
        assert status == 2
        assert message in shown
        assert len(shown.strip().splitlines()) == 1
