"""From a checkpoint to what runs without PyTorch: ONNX in 32-bit floats and 8-bit integers."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch

from lumber_core.bert.model import ChunkTagger, load_tagger, tagger_from_encoder
from lumber_core.bert.onnx import OnnxScorer
from lumber_core.bert.packaged import ModelCard, write_card
from lumber_core.bert.pytorch import TorchScorer
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import WeightsError
from lumber_training.graph import EncoderGraph, EncoderShape, Precision

# Beginnings and endings of the names of files, as `loading` looks for them.
MODEL, EMBEDDER, WORDS = "model", "embedder", "words"
ENDINGS: dict[str, Precision] = {"": "fp32", ".int8": "int8"}

_LARGE = 1 << 20
_PAGE = 1 << 16  # where data that is mapped into memory must begin, on every platform

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
    embedder: str | Path | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> ExportReport:
    """Turn a checkpoint into files that load without PyTorch.

    Args:
        checkpoint: Folder with `config.json`, `model.safetensors` and the tokenizer.
        output: Folder to write `model.int8.onnx`, `model.onnx`, `tokenizer.json` and
            `card.json` (with the files' SHA-256) into.
        window: Tokens in a window, with [CLS] and [SEP], that the model was trained for.
        keep_fp32: Whether to keep `model.onnx`.
        embedder: Folder of a sentence encoder (mean-pooled BERT, such as all-MiniLM-L6-v2) to
            put beside the classifier, for embedding chunks and queries. Words' embeddings move
            to `words.int8.bin`, once for both where training left them alone.
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
    beside = tagger_from_encoder(embedder).eval() if embedder is not None else None
    folder.mkdir(parents=True, exist_ok=True)
    differences = {}
    names = ["tokenizer.json"]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        scratch = Path(place)
        for ending, precision in ENDINGS.items():
            graphs = {MODEL + ending: tagger_graph(model, precision, probes)}
            if beside is not None:
                graphs[EMBEDDER + ending] = embedder_graph(beside, precision, probes)
                share_large_constants(graphs.values(), scratch / (WORDS + ending + ".bin"))
            for name, graph in graphs.items():
                onnx.save(graph, scratch / f"{name}.onnx")
            differences[precision] = _differences(
                model, tokenizer, scratch / f"{MODEL}{ending}.onnx", probes
            )
            if precision == "int8" or keep_fp32:
                names += sorted(
                    path.name for path in scratch.iterdir() if _ending(path.name) == ending
                )
        worst = float(np.abs(differences["fp32"]).max())
        if not worst < _LARGEST_FP32_DIFFERENCE:
            raise WeightsError(
                f"the exported model differs from {source} by {worst:.2g} in t: its config asks "
                "for something that the export does not know"
            )
        for name in names[1:]:
            shutil.move(scratch / name, folder / name)
    (folder / "tokenizer.json").write_text(tokenizer.to_json(), encoding="utf-8")
    card = ModelCard.of_files(folder, names, window=window, provenance=provenance or {})
    write_card(card, folder)
    return ExportReport(folder, worst, float(np.sqrt((differences["int8"] ** 2).mean())))


def tagger_graph(
    model: ChunkTagger, precision: Precision, probes: npt.NDArray[np.int64]
) -> onnx.ModelProto:
    """Build the graph of a classifier, from `ids` (1, length) and `places` (count,) to `t`.

    `t` (1, count) is that of the tokens at these places.

    Args:
        model: The classifier.
        precision: Of its matrices.
        probes: Sequences that show which channels are large, shape (sequences, length).

    Raises:
        WeightsError: If its encoder is of a kind that cannot be exported.
    """
    graph = EncoderGraph(_shape(model), precision)
    peaks = channel_peaks(model, probes)
    hidden = graph.encode("ids", encoder_weights(model), peaks, "places")
    scores = graph.tag(
        hidden,
        model.chunklayer.weight.detach().numpy(),
        model.chunklayer.bias.detach().numpy(),
    )
    inputs: dict[str, list[int | str]] = {"ids": [1, "length"], "places": ["count"]}
    return graph.model(output="t", tensor=scores, shape=[1, "count"], inputs=inputs)


def embedder_graph(
    model: ChunkTagger, precision: Precision, probes: npt.NDArray[np.int64]
) -> onnx.ModelProto:
    """Build the graph of an encoder's mean-pooled embedding, from `ids` to `embedding` (1, width).

    Arguments and errors are those of `tagger_graph`; the layer on top of the encoder is left out.
    """
    graph = EncoderGraph(_shape(model), precision)
    hidden = graph.encode("ids", encoder_weights(model), channel_peaks(model, probes))
    width = model.config.hidden_size
    inputs: dict[str, list[int | str]] = {"ids": [1, "length"]}
    return graph.model(
        output="embedding", tensor=graph.mean(hidden), shape=[1, width], inputs=inputs
    )


def share_large_constants(models: Iterable[onnx.ModelProto], path: Path) -> None:
    """Move the largest constants of some models to a file beside them, equal ones once.

    Those are the words' embeddings, half of a model of this size. The models must be saved into
    the folder of the file.
    """
    places: dict[bytes, int] = {}
    with path.open("wb") as file:
        for model in models:
            for constant in model.graph.initializer:
                data = constant.raw_data
                if len(data) < _LARGE:
                    continue
                digest = hashlib.sha256(data).digest()
                if digest not in places:
                    file.write(b"\0" * (-file.tell() % _PAGE))
                    places[digest] = file.tell()
                    file.write(data)
                constant.ClearField("raw_data")
                constant.data_location = onnx.TensorProto.EXTERNAL
                for key, value in (
                    ("location", path.name),
                    ("offset", places[digest]),
                    ("length", len(data)),
                ):
                    constant.external_data.add(key=key, value=str(value))


def _shape(model: ChunkTagger) -> EncoderShape:
    config = model.config
    if config.hidden_act != "gelu":
        raise WeightsError(f"only encoders with gelu can be exported, not {config.hidden_act}")
    return EncoderShape(config.num_hidden_layers, config.num_attention_heads, config.layer_norm_eps)


def encoder_weights(model: ChunkTagger) -> dict[str, npt.NDArray[np.float32]]:
    """Return the weights of the encoder by the names that BERT's state dict has."""
    return {name: value.numpy() for name, value in model.model.state_dict().items()}


@torch.inference_mode()
def channel_peaks(
    model: ChunkTagger, probes: npt.NDArray[np.int64]
) -> dict[str, npt.NDArray[np.float32]]:
    """Return the largest magnitude in each channel of what goes into each matrix."""
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
        if name.endswith(("self.query", "intermediate.dense", "output.dense"))
    ]
    try:
        for probe in probes:
            ids = torch.from_numpy(probe)[None]
            model(ids, torch.ones_like(ids))
    finally:
        for hook in hooks:
            hook.remove()
    return peaks


def _ending(name: str) -> str:
    """Return the ending that says a file's precision."""
    return ".int8" if ".int8." in name else ""


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
