"""`lumber-splitters estimate`: the cost of a language model, before any call."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from lumber_cli.inputs import Inputs, Paths
from lumber_cli.options import (
    FileOptions,
    PricesOption,
    fail,
    prices_in,
    with_options,
    wrong_options,
)
from lumber_cli.splitter_options import SplitterOptions
from lumber_core import LumberChunker, Prices
from lumber_core.support.wording import align_columns
from lumber_core.text.source import Source
from lumber_core.text.unicode import printable

# Options of `split` that do not change the calls.
_WITHOUT_EFFECT = ("chunk_overlap", "threshold", "key_variable", "store", "max_concurrency")


@with_options(FileOptions, SplitterOptions, method="lumber", **dict.fromkeys(_WITHOUT_EFFECT))
def estimate_command(
    file_options: FileOptions, options: SplitterOptions, paths: Paths, prices: PricesOption = None
) -> None:
    """Estimate the cost of splitting with a language model.

    Prints the calls, the tokens and, with --prices, the cost. The run is simulated: it needs no
    model, no key and no package of a provider. Each figure is the most likely value, with the
    lowest and the highest in brackets. Answers that a store already has are not subtracted.
    """
    with wrong_options():
        chunker = options.chunker_for_estimate()
        price_pair = prices_in(prices)
    inputs = Inputs(paths, file_options)
    files = [*inputs]
    inputs.report_unread()
    if not files:
        fail("nothing to estimate: no document could be read")
    rows = [_row(file.name, [file], chunker, price_pair) for file in files]
    if len(files) > 1:
        rows.append(_row("all", files, chunker, price_pair))
    columns = ["document", "characters", "tokens", "calls", "tokens sent", "tokens received"]
    typer.echo(align_columns([[*columns, "cost"][: len(rows[0])], *rows]))
    if inputs.failed:
        raise typer.Exit(1)


def _row(
    name: str, files: Sequence[Source], chunker: LumberChunker, prices: Prices | None
) -> list[str]:
    """Return the row of the table for some files together."""
    texts = [file.text for file in files]
    sizes = [sum(map(len, texts)), sum(chunker.counter.count(texts))]
    estimate = chunker.estimate(files, prices=prices)
    ranges = (
        f"{_number(count.likely)} ({_number(count.low)} to {_number(count.high)})"
        for count in (estimate.calls, estimate.prompt_tokens, estimate.completion_tokens)
    )
    row = [printable(name), *map(_number, sizes), *ranges]
    if estimate.cost is not None:
        low, likely, high = (f"{cost:.{2 if cost >= 1 else 4}f}" for cost in estimate.cost)
        row.append(f"{likely} ({low} to {high})")
    return row


def _number(value: float) -> str:
    return f"{value:,.0f}"
