"""The curves of a training run: its loss, and F1 on held-out windows, over the steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lumber_core.errors import MissingExtraError


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement during training.

    Attributes:
        step: Steps taken so far.
        loss: Mean loss since the measurement before; None where only F1 was measured.
        f1: F1 of starts at sentence-initial tokens of held-out windows, at t_c = 0; None where
            only the loss was taken.
    """

    step: int
    loss: float | None
    f1: float | None


def curve_points(history: Sequence[dict[str, float]]) -> tuple[Point, ...]:
    """Read the curves from the log of the Hugging Face Trainer."""
    return tuple(
        Point(int(entry["step"]), entry.get("loss"), entry.get("eval_f1"))
        for entry in history
        if "loss" in entry or "eval_f1" in entry
    )


def draw_curves(points: Sequence[Point], path: str | Path) -> None:
    """Draw loss and F1 over the steps of a run.

    Args:
        points: The measurements.
        path: The picture to write; its ending says which kind.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "train") from error
    figure = Figure(figsize=(7, 4), layout="constrained")
    left = figure.add_subplot()
    right = left.twinx()
    losses = [(point.step, point.loss) for point in points if point.loss is not None]
    scores = [(point.step, point.f1) for point in points if point.f1 is not None]
    for axis, pairs, label, style in ((left, losses, "loss", "C0-"), (right, scores, "F1", "C1o-")):
        axis.plot([step for step, _ in pairs], [value for _, value in pairs], style, label=label)
        axis.set_ylabel(f"{label} on training items" if axis is left else "F1, held-out windows")
    left.set_xlabel("steps")
    right.set_ylim(0, 1)
    figure.legend(loc="outside upper right", ncols=2)
    figure.savefig(path, dpi=120)
