"""Settings without their own option, options for a language model, and estimates."""

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lumber_cli.language_models import language_model
from lumber_cli.named_settings import names_of, settings_in
from lumber_cli.splitter_options import SPLITTERS, SplitterOptions, prompt_in
from lumber_core import LumberChunker, ModelJudge, Prices, PromptTemplate
from lumber_core.llms import LegacyGeminiModel
from lumber_core.lumber.bert_judge import BertJudge
from lumber_core.text.source import Source
from tests.cli.running import SAMPLE, run_apart
from tests.core.lumber.support import ScatteredModel
from tests.loopback.faults import Reply, Status
from tests.loopback.server import LoopbackServer

TEXT = "Ann ran.\n\nShe fell.\n\nBob slept.\n\nHe woke.\n"
PROMPT = "You cut stories.\n---\nWhere is the turn, from {first} to {last}?\n{paragraphs}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "prompt.txt").write_text(PROMPT, encoding="utf-8")
    return tmp_path


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(faults={1: Status(503, "later")}) as running:
        yield running


def lumber_arguments(server: LoopbackServer) -> list[Any]:
    return ["--method", "lumber", "--model", f"{server.openai_url}#any", "--theta", "9"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("3", 3), ("0.5", 0.5), ("-1", -1), ("none", None), ("None", None), ("false", False)),
        *(("auto", "auto"), ("'3'", "3"), ("cl100k_base", "cl100k_base"), ("a b", "a b")),
    ],
)
def test_values_are_python_literals_and_strings_need_no_quotes(text: str, value: object):
    assert settings_in([f"one-setting={text}"]) == {"one_setting": value}


def test_every_setting_is_an_option_or_can_be_set() -> None:
    for method, splitter in SPLITTERS.items():
        for name, parameter in inspect.signature(splitter).parameters.items():
            if name in names_of(splitter) and name != "store":
                assert isinstance(
                    SplitterOptions(method, settings=[f"{name}={parameter.default!r}"]).chunker(),
                    splitter,
                )


def test_settings_of_the_model_are_sent(server: LoopbackServer) -> None:
    pairs = ("temperature=0.7", "max_tokens=9", "structured=false", "initial_backoff=0")
    options = [part for pair in pairs for part in ("--set", pair)]
    run_apart("split", "text.txt", *lumber_arguments(server), *options, code=0)
    first = server.requests[0]
    assert (first.temperature, first.max_tokens, first.allowed) == (0.7, 9, None)
    run_apart("split", "text.txt", *lumber_arguments(server), "--set", "temperature=none", code=0)
    last = server.requests[-1]
    assert (last.temperature, last.allowed is None) == (None, False)


@pytest.mark.parametrize(("attempts", "repeats"), [(1, 0), (2, 1)])
def test_the_policy_decides_how_often_a_question_is_sent(server, attempts, repeats) -> None:
    pairs = (f"attempts={attempts}", "initial_backoff=0", "on_failure=keep_group")
    options = [part for pair in pairs for part in ("--set", pair)]
    outcome = run_apart("split", "text.txt", *lumber_arguments(server), *options)
    if attempts == 1:  # a model that never answered raises for any on_failure
        assert (outcome.code, outcome.out) == (1, "")
        assert f"no answer in 1 attempt from {server.url}" in outcome.err
    else:
        assert outcome.code == 0, outcome.err
    questions = [request.user for request in server.requests]
    assert len(questions) - len(set(questions)) == repeats


def test_the_model_is_asked_with_the_prompt_of_the_file(server: LoopbackServer) -> None:
    run_apart("split", "text.txt", *lumber_arguments(server), "--prompt", "prompt.txt", code=0)
    first = server.requests[0]
    assert first.system == "You cut stories."
    paragraphs = "ID 0: Ann ran.\nID 1: She fell.\nID 2: Bob slept."
    assert first.user == f"Where is the turn, from 0 to 2?\n{paragraphs}"


def test_a_prompt_file_without_a_system_text_keeps_the_default_one(folder: Path) -> None:
    (folder / "plain.txt").write_text("\ufeffWhere? {paragraphs}\n", encoding="utf-8")
    assert prompt_in(folder / "plain.txt") == PromptTemplate(user="Where? {paragraphs}")
    assert prompt_in(None) is None


def test_estimates_count_the_prompt_of_the_file(folder: Path) -> None:
    def calls_estimated(*options: str) -> str:
        outcome = run_apart("estimate", "text.txt", "--model", "openai:any", *options)
        assert (outcome.code, outcome.err) == (0, "")
        return outcome.out

    judge = ModelJudge(ScatteredModel(), prompt_in(folder / "prompt.txt"))
    expected_estimate = LumberChunker(judge).estimate([TEXT])
    expected = f" {expected_estimate.prompt_tokens.likely:,.0f} ("
    assert expected in calls_estimated("--prompt", "prompt.txt")
    assert expected not in calls_estimated()


def test_an_estimate_needs_no_key_and_equals_the_splitters_estimate(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    text = SAMPLE.read_bytes().decode()
    expected_estimate = LumberChunker(BertJudge(), theta=300).estimate([text], prices=Prices(2, 6))
    marked = "# One\n\nProse.\n\n```\na = 1\n\nb = 2\n```\n\nMore prose.\n" * 40
    (tmp_path / "b.md").write_text(marked, encoding="utf-8")
    options = ("--theta", 300, "--prices", "2,6", "--model", "gemini:any")
    outcome = run_apart("estimate", SAMPLE, "b.md", *options)
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert [line.split()[0] for line in lines] == ["document", SAMPLE.as_posix(), "b.md", "all"]
    low, likely, high = map(int, expected_estimate.calls)
    assert f"{likely} ({low} to {high})" in lines[1]
    assert expected_estimate.cost is not None
    assert f"{expected_estimate.cost.likely:.4f} (" in lines[1]
    assert f"{len(text):,}" in lines[1]
    source = Source(marked, format="markdown")  # a fence is one of its units
    tokens = LumberChunker(BertJudge(), theta=300).estimate([source]).prompt_tokens
    assert f"{tokens.likely:,.0f} (" in lines[2]


@pytest.mark.parametrize("option", ["chunk-overlap", "threshold", "store", "max-concurrency"])
def test_options_without_effect_on_an_estimate_are_refused(option: str) -> None:
    outcome = run_apart("estimate", SAMPLE, f"--{option}", "1")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"No such option: --{option}" in outcome.err


def test_the_retired_package_of_google_makes_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("google.generativeai", reason="google-generativeai is not installed")
    monkeypatch.setenv("GEMINI_API_KEY", "a-key")
    model = language_model("gemini-legacy:gemini-1.5-flash", temperature=0.5)
    assert isinstance(model, LegacyGeminiModel)
    assert "gemini-legacy:gemini-1.5-flash" in model.identity
    assert "temperature=0.5" in model.identity


def test_a_server_with_several_models_needs_the_name_of_one(monkeypatch) -> None:
    models = [{"id": name, "object": "model"} for name in ("small", "large")]
    reply = Reply(200, json.dumps({"object": "list", "data": models}))
    monkeypatch.setattr(LoopbackServer, "_fault", lambda *_: reply)
    with LoopbackServer() as server:
        url = server.openai_url
        outcome = run_apart("split", "text.txt", "--method", "lumber", "--model", url)
        assert [request.path for request in server.requests] == ["/v1/models"]
    assert (outcome.code, outcome.out) == (2, "")
    assert f"{url} serves 2 models (large, small): pass {url}#NAME" in outcome.err
