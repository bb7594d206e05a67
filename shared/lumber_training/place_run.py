"""The steps of training a model of places: batches, the loss, the rate, and checkpoints."""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from lumber_core.errors import MissingExtraError
from lumber_training.parts import Part
from lumber_training.place_batches import WINDOW, make_batch
from lumber_training.place_model import PlaceModel
from lumber_training.place_teaching import Components, TaughtText
from lumber_training.recipes import Recipe
from lumber_training.training_report import CurvePoint

try:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, smooth_l1_loss
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

_CONSTANT = 0.6  # share of the steps at the full rate
_LOWEST_RATE = 0.02  # of the full rate
_AVERAGED = 0.995  # decay of the average of the weights, about the last 200 steps
_FEWEST = 4  # places of an item that is worth learning from
# Weights of losses beside the cross-entropy to the teacher's probabilities. Hidden states say more
# than scores; labels are used where they are complete, in items that join texts.
_OF_DIFFERENCE, _OF_HIDDEN, _OF_LABELS = 0.05, 0.3, 0.15
_LEAST_T, _MOST_T = -9.0, 9.0


class PlaceRun:
    """A training run: what changes from step to step.

    Batches and dropout follow from the seed and the number of a step alone, so that a run that is
    continued takes the same steps.

    Args:
        model: The model to train.
        recipe: Settings of the run.
        taught: Items, and what the teacher says of them.
        components: The components of its hidden states.
        steps: Length of the schedule.
        bf16: Whether to use bfloat16 mixed precision.

    Attributes:
        averaged: The model with the average of the weights, in evaluation mode.
        step: Number of steps taken.
        points: Measurements so far.

    Raises:
        ValueError: No item has four places.
    """

    def __init__(
        self,
        model: PlaceModel,
        recipe: Recipe,
        taught: Sequence[TaughtText],
        components: Components,
        *,
        steps: int,
        bf16: bool,
    ) -> None:
        self.averaged = deepcopy(model).eval().requires_grad_(False)
        self.step = 0
        self.points: list[CurvePoint] = []
        self._losses: list[float] = []
        self._model, self._recipe, self._steps, self._bf16 = model.train(), recipe, steps, bf16
        self._taught = [text for text in taught if len(text.t) >= _FEWEST]
        if not self._taught:
            raise ValueError(f"no item has {_FEWEST} places: pass more or longer documents")
        self._weights = torch.from_numpy(components.weights)
        decayed: list[torch.nn.Parameter] = []
        others: list[torch.nn.Parameter] = []
        for name, parameter in model.named_parameters():
            (decayed if parameter.ndim > 1 and name != "weight" else others).append(parameter)
        groups: list[dict[str, Any]] = [
            {"params": decayed, "weight_decay": recipe.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ]
        self._adam = torch.optim.AdamW(groups, betas=(0.9, recipe.beta2))

    def take_step(self) -> None:
        """Learn from one batch."""
        texts = self._batch()
        torch.manual_seed(self._recipe.seed * 1_000_003 + self.step)
        with torch.autocast("cpu", torch.bfloat16, enabled=self._bf16):
            t, hidden = self._model(make_batch([text.segments for text in texts]))
        loss = place_loss(t, hidden, texts, self._recipe.parts, self._weights)
        for group in self._adam.param_groups:
            group["lr"] = learning_rate(self.step, self._steps, self._recipe)
        self._adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
        self._adam.step()
        self.step += 1
        self._losses.append(float(loss.detach()))
        share = 1 - min(_AVERAGED, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            pairs = zip(self.averaged.parameters(), self._model.parameters(), strict=True)
            for average, parameter in pairs:
                average.lerp_(parameter, share)

    def _batch(self) -> list[TaughtText]:
        """Return the texts of the next step, each cropped to a window."""
        count, size, seed = len(self._taught), self._recipe.batch_size, self._recipe.seed
        rng = np.random.default_rng((seed, self.step))
        found = []
        for at in range(self.step * size, (self.step + 1) * size):
            order = np.random.default_rng((seed, at // count, 0)).permutation(count)
            text = self._taught[order[at % count]]
            begin = int(rng.integers(0, max(1, len(text.t) - WINDOW + 1)))
            found.append(text.crop(begin, min(begin + WINDOW, len(text.t))))
        return found

    def measure(self, f1: float | None) -> None:
        """Note the loss since the last measurement, and F1 on held-out items."""
        if self._losses:
            self.points.append(CurvePoint(self.step, float(np.mean(self._losses)), f1))
        self._losses = []

    def save(self, path: Path) -> None:
        """Write a checkpoint."""
        path.parent.mkdir(parents=True, exist_ok=True)
        state = {
            "step": self.step,
            "points": [(point.step, point.loss, point.f1) for point in self.points],
            "model": dict(self._model.named_parameters()),
            "averaged": dict(self.averaged.named_parameters()),
            "adam": self._adam.state_dict(),
        }
        scratch = path.with_suffix(".part")
        torch.save(state, scratch)
        os.replace(scratch, path)

    def load(self, path: Path) -> None:
        """Continue from a checkpoint."""
        state = torch.load(path, weights_only=True)
        self.step = state["step"]
        self.points = [CurvePoint(*point) for point in state["points"]]
        self._model.load_state_dict(state["model"], strict=False)
        self.averaged.load_state_dict(state["averaged"], strict=False)
        self._adam.load_state_dict(state["adam"])


def learning_rate(step: int, steps: int, recipe: Recipe) -> float:
    """Return the rate of a step: warm-up, the full rate, then a line down to a fiftieth."""
    warm = min(1.0, (step + 1) / max(1, min(recipe.warmup_steps, steps // 10)))
    left = (1 - step / steps) / (1 - _CONSTANT)
    return recipe.learning_rate * warm * min(1.0, max(_LOWEST_RATE, left))


def place_loss(
    t: torch.Tensor,
    hidden: torch.Tensor,
    texts: Sequence[TaughtText],
    parts: Sequence[Part],
    weights: torch.Tensor,
) -> torch.Tensor:
    """Return the loss of a batch: how far it is from what the teacher says.

    Places without a score and the first of each window, before which there is nothing, do not
    count.

    Args:
        t: The scores, shape (places,).
        hidden: What the model says of hidden states, shape (places, components).
        texts: The texts of the batch, with what the teacher says.
        parts: The parts of the recipe, for the weight of starts and what the labels are worth.
        weights: Weight of each component, shape (components,).
    """

    def joined(name: str) -> torch.Tensor:
        arrays = [getattr(text, name) for text in texts]
        return torch.from_numpy(np.concatenate(arrays).astype(np.float32))

    def of_each(values: Sequence[float]) -> torch.Tensor:
        return torch.tensor(values).repeat_interleave(torch.tensor([len(text.t) for text in texts]))

    own = [parts[text.kind] for text in texts]
    taught = joined("t")
    counted = torch.isfinite(taught)
    counted[np.cumsum([0, *(len(text.t) for text in texts[:-1])])] = False
    taught = taught.clamp(_LEAST_T, _MOST_T)
    likely = torch.sigmoid(taught)
    entropy = binary_cross_entropy_with_logits(t, likely, reduction="none")
    heavy = 1 + of_each([part.start_weight - 1 for part in own]) * likely
    loss = (entropy * heavy)[counted].mean()
    loss = loss + _OF_DIFFERENCE * smooth_l1_loss(t[counted], taught[counted])
    apart = (hidden - joined("hidden").clamp(-6, 6))[counted] ** 2
    loss = loss + _OF_HIDDEN * (apart * weights).mean()
    labelled = counted & (of_each([float(part.kind != "excerpts") for part in own]) > 0)
    if labelled.any():
        labels = joined("starts")[labelled]
        loss = loss + _OF_LABELS * binary_cross_entropy_with_logits(t[labelled], labels)
    return loss
