"""Export of a checkpoint to ONNX, in 32-bit floats and 8-bit integers."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lumber_core.bert.model_folder import CARD_FILE, WEIGHTS_FILE, sha256
from lumber_core.bert.onnx import OnnxTokenScorer
from lumber_core.bert.pytorch import ChunkTagger, TorchScorer, load_tagger
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError, WeightsError
from lumber_training.bases import tagger_from_encoder
from lumber_training.graph import EncoderGraph
from lumber_training.graph_builder import Precision
from lumber_training.quantisation import channel_peaks, random_probes

try:
    import onnx
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError("onnx", "train") from error

# `lumber_core.bert.loading` reads files of these names.
_MODEL, _EMBEDDER = "model.int8.onnx", "embedder.int8.onnx"
_REPORT_FILE = "training.json"  # written by `training`
_WINDOW = 255  # tokens, including [CLS] and [SEP], as in training
_MAX_FP32_DIFFERENCE = 1e-3  # between scores of the exported model and of PyTorch


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The result of an export, compared with PyTorch on sequences of random tokens.

    Attributes:
        folder: Folder of the exported files.
        fp32_difference: Largest difference between scores of the 32-bit model and of PyTorch.
        int8_difference: Root mean square of the differences between scores of the 8-bit model and
            of PyTorch.
    """

    folder: Path
    fp32_difference: float
    int8_difference: float


def export(
    checkpoint: str | Path, *, output: str | Path, embedder: str | Path | None = None
) -> ExportReport:
    """Export a checkpoint to files that load without PyTorch.

    Args:
        checkpoint: Folder of a classifier, with `config.json`, `model.safetensors` and a tokenizer.
        output: Folder for `model.int8.onnx`, `tokenizer.json` and `card.json`, which contains the
            SHA-256 of each file and of the checkpoint, and the settings of its training.
        embedder: Folder of a sentence encoder (mean-pooled BERT, such as all-MiniLM-L6-v2) to
            export with the classifier, for embedding chunks and queries. None: no encoder.

    Returns:
        The differences between the exported models and the checkpoint.

    Raises:
        WeightsError: The checkpoint cannot be read, or the exported model differs from it.
    """
    source, folder = Path(checkpoint), Path(output)
    model = load_tagger(source)
    tokenizer = WordPieceTokenizer.from_folder(source)
    probes = random_probes(model.config.vocab_size)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        scratch = Path(place)
        onnx.save(tagger_graph(model, "fp32", probes), scratch / "exact.onnx")
        exact = _differences(model, scratch / "exact.onnx", tokenizer, probes)
        worst = float(np.abs(exact).max())
        if not worst < _MAX_FP32_DIFFERENCE:
            raise WeightsError(
                f"the scores of the exported model differ from those of {source} by {worst:.2g}: "
                "its config has a setting that the export does not support"
            )
        (scratch / "exact.onnx").unlink()
        onnx.save(tagger_graph(model, "int8", probes), scratch / _MODEL)
        if embedder is not None:
            encoder = tagger_from_encoder(embedder).eval()
            graph = embedder_graph(encoder, random_probes(encoder.config.vocab_size))
            onnx.save(graph, scratch / _EMBEDDER)
        rounding = _differences(model, scratch / _MODEL, tokenizer, probes)
        (scratch / "tokenizer.json").write_text(tokenizer.to_json(), encoding="utf-8")
        names = sorted(path.name for path in scratch.iterdir())
        for name in names:
            shutil.move(scratch / name, folder / name)
    card = {
        "files": {name: sha256(folder / name) for name in names},
        "window": min(_WINDOW, int(model.config.max_position_embeddings)),
        "provenance": _provenance(source),
    }
    text = json.dumps(card, indent=1, ensure_ascii=False) + "\n"
    (folder / CARD_FILE).write_text(text, encoding="utf-8")
    return ExportReport(folder, worst, float(np.sqrt((rounding**2).mean())))


def tagger_graph(
    model: ChunkTagger, precision: Precision, probes: npt.NDArray[np.int64]
) -> onnx.ModelProto:
    """Build the graph of a classifier.

    Its inputs are `ids`, shape (1, length), and `places`, shape (count,): positions in the
    sequence. Its output is `t` of the tokens at these positions, shape (1, count). Activations are
    measured on `probes`, token IDs of shape (sequences, length).

    Raises:
        WeightsError: The encoder has an activation function other than GELU.
    """
    graph = _encoder_graph(model, precision, probes)
    head = model.chunklayer
    weight, bias = head.weight.detach().numpy(), head.bias.detach().numpy()
    scores = graph.tag(graph.encode("ids", "places"), weight, bias)
    inputs: dict[str, list[int | str]] = {"ids": [1, "length"], "places": ["count"]}
    return graph.model("t", scores, [1, "count"], inputs=inputs)


def embedder_graph(model: ChunkTagger, probes: npt.NDArray[np.int64]) -> onnx.ModelProto:
    """Build the "int8" graph of a mean-pooled encoder, from `ids` (1, length) to `embedding`.

    Arguments and errors are those of `tagger_graph`; the classifier layer is left out. The shape of
    `embedding` is (1, width).
    """
    graph = _encoder_graph(model, "int8", probes)
    vector = graph.mean(graph.encode("ids"))
    shape = [1, model.config.hidden_size]
    return graph.model("embedding", vector, shape, inputs={"ids": [1, "length"]})


def _encoder_graph(
    model: ChunkTagger, precision: Precision, probes: npt.NDArray[np.int64]
) -> EncoderGraph:
    config = model.config
    if config.hidden_act != "gelu":
        raise WeightsError(
            f"only encoders with GELU can be exported (hidden_act gelu), not {config.hidden_act}"
        )
    weights = {name: value.numpy() for name, value in model.model.state_dict().items()}
    return EncoderGraph(config, weights, channel_peaks(model, probes), precision)


def _differences(
    model: ChunkTagger, path: Path, tokenizer: WordPieceTokenizer, probes: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    windows = list(probes.astype(np.int32))
    places = [np.arange(len(window)) for window in windows]
    exported = OnnxTokenScorer(path, **tokenizer.specials, threads=1).score(windows, places)
    original = TorchScorer(model, **tokenizer.specials, device="cpu").score(windows, places)
    return np.concatenate(exported) - np.concatenate(original)


def _provenance(checkpoint: Path) -> dict[str, Any]:
    """Return the digest of a checkpoint's weights, and the report of its training."""
    provenance: dict[str, Any] = {"checkpoint": {WEIGHTS_FILE: sha256(checkpoint / WEIGHTS_FILE)}}
    training = checkpoint / _REPORT_FILE
    if training.is_file():
        report = json.loads(training.read_text(encoding="utf-8"))
        provenance["training"] = {key: value for key, value in report.items() if key != "points"}
    return provenance
