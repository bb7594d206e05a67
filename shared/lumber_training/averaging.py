"""Averages of weights, which generalise better than those of one run or one step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lumber_core.bert.model_folder import WEIGHTS_FILE
from lumber_core.bert.pytorch import ChunkTagger, load_tagger
from lumber_core.errors import MissingExtraError, WeightsError

try:
    import torch
    from safetensors.torch import load_file
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

State = dict[str, torch.Tensor]
"""The weights of a model, by name."""


def average_checkpoints(model: ChunkTagger, folder: Path, *, share: float) -> tuple[int, ...]:
    """Give a model the mean of the weights of a run's last checkpoints (Izmailov et al. 2018).

    Args:
        model: The model; its weights are replaced.
        folder: Folder of the checkpoints, `checkpoint-STEP`.
        share: Share of the steps, from the end, whose checkpoints are averaged.

    Returns:
        The steps whose weights were averaged.
    """
    steps = sorted(int(path.name.rpartition("-")[2]) for path in folder.glob("checkpoint-*"))
    chosen = tuple(step for step in steps if step >= steps[-1] * (1 - share))
    states = (load_file(folder / f"checkpoint-{step}" / WEIGHTS_FILE) for step in chosen)
    model.load_state_dict(_mean(states))
    return chosen


def states_to_average(model: ChunkTagger, folders: Sequence[str | Path]) -> list[State]:
    """Read the weights of other runs, to be averaged with a model's.

    Args:
        model: The model.
        folders: Folders of checkpoints that were trained from the same base.

    Raises:
        WeightsError: A checkpoint cannot be read, or has another shape than the model.
    """
    own = model.state_dict()
    states = []
    for folder in folders:
        state = load_tagger(folder).state_dict()
        for key, value in own.items():
            if key not in state or state[key].shape != value.shape:
                raise WeightsError(
                    f"{folder} cannot be averaged with the model that is trained: {key} has "
                    "another shape. Pass checkpoints that were trained from the same base"
                )
        states.append(state)
    return states


def average_models(model: ChunkTagger, others: Sequence[State]) -> None:
    """Give a model the mean of its weights and those of other runs (Wortsman et al. 2022).

    Args:
        model: The model; its weights are replaced.
        others: The other runs' weights, which have the same shape.
    """
    model.load_state_dict(_mean([model.state_dict(), *others]))


def _mean(states: Iterable[State]) -> State:
    total: State = {}
    count = 0
    for state in states:
        count += 1
        for key, value in state.items():
            total[key] = total[key] + value.double() if key in total else value.double()
    return {key: (value / count).float() for key, value in total.items()}
