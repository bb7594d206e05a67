"""The program itself: help, version, start, and the error if an extra is missing."""

import re
import shlex
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.alone import run_python
from tests.cli.running import EACH, run, run_apart, show_each_on_terminal
from tests.loopback.server import LoopbackServer

COMMANDS = ("split", "ask", "mcp", "view", "estimate", "compare", "questions")
EXTRAS = {
    "evaluation": {"jinja2", "nltk", "pyarrow", "langchain_text_splitters"},
    "hub": {"huggingface_hub"},
    "openai": {"openai"},
    "gemini": {"google.genai"},
    "llama-index": {"llama_index"},
    "documents": {"charset_normalizer", "lxml", "anydoc", "pypdfium2"},
    "cli": {"typer"},
    "tiktoken": {"tiktoken"},
}

BROUGHT = {"cli", "documents"}  # extras that the extra `cli` includes


def run_each_without(
    extras: set[str], commands: list[str], folder: Path
) -> tuple[list[tuple[int, str]], str]:
    """Return the exit status and the output of each of several commands, and all messages."""
    completed = run_python(code_that_hides(extras) + EACH, *commands, cwd=folder, check=False)
    parts = completed.stdout.split("\0")
    assert len(parts) == 3 * len(commands) + 1, completed.stderr
    return [*zip(map(int, parts[1::3]), parts[::3], strict=False)], completed.stderr


def code_that_hides(extras: set[str]) -> str:
    """Return code that hides installed extras."""
    blocked = {name for extra in extras for name in EXTRAS[extra]}
    return f"import sys\nfor name in {blocked!r}: sys.modules[name] = None\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_its_summary_and_an_example(command: str) -> None:
    summaries = dict(
        re.findall(r"^  (\w+) {2,}(.+)$", run("-h")[1].partition("Commands:")[2], re.M)
    )
    code, output = run(command, "--help")
    assert code == 0
    assert f"\n\n  {summaries[command]}\n" in output
    assert f"  lumber-splitters {command} " in output


def modules_imported_by(*commands: Iterable[object], before: str = "") -> list[set[str]]:
    """Return the imported packages, and modules of three of ours, after each command."""
    completed = run_python(before + EACH, *(shlex.join(map(str, command)) for command in commands))
    packages = ("lumber_cli", "lumber_core", "lumber_retrieval")
    return [
        {name if name.startswith(packages) else name.partition(".")[0] for name in names.split()}
        for names in completed.stdout.split("\0")[2::3]
    ]


OURS = {"lumber_evaluation", "lumber_training"}
HEAVY = {
    *("torch", "transformers", "tokenizers", "pyarrow", "jinja2", "nltk", "tiktoken", "openai"),
    *("langchain_core", "llama_index", "rich", "lxml", "pypdfium2", "requests"),
}


def test_a_wrong_option_or_command_is_refused_with_a_suggestion() -> None:
    assert run("--version") == (0, f"lumber-splitters {version('lumber-splitters')}\n")
    for wrong, nearest in (("split --targetsize", "--target-size"), ("spilt", "split")):
        code, output = run(*wrong.split())
        assert code == 2
        assert nearest in output.partition(wrong.split()[-1])[2]


def test_without_the_extra_cli_one_line_names_it() -> None:
    code = f"{code_that_hides({'cli'})}from lumber_cli import main; main()"
    completed = run_python(code, "-h", check=False)
    assert (completed.returncode, completed.stdout) == (1, "")
    assert completed.stderr == (
        "lumber-splitters: typer is not installed. Install it with: "
        "pip install '.[cli]' in a clone of lumber-splitters\n"
    )


@pytest.mark.parametrize("option", ["-h", "--version"])
def test_help_and_version_do_not_import_commands(option: str) -> None:
    [loaded] = modules_imported_by([option])
    assert not loaded & (OURS | HEAVY | {"lumber_core", "numpy", "onnxruntime"})
    modules = {name for name in loaded if name.startswith("lumber_cli")}
    assert modules == {"lumber_cli", "lumber_cli.app"}


