"""The token classifier in PyTorch, for training, GPUs, and checkpoints that are not exported.

State dict keys equal those of the published BertChunker: `model.*` for the BERT encoder and
`chunklayer.weight|bias` for the linear layer. So its checkpoints load unchanged. Only safetensors
are read, never a pickle, and no code from a model's folder is run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from lumber_core.bert.model_folder import CONFIG_FILE, WEIGHTS_FILE
from lumber_core.bert.moving_window import Positions, Scores, TokenIds
from lumber_core.errors import MissingExtraError, WeightsError

try:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save_file
    from torch import nn
    from torch.nn.utils.rnn import pad_sequence
    from transformers import BertConfig, BertModel
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "torch") from error

# The pooler and buffers: some checkpoints contain them, but token classification does not use them.
_UNUSED = ("model.pooler.", "model.embeddings.position_ids")


class ChunkTagger(nn.Module):
    """BERT with a linear layer from the hidden state of each token to normal (0) and start (1)."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.model = BertModel(config, add_pooling_layer=False)
        self.chunklayer = nn.Linear(config.hidden_size, 2)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the two logits of every token, shape (batch, length, 2).

        Both arguments have the shape (batch, length): token IDs, with [CLS] and [SEP], and 1 for
        tokens, 0 for padding.
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
    """Load a classifier from `config.json` and `model.safetensors` of a folder.

    It is in evaluation mode, on the CPU, in 32-bit floats.

    Raises:
        WeightsError: A file is missing or damaged, or contains the weights of another model.
    """
    source = Path(folder)
    model, state = make_tagger(source), read_state(source)
    used = {key: value.float() for key, value in state.items() if not key.startswith(_UNUSED)}
    try:
        model.load_state_dict(used)
    except RuntimeError as error:
        raise WeightsError(
            f"{source / WEIGHTS_FILE} is not a BertChunker of the shape in {CONFIG_FILE}: expected "
            "model.* of a BERT encoder and chunklayer.weight, chunklayer.bias. To turn a plain "
            f"encoder into a BertChunker, train it: python -m lumber_training train --base. "
            f"{error!s:.400}"
        ) from error
    if not all(torch.isfinite(value).all() for value in used.values()):
        raise WeightsError(f"{source / WEIGHTS_FILE} contains NaN or infinite values")
    return model.eval()


def make_tagger(folder: Path) -> ChunkTagger:
    """Return an untrained classifier of the shape in a folder's `config.json`.

    A WeightsError states that the file is missing or describes no BERT encoder.
    """
    path = folder / CONFIG_FILE
    if not path.is_file():
        raise WeightsError(f"{path} does not exist: expected the configuration of a BERT encoder")
    try:
        config = BertConfig.from_dict(json.loads(path.read_text(encoding="utf-8")))
        return ChunkTagger(config)
    except Exception as error:  # wrong values raise errors of any class
        raise WeightsError(
            f"{path} is not the configuration of a BERT encoder: {error!r:.200}"
        ) from error


def read_state(folder: Path) -> dict[str, torch.Tensor]:
    """Return the tensors in `model.safetensors` by name, or raise a WeightsError."""
    path = folder / WEIGHTS_FILE
    if not path.is_file():
        raise WeightsError(
            f"{path} does not exist. Weights are read from safetensors only; convert a pickled "
            "checkpoint first, if you trust it"
        )
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise WeightsError(f"{path} is damaged or not a safetensors file: {error}") from error


class TorchScorer:
    """A `ChunkTagger`, which is moved to the device, as a scorer of windows.

    The device is "cpu" or "cuda"; None: a GPU if there is one. If there is none for "cuda", a
    ValueError is raised.
    """

    def __init__(
        self,
        model: ChunkTagger,
        *,
        cls_id: int,
        sep_id: int,
        device: Literal["cpu", "cuda"] | None = None,
    ) -> None:
        if device == "cuda" and not torch.cuda.is_available():
            raise ValueError(
                'device="cuda": PyTorch finds no GPU here. Install a build of PyTorch for CUDA and '
                'the driver, or pass device="cpu"'
            )
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.batch_size = 64 if self._device == "cuda" else 8
        self._model = model.to(self._device).eval()
        self._specials = cls_id, sep_id
        self._process = os.getpid()

    @torch.inference_mode()
    def score(self, windows: Sequence[TokenIds], places: Sequence[Positions]) -> list[Scores]:
        """Return the scores of the tokens at `places` of each window, computed in one batch."""
        if self._process != os.getpid():
            # A forked process inherits OpenMP's thread pool without its threads.
            torch.set_num_threads(1)
            self._process = os.getpid()
        first, last = self._specials
        rows = [torch.tensor([first, *window.tolist(), last]) for window in windows]
        ids = pad_sequence(rows, batch_first=True)
        mask = pad_sequence([*map(torch.ones_like, rows)], batch_first=True)
        logits = self._model(ids.to(self._device), mask.to(self._device))
        scores = (logits[..., 1] - logits[..., 0]).float().cpu().numpy()
        return [row[1:][at] for row, at in zip(scores, places, strict=True)]
