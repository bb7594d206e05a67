"""`lumber-splitters compare` and `lumber-splitters sweep`, run as a user runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("nltk")
pytest.importorskip("langchain_text_splitters")

from lumber_core.cache import Cache
from lumber_evaluation.comparison.metrics import METRICS, families_of
from tests.cli.running import run, run_apart
from tests.evaluation.comparing import corpus
from tests.loopback.server import LoopbackServer, Request
from tests.making_files import pdf


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for document in corpus().documents:
        (folder / f"{document.name}.txt").write_text(document.text, encoding="utf-8", newline="")
    return folder


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    rows = [
        {"question": q.question, "document": q.document, "must_contain": q.must_contain}
        | {"answer": q.answer}
        for q in corpus().questions
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def data_of(folder: Path) -> dict:
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_a_report_is_written_and_its_table_printed(
    docs: Path, questions: Path, tmp_path: Path
) -> None:
    output = tmp_path / "report"
    code, said = run(
        *("compare", docs, "--questions", questions, "--output", output),
        *("--splitter", "paragraphs", "--splitter", "recursive:120", "--passages"),
    )
    assert code == 0, said
    assert "Passages + keywords, 600 words" in said
    assert "hits at most 90 words apart are joined to passages" in said
    data = data_of(output)
    assert [splitter["name"] for splitter in data["splitters"]] == ["paragraphs", "recursive:120"]
    assert len(data["corpus"]["questions"]) == 12
    assert str(output / "report.html") in said
    assert str(output / "report.json") in said
    lines = [line for line in said.splitlines() if line.startswith(("paragraphs", "recursive"))]
    assert len(lines) == 2
    for line, splitter in zip(lines, data["splitters"], strict=True):
        assert f"{splitter['figures']['recall@5']['value']:.2f}" in line
    assert (output / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_folder_without_questions_is_compared_by_its_headings(docs: Path, tmp_path: Path) -> None:
    sections = "\n\n".join(f"# Part {n}\n\nIt was {n}. It was well." for n in range(8))
    (docs / "manual.md").write_text(sections, encoding="utf-8")
    code, said = run(
        *("compare", docs, "--sections", "headings", "--splitter", "paragraphs"),
        *("--splitter", "bert", "--output", tmp_path / "report"),
    )
    assert code == 0, said
    assert "Boundary F1" in said
    assert "chance" not in said.partition("too few to distinguish")[0]  # one document is no sample
    assert data_of(tmp_path / "report")["splitters"][0]["segmentation"]["recall"] == 1.0


def test_a_pattern_names_the_files_to_compare(docs: Path, tmp_path: Path) -> None:
    (docs / "harbour.log").write_text("10:31 tide high\n10:32 tide low\n", encoding="utf-8")
    output = tmp_path / "report"
    options = ("--pattern", "*.log", "--splitter", "greedy", "--output", output)
    code, said = run("compare", docs, *options)
    assert code == 0, said
    assert [document["name"] for document in data_of(output)["corpus"]["documents"]] == [
        "harbour.log"
    ]


def answer(request: Request) -> str:
    """Judge as the prompt asks: groups get their second paragraph, questions an answer."""
    if "Reference:" in request.user:
        lines = dict(line.split(": ", 1) for line in request.user.splitlines() if ": " in line)
        right = lines["Reference"] == lines["Answer to judge"]
        return json.dumps({"reason": "compared", "correct": "yes" if right else "no"})
    if "Which propositions" in request.user:
        passage = request.user.partition("Passage: ")[2].partition("\n")[0]
        return json.dumps([f"{sentence}." for sentence in passage.split(". ")])
    if request.user.startswith("Question: "):
        return "The harbour froze over, and ships lay still."
    if "<passages>" in request.user:
        place = request.user.rpartition("harbour of ")[2].split()[0]
        _, found, rest = request.user.partition(f"{place} froze over in ")
        return rest[:4] if found else "not in the passages"
    numbers = request.allowed
    return f"Answer: ID {numbers[0]}" if numbers else "Answer: none"


def compared(docs: Path, questions: Path, folder: Path) -> list[object]:
    """The words of a comparison that writes to a folder."""
    return ["compare", docs, "--questions", questions, "--output", folder]


def test_a_model_judges_and_answers_and_nothing_is_paid_twice(
    docs: Path, questions: Path, tmp_path: Path
) -> None:
    pytest.importorskip("openai")
    with LoopbackServer(answer) as server:
        arguments = compared(docs, questions, tmp_path / "report")
        arguments += ["--splitter", "lumber:60", "--splitter", "lumber-local:60", "--qa"]
        arguments += ["--model", f"{server.openai_url}#any", "--prices", "1,2"]
        code, said = run(*arguments)
        assert code == 0, said
        paid = server.count
        assert paid > 12
        first = data_of(tmp_path / "report")
        code, said = run(*arguments)
        assert code == 0, said
        assert server.count == paid
    second = data_of(tmp_path / "report")
    lumber, local = first["splitters"]
    assert lumber["usage"]["calls"] > 0 < lumber["cost"]
    assert local["cost"] == 0
    assert lumber["figures"]["accuracy"]["value"] > 0.5
    for before, after in zip(first["splitters"], second["splitters"], strict=True):
        assert before["documents"] == after["documents"]
        assert before["figures"] == after["figures"]


def test_both_methods_of_lumber_are_compared_with_one_model(
    docs: Path, questions: Path, tmp_path: Path
) -> None:
    pytest.importorskip("openai")
    with LoopbackServer(lambda request: f"Answer: {(request.allowed or ['none'])[0]}") as server:
        arguments = compared(docs, questions, tmp_path / "report")
        arguments += ["--splitter", "lumber:window", "--splitter", "lumber:paper"]
        code, said = run(*arguments, "--model", f"{server.openai_url}#any")
        assert code == 0, said
        lists = [request.asks_for_list for request in server.requests]
    window, paper = data_of(tmp_path / "report")["splitters"]
    assert [window["name"], paper["name"]] == ["lumber:window", "lumber:paper"]
    assert window["usage"]["calls"] == sum(lists) > 0
    assert paper["usage"]["calls"] == len(lists) - sum(lists) >= sum(lists)


def test_propositions_and_hypothetical_passages_are_written_once(
    docs: Path, questions: Path, tmp_path: Path
) -> None:
    pytest.importorskip("openai")
    with LoopbackServer(answer) as server:
        arguments = compared(docs, questions, tmp_path / "report")
        arguments += ["--splitter", "paragraphs", "--splitter", "propositions", "--hyde"]
        arguments += ["--model", f"{server.openai_url}#any"]
        code, said = run(*arguments)
        assert code == 0, said
        paid = server.count
        first = data_of(tmp_path / "report")
        code, said = run(*arguments)
        assert code == 0, said
        assert server.count == paid
    assert set(first["query_texts"]) == {"The harbour froze over, and ships lay still."}
    paragraphs, propositions = first["splitters"]
    count, more = (
        sum(len(document["chunks"]) for document in splitter["documents"])
        for splitter in (paragraphs, propositions)
    )
    assert more > count
    again = data_of(tmp_path / "report")
    assert again["splitters"][1]["figures"] == propositions["figures"]


@pytest.mark.parametrize(
    ("mistake", "reason"),
    [
        (["--prices", "1"], "two numbers"),
        (["--prices", "1,nan"], "two numbers"),
        (["--tokenizer", "none"], "unknown tokenizer"),
    ],
)
def test_no_passage_is_paid_for_if_another_setting_is_wrong(
    mistake: list[str], reason: str, docs: Path, questions: Path, tmp_path: Path
) -> None:
    pytest.importorskip("openai")
    with LoopbackServer(answer) as server:
        code, said = run(
            *("compare", docs, "--questions", questions, "--output", tmp_path / "report"),
            *("--splitter", "paragraphs", "--hyde"),
            *("--model", f"{server.openai_url}#any", *mistake),
        )
        assert (code, server.count) == (2, 0)
    assert reason in said


def test_hypothetical_passages_need_questions(docs: Path, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    code, said = run(
        *("compare", docs, "--output", tmp_path / "report", "--splitter", "paragraphs"),
        *("--hyde", "--model", "http://127.0.0.1:1/v1#any"),
    )
    assert code == 2
    assert "pass --questions FILE" in said


def test_a_second_sweep_over_theta_asks_nothing(
    docs: Path, questions: Path, tmp_path: Path
) -> None:
    pytest.importorskip("openai")
    with LoopbackServer(answer) as server:
        arguments: list[object] = ["sweep", docs, "--questions", questions, "--theta", "80,60"]
        arguments += ["--model", f"{server.openai_url}#any"]
        code, said = run(*arguments, "--output", tmp_path / "one", "--work", tmp_path / "work")
        assert code == 0, said
        paid = server.count
        assert paid > 0
        code, said = run(*arguments, "--output", tmp_path / "two", "--work", tmp_path / "work")
        assert code == 0, said
        assert server.count == paid
    one, two = data_of(tmp_path / "one"), data_of(tmp_path / "two")
    assert one["sweep"]["values"] == [60, 80]
    assert [row["recall@5"] for row in one["sweep"]["table"]] == [
        row["recall@5"] for row in two["sweep"]["table"]
    ]
    assert "Recall@5 over theta" in (tmp_path / "two" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["compare", "missing"], "missing does not exist"),
        (["compare", "{docs}", "--splitter", "none"], "unknown splitter 'none'"),
        (["compare", "{docs}", "--splitter", "greedy:x"], "not a number"),
        (["compare", "{docs}", "--splitter", "paragraphs", "--splitter", "paragraphs"], "named"),
        (["compare", "{docs}", "--questions", "missing.jsonl"], "missing.jsonl does not exist"),
        (["compare", "{docs}", "--embedder", "none"], "unknown embedder"),
        (["compare", "{docs}", "--sections", "none"], "headings or marks"),
        (["compare", "{docs}", "--sections", "headings"], "heading"),
        (["compare", "{docs}", "--passages"], "no questions to find passages for"),
        (["compare", "{docs}", "--qa"], "pass --model"),
        (["compare", "{docs}", "--hyde"], "pass --model"),
        (["compare", "{docs}", "--splitter", "propositions"], "pass --model"),
        (["compare", "{docs}", "--model", "openai:gpt-4o-mini", "--qa"], "no API key"),
        (["compare", "{docs}", "--key-variable", "KEY"], "pass --model"),
        (["compare", "{docs}", "--prices", "1"], "two numbers"),
        (["compare", "{docs}", "--prices", "nan,1"], "two numbers"),
        (["compare", "{docs}", "--prices", "1,inf"], "two numbers"),
        (["compare", "{docs}", "--tokenizer", "none"], "unknown tokenizer"),
        (["compare", "{docs}", "--context", "titles"], "'titles'"),
        (["compare", "{docs}", "--context", "headings"], "no questions to search with a context"),
        (["compare", "{docs}", "--splitter", "greedy:inf"], "'inf' is not a number"),
        (["compare", "{docs}", "--embedder", "contriever:none"], "there is no folder none"),
        (["compare", "{docs}", "--output", "/dev/null/report"], "cannot be created"),
        (["sweep", "{docs}"], "--theta, --threshold or --size"),
        (["sweep", "{docs}", "--theta", "450", "--size", "9"], "exactly one setting"),
        (["sweep", "{docs}", "--theta", "450", "--splitter", "bert"], "setting of lumber"),
        (["sweep", "{docs}", "--theta", "a,b"], "comma-separated numbers"),
        (["sweep", "{docs}", "--theta", "0"], "at least 1"),
    ],
)
def test_mistakes_are_reported_in_one_line_before_any_work(
    arguments: list[str],
    reason: str,
    docs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    code, said = run(*(argument.format(docs=docs) for argument in arguments))
    assert code == (1 if reason in ("heading", "cannot be created") else 2)
    assert reason in said
    assert said.startswith("lumber-splitters: ")
    assert len(said.strip().splitlines()) == 1
    assert not (tmp_path / "report" / "report.html").exists()
    assert not any(len(Cache(work, "splits")) for work in tmp_path.glob("*/.work/work.db"))


def test_the_command_runs_as_a_program(docs: Path, tmp_path: Path) -> None:
    code = "from lumber_cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "compare", str(docs), "--splitter", "paragraphs"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    assert "Mean tokens" in done.stdout
    assert (tmp_path / "report" / "report.html").is_file()
    assert (tmp_path / "report" / ".work" / "work.db").is_file()


def test_a_null_control_is_compared_with_each_splitter(docs: Path, tmp_path: Path) -> None:
    options = ["--splitter", "paragraphs", "--null-control", "--output", str(tmp_path / "out")]
    code, said = run("compare", str(docs), *options)
    assert code == 0
    data = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    names = [splitter["name"] for splitter in data["splitters"]]
    assert names == ["paragraphs", "paragraphs, random cuts"]
    assert "paragraphs, random cuts" in said


def test_contexts_are_compared_with_each_splitter(
    docs: Path, questions: Path, tmp_path: Path
) -> None:
    options = ["--splitter", "paragraphs", "--output", str(tmp_path / "out")]
    options += ["--context", "headings", "--context", "headings, surroundings"]
    code, said = run("compare", str(docs), "--questions", str(questions), *options)
    assert code == 0, said
    names = [splitter["name"] for splitter in data_of(tmp_path / "out")["splitters"]]
    assert names == ["paragraphs", "paragraphs, headings", "paragraphs, headings, surroundings"]
    assert "Embedded" in said


def test_the_help_names_every_measure() -> None:
    code, said = run("compare", "--help")
    assert code == 0
    flat = " ".join(said.split())
    for family in families_of(METRICS):
        if family.sample == "question":
            assert family.title in flat


def test_questions_whose_answer_stands_nowhere_are_named_before_the_run(
    docs: Path, questions: Path, tmp_path: Path
) -> None:
    name = sorted(path.stem for path in docs.iterdir())[0]
    row = {"question": "Where is it?", "document": name, "must_contain": "in no text at all"}
    with questions.open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(row) + "\n")
    options = (
        "--questions",
        questions,
        "--output",
        tmp_path / "report",
        "--splitter",
        "paragraphs",
    )
    done = run_apart("compare", docs, *options)
    assert done.code == 0, done.err
    assert "the answers to 1 of 13 questions do not occur" in done.err
    assert f"'Where is it?' ({name}.txt)" in done.err


def test_the_bundled_judge_is_not_passed_off_as_a_language_model(
    docs: Path, tmp_path: Path
) -> None:
    options = ("--splitter", "lumber:60", "--splitter", "paragraphs", "--output", tmp_path / "out")
    code, said = run("compare", docs, *options)
    assert code == 0, said
    sentence = "lumber:60: the bundled model judged where topics shift, not a language model"
    assert sentence in said
    assert sentence in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_pdf_is_compared_and_other_files_are_named(docs: Path, tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    (docs / "quay.pdf").write_bytes(pdf([["The quay lies south. The boats lie north."]]))
    (docs / "photo.png").write_bytes(b"\x89PNG")
    done = subprocess.run(
        [sys.executable, "-m", "lumber_cli", "compare", docs, "--splitter", "paragraphs"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "no text is read from photo.png" in done.stderr
    names = {each["name"] for each in data_of(tmp_path / "report")["corpus"]["documents"]}
    assert "quay.pdf" in names


@pytest.mark.parametrize("command", ["compare", "sweep --size 200 --splitter fixed"])
def test_a_report_replaces_no_document(command: str, docs: Path) -> None:
    page = docs / "report.html"
    page.write_text("<h1>Of mine</h1><p>It is read.</p>", encoding="utf-8")
    done = run_apart(*command.split(), docs, "--output", docs)
    assert (done.code, done.out) == (2, "")
    assert "report.html would be read and overwritten" in done.err
    assert "Of mine" in page.read_text(encoding="utf-8")
