"""Help texts in two lengths, with options in groups."""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperCommand

CHUNKS = "Chunks"
OUTPUT = "Output"
FILES = "Files"
MODEL = "Language model"
CALLS = "Retries and rate limits"
VECTORS = "Vectors"
MEASURING = "What is measured"
"""Titles of groups, as `rich_help_panel` of an option names them."""

_FIRST = frozenset(
    {
        *("method", "target_size", "chunk_size", "chunk_overlap", "model"),
        *("output", "kind", "embed"),
    }
)
"""Parameters in a group that `--help` shows, too; those without a group are all shown."""
HELP_ALL = "--help-all"
"""The option that shows all options."""
_OWNERS = re.compile(r"^\([^)]*\) ")
_SENTENCE_END = re.compile(r"(?<=\.) +(?=[A-Z\"(])")
_DEFAULT = re.compile(r"  \[.*\]$")  # as typer adds it


class PanelCommand(TyperCommand):
    """A command whose plain help has a section for each `rich_help_panel`.

    `--help` shows what a newcomer needs, each option in a sentence; `--help-all` shows all options.
    """

    # The types are those of typer's copy of click, which is private.
    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, without `--help-all` if `--help` shows them all."""
        params: list[Any] = super().get_params(ctx)
        if any(map(_is_further, params)):
            return params
        return [each for each in params if HELP_ALL not in each.opts]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, the options without a panel, then those of each panel."""
        shows_all = ctx.meta.get(HELP_ALL, False)
        titles = ("Arguments", "Options", CHUNKS, OUTPUT)
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in titles}
        left_out = 0
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx)
            if record is None:
                continue
            if not shows_all and _is_further(each):
                left_out += 1
                continue
            title = "Arguments" if each.param_type_name == "argument" else "Options"
            panel = getattr(each, "rich_help_panel", None) or title
            brief = record if shows_all or title == "Arguments" else _brief(*record)
            sections.setdefault(panel, []).append(brief)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
        if left_out:
            formatter.write_paragraph()
            formatter.write_text(f"{left_out} more options: {ctx.command_path} {HELP_ALL}")


def show_all(ctx: typer.Context, wanted: bool) -> None:
    """Show the help of a command with all its options, if wanted, and exit."""
    if wanted and not ctx.resilient_parsing:
        ctx.meta[HELP_ALL] = True
        typer.echo(ctx.get_help(), color=ctx.color)
        raise typer.Exit


def _is_further(parameter: Any) -> bool:
    """Return whether only `--help-all` shows a parameter."""
    panel = getattr(parameter, "rich_help_panel", None)
    return panel is not None and parameter.name not in _FIRST


def _brief(flags: str, text: str) -> tuple[str, str]:
    """Return an option's help in one sentence, with its default."""
    default = _DEFAULT.search(text)
    said = _OWNERS.sub("", text[: default.start()] if default else text)
    return flags, _SENTENCE_END.split(said)[0] + (default[0] if default else "")
