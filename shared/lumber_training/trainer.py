"""The Hugging Face Trainer for token classification: where the loss is taken, what is measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lumber_core.bert.model import ChunkTagger
from lumber_core.errors import MissingExtraError
from lumber_training.examples import BETWEEN, NORMAL, START, Row, pad
from lumber_training.recipes import Recipe

try:
    import numpy as np
    import torch
    from torch.nn.functional import cross_entropy
    from transformers import Trainer, TrainingArguments
    from transformers.trainer_utils import EvalPrediction
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error


class TaggerTrainer(Trainer):
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
        """Return the loss of a batch, and its logits where they are asked for."""
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


def training_arguments(
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


def collate(rows: Sequence[Row]) -> dict[str, torch.Tensor]:
    """Make a batch of windows."""
    return {name: torch.from_numpy(values) for name, values in pad(rows).items()}


def start_minus_normal(logits: torch.Tensor, _labels: torch.Tensor) -> torch.Tensor:
    """Return t for each token of a batch."""
    return logits[..., START] - logits[..., NORMAL]


def start_scores(prediction: EvalPrediction) -> dict[str, float]:
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
