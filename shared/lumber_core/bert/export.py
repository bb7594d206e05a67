"""From a checkpoint to what runs without PyTorch: ONNX in 32-bit floats and 8-bit integers."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from lumber_core.bert.graph import EncoderGraph, EncoderShape, Precision, TensorProto, onnx
from lumber_core.bert.model import ChunkTagger, load_tagger
from lumber_core.bert.onnx_scorer import OnnxScorer
from lumber_core.bert.packaged import ModelCard, write_card
from lumber_core.bert.torch_scorer import TorchScorer
from lumber_core.bert.wordpieces import WordPieceTokenizer
from lumber_core.errors import WeightsError

FP32_FILE = "model.onnx"
INT8_FILE = "model.int8.onnx"

# Sequences of random words that show which channels of the activations are large: which they are
# depends on the model, hardly on what it reads.
_PROBES = 16
_PROBE_LENGTH = 128
_LARGEST_FP32_DIFFERENCE = 1e-3


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export made, and how it compares with PyTorch on sequences of random words.

    Attributes:
        folder: Where the files are.
        fp32_difference: Largest difference in t between ONNX in 32-bit floats and PyTorch.
        int8_difference: Root of the mean square of the difference in t between 8-bit integers
            and PyTorch.
    """

    folder: Path
    fp32_difference: float
    int8_difference: float


def export(
    checkpoint: str | Path,
    *,
    output: str | Path,
    window: int = 255,
    keep_fp32: bool = True,
    provenance: Mapping[str, Any] | None = None,
) -> ExportReport:
    """Turn a checkpoint into files that load without PyTorch.

    Args:
        checkpoint: Folder with `config.json`, `model.safetensors` and the tokenizer.
        output: Folder to write `model.int8.onnx`, `model.onnx`, `tokenizer.json` and
            `card.json` (with the files' SHA-256) into.
        window: Tokens in a window, with [CLS] and [SEP], that the model was trained for.
        keep_fp32: Whether to keep `model.onnx`.
        provenance: What to say in the card about where the weights come from.

    Returns:
        How the exported models compare with the checkpoint.

    Raises:
        WeightsError: If the checkpoint cannot be read, or the exported model differs from it.
    """
    source, folder = Path(checkpoint), Path(output)
    model = load_tagger(source)
    tokenizer = WordPieceTokenizer.from_folder(source)
    probes = _probes(model.config.vocab_size)
    peaks = channel_peaks(model, probes, tokenizer)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        for name, precision in ((FP32_FILE, "fp32"), (INT8_FILE, "int8")):
            onnx.save(tagger_graph(model, precision, peaks), Path(scratch) / name)
        differences = {
            name: _differences(model, tokenizer, Path(scratch) / name, probes)
            for name in (FP32_FILE, INT8_FILE)
        }
        worst = float(np.abs(differences[FP32_FILE]).max())
        if not worst < _LARGEST_FP32_DIFFERENCE:
            raise WeightsError(
                f"the exported model differs from {source} by {worst:.2g} in t: its config asks "
                "for something that the export does not know"
            )
        names = [INT8_FILE, FP32_FILE] if keep_fp32 else [INT8_FILE]
        for name in names:
            shutil.move(Path(scratch) / name, folder / name)
    (folder / "tokenizer.json").write_text(tokenizer.to_json(), encoding="utf-8")
    card = ModelCard.of_files(
        folder, [*names, "tokenizer.json"], window=window, provenance=provenance or {}
    )
    write_card(card, folder)
    return ExportReport(folder, worst, float(np.sqrt((differences[INT8_FILE] ** 2).mean())))


def tagger_graph(
    model: ChunkTagger, precision: Precision, peaks: Mapping[str, npt.NDArray[np.float32]]
) -> onnx.ModelProto:
    """Build the graph of a classifier: `ids` (1, length) to `t` (1, length)."""
    config = model.config
    if config.hidden_act != "gelu":
        raise WeightsError(f"only encoders with gelu can be exported, not {config.hidden_act}")
    weights = encoder_weights(model)
    shape = EncoderShape(
        config.num_hidden_layers, config.num_attention_heads, config.layer_norm_eps
    )
    graph = EncoderGraph(shape, precision, peaks)
    hidden = graph.layers(graph.embed("ids", weights), weights, range(shape.layers))
    scores = graph.tag(
        hidden,
        model.chunklayer.weight.detach().numpy(),
        model.chunklayer.bias.detach().numpy(),
    )
    return graph.model(
        inputs={"ids": (TensorProto.INT64, [1, "length"])},
        outputs={"t": (scores, [1, "length"])},
    )


def encoder_weights(model: ChunkTagger) -> dict[str, npt.NDArray[np.float32]]:
    """Return the weights of the encoder by the names that BERT's state dict has."""
    return {name: value.numpy() for name, value in model.model.state_dict().items()}


@torch.inference_mode()
def channel_peaks(
    model: ChunkTagger, probes: npt.NDArray[np.int64], tokenizer: WordPieceTokenizer
) -> dict[str, npt.NDArray[np.float32]]:
    """Return the largest magnitude in each channel of what goes into each matrix.

    Attention's output is left out: its channels are alike.
    """
    peaks: dict[str, npt.NDArray[np.float32]] = {}

    def watch(name: str) -> Any:
        def look(_module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
            width = inputs[0].shape[-1]
            seen = inputs[0].abs().reshape(-1, width).amax(0).numpy()
            peaks[name] = np.maximum(peaks[name], seen) if name in peaks else seen

        return look

    hooks = [
        module.register_forward_pre_hook(watch(f"{name}.weight"))
        for name, module in model.model.named_modules()
        if name.endswith(("self.query", "intermediate.dense"))
        or (name.endswith("output.dense") and "attention" not in name)
    ]
    try:
        for probe in probes:
            ids = torch.from_numpy(np.concatenate(([tokenizer.cls_id], probe, [tokenizer.sep_id])))
            model(ids[None], torch.ones_like(ids[None]))
    finally:
        for hook in hooks:
            hook.remove()
    return peaks


def _probes(vocabulary: int) -> npt.NDArray[np.int64]:
    """Return sequences of random words; special tokens stand at the start of a vocabulary."""
    rng = np.random.default_rng(0)
    return rng.integers(min(1000, vocabulary // 2), vocabulary, (_PROBES, _PROBE_LENGTH))


def _differences(
    model: ChunkTagger, tokenizer: WordPieceTokenizer, path: Path, probes: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """Return by how much an exported model's scores differ from PyTorch's."""
    windows = list(probes.astype(np.int32))
    specials = {"cls_id": tokenizer.cls_id, "sep_id": tokenizer.sep_id}
    exported = OnnxScorer(path, **specials, threads=1).score(windows)
    original = TorchScorer(model, **specials).score(windows)
    return np.concatenate(exported) - np.concatenate(original)