def test_split_imports_only_the_modules_that_it_uses(tmp_path: Path) -> None:
    sample = tmp_path / "a.txt"
    sample.write_text("One. Two.", encoding="utf-8")
    loaded, scored = modules_imported_by(
        ["split", sample],
        ["split", sample, "--method", "bert", "--threshold", 0],
        before="import lumber_core, sys; assert 'numpy' not in sys.modules",
    )
    assert not loaded & (
        OURS | HEAVY | {"onnxruntime", "lumber_cli.commands.compare", "lumber_cli.commands.view"}
    )
    assert "onnxruntime" in scored


def test_answering_with_a_model_imports_no_evaluation_module(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The ferry leaves at noon.", encoding="utf-8")
    with LoopbackServer('At noon [1].\n\n[1] "The ferry leaves at noon."') as server:
        arguments = ("ask", tmp_path, "When does it leave?", "--no-cache")
        model = ("--model", f"{server.openai_url}#any")
        searched, loaded = modules_imported_by(arguments, [*arguments, *model])
    assert "openai" in loaded
    assert not loaded & OURS
    parsers = {"lumber_retrieval.citing.reply_quotes", "lumber_core.lumber.answer_parser"}
    assert loaded - searched >= parsers


LACKING = {
    "compare docs": "evaluation",
    "split docs --format parquet -o chunks.parquet": "evaluation",
    "questions docs --model http://127.0.0.1:1#m": "openai",
    "split docs --method lumber --model ollama:m": "openai",
    "split docs quay.pdf": "documents",
    "view quay.docx": "documents",
    "estimate docs quay.html": "documents",
    "split quay.txt": "documents",
    "split docs --method bert --model owner/name": "hub",
    "split docs --tokenizer cl100k_base": "tiktoken",
}


def test_a_command_names_the_extra_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("One. Two.", encoding="utf-8")
    for name in ("quay.pdf", "quay.docx", "quay.html"):
        (tmp_path / name).write_bytes(b"nothing")
    (tmp_path / "quay.txt").write_bytes("Der Müller geht.".encode("cp1252"))
    results, messages = run_each_without({*LACKING.values()}, [*LACKING], tmp_path)
    assert [code for code, _ in results] == [1] * len(LACKING), messages
    for output, extra in zip(messages.strip().splitlines(), LACKING.values(), strict=True):
        assert f"pip install '.[{extra}]'" in output


def test_split_view_and_estimate_need_only_the_extra_cli(tmp_path: Path) -> None:
    page = "<h1>Tides</h1><p>They turn twice a day.</p>"
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    printed = {
        "split page.html": '"document": "page.html"',
        "split page.html --method lumber": '"text": "# Tides',
        "view page.html": "view.html",
        "estimate page.html --prices 1,2": "page.html",
    }
    results, messages = run_each_without(EXTRAS.keys() - BROUGHT, [*printed], tmp_path)
    assert messages == ""
    for (code, output), (command, expected) in zip(results, printed.items(), strict=True):
        assert code == 0, command
        assert expected in output, command


@pytest.mark.parametrize("command", ["view", "estimate"])
def test_ctrl_c_ends_a_command_without_a_traceback(command: str, tmp_path, monkeypatch) -> None:
    def raise_interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a.txt").write_text("One. Two.", encoding="utf-8")
    monkeypatch.setattr("lumber_cli.inputs.read_file", raise_interrupt)
    completed = run_apart(command, tmp_path / "a.txt")
    assert (completed.code, completed.out, completed.err) == (
        130,
        "",
        "lumber-splitters: interrupted\n",
    )


def test_a_terminal_gets_progress(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("One. Two.\n\nThree.", encoding="utf-8")
    output, written, answered = show_each_on_terminal(
        ["split", tmp_path],
        ["split", tmp_path, "--method", "bert", "-o", tmp_path / "out"],
        ["ask", tmp_path, "Three?", "--no-cache"],
    )
    assert "char/s" not in output
    assert "2/2" in written
    assert "2.00/2.00" in answered
