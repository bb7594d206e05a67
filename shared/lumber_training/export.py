"""Export of a checkpoint to ONNX, in 32-bit floats and 8-bit integers."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import onnx
import torch

from lumber_core.bert.model_folder import CARD_FILE, sha256
from lumber_core.bert.onnx import OnnxTokenScorer, open_session
from lumber_core.bert.pytorch import ChunkTagger, TorchScorer, load_tagger
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import WeightsError
from lumber_training.bases import tagger_from_encoder
from lumber_training.graph import EncoderGraph, EncoderShape
from lumber_training.graph_builder import Precision
from lumber_training.place_batches import Segments, make_batch
from lumber_training.place_graph import place_graph
from lumber_training.place_model import is_place_model, load_place_model
from lumber_training.quantisation import channel_peaks, random_probes

# `lumber_core.bert.loading` looks for the same names.
MODEL, EMBEDDER, WORDS = "model.int8.onnx", "embedder.int8.onnx", "words.int8.bin"

_LARGE = 1 << 20
_PAGE = 1 << 16  # alignment of memory-mapped data that suits every platform
_LARGEST_FP32_DIFFERENCE = 1e-3


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The result of an export, compared with PyTorch on sequences of random tokens.

    Attributes:
        folder: Folder of the exported files.
        fp32_difference: Largest difference in t between the 32-bit model and PyTorch.
        int8_difference: Root mean square of the difference in t between the 8-bit model and
            PyTorch.
    """

    folder: Path
    fp32_difference: float
    int8_difference: float


