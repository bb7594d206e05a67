"""Training a chunk classifier with the Hugging Face Trainer: seeded, resumable, with curves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError
from lumber_evaluation.documents import Document
from lumber_training.averaging import average_checkpoints, average_models, states_to_average
from lumber_training.bases import bundled_base, tagger_from_encoder
from lumber_training.calibration import fold_best_threshold, held_out_windows, split_held_out
from lumber_training.distillation import Teachers
from lumber_training.examples import LabelledWindows, label_item
from lumber_training.recipes import PAPER, Recipe
from lumber_training.trainer import (
    TaggerTrainer,
    collate,
    freeze,
    register_plain_attention,
    start_minus_normal,
    start_scores,
    training_arguments,
)
from lumber_training.training_report import (
    CurvePoint,
    TrainingReport,
    count_by_source,
    describe,
    describe_start,
)

try:
    import torch
    from transformers import PrinterCallback, set_seed
    from transformers.trainer_utils import get_last_checkpoint
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error


def train(
    documents: Sequence[Document],
    *,
    output: str | Path,
    recipe: Recipe = PAPER,
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
            steps=recipe.count_steps(len(items), max_steps),
            checkpoint_every=checkpoint_every,
            measured=bool(keep),
            bf16=bf16,
            show_progress=show_progress,
        ),
        train_dataset=LabelledWindows(items, tokenizer, window=recipe.window, seed=recipe.seed),
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
        base=describe_start(sources),
        recipe=recipe,
        documents=count_by_source(train_on),
        held_out=count_by_source(keep),
        averaged_steps=averaged,
        averaged_with=tuple(describe(Path(each)) for each in mean_with),
        teachers=tuple(describe(Path(each)) for each in teachers),
        folded_threshold=threshold,
        points=curve_points(trainer.state.log_history),
    )
    report.write()
    return report


def curve_points(history: Sequence[dict[str, float]]) -> tuple[CurvePoint, ...]:
    """Return the curves from the log of the Hugging Face Trainer."""
    return tuple(
        CurvePoint(int(entry["step"]), entry.get("loss"), entry.get("eval_f1"))
        for entry in history
        if "loss" in entry or "eval_f1" in entry
    )


def _last_checkpoint(folder: Path) -> str | None:
    """Return the folder of the last checkpoint, or None."""
    if not folder.is_dir():
        return None
    last: str | None = get_last_checkpoint(str(folder))  # type: ignore[no-untyped-call]
    return last
