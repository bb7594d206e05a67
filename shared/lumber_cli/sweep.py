"""`lumber-splitters sweep`: try several values of one setting."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lumber_cli.asking import Asking
from lumber_cli.groups import takes_fields
from lumber_cli.measuring import Measuring, Output, takes_evaluation_model, tell
from lumber_cli.options import errors_in_one_line, numbers_in, wrong_options
from lumber_cli.subjects import Folder
from lumber_core.extras import require
from lumber_evaluation.comparison.sweep import THETAS, sweep
from lumber_evaluation.report import write_report


@takes_fields("measuring", Measuring)
@takes_evaluation_model
def sweep_command(
    folder: Folder,
    measuring: Measuring,
    asking: Asking,
    theta: Annotated[
        str | None,
        typer.Option(
            help=f"Values of theta for `lumber`, for example {','.join(map(str, THETAS))}."
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(help="Values of t_c of `bert-tc`, for example --threshold=-1,0,1."),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            help="Values of the size of `greedy`, `layout`, `bert`, `fixed` or `recursive`, as in "
            "200,400."
        ),
    ] = None,
    splitter: Annotated[
        str | None, typer.Option(help="Splitter to sweep. Default: the one the setting belongs to.")
    ] = None,
    output: Output = Path("sweep"),
) -> None:
    """Try several values of one setting and write a report."""
    with errors_in_one_line():
        require("jinja2", package="jinja2", extra="evaluation")
        with wrong_options():
            kind, parameter, values = _swept(splitter, theta=theta, threshold=threshold, size=size)
            asked = asking.language_model()
            if asked is not None and kind != "lumber":
                raise ValueError(f"--model has no effect: {kind} uses no model")
            arguments = measuring.arguments(output)
            policy = asking.call_policy()
            splitters = {
                value: measuring.named_splitter(f"{kind}:{value:g}", asked, policy, output)
                for value in values
            }
        made = sweep(
            measuring.corpus(folder, output),
            splitters.__getitem__,
            values,
            parameter=parameter,
            **arguments,
        )
        page = write_report(made, output)
    tell(made.comparison, page)


def _swept(
    splitter: str | None, *, theta: str | None, threshold: str | None, size: str | None
) -> tuple[str, str, list[float]]:
    """Return the splitter to sweep, the name of the setting, and its values."""
    known = {
        "theta": (theta, ("lumber", "lumber-local")),
        "threshold": (threshold, ("bert-tc",)),
        "size": (size, ("greedy", "layout", "bert", "fixed", "recursive")),
    }
    given = [name for name, (values, _) in known.items() if values is not None]
    if len(given) != 1:
        raise ValueError("pass values of exactly one setting: --theta, --threshold or --size")
    (name,) = given
    values, kinds = known[name]
    kind = splitter or kinds[0]
    if kind not in kinds:
        raise ValueError(f"--{name} is a setting of {' or '.join(kinds)}, not of {kind}")
    assert values is not None
    return kind, name, numbers_in(f"--{name}", values)