def export(
    checkpoint: str | Path,
    *,
    output: str | Path,
    embedder: str | Path | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> ExportReport:
    """Export a checkpoint to files that load without PyTorch.

    Args:
        checkpoint: Folder of a classifier or of a model of places: it has `config.json`,
            `model.safetensors` and a tokenizer.
        output: Folder to write to: `model.int8.onnx`, `tokenizer.json` and `card.json`, which has
            the SHA-256 of each file.
        embedder: Folder of a sentence encoder (mean-pooled BERT, such as all-MiniLM-L6-v2) to
            export beside the classifier, for embedding chunks and queries. Word embeddings are
            written to `words.int8.bin`, once for both models if training left them unchanged.
        provenance: Where the weights come from, for the card.

    Returns:
        How the exported models compare with the checkpoint.

    Raises:
        WeightsError: The checkpoint cannot be read, or the exported model differs from it.
    """
    source, folder = Path(checkpoint), Path(output)
    model = _Places(source) if is_place_model(source) else _Tagger(source)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        scratch = Path(place)
        onnx.save(model.graph("fp32"), scratch / "exact.onnx")
        worst = float(np.abs(model.differences(scratch / "exact.onnx")).max())
        if not worst < _LARGEST_FP32_DIFFERENCE:
            raise WeightsError(
                f"the exported model differs from {source} by {worst:.2g} in t: its config has a "
                "setting that the export does not support"
            )
        (scratch / "exact.onnx").unlink()
        graphs = {MODEL: model.graph("int8")}
        if embedder is not None:
            beside = tagger_from_encoder(embedder).eval()
            probes = random_probes(beside.config.vocab_size)
            graphs[EMBEDDER] = embedder_graph(beside, "int8", probes)
            share_large_constants(graphs.values(), scratch / WORDS)
        for name, graph in graphs.items():
            onnx.save(graph, scratch / name)
        rounding = model.differences(scratch / MODEL)
        (scratch / "tokenizer.json").write_text(model.tokenizer.to_json(), encoding="utf-8")
        names = sorted(path.name for path in scratch.iterdir())
        for name in names:
            shutil.move(scratch / name, folder / name)
    card: dict[str, Any] = {
        "files": {name: sha256(folder / name) for name in names},
        "window": model.window,
        "provenance": dict(provenance or {}),
    }
    if model.scores != "tokens":
        card["scores"] = model.scores
    text = json.dumps(card, indent=1, ensure_ascii=False) + "\n"
    (folder / CARD_FILE).write_text(text, encoding="utf-8")
    return ExportReport(folder, worst, float(np.sqrt((rounding**2).mean())))


def tagger_graph(
    model: ChunkTagger, precision: Precision, probes: npt.NDArray[np.int64]
) -> onnx.ModelProto:
    """Build the graph of a classifier.

    Its inputs are `ids`, shape (1, length), and `places`, shape (count,): positions in the
    sequence. Its output is `t` of the tokens at these positions, shape (1, count).

    Args:
        model: The classifier.
        precision: Precision of its matrices.
        probes: Token ids to measure activations on, shape (sequences, length).

    Raises:
        WeightsError: The encoder has an activation function other than GELU.
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
    """Build the graph of a mean-pooled encoder, from `ids` (1, length) to `embedding` (1, width).

    Arguments and errors are those of `tagger_graph`; the classifier layer is left out.
    """
    graph = EncoderGraph(_shape(model), precision)
    hidden = graph.encode("ids", encoder_weights(model), channel_peaks(model, probes))
    width = model.config.hidden_size
    inputs: dict[str, list[int | str]] = {"ids": [1, "length"]}
    return graph.model(
        output="embedding", tensor=graph.mean(hidden), shape=[1, width], inputs=inputs
    )


def share_large_constants(models: Iterable[onnx.ModelProto], path: Path) -> None:
    """Move the large constants of several models to one file, equal constants once.

    These are the word embeddings, half of a model of this size. The models must be saved in the
    same folder as the file.
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
        raise WeightsError(
            f"only encoders with GELU can be exported (hidden_act gelu), not {config.hidden_act}"
        )
    return EncoderShape(config.num_hidden_layers, config.num_attention_heads, config.layer_norm_eps)


def encoder_weights(model: ChunkTagger) -> dict[str, npt.NDArray[np.float32]]:
    """Return the weights of the encoder, by their names in BERT's state dict."""
    return {name: value.numpy() for name, value in model.model.state_dict().items()}


class _Tagger:
    """A checkpoint of a classifier of tokens."""

    scores: Literal["tokens"] = "tokens"

    def __init__(self, folder: Path) -> None:
        self._model = load_tagger(folder)
        self._probes = random_probes(self._model.config.vocab_size)
        self.tokenizer = WordPieceTokenizer.from_folder(folder)
        self.window = min(255, int(self._model.config.max_position_embeddings))

    def graph(self, precision: Precision) -> onnx.ModelProto:
        return tagger_graph(self._model, precision, self._probes)

    def differences(self, path: Path) -> npt.NDArray[np.float32]:
        """Return the differences between the scores of an exported model and PyTorch's."""
        windows = list(self._probes.astype(np.int32))
        every = [np.arange(len(window)) for window in windows]
        specials = self.tokenizer.specials
        exported = OnnxTokenScorer(path, **specials, threads=1).score(windows, every)
        original = TorchScorer(self._model, **specials, device="cpu").score(windows, every)
        return np.concatenate(exported) - np.concatenate(original)


class _Places:
    """A checkpoint of a model of places."""

    scores: Literal["places"] = "places"
    window = 2048

    def __init__(self, folder: Path) -> None:
        self._model = load_place_model(folder)
        self.tokenizer = WordPieceTokenizer.from_folder(folder)

    def graph(self, precision: Precision) -> onnx.ModelProto:
        return place_graph(self._model, precision)

    def differences(self, path: Path) -> npt.NDArray[np.float32]:
        """Return the differences between the scores of an exported model and PyTorch's."""
        ids = random_probes(self._model.shape.vocabulary).reshape(-1)
        text = Segments(ids[:1000].astype(np.int32), np.arange(0, 1000, 20))  # fits any window
        inputs = {"ids": text.ids[None].astype(np.int64), "places": text.first}
        exported = open_session(path).run(None, inputs)[0][0]
        with torch.inference_mode():
            original = self._model(make_batch([text]))[0].numpy()
        return np.asarray(exported - original)
