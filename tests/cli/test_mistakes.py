import shlex
from pathlib import Path

import pytest

from tests.cli.running import run_apart

WRONG_VALUES = [
    ("split nowhere.txt", "nowhere.txt does not exist"),
    ("split docs --theta 9", "theta is a setting of --method lumber, not of layout"),
    ("split docs --chunk-size 0", "chunk_size"),
    ("split docs --min-chunk-size 9999", "or pass --chunk-size None for no limit"),
    ("split docs --chunk-size many", "chunk_size must be a whole number"),
    ("split docs --set merge_sectons=false", "did you mean merge_sections?"),
    ("split docs --set zzz=1", "no setting 'zzz' here: the settings are attempts, call_timeout,"),
    ("split docs --set chunk_size", "--set takes NAME=VALUE"),
    ("split docs --set attempts=3", "for the language model of --method lumber"),
    ("split docs --method greedy --model bundled", "greedy uses no model"),
    ("split docs --model openai:gpt-4o-mini", "pass --method lumber"),
    ("split docs --method lumber --model gpt-4o-mini", "Language models are named openai:NAME"),
    ("split docs --method lumber --model openai:", "unknown model 'openai:'"),
    ("split docs --method lumber --store a.db", "--store needs a language model"),
    ("split docs --method lumber --set temperature=1", "--set temperature needs a language model"),
    ("split docs --method lumber --model URL --set attempts=x", "attempts must be"),
    ("split docs --method lumber --model URL --prompt docs/a.txt", "a.txt: the user template"),
    ("split docs --method lumber --model URL --prompt none.txt", "none.txt"),
    ("split docs --tokenizer none-such", "unknown tokenizer"),
    ("split docs --format parquet", "pass --output FILE"),
    ("split docs --embedder bundled", "--embeddings has no effect: pass --embed"),
    ("split docs --embed --format text", "pass --format jsonl or parquet"),
    ("split docs --embed --embedder nope", "unknown embedder 'nope'"),
    *(
        (f"{command} --embeddings nope", "unknown embedder 'nope'")
        for command in ("ask docs 'How long?'", "mcp docs", "compare docs")
    ),
    ("view docs --theta 3", "theta is a setting of --method lumber"),
    ("estimate docs --prices 1", "two numbers"),
    ("compare missing", "missing does not exist"),
    ("compare docs --also *.a --pattern *.b", "--also has no effect with --pattern: pass another"),
    ("compare docs --splitter none", "unknown splitter 'none'"),
    ("compare docs --splitter paragraphs --splitter paragraphs", "named"),
    ("compare docs --questions missing.jsonl", "missing.jsonl does not exist"),
    ("compare docs --embedder openai:any", "set the variable OPENAI_API_KEY"),
    ("compare docs --prices 1,inf", "two numbers"),
    ("compare docs --model URL", "--model has no effect: pass --splitter lumber"),
    ("questions none --model URL", "none"),
    ("questions docs --model URL --output q.txt", "written as .jsonl"),
    ("questions docs --model URL --output no/q.jsonl", "no does not exist"),
    ("questions docs --model URL --splitter axe", "unknown splitter 'axe'"),
    ("questions docs --model URL --key-variable NO_SUCH", "NO_SUCH is empty"),
    ("questions docs --model URL --set atempts=3", "did you mean attempts?"),
    ("ask docs", "the question or the files are missing: lumber-splitters ask docs 'What is"),
    ("ask 'Is it old?'", "are missing: lumber-splitters ask FOLDER 'Is it old?'"),
    ("ask docs ' '", "the question is empty"),
    ("ask docs How long?", "How does not exist: expected a file or a folder there. The last"),
    ("ask nowhere 'How long?'", "nowhere does not exist"),
    ("ask docs 'How long?' --index docs", "docs is a folder"),
    ("ask docs 'How long?' --index docs/a.txt", "a.txt would be read and"),
    ("ask docs 'How long?' --set attempts=2", "--set attempts needs a language model"),
    ("ask docs 'How long?' -o docs/a.txt", "a.txt would be read and overwritten"),
    ("ask docs 'How long?' -o a.html --format json", "to write json to a file, use > FILE"),
    ("ask docs 'How long?' --open --format json", "to write json to a file, use > FILE"),
    ("mcp none", "none does not exist"),
    ("split docs --method lumber --model URL --prompt ask.txt -o ask.txt", "ask.txt would"),
    ("compare docs -o docs", "report.html would be read and overwritten"),
    ("questions docs --pattern '*.jsonl' --model URL -o docs/notes.jsonl", "notes.jsonl would be"),
    ("mcp blank.txt", "blank.txt is a file: expected a folder"),
    ("mcp docs --encoding klingon", "unknown encoding 'klingon'"),
    ("mcp docs --index none/docs.db", "there is no folder none"),
    ("mcp docs --index docs", "docs is a folder"),
    *((f"{c} -o docs", "docs is a folder") for c in ("split docs", "view docs", "ask docs x")),
    *(
        (f"{each} -o missing/folder/x", "there is no folder missing/folder")
        for each in ("split docs", "view docs", "ask docs x")
    ),
]
WRONG_FILES = [
    ("split docs --method bert --model no-such-folder/x", "no-such-folder/x"),
    ("compare docs --sections headings", "heading"),
    ("compare docs --output /dev/null/report", "cannot be created"),
    ("questions docs --model URL --store no/a.db", "no does not exist"),
    ("ask docs 'How long?' --index not-an-index", "not a database"),
    ("ask blank.txt 'How long?'", "there is no text to search"),
    ("split docs --method lumber --model http://127.0.0.1:1/v1", "returns no list of models"),
]


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path.cwd().rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("command", "reason", "code"),
    [(*case, 2) for case in WRONG_VALUES] + [(*case, 1) for case in WRONG_FILES],
)
def test_a_mistake_is_reported_in_one_line_and_no_file_is_written(
    command, reason, code, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    Path("docs").mkdir()
    Path("docs/a.txt").write_text("One here. Two here.\n\nThree. " * 9, encoding="utf-8")
    Path("not-an-index").write_text("Just some text. " * 100, encoding="utf-8")
    Path("blank.txt").write_text(" \n", encoding="utf-8")
    Path("ask.txt").write_text("Where? {paragraphs}", encoding="utf-8")
    Path("docs/report.html").write_text("<h1>Of mine</h1><p>It is read.</p>", encoding="utf-8")
    Path("docs/notes.jsonl").write_text('{"note": "kept"}', encoding="utf-8")
    before = contents()
    outcome = run_apart(*shlex.split(command.replace("URL", "http://127.0.0.1:1#m")))
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith("lumber-splitters: ")
    assert reason in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1
    assert contents() == before
