import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lumber_evaluation.corpora import load_folder
from tests.cli.running import output_of, run
from tests.evaluation.asking_support import fact, good_question, question_reply
from tests.loopback.faults import Refusal, Status
from tests.loopback.server import LoopbackServer, Request


@pytest.fixture
def folder(write_docs: Callable[..., Path]) -> Path:
    north, south = ("".join(map(fact, range(first, first + 40))) for first in (0, 40))
    return write_docs(north_txt=north, south_md=south)


def question_on_first_fact(request: Request) -> str:
    """Return a question about the first complete fact in the passage."""
    passage = re.search(r"^Passage: (.*)$", request.user, re.MULTILINE)
    assert passage is not None
    lit = r"He lit the lamp number (\d+) for the first time in the year \d+"
    fact = re.search(lit, passage[1])
    assert fact is not None
    return question_reply(f"When was lamp {fact[1]} lit?", str(1700 + int(fact[1])), fact[0])


def ask(folder: Path, server: LoopbackServer, count: int, *more: object, **environment: str) -> Any:
    """Generate questions from paragraphs; return the exit status and the output."""
    options = ("--model", f"{server.openai_url}#any", "--count", count, "--splitter", "paragraphs")
    output = ("--output", folder.parent / "q.jsonl")
    return run("questions", folder, *options, *output, *more, **environment)


def test_generated_questions_are_written_in_a_form_that_loads(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "questions.jsonl"
    with LoopbackServer(question_on_first_fact) as server:
        arguments = [
            *("questions", folder, "--model", f"{server.openai_url}#any", "--count", 8),
            *("--splitter", "greedy:100", "--output", output, "--store", tmp_path / "a.db"),
        ]
        said = output_of(*arguments)
        assert "8 questions about 2 of 2 documents" in said
        assert server.count == 8
        written = output.read_bytes()
        said = output_of(*arguments)
        assert "0 calls" in said
        assert server.count == 8
    assert output.read_bytes() == written
    corpus = load_folder(folder, questions=output)
    assert len(corpus.questions) == 8
    for question in corpus.questions:
        text = corpus.by_name[question.document].text
        assert [span.of(text) for span in question.references] == [question.must_contain]


def test_a_missing_model_is_reported_with_alternatives(folder: Path, tmp_path: Path) -> None:
    code, output = run("questions", folder, "--output", tmp_path / "q.jsonl")
    assert code == 2
    for way in ("--model NAME", "ollama:NAME", "must_contain", "--sections headings"):
        assert way in output
    assert not (tmp_path / "q.jsonl").exists()


def test_dropped_questions_are_reported(folder: Path) -> None:
    faults = {1: Refusal()}
    with LoopbackServer(good_question, faults=faults) as server:
        code, output = ask(folder, server, 3)
    assert code == 0, output
    assert "3 questions" in output
    assert "not kept: the provider blocked the answer: refusal (1)" in output


def test_the_key_is_read_from_the_named_environment_variable(folder: Path) -> None:
    with LoopbackServer(good_question) as server:
        code, output = ask(folder, server, 1, "--key-variable", "THEIR_KEY", THEIR_KEY="their-key")
        assert code == 0, output
        assert server.requests[0].headers["authorization"] == "Bearer their-key"
    assert "their-key" not in output


@pytest.mark.parametrize(
    ("reply", "fault", "reason"),
    [
        ("none", None, "no question was kept: "),
        ("none", Status(401, "wrong key"), "Check the key"),
        (json.dumps({"question": None, "answer": None, "quotation": None}), None, "nothing to ask"),
    ],
)
def test_errors_of_the_model_are_reported(reply, fault, reason, folder, tmp_path) -> None:
    with LoopbackServer(reply, faults=lambda request: fault) as server:
        code, output = ask(folder, server, 2)
    assert code == 1
    assert reason in output.splitlines()[-1]
    assert not (tmp_path / "q.jsonl").exists()
