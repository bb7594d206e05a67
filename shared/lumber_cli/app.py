"""The application: all commands, `-h` and `--version`."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup


class LazyGroup(TyperGroup):
    """Commands that are imported when they run; `-h` lists them without importing any."""

    # The types are those of typer's copy of click, which is private.
    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the name of the command, the command, and the rest of the arguments."""
        given, stub, rest = super().resolve_command(ctx, args)
        if stub is None:
            return given, None, rest
        from lumber_cli.options import errors_in_one_line  # deferred: `-h` needs none

        name = stub.name
        module = "lumber_cli.agents.command" if name == "mcp" else f"lumber_cli.commands.{name}"
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        add = single.command(name, epilog=stub.epilog)
        add(errors_in_one_line()(getattr(import_module(module), f"{name}_command")))
        return given, typer.main.get_command(single), rest


app = typer.Typer(
    name="lumber-splitters",
    cls=LazyGroup,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    rich_markup_mode=None,  # plain help: wide tables leave no room for the text
    pretty_exceptions_enable=False,
    help="Split files into chunks, find passages in them, and measure which splitter is best.",
)


def _add(name: str, summary: str, *examples: str) -> None:
    """Add a stub of a command, which is imported when it runs."""
    # "\b" makes click keep the line breaks.
    lines = "".join(f"\n  lumber-splitters {name} {example}" for example in examples)
    app.command(name, help=summary, epilog=f"\b\nExamples:{lines}")(lambda: None)


_add(
    "split",
    "Split texts into chunks, and print or write them.",
    "report.pdf notes/ 'docs/**/*.md' > chunks.jsonl",
    "book.txt --target-size 200 --format text | less",
    "docs/ --method greedy --chunk-size 256 --format parquet -o chunks.parquet",
    "docs/ --method lumber --model openai:gpt-4o-mini --store answers.db",
    "docs/ --method lumber --model http://127.0.0.1:8000/v1 --max-concurrency 16",
    "- < page.txt",
)
_add(
    "ask",
    "Find the passages of your files that answer a question.",
    'docs/ "How long may a rental last?"',
    'docs/ report.pdf "How long may a rental last?" --index docs.db --words 600',
    'docs/ "How long may a rental last?" --model openai:gpt-4o-mini',
    'docs/ "How long may a rental last?" --format json',
    'docs/ "How long may a rental last?" --open',
)
_add(
    "mcp",
    "Serve folders to agents, which search, read and cite them.",
    "docs/",
    "docs/ notes/ --index docs.db",
    "docs/ --http 8765",
)
_add(
    "index",
    "Copy an index, or list or clear the cached ones.",
    "copy notes.db backup.db",
    "copy notes.db 'postgresql://user@host/database?collection=notes'",
    "list",
    "clear",
)
_add(
    "view",
    "Show texts with their chunks on one HTML page.",
    "book.txt",
    "docs/ --target-size 200 -o chunks.html",
    "report.pdf --method bert --threshold 0",
)
_add(
    "estimate",
    "Estimate the cost of splitting with a language model.",
    "books/ --prices 0.15,0.60",
    "book.txt --theta 700 --units sentences",
    "book.txt --model openai:gpt-4o-mini --prompt question.txt",
)
_add(
    "compare",
    "Compare splitters on your documents and write a report.",
    "docs/ --questions questions.jsonl",
    "docs/ --questions questions.jsonl --splitter bert --splitter greedy:400",
    "docs/ --questions questions.jsonl --model openai:gpt-4o-mini",
    "docs/ --sections headings",
)
_add(
    "questions",
    "Generate questions with known answers about your documents.",
    "docs/ --model openai:gpt-4o-mini --count 50 --store answers.db",
    "docs/ --model ollama:llama3.2",
)


def _print_version(is_set: bool) -> None:
    if is_set:
        typer.echo(f"lumber-splitters {version('lumber-splitters')}")
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
    """Declare the options that come before a command."""
