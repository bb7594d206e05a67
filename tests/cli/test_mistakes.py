"""What a command cannot do is one line on stderr, and nothing is written."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.running import run_apart

WRONG_VALUES = [
    ("split nowhere.txt", "nowhere.txt does not exist"),
    ("split docs --theta 9", "is a setting of lumber, not of layout: pass --method lumber"),
    ("split docs --chunk-size 0", "chunk_size"),
    ("split docs --method greedy --model bundled", "greedy uses no model"),
    ("split docs --model openai:gpt-4o-mini", "pass --method lumber"),
    ("split docs --method lumber --model gpt-4o-mini", "Language models are named openai:NAME"),
    ("split docs --method lumber --store a.db", "--store needs a language model"),
    ("split docs --method lumber --attempts 3", "--attempts needs a language model"),
    ("split docs --requests-per-minute 3", "for the language model of --method lumber"),
    ("split docs --tokenizer none-such", "unknown tokenizer"),
    ("split docs -o docs", "docs is a folder"),
    ("split docs -o missing/folder/x", "there is no folder missing/folder"),
    ("split docs --format parquet", "pass --output FILE"),
    ("split docs --no-context", "--no-context has no effect: pass --embed"),
    ("split docs --embedder bundled", "--embedder has no effect: pass --embed"),
    ("split docs --embed --format md", "pass --format jsonl or parquet"),
    ("split docs --embed --embedder nope", "unknown embedder 'nope'"),
    ("split docs --method lumber --model URL --device cpu", "--device has no effect: http"),
    ("split docs --method lumber --model local:x --timeout 3", "--timeout has no effect: local:x"),
    ("split docs --method lumber --model local:x --key-variable K", "--key-variable has no effect"),
    ("split docs --method lumber --model local:", "unknown model 'local:'"),
    ("split docs --method lumber --model URL --prompt docs/a.txt", "a.txt: the user template"),
    ("split docs --method lumber --model URL --prompt none.txt", "none.txt"),
    ("view docs --beside none", "unknown splitter 'none'"),
    ("view docs --beside greedy:x", "expected a number of tokens"),
    ("view docs --theta 3", "--theta is a setting of lumber"),
    ("view docs -o .", "is a folder"),
    ("estimate docs --prices 1", "two numbers"),
    ("models nowhere", "expected openai, ollama or a URL"),
    ("compare missing", "missing does not exist"),
    ("compare docs --splitter none", "unknown splitter 'none'"),
    ("compare docs --splitter paragraphs --splitter paragraphs", "named"),
    ("compare docs --questions missing.jsonl", "missing.jsonl does not exist"),
    ("compare docs --embedder openai:any", "set the variable OPENAI_API_KEY"),
    ("compare docs --passages", "no questions, which passages needs"),
    ("compare docs --sizes a,b", "comma-separated numbers"),
    ("compare docs --sizes 9 --splitter paragraphs", "no effect"),
    ("compare docs --prices 1,inf", "two numbers"),
    ("questions none --model URL", "none"),
    ("questions docs --model URL --output q.txt", ".jsonl or .csv"),
    ("questions docs --model URL --output no/q.csv", "no does not exist"),
    ("questions docs --model URL --splitter axe", "unknown splitter 'axe'"),
    ("questions docs --model URL --key-variable NO_SUCH", "NO_SUCH is empty"),
    ("ask docs ' '", "the question is empty"),
    ("ask docs How long?", "How does not exist: expected a file or a folder there. The last"),
    ("ask nowhere 'How long?'", "nowhere does not exist"),
    ("ask docs 'How long?' --index docs", "docs is a folder"),
    ("ask docs 'How long?' --index docs/a.txt", "a.txt would be read and"),
    ("ask docs 'How long?' --attempts 2", "--attempts needs a language model"),
]
WRONG_FILES = [
    ("split docs --method bert --model no-such-folder/x", "no-such-folder/x"),
    ("compare docs --sections headings", "heading"),
    ("compare docs --output /dev/null/report", "cannot be created"),
    ("questions docs --model URL --store no/a.db", "no does not exist"),
    ("ask docs 'How long?' --index not-an-index", "not a database"),
    ("ask blank.txt 'How long?'", "there is no text to search"),
    ("models http://127.0.0.1:1/v1", "gives no list of models"),
]


def needed_by(command: str) -> tuple[str, ...]:
    if command.startswith("compare"):
        return "openai", "jinja2", "nltk", "langchain_text_splitters"
    return ("openai",) if "URL" in command or command.startswith("models") else ()


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path.cwd().rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("command", "reason", "code"),
    [(*case, 2) for case in WRONG_VALUES] + [(*case, 1) for case in WRONG_FILES],
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    command: str, reason: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for extra in needed_by(command):
        pytest.importorskip(extra)
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    Path("docs").mkdir()
    Path("docs/a.txt").write_text("One here. Two here.\n\nThree. " * 9, encoding="utf-8")
    Path("not-an-index").write_text("Just some text. " * 100, encoding="utf-8")
    Path("blank.txt").write_text(" \n", encoding="utf-8")
    before = contents()
    done = run_apart(*shlex.split(command.replace("URL", "http://127.0.0.1:1#m")))
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("lumber-splitters: ")
    assert reason in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert contents() == before
