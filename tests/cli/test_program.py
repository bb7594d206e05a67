"""The program itself: help, version, start, and the error if an extra is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.running import run, run_apart

COMMANDS = (
    *("split", "view", "estimate", "models", "compare", "sweep", "questions", "conform"),
    *("train", "export"),
)
EXTRAS = {
    "evaluation": {
        "jinja2",
        "nltk",
        "pandas",
        "pyarrow",
        "matplotlib",
        "huggingface_hub",
        "langchain_text_splitters",
    },
    "hub": {"huggingface_hub"},
    "train": {"torch", "transformers", "tokenizers", "accelerate", "onnx"},
    "openai": {"openai"},
    "gemini": {"google.genai"},
    "llama-index": {"llama_index"},
    "documents": {"pypdf", "mammoth"},
    "tiktoken": {"tiktoken"},
}


def without(extras: set[str], *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the program in an environment where some extras look as if they were missing."""
    blocked = {name for extra in extras for name in EXTRAS[extra]}
    code = (
        f"import sys\nfor name in {blocked!r}: sys.modules[name] = None\n"
        "from lumber_cli import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True
    )


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, option: str) -> None:
    code, said = run(command, option)
    assert code == 0
    assert f"  lumber-splitters {command} " in said


def test_the_version_is_shown() -> None:
    assert run("--version") == (0, f"lumber-splitters {version('lumber-splitters')}\n")


def test_it_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lumber_cli", "-h"], capture_output=True, text=True, check=True
    )
    assert all(command in done.stdout for command in COMMANDS)


def test_help_and_version_need_no_extra(tmp_path: Path) -> None:
    for option in ("-h", "--version"):
        done = without(set(EXTRAS), option, folder=tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (("compare", "docs"), "evaluation"),
        (("sweep", "docs", "--theta", "400"), "evaluation"),
        (("questions", "docs", "--model", "http://127.0.0.1:1#m"), "openai"),
        (("split", "docs", "quay.pdf"), "documents"),
        (("view", "quay.docx"), "documents"),
        (("split", "docs", "--format", "parquet", "-o", "chunks.parquet"), "evaluation"),
        (("split", "docs", "--method", "lumber", "--model", "ollama:m"), "openai"),
        (("split", "docs", "--method", "bert", "--model", "owner/name"), "hub"),
        (("split", "docs", "--tokenizer", "cl100k_base"), "tiktoken"),
        (("train", "out", "--passages", "docs/a.txt"), "train"),
        (("export", "docs", "out"), "train"),
    ],
)
def test_a_command_names_the_extra_it_lacks(
    arguments: tuple[str, ...], extra: str, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("One. Two.", encoding="utf-8")
    for name in ("quay.pdf", "quay.docx"):
        (tmp_path / name).write_bytes(b"nothing")
    done = without({extra}, *arguments, folder=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert f"pip install 'lumber-splitters[{extra}]'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (("split", "page.html"), '"document": "page.html"'),
        (("split", "page.html", "--method", "lumber"), '"text": "# Tides'),
        (("view", "page.html"), "view.html"),
        (("estimate", "page.html", "--prices", "1,2"), "page.html"),
        (("models",), "pip install 'lumber-splitters[gemini]'"),
    ],
)
def test_the_base_install_splits_shows_and_estimates(
    arguments: tuple[str, ...], printed: str, tmp_path: Path
) -> None:
    page = "<h1>Tides</h1><p>They turn twice a day.</p>"
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    done = without({*EXTRAS}, *arguments, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert printed in done.stdout


@pytest.mark.parametrize("command", ["view", "estimate"])
def test_ctrl_c_ends_a_command_without_a_traceback(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object, **named: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a.txt").write_text("One. Two.", encoding="utf-8")
    monkeypatch.setattr("lumber_cli.inputs.read_file", interrupted)
    done = run_apart(command, tmp_path / "a.txt")
    assert (done.code, done.out, done.err) == (130, "", "lumber-splitters: interrupted\n")


def test_shells_complete_commands_and_options() -> None:
    told = {"_LUMBER_SPLITTERS_COMPLETE": "complete_bash"}
    code = "import sys; sys.argv[0] = 'lumber-splitters'; from lumber_cli import main; main()"
    for words, number, expected in (
        ("lumber-splitters sp", 1, "split"),
        ("x split --met", 2, "--method"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **told, "COMP_WORDS": words, "COMP_CWORD": str(number)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert expected in done.stdout.splitlines()
