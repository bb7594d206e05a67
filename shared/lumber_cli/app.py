"""The application: all commands, `-h` and `--version`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from lumber_cli.conform import conform_command
from lumber_cli.estimate import estimate_command
from lumber_cli.evaluation import compare_command, sweep_command
from lumber_cli.models import models_command
from lumber_cli.questions import questions_command
from lumber_cli.split import split_command
from lumber_cli.training import export_command, train_command
from lumber_cli.view import view_command
from lumber_core import __version__

app = typer.Typer(
    name="lumber-splitters",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # plain help: wide tables leave no room for the text
    pretty_exceptions_enable=False,
    help="Split texts at topic shifts, look at the chunks, and measure which splitter is best.",
)


def _add(command: Callable[..., None], name: str, *examples: str) -> None:
    """Add a command with examples of its use."""
    # "\b" tells click to keep the line breaks.
    lines = "".join(f"\n  lumber-splitters {name} {example}" for example in examples)
    app.command(name, epilog=f"\b\nExamples:{lines}")(command)


_add(
    split_command,
    "split",
    "report.pdf notes/ 'docs/**/*.md' > chunks.jsonl",
    "book.txt --target-size 200 --format text | less",
    "docs/ --method greedy --chunk-size 256 --format parquet -o chunks.parquet",
    "docs/ --method lumber --model openai:gpt-4o-mini --store answers.db",
    "docs/ --method lumber --model http://127.0.0.1:8000/v1 --max-concurrency 16 --timeout 300",
    "docs/ --method lumber --model local:Qwen/Qwen3-8B --device cuda --prompt question.txt",
    "- < page.txt",
)
_add(
    view_command,
    "view",
    "book.txt",
    "docs/ --target-size 200 -o chunks.html",
    "book.txt --beside greedy:200",
    "report.pdf --threshold 0",
)
_add(
    estimate_command,
    "estimate",
    "books/ --prices 0.15,0.60",
    "book.txt --theta 700 --units sentences",
    "book.txt --model openai:gpt-4o-mini --prompt question.txt",
)
_add(models_command, "models", "", "ollama", "http://127.0.0.1:8000/v1")
_add(
    compare_command,
    "compare",
    "docs/ --questions questions.jsonl",
    "docs/ --questions questions.jsonl --splitter bert --splitter greedy:400",
    "docs/ --questions questions.jsonl --model openai:gpt-4o-mini --qa",
    "docs/ --sections headings",
)
_add(
    sweep_command,
    "sweep",
    "docs/ --questions questions.jsonl --theta 450,550,650",
    "docs/ --questions questions.jsonl --threshold=-1,0,1",
    "docs/ --questions questions.jsonl --size 200,400 --splitter greedy",
)
_add(
    questions_command,
    "questions",
    "docs/ --model openai:gpt-4o-mini --count 50 --store answers.db",
    "docs/ --model ollama:llama3.2",
)
_add(
    conform_command,
    "conform",
    "langchain_text_splitters:RecursiveCharacterTextSplitter --set chunk_size=200",
    "my_package.splitters:MySplitter --only text --only offsets",
)
_add(
    train_command,
    "train",
    "my-model --passages passages.jsonl --sections documents.jsonl",
    "second --recipe augmented --base my-model --passages passages.jsonl",
)
_add(export_command, "export", "my-model my-model-onnx --with-minilm")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lumber-splitters {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Take the options that come before a command."""
