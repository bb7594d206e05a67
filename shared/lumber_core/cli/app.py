"""The commands."""

from __future__ import annotations

import typer

from lumber_core.cli.bert import export_command, train_command

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Split texts where their content turns; train and export the models that do it.",
)
app.command("train")(train_command)
app.command("export")(export_command)


@app.callback()
def _commands() -> None:
    """Keep the names of commands even where there is only one."""
