import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from lumber_cli import inputs
from lumber_core import (
    BertChunker,
    GreedyChunker,
    LayoutChunker,
    LumberChunker,
    Source,
    TextEmbedder,
)
from lumber_core.lumber.bert_judge import BertJudge
from lumber_files import read_file
from lumber_retrieval.index.surroundings import split_and_embed
from tests.cli.running import SAMPLE, run_apart, start
from tests.cli.serving import wait_for
from tests.loopback.server import LoopbackServer, Request
from tests.making_files import docx, pdf

HANDBOOK = "# Boats\n\nOars and sails.\n\n## Care\n\nDry the sails.\n\n" + "Wax the oars. " * 60


def rows_of(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def docs(write_docs: Callable[..., Path]) -> Path:
    return write_docs(a_txt="One here. Two here.\r\n\r\nThree.", b_md=HANDBOOK)


def test_rows_have_the_chunks_of_the_splitter_and_join_to_the_text() -> None:
    text, chunker = SAMPLE.read_bytes().decode(), GreedyChunker()
    outcome = run_apart("split", SAMPLE, "--method", "greedy")
    assert (outcome.code, outcome.err) == (0, "")
    rows = rows_of(outcome.out)
    assert [(row["start"], row["end"]) for row in rows] == [*chunker.segment(text).spans]
    assert [row["index"] for row in rows] == [*range(len(rows))]
    assert {row["document"] for row in rows} == {SAMPLE.as_posix()}
    assert "".join(row["text"] for row in rows) == text
    assert [row["tokens"] for row in rows] == chunker.counter.count([row["text"] for row in rows])


def test_folders_patterns_and_stdin_are_read_together(docs: Path) -> None:
    outcome = run_apart("split", "docs", "docs/*.txt", "-", stdin="Four. Fünf.".encode(), code=0)
    names = [row["document"] for row in rows_of(outcome.out)]
    assert list(dict.fromkeys(names)) == ["docs/a.txt", "docs/b.md", "stdin"]
    assert rows_of(outcome.out)[-1]["text"] == "Four. Fünf."


def test_markdown_from_stdin_is_recognised_by_its_marks() -> None:
    pages = {"# Boats\n\n## Prices\n\nTen **pounds**.\n": ["Boats", "Prices"], "# x\ny = 1\n": []}
    for text, headings in pages.items():
        outcome = run_apart("split", "-", stdin=text.encode(), code=0)
        assert [row["headings"] + row["headings_inside"] for row in rows_of(outcome.out)] == [
            headings
        ]


@pytest.mark.parametrize(
    ("options", "splitter"),
    [
        ("--target-size 80", LayoutChunker(target_size=80)),
        (
            "--method bert --model large --threshold 0.5 --set paper=true",
            BertChunker("large", threshold=0.5, paper=True),
        ),
        ("--method greedy --target-size 90 --chunk-size none", GreedyChunker(90, chunk_size=None)),
        (
            "--method greedy --units paragraphs --tokenizer cl100k_base",
            GreedyChunker(units="paragraphs", tokenizer="cl100k_base"),
        ),
        ("--method lumber --theta 200", LumberChunker(BertJudge(), theta=200)),
        ("--method lumber --set method=window", LumberChunker(BertJudge(), method="window")),
    ],
)
def test_options_of_the_command_set_the_splitters_settings(options: str, splitter: Any) -> None:
    text = SAMPLE.read_bytes().decode()[:4000]
    outcome = run_apart("split", "-", *options.split(), stdin=text.encode(), code=0)
    spans = [(row["start"], row["end"]) for row in rows_of(outcome.out)]
    assert spans == [*splitter.segment(text).spans]


def test_all_output_formats_have_the_same_chunks(docs: Path) -> None:
    rows = rows_of(run_apart("split", "docs", "--chunk-size", 60).out)
    as_text = run_apart("split", "docs", "--chunk-size", 60, "--format", "text").out
    for row in rows:
        assert row["text"].strip() in as_text
        assert f"{row['document']} #{row['index']} | characters {row['start']} to" in as_text
    options = ("--chunk-size", 60, "--format", "parquet", "-o", "chunks.parquet")
    assert run_apart("split", "docs", *options) == (0, "", "")
    table = parquet.read_table(docs.parent / "chunks.parquet").to_pylist()
    assert [{key: row[key] for key in rows[0]} for row in table] == rows


def test_pages_of_a_pdf_and_headings_of_a_docx_are_kept(docs: Path) -> None:
    lines = [f"The boat number {n} lies at the quay." for n in range(30)]
    (docs / "c.pdf").write_bytes(pdf([lines, lines]))
    (docs / "d.docx").write_bytes(docx([("Heading1", "Tides"), ("", "They turn.")]))
    rows = rows_of(run_apart("split", "docs", "--chunk-size", 80).out)
    pages = [row["pages"] for row in rows if row["document"] == "docs/c.pdf"]
    assert pages[0] == [1, 1]
    assert pages[-1] == [2, 2]
    assert all("pages" not in row for row in rows if row["document"] != "docs/c.pdf")
    (word,) = [row for row in rows if row["document"] == "docs/d.docx"]
    assert word["headings"] == ["Tides"]


def test_nothing_but_the_error_is_printed_for_a_damaged_pdf(docs: Path) -> None:
    undamaged = pdf([["The first page."], ["The second."]])
    (docs / "damaged.pdf").write_bytes(undamaged[: len(undamaged) // 2])
    split = start("split", docs / "damaged.pdf")  # a new process, without logging
    out, err = split.communicate(timeout=120)
    assert (split.returncode, out) == (1, b"")
    first, last = err.decode().splitlines()
    assert "damaged.pdf cannot be read as PDF" in first
    assert "1 of 1 document could not be read: 1 pdf" in last


def test_files_of_other_kinds_and_guessed_encodings_are_named_on_stderr(docs: Path) -> None:
    for name in ("data.zip", "Makefile", "more.zip", "pump.log"):
        (docs / name).write_text("a,b", encoding="utf-8")
    (docs / "latin.txt").write_bytes("Été à la mer, où les élèves écoutent. ".encode("cp1252") * 9)
    outcome = run_apart("split", "docs", code=0)
    assert outcome.err.splitlines()[-1].startswith(
        "lumber-splitters: left out: 2 zip, 1 without suffix, 1 log; --also '*.log'"
    )
    with_others = run_apart("split", "docs", "--also", "*.log", "--also", "Make*")
    assert {"docs/pump.log", "docs/Makefile"} < {
        row["document"] for row in rows_of(with_others.out)
    }
    assert "left out: 2 zip;" in with_others.err
    assert "docs/latin.txt is not UTF-8: read as cp1252" in outcome.err
    assert "écoutent" in outcome.out
    assert run_apart("split", "docs/latin.txt", "--encoding", "cp1252").err == ""


def test_a_notice_about_a_file_names_it_once(docs: Path) -> None:
    (docs / "notes.txt").write_bytes("größer als \u00fcblich ".encode() * 2 + b"\xff")
    (docs / "scan.pdf").write_bytes(pdf([["The tide turns at noon."], []]))
    outcome = run_apart("split", "docs/notes.txt", "docs/scan.pdf")
    assert [line.removeprefix("lumber-splitters: docs/") for line in outcome.err.splitlines()] == [
        "notes.txt: damaged utf-8: U+FFFD replaces bytes in 1 place, first in line 1",
        "scan.pdf: 1 of 2 pages without text: 2 (scans need OCR)",
    ]


def test_output_files_in_a_folder_are_not_read_as_documents(docs: Path) -> None:
    assert run_apart("split", "docs", "-o", "docs/chunks.jsonl").code == 0
    assert run_apart("view", "docs", "-o", "docs/seen.html").code == 0
    (docs / "report.json").write_text('{"format": "lumber-comparison"}', encoding="utf-8")
    (docs / "own.json").write_text('{"format": "mine"}', encoding="utf-8")
    second_run = run_apart("split", "docs", "-o", "docs/chunks.jsonl")
    assert (second_run.code, second_run.err) == (0, "")
    written = rows_of((docs / "chunks.jsonl").read_text(encoding="utf-8"))
    names = {row["document"] for row in written}
    assert "docs/own.json" in names
    assert names.isdisjoint({"docs/chunks.jsonl", "docs/seen.html", "docs/report.json"})


@pytest.mark.parametrize("name", ["docs/a.txt", "same.txt", "linked.txt"])
@pytest.mark.parametrize("command", [["split"], ["split", "--format", "parquet"], ["view"]])
def test_an_output_that_is_an_input_is_refused(command: list[str], name: str, docs: Path) -> None:
    before = (docs / "a.txt").read_bytes()
    os.link(docs / "a.txt", "same.txt")
    Path("linked.txt").symlink_to(docs / "a.txt")
    outcome = run_apart(*command, "docs", "-o", name)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"{name} would be read and overwritten" in outcome.err
    assert (docs / "a.txt").read_bytes() == before
    assert {path.name for path in docs.iterdir()} == {"a.txt", "b.md"}


@pytest.mark.parametrize("options", [["split"], ["split", "--format", "parquet"], ["view"]])
def test_a_run_without_documents_does_not_replace_the_output(
    options: list[str], docs: Path
) -> None:
    (docs / "damaged.pdf").write_bytes(b"no PDF")
    Path("out").write_text("of yesterday", encoding="utf-8")
    assert run_apart(*options, docs / "damaged.pdf", "-o", "out").code == 1
    assert Path("out").read_text(encoding="utf-8") == "of yesterday"
    assert {path.name for path in Path.cwd().iterdir()} == {"docs", "out"}


def test_documents_split_before_an_error_are_written(docs: Path, monkeypatch) -> None:
    def fail_later(path: Path, **options: Any) -> Any:
        if path.name == "b.md":
            raise ValueError("unexpected")
        return read_file(path, **options)

    monkeypatch.setattr(inputs, "read_file", fail_later)
    assert run_apart("split", "docs", "-o", "out.jsonl").code == 1
    rows = rows_of(Path("out.jsonl").read_text(encoding="utf-8"))
    assert {row["document"] for row in rows} == {"docs/a.txt"}


def test_a_replaced_output_file_keeps_its_links_and_permissions(docs: Path) -> None:
    Path("real.jsonl").touch(mode=0o600)
    Path("link.jsonl").symlink_to("real.jsonl")
    assert run_apart("split", "docs", "-o", "link.jsonl").code == 0
    assert Path("link.jsonl").is_symlink()
    assert Path("real.jsonl").stat().st_mode & 0o777 == 0o600
    assert rows_of(Path("real.jsonl").read_text(encoding="utf-8"))


def test_an_output_pipe_is_written_to_and_not_replaced(docs: Path) -> None:
    with start("split", "docs", "-o", "/dev/stdout", cwd=docs.parent) as process:
        out, _ = process.communicate(timeout=60)
    assert "".join(row["text"] for row in rows_of(out.decode())).endswith(HANDBOOK)


HOSTILE = "a\x1b[31m\u202e--->\x9b<img src=x>\n.md"


@pytest.mark.parametrize("command", [["split", "--format", "text"], ["split"], ["estimate"]])
def test_control_characters_of_names_do_not_reach_a_terminal(
    command: list[str], docs: Path
) -> None:
    for name in (HOSTILE, "data.\x1b[31mbin"):
        (docs / name).write_text("Some text.", encoding="utf-8")
    (docs / "bad\x1b[31m.pdf").write_bytes(b"no PDF")
    outcome = run_apart(*command, "docs")
    assert outcome.code == 1
    assert "1 of 4 documents could not be read" in outcome.err
    assert "docs/b.md" in outcome.out
    assert "1 \\x1b[31mbin" in outcome.err
    assert "bad\\x1b[31m.pdf" in outcome.err
    for character in "\x1b\u202e\x9b":
        assert character not in outcome.err
        assert character not in outcome.out or command == ["split"]  # JSON keeps names as they are
    assert "\x1b" not in outcome.out


def test_a_name_that_is_not_utf_8_is_written_in_every_format(docs: Path) -> None:
    name = os.fsdecode(b"docs/caf\xe9.txt")
    try:
        Path(name).write_text("Some text.", encoding="utf-8")
    except OSError:
        pytest.skip("names must be UTF-8 on this system")
    (row,) = rows_of(run_apart("split", name).out)
    assert row["document"] == name
    assert "caf\\udce9" in run_apart("split", name, "--format", "text").out
    assert run_apart("split", name, "--format", "parquet", "-o", "out.parquet").code == 0
    (written,) = parquet.read_table("out.parquet").to_pylist()
    assert written["document"] == "docs/caf\\udce9.txt"


def test_a_language_model_decides_and_is_not_asked_again(docs: Path) -> None:

    def answer(request: Request) -> str:
        return f"Answer: ID {request.allowed[0]}" if request.allowed else "Answer: none"

    with LoopbackServer(answer) as server:
        options = ["split", SAMPLE, "--method", "lumber", "--theta", 200, "--store", "answers.db"]
        options += ["--model", f"{server.openai_url}#any"]
        first = run_apart(*options, code=0)
        count = server.count
        assert count > 0
        second_run = run_apart(*options)
        assert (second_run.out, server.count) == (first.out, count)
    rows = rows_of(first.out)
    assert "".join(row["text"] for row in rows) == SAMPLE.read_bytes().decode()


def test_a_reader_that_stops_early_causes_no_traceback(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_bytes(SAMPLE.read_bytes() * 10)
    with start("split", book, "--method", "greedy", "--target-size", 20) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["index"] == 0
        process.stdout.close()
        messages = process.stderr.read().decode()
        assert (process.wait(timeout=60), messages) == (141, "")


def test_all_rows_reach_an_unbuffered_pipe(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_bytes(SAMPLE.read_bytes() * 10)
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = start("split", book, "--method", "greedy", env=unbuffered)
    out, _ = process.communicate(timeout=120)
    assert "".join(row["text"] for row in rows_of(out.decode())) == book.read_bytes().decode()


def restore_ctrl_c() -> None:
    """Restore Ctrl-C, which shells turn off for programs in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def count_unread_bytes(pipe: Any) -> int:
    """Return the number of bytes that wait in a pipe."""
    import fcntl
    import termios

    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_ctrl_c_keeps_the_documents_that_are_already_split(tmp_path: Path) -> None:
    output = tmp_path / "chunks.jsonl"
    command = ("split", SAMPLE, "-", "--method", "greedy", "-o", output)
    process = start(*command, preexec_fn=restore_ctrl_c)
    assert process.stdin is not None
    process.stdin.write(b"The second document begins.")
    process.stdin.flush()
    # The command has read all that was sent, and waits for more.
    wait_for(lambda: count_unread_bytes(process.stdin), lambda unread: unread == 0)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    messages = stderr.decode()
    assert process.returncode == 130
    assert "interrupted; 1 of 2 documents written" in messages
    assert "Traceback" not in messages
    rows = rows_of(output.read_text(encoding="utf-8"))
    assert "".join(row["text"] for row in rows) == SAMPLE.read_bytes().decode()


GUIDE = "# Boats\n\nOars.\n\n## Care\n\nDry the sails.\n\nWax the oars.\n\n## Crew\n\nTwo.\n"
SMALL = ("--method", "greedy", "--target-size", 8)


def test_rows_have_vectors_only_on_request_and_equal_those_of_the_core(tmp_path: Path) -> None:
    guide, output = tmp_path / "guide.md", tmp_path / "chunks.parquet"
    guide.write_text(GUIDE, encoding="utf-8")
    source = Source(GUIDE, format="markdown")
    _, (vectors,) = split_and_embed(GreedyChunker(8), [source], TextEmbedder().embed)
    plain = rows_of(run_apart("split", guide, *SMALL).out)
    assert len(plain) > 3
    for options in (("--embed",), ("--embed", "--embedder", "bundled")):
        outcome = run_apart("split", guide, *SMALL, *options)
        assert (outcome.code, outcome.err) == (0, "")
        rows = rows_of(outcome.out)
        assert np.allclose([row.pop("embedding") for row in rows], vectors, atol=1e-6)
        assert rows == plain
    for more in ((), ("--embed",)):
        outcome = run_apart(
            "split", guide, *SMALL, *more, "--format", "parquet", "-o", output, code=0
        )
        table = parquet.read_table(output)
        assert ("embedding" in table.column_names) == ("--embed" in more)
    assert np.allclose(np.array(table["embedding"].to_pylist()), vectors, atol=1e-6)
    guide.write_text("", encoding="utf-8")
    assert run_apart("split", guide, "--embed", *SMALL)[:2] == (0, "")
