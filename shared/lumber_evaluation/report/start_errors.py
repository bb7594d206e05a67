"""A picture of start-token errors, as a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lumber_core.files import atomic_write
from lumber_evaluation.report.svg import as_file, distribution_plot
from lumber_evaluation.start_error import StartErrors


def plot_start_errors(errors: Mapping[str, StartErrors], path: str | Path) -> None:
    """Draw how the documents' errors are distributed: a histogram for each splitter.

    The x axis is logarithmic, because a few documents err by far more than most; a line marks each
    median.

    Args:
        errors: The errors under each splitter's name.
        path: The .svg file to write.

    Raises:
        ValueError: There are no errors, or the file has another ending.
        FileNotFoundError: The file's folder does not exist.
    """
    file = Path(path)
    if file.suffix.lower() != ".svg":
        raise ValueError(f"{file}: expected the name of a .svg file")
    if not errors:
        raise ValueError("expected the errors of at least one splitter")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"the folder {file.parent} does not exist: create it first")
    rows = [
        (
            f"{name}: MAE {found.mae:,.0f}, RMSE {found.rmse:,.0f}",
            kind,
            [one.error for one in found.documents],
        )
        for kind, (name, found) in enumerate(errors.items())
    ]
    svg = distribution_plot(
        rows,
        title="Start-token error of the documents",
        description="; ".join(name for name, _, _ in rows),
        x_label="start-token error of a document, logarithmic",
        what=("documents", "tokens"),
    )
    atomic_write(file, as_file(svg).encode())
