"""Distillation: one model learns the mean score of several (Hinton et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lumber_core.bert.pytorch import load_tagger
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError, WeightsError
from lumber_training.examples import BETWEEN, NORMAL, START

try:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error


class Teachers(torch.nn.Module):
    """Trained classifiers whose mean score another one learns.

    Args:
        folders: Folders of checkpoints, at least one.
        tokenizer: The tokenizer of the model that learns.
        attention: Implementation of attention, by its name in transformers; None for the default.

    Raises:
        WeightsError: A checkpoint cannot be read, or has another tokenizer.
    """

    def __init__(
        self,
        folders: Sequence[str | Path],
        tokenizer: WordPieceTokenizer,
        *,
        attention: str | None = None,
    ) -> None:
        super().__init__()
        for folder in folders:
            if WordPieceTokenizer.from_folder(folder).to_json() != tokenizer.to_json():
                raise WeightsError(
                    f"{folder} cannot teach the model that is trained: it has another tokenizer. "
                    "Pass teachers that were trained from the same base"
                )
        models = [load_tagger(folder).eval() for folder in folders]
        if attention is not None:
            for model in models:
                model.model.set_attn_implementation(attention)
        self._models = torch.nn.ModuleList(models)
        self.requires_grad_(False)

    @torch.no_grad()
    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the mean of t over the classifiers, shape (batch, length)."""
        scores = [start_less_normal(model(ids, mask)) for model in self._models]
        return torch.stack(scores).mean(dim=0)


def start_less_normal(logits: torch.Tensor) -> torch.Tensor:
    """Return t, the log-odds of a start, from logits of shape (..., 2)."""
    return logits[..., START].float() - logits[..., NORMAL].float()


def distillation_loss(
    logits: torch.Tensor, taught: torch.Tensor, labels: torch.Tensor, *, other_weight: float
) -> torch.Tensor:
    """Return the cross-entropy to the probabilities that the teachers give.

    Args:
        logits: Shape (batch, length, 2).
        taught: The teachers' t, shape (batch, length).
        labels: START, NORMAL, BETWEEN or IGNORED, shape (batch, length); they only tell first
            tokens of sentences, tokens between them, and tokens to leave out.
        other_weight: Weight of the mean over the tokens between first tokens.

    Returns:
        A scalar; 0 if the batch has no such token.
    """
    losses = binary_cross_entropy_with_logits(
        start_less_normal(logits), torch.sigmoid(taught), reduction="none"
    )
    loss = losses.sum() * 0.0
    for places, weight in ((labels >= NORMAL, 1.0), (labels == BETWEEN, other_weight)):
        if weight and places.any():
            loss = loss + weight * losses[places].mean()
    return loss
