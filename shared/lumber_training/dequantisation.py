"""Reading an exported 8-bit classifier back into a checkpoint that can be trained further.

The library has 8-bit models only. Their matrices are multiplied by their scales; what rounding took
away is lost, so the checkpoint scores as the 8-bit model does, up to the rounding of activations.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from lumber_core.bert.model_folder import checked_file, read_card
from lumber_core.bert.pytorch import ChunkTagger, tagger_from_encoder
from lumber_core.bert.tokenizer import WordPieceTokenizer
from lumber_core.errors import MissingExtraError, WeightsError
from lumber_training.quantisation import Floats

try:
    import torch
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

_DYNAMIC, _INTEGER = "DynamicQuantizeMatMul", "MatMulIntegerToFloat"
_MATRICES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


def read_back(exported: str | Path, *, encoder: str | Path, output: str | Path) -> Path:
    """Write the checkpoint of an exported 8-bit classifier.

    Args:
        exported: Folder written by `lumber_training.export.export`.
        encoder: Folder of the encoder that its training started from, for the embeddings, which
            training must have left unchanged.
        output: Folder for `config.json`, `model.safetensors` and `tokenizer.json`.

    Returns:
        The folder. If the card tells how the classifier was trained, so does its `training.json`.

    Raises:
        WeightsError: The file is damaged or was not written by `export`, or the embeddings differ.
    """
    source, folder = Path(exported), Path(output)
    card = read_card(source)
    model = tagger_from_encoder(encoder)
    path = checked_file(source, card, "model.int8.onnx")
    state = _Graph(onnx.load(path, load_external_data=False)).weights(model)
    model.load_state_dict({key: torch.tensor(value) for key, value in state.items()})
    model.save(folder)
    tokenizer = WordPieceTokenizer.from_folder(source)
    (folder / "tokenizer.json").write_text(tokenizer.to_json(), encoding="utf-8")
    training = card.provenance.get("training")
    if training is not None:
        report = {**training, "base": f"{training['base']}, read back from 8-bit integers"}
        (folder / "training.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    return folder


class _Graph:
    """The nodes and constants of an 8-bit classifier, as `EncoderGraph` writes them."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._nodes = list(model.graph.node)
        self._constants = {
            constant.name: numpy_helper.to_array(constant)
            for constant in model.graph.initializer
            if constant.data_location != onnx.TensorProto.EXTERNAL
        }
        self._maker = {name: node for node in self._nodes for name in node.output}
        self._users: dict[str, list[onnx.NodeProto]] = {}
        for node in self._nodes:
            for name in node.input:
                self._users.setdefault(name, []).append(node)

    def weights(self, model: ChunkTagger) -> dict[str, Floats]:
        """Return the state dict of the classifier; `model` gives shapes and embeddings."""
        state = {key: value.numpy().copy() for key, value in model.state_dict().items()}
        linear = self._of(_DYNAMIC, _INTEGER)
        norms = self._of("LayerNormalization")
        layers = model.config.num_hidden_layers
        if len(linear) != layers * len(_MATRICES) or len(norms) != 1 + 2 * layers:
            raise WeightsError(
                f"the graph has {len(linear)} quantised matrices, not the {len(_MATRICES)} of each "
                f"of {layers} layers: expected a classifier exported to 8 bits, and the encoder "
                "that its training started from"
            )
        self._check_embeddings(norms[0], state)
        for number in range(layers):
            prefix = f"model.encoder.layer.{number}."
            own = linear[number * len(_MATRICES) : (number + 1) * len(_MATRICES)]
            for name, node in zip(_MATRICES, own, strict=True):
                state[f"{prefix}{name}.weight"], state[f"{prefix}{name}.bias"] = self._matrix(node)
            after_attention, after_all = norms[1 + 2 * number : 3 + 2 * number]
            for name, norm in (("attention.output", after_attention), ("output", after_all)):
                state[f"{prefix}{name}.LayerNorm.weight"] = self._constants[norm.input[1]]
                state[f"{prefix}{name}.LayerNorm.bias"] = self._constants[norm.input[2]]
            self._restore_outliers(after_attention.output[0], own[4], prefix, state)
        difference, bias = self._classifier()
        state["chunklayer.weight"] = np.stack([-difference, difference]) / 2
        state["chunklayer.bias"] = np.concatenate([-bias, bias]) / 2
        return state

    def _of(self, *kinds: str) -> list[onnx.NodeProto]:
        return [node for node in self._nodes if node.op_type in kinds]

    def _check_embeddings(self, norm: onnx.NodeProto, state: dict[str, Floats]) -> None:
        """Raise unless the embeddings' normalisation is the encoder's."""
        if not np.array_equal(
            self._constants[norm.input[1]], state["model.embeddings.LayerNorm.weight"]
        ):
            raise WeightsError(
                "the embeddings differ from the encoder's: pass the encoder that training started "
                "from; embeddings changed by training cannot be read back"
            )

    def _matrix(self, node: onnx.NodeProto) -> tuple[Floats, Floats]:
        """Return the matrix and bias of a node, in PyTorch's layout."""
        dynamic = node.op_type == _DYNAMIC
        scales, bias = (2, 4) if dynamic else (3, 6)
        hidden = node.input[0] if dynamic else self._maker[node.input[0]].input[0]
        values = self._constants[node.input[1]].astype(np.float32)
        matrix = (values * self._constants[node.input[scales]]).T
        return matrix * self._smoothing(hidden), self._constants[node.input[bias]].copy()

    def _smoothing(self, hidden: str) -> Floats | float:
        """Return the factors that SmoothQuant multiplies the activations by; 1 if it does not."""
        node = self._maker.get(hidden)
        if node is None or node.op_type != "Mul":
            return 1.0
        factors = self._constants.get(node.input[1])
        return 1.0 if factors is None or factors.ndim != 1 else factors

    def _restore_outliers(
        self, hidden: str, wide: onnx.NodeProto, prefix: str, state: dict[str, Floats]
    ) -> None:
        """Put the channels that stayed in floats back into the feed-forward network."""
        exact = [node for node in self._users[hidden] if node.op_type == "MatMul"]
        if not exact:
            return
        added = self._users[exact[0].output[0]][0]
        narrowed = self._users[self._users[added.output[0]][0].output[0]][0]
        channels = np.flatnonzero(~self._constants[wide.input[1]].any(axis=0))
        state[f"{prefix}intermediate.dense.weight"][channels] = self._constants[exact[0].input[1]].T
        state[f"{prefix}intermediate.dense.bias"][channels] = self._constants[added.input[1]]
        state[f"{prefix}output.dense.weight"][:, channels] = self._constants[narrowed.input[1]].T

    def _classifier(self) -> tuple[Floats, Floats]:
        """Return the weights and bias of t = logit(start) - logit(normal)."""
        product = self._of("MatMul")[-1]
        added = self._users[product.output[0]][0]
        return self._constants[product.input[1]][:, 0], self._constants[added.input[1]]
