"""Help texts whose options are in groups, the most used ones first."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

CHUNKS = "Chunks"
MODEL = "Language model"
CALLS = "Retries and rate limits"
VECTORS = "Vectors"
MEASURING = "What is measured"
"""Titles of groups, as `rich_help_panel` of an option names them."""


class PanelCommand(TyperCommand):
    """A command whose plain help has a section for each `rich_help_panel`."""

    # The types are those of typer's copy of click, which is private.
    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, the options without a panel, then those of each panel."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx)
            if record is not None:
                title = "Arguments" if each.param_type_name == "argument" else "Options"
                panel = getattr(each, "rich_help_panel", None) or title
                sections.setdefault(panel, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
