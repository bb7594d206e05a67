"""The commands."""

from __future__ import annotations

import typer

from lumber_cli.bert import export_command, train_command
from lumber_cli.evaluation import compare_command, sweep_command
from lumber_cli.questions import questions_command

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Split texts where their content turns: compare splitters on your documents, and train "
    "and export the models that split.",
)
app.command("compare")(compare_command)
app.command("sweep")(sweep_command)
app.command("questions")(questions_command)
app.command("train")(train_command)
app.command("export")(export_command)


@app.callback()
def _commands() -> None:
    """Keep the names of commands even where there is only one."""
