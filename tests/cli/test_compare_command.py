import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import output_of, run_apart, start
from tests.evaluation.comparing import corpus
from tests.loopback.server import LoopbackServer


@pytest.fixture
def docs(write_docs: Callable[..., Path]) -> Path:
    return write_docs(**{f"{document.name}_txt": document.text for document in corpus().documents})


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


def test_a_report_is_written_and_its_table_printed(docs: Path, questions: Path, tmp_path: Path):
    output = tmp_path / "report"
    said = output_of(
        *("compare", docs, "--questions", questions, "--output", output),
        *("--splitter", "paragraphs", "--splitter", "recursive:120"),
    )
    assert "Passages, 600 words\u00a0↑" in said
    assert "sentences at most 90 words apart are joined into passages" in said
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


def test_warnings_name_the_options_of_the_command(docs: Path, tmp_path: Path) -> None:
    (docs / "b.log").write_text("started\n", encoding="utf-8")
    options = ("--splitter", "paragraphs", "-o", tmp_path / "report")
    with start("compare", docs, *options) as process:
        _, output = process.communicate()
    assert output.decode().startswith(f"lumber-splitters: {docs}: left out: 1 log; --also '*.log'")
    (tmp_path / "vendor" / "node_modules").mkdir(parents=True)
    (tmp_path / "vendor" / "node_modules" / "a.md").write_text("One.", encoding="utf-8")
    refused = run_apart("compare", tmp_path / "vendor", *options)
    assert "or pass --pattern '*.md'" in refused.err
    refused = run_apart("ask", tmp_path / "vendor", "One?")
    assert "or pass --no-ignore" in refused.err


def test_a_folder_without_questions_is_compared_by_its_headings(docs: Path, tmp_path: Path) -> None:
    sections = "\n\n".join(f"# Part {n}\n\nIt was {n}. It was well." for n in range(8))
    (docs / "manual.md").write_text(sections, encoding="utf-8")
    output = output_of(
        *("compare", docs, "--sections", "headings", "--splitter", "paragraphs"),
        *("--splitter", "bert", "--output", tmp_path / "report"),
    )
    assert "Boundary F1" in output
    # One document is too few to estimate chance.
    assert "chance" not in output.partition("too few to distinguish")[0]
    assert data_of(tmp_path / "report")["splitters"][0]["segmentation"]["recall"] == 1.0


def compare_arguments(docs: Path, questions: Path, folder: Path) -> list[object]:
    """Return the arguments of a comparison that writes to a folder."""
    return ["compare", docs, "--questions", questions, "--output", folder]


def test_a_repeated_comparison_does_not_ask_the_model_again(
    docs: Path, questions: Path, tmp_path: Path
):
    with LoopbackServer(lambda request: f"Answer: {(request.allowed or ['none'])[0]}") as server:
        arguments = compare_arguments(docs, questions, tmp_path / "report")
        arguments += ["--splitter", "lumber:60", "--splitter", "paragraphs"]
        arguments += ["--model", f"{server.openai_url}#any", "--prices", "1,2"]
        output_of(*arguments)
        paid = server.count
        first = data_of(tmp_path / "report")
        assert paid == first["splitters"][0]["usage"]["calls"] > 1
        output_of(*arguments)
        assert server.count == paid
    second = data_of(tmp_path / "report")
    lumber, local = first["splitters"]
    assert lumber["usage"]["calls"] > 0 < lumber["cost"]
    assert local["cost"] == 0
    for before, after in zip(first["splitters"], second["splitters"], strict=True):
        for document in (*before["documents"], *after["documents"]):
            document.pop("seconds")  # the time of the splitter without a model differs
        assert before["documents"] == after["documents"]
        assert before["figures"] == after["figures"]


def test_questions_whose_answers_are_in_no_document_are_named_before_the_run(
    docs, questions, tmp_path
):
    name = sorted(path.stem for path in docs.iterdir())[0]
    row = {"question": "Where is it?", "document": name, "must_contain": "in no text at all"}
    with questions.open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(row) + "\n")
    arguments = [
        *compare_arguments(docs, questions, tmp_path / "report"),
        "--splitter",
        "paragraphs",
    ]
    outcome = run_apart(*arguments, code=0)
    assert "the answers to 1 of 13 questions do not occur" in outcome.err
    assert f"'Where is it?' ({name}.txt)" in outcome.err


def test_the_bundled_judge_is_not_presented_as_a_language_model(docs: Path, tmp_path: Path):
    options = ("--splitter", "lumber:60", "--splitter", "paragraphs", "--output", tmp_path / "out")
    output = output_of("compare", docs, *options)
    sentence = "lumber:60: the bundled classifier judged where topics shift, not a language model"
    assert sentence in output
    assert sentence in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_every_splitter_is_also_measured_in_context(docs: Path, questions: Path, tmp_path: Path):
    arguments = [*compare_arguments(docs, questions, tmp_path / "out"), "--splitter", "paragraphs"]
    output_of(*arguments, "--context", "--surroundings")
    names = [splitter["name"] for splitter in data_of(tmp_path / "out")["splitters"]]
    assert names == ["paragraphs", "paragraphs, context, surroundings"]
