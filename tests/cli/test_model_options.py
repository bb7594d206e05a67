"""The options for a language model, which are the same for every command that asks one."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from lumber_cli.language_models import language_model
from lumber_cli.options import prompt_in
from lumber_core import CallPolicy, LumberChunker, ModelJudge, PromptTemplate
from lumber_core.llms import LegacyGeminiModel, LocalModel
from lumber_core.llms.settings import ModelSettings
from lumber_core.llms.transformers import LocalModelSettings
from lumber_core.settings import fields_of
from tests.cli.running import run, run_apart
from tests.core.llms.conftest import tiny_local
from tests.core.lumber.support import ScatteredModel
from tests.loopback.faults import Status
from tests.loopback.server import LoopbackServer

TEXT = "Ann ran.\n\nShe fell.\n\nBob slept.\n\nHe woke.\n"
PROMPT = "You cut stories.\n---\nWhere is the turn, from {first} to {last}?\n{paragraphs}\n"
# Given by --model and --key-variable, or of no use on a command line.
ELSEWHERE = {"model", "base_url", "api_key", "client", "tokenizer"}

needs_openai = pytest.mark.skipif(not find_spec("openai"), reason="openai is not installed")


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


def asking(server: LoopbackServer) -> list[Any]:
    return ["--method", "lumber", "--model", f"{server.openai_url}#any", "--theta", "9"]


@pytest.mark.parametrize("command", ["split", "view", "estimate", "compare", "questions"])
def test_every_setting_of_models_and_calls_is_an_option(command: str) -> None:
    said = run(command, "--help-all")[1]
    for settings in (ModelSettings, LocalModelSettings, CallPolicy):
        for entry in fields_of(settings):
            if entry.name not in ELSEWHERE:
                assert f"\n  --{entry.name.replace('_', '-')} " in said, entry.name


@needs_openai
def test_settings_of_the_model_are_sent(server: LoopbackServer) -> None:
    options = ["--temperature", "0.7", "--max-tokens", "9", "--no-structured"]
    done = run_apart("split", "text.txt", *asking(server), *options, "--initial-backoff", "0")
    assert done.code == 0, done.err
    first = server.requests[0]
    assert (first.temperature, first.max_tokens, first.allowed) == (0.7, 9, None)
    done = run_apart("split", "text.txt", *asking(server), "--temperature", "none")
    assert done.code == 0, done.err
    last = server.requests[-1]
    assert (last.temperature, last.allowed is None) == (None, False)


@needs_openai
@pytest.mark.parametrize(("attempts", "again"), [(1, 0), (2, 1)])
def test_the_policy_decides_how_often_a_question_is_sent(
    server: LoopbackServer, attempts: int, again: int
) -> None:
    options = ["--attempts", attempts, "--initial-backoff", 0, "--on-failure", "keep_group"]
    done = run_apart("split", "text.txt", *asking(server), *options)
    assert done.code == 0, done.err
    asked = [request.user for request in server.requests]
    assert len(asked) - len(set(asked)) == again


@needs_openai
def test_the_prompt_file_is_what_the_model_is_asked(server: LoopbackServer) -> None:
    done = run_apart("split", "text.txt", *asking(server), "--prompt", "prompt.txt")
    assert done.code == 0, done.err
    first = server.requests[0]
    assert first.system == "You cut stories."
    told = "ID 0: Ann ran.\nID 1: She fell.\nID 2: Bob slept."
    assert first.user == f"Where is the turn, from 0 to 2?\n{told}"


def test_a_prompt_without_a_system_text_keeps_the_librarys(folder: Path) -> None:
    (folder / "plain.txt").write_text("\ufeffWhere? {paragraphs}\n", encoding="utf-8")
    assert prompt_in(folder / "plain.txt") == PromptTemplate(user="Where? {paragraphs}")
    assert prompt_in(None) is None


def test_estimates_count_the_prompt_of_the_file(folder: Path) -> None:
    def estimated(*options: str) -> str:
        done = run_apart("estimate", "text.txt", "--model", "openai:any", *options)
        assert (done.code, done.err) == (0, "")
        return done.out

    judge = ModelJudge(ScatteredModel(), prompt_in(folder / "prompt.txt"))
    made = LumberChunker(judge).estimate([TEXT])
    expected = f" {made.prompt_tokens.likely:,.0f} ("
    assert expected in estimated("--prompt", "prompt.txt")
    assert expected not in estimated()


def test_the_retired_package_of_google_makes_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("google.generativeai", reason="google-generativeai is not installed")
    monkeypatch.setenv("GEMINI_API_KEY", "a-key")
    model = language_model("gemini-legacy:gemini-1.5-flash", temperature=0.5)
    assert isinstance(model, LegacyGeminiModel)
    assert "gemini-legacy:gemini-1.5-flash" in model.identity
    assert "temperature=0.5" in model.identity


def test_a_model_on_this_machine_decides(folder: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("transformers", reason="transformers is not installed")
    local = tiny_local("llama", 3)
    local.network.save_pretrained(folder / "model")
    local.tokenizer.save_pretrained(folder / "model")
    options = ["--method", "lumber", "--theta", 9, "--prompt", "prompt.txt", "--format", "text"]
    done = run_apart("split", "text.txt", *options, "--model", "local:model", "--device", "cpu")
    assert done.code == 0, done.err
    judge = ModelJudge(LocalModel(folder / "model"), prompt_in(folder / "prompt.txt"))
    expected = LumberChunker(judge, theta=9).split_text(TEXT)
    assert done.out.count("===== text.txt #") == len(expected) > 1
