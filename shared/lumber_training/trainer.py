"""The Hugging Face Trainer for token classification: its loss, metrics and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lumber_core.bert.pytorch import ChunkTagger
from lumber_core.errors import MissingExtraError
from lumber_training.distillation import Teachers, distillation_loss, start_less_normal
from lumber_training.examples import BETWEEN, NORMAL, START, LabelledWindow, pad
from lumber_training.recipes import Recipe

try:
    import numpy as np
    import torch
    from torch.nn.functional import cross_entropy
    from torch.utils.data import Dataset, Sampler, SequentialSampler
    from transformers import AttentionInterface, Trainer, TrainingArguments
    from transformers.masking_utils import AttentionMaskInterface, eager_mask
    from transformers.trainer_utils import EvalPrediction
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error


_PLAIN = "plain"
_DECAY = 0.3  # share of the steps in which the schedule "trapezoid" decays


class TaggerTrainer(Trainer):
    """A trainer with the loss of a recipe, or of what teachers say about the recipe's items."""

    def __init__(self, *, recipe: Recipe, teachers: Teachers | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._recipe = recipe
        self._teachers = teachers.to(self.args.device) if teachers is not None else None

    def _get_train_sampler(self, train_dataset: Dataset[Any] | None = None) -> Sampler[int] | None:
        # Items already alternate by kind. In order, a longer run begins like a shorter one.
        if self._recipe.epochs == 1:
            dataset: Any = self.train_dataset if train_dataset is None else train_dataset
            return SequentialSampler(dataset)
        return super()._get_train_sampler(train_dataset)

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> Any:
        """Return the loss of a batch, with its logits if `return_outputs` is true."""
        del num_items_in_batch  # the loss is already a mean
        labels = inputs["labels"]
        logits = model(inputs["input_ids"], inputs["attention_mask"]).float()
        if self._teachers is None:
            loss = tagging_loss(logits, labels, inputs["start_weight"], self._recipe)
        else:
            with torch.autocast(labels.device.type, torch.bfloat16, enabled=self.args.bf16):
                taught = self._teachers(inputs["input_ids"], inputs["attention_mask"])
            loss = distillation_loss(logits, taught, labels, other_weight=self._recipe.other_weight)
        return (loss, {"logits": logits}) if return_outputs else loss


def tagging_loss(
    logits: torch.Tensor, labels: torch.Tensor, start_weight: torch.Tensor, recipe: Recipe
) -> torch.Tensor:
    """Return the cross-entropy over the tokens that the recipe trains on.

    Args:
        logits: Shape (batch, length, 2).
        labels: START, NORMAL, BETWEEN or IGNORED, shape (batch, length).
        start_weight: Weight of the loss at starts, shape (batch,).
        recipe: The recipe, for its `loss_at` and `other_weight`.

    Returns:
        A scalar; 0 if the batch has no such token.
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
    """Exclude the embeddings, the lowest layers, or both, from training.

    Raises:
        ValueError: The encoder has fewer layers.
    """
    depth = len(model.model.encoder.layer)
    if not 0 <= layers <= depth:
        raise ValueError(
            f"frozen_layers must be between 0 and {depth}, the encoder's layers, not {layers}"
        )
    parts: list[torch.nn.Module] = list(model.model.encoder.layer[:layers])
    if embeddings or layers:
        parts.append(model.model.embeddings)
    for part in parts:
        part.requires_grad_(False)


def register_plain_attention() -> str:
    """Register plain attention in 16-bit floats with transformers and return its name.

    The "eager" attention of transformers computes the softmax in 32 bits and scales the scores
    instead of the queries, which takes a third more time per training step on a CPU.
    """
    AttentionInterface.register(_PLAIN, _plain_attention)
    AttentionMaskInterface.register(_PLAIN, eager_mask)
    return _PLAIN


def _plain_attention(
    _module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    **_options: Any,
) -> tuple[torch.Tensor, None]:
    """Compute attention without dropout, in the precision of the queries."""
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    with torch.autocast(query.device.type, enabled=False):
        scores = torch.matmul(query * scale, key.transpose(2, 3))
        if attention_mask is not None:
            scores = scores + attention_mask.to(scores.dtype)
        mixed = torch.matmul(torch.softmax(scores, dim=-1), value)
    return mixed.transpose(1, 2).contiguous(), None


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
    """Return the Trainer's arguments for a recipe."""
    return TrainingArguments(
        output_dir=str(folder),
        max_steps=steps,
        per_device_train_batch_size=recipe.batch_size,
        per_device_eval_batch_size=32,
        learning_rate=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        adam_beta2=recipe.beta2,
        warmup_steps=min(recipe.warmup_steps, steps // 10),
        **_schedule(recipe, steps),
        max_grad_norm=1.0,
        seed=recipe.seed,
        bf16=bf16,
        use_cpu=not torch.cuda.is_available(),
        logging_steps=min(25, checkpoint_every),
        eval_strategy="steps" if measured else "no",
        eval_steps=checkpoint_every,
        save_steps=checkpoint_every,
        save_total_limit=None if recipe.average_last else 2,
        label_names=["labels"],
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        disable_tqdm=not show_progress,
        report_to="none",
    )


def _schedule(recipe: Recipe, steps: int) -> dict[str, Any]:
    """Return the Trainer's arguments for a recipe's schedule."""
    if recipe.schedule == "cosine":
        return {"lr_scheduler_type": "cosine"}
    decay = {"num_decay_steps": round(steps * _DECAY), "decay_type": "linear"}
    return {"lr_scheduler_type": "warmup_stable_decay", "lr_scheduler_kwargs": decay}


def collate(rows: Sequence[LabelledWindow]) -> dict[str, torch.Tensor]:
    """Pad windows into a batch of tensors."""
    return {name: torch.from_numpy(values) for name, values in pad(rows).items()}


def start_minus_normal(logits: torch.Tensor, _labels: torch.Tensor) -> torch.Tensor:
    """Return t for each token of a batch."""
    return start_less_normal(logits)


def start_scores(prediction: EvalPrediction) -> dict[str, float]:
    """Return precision, recall and F1 of starts at first tokens of sentences, at t_c = 0."""
    labels = np.asarray(prediction.label_ids)
    counted = labels >= NORMAL
    true = labels[counted] == START
    predicted = np.asarray(prediction.predictions)[counted] > 0
    hits = float((true & predicted).sum())
    return {
        "precision": hits / max(1.0, float(predicted.sum())),
        "recall": hits / max(1.0, float(true.sum())),
        "f1": 2 * hits / max(1.0, float(predicted.sum() + true.sum())),
    }
