"""BERT encoders as ONNX graphs, built node by node in 32-bit floats or 8-bit integers.

Written out rather than traced, so that the graph holds what onnxruntime runs fastest on a
processor (attention, normalisation and matrix products as single nodes), no more, and is the same
whatever version of a tracer is at hand. A graph takes one sequence at a time, without padding:
with 8-bit integers the rounding of activations depends on all that is computed together, and a
window must score the same whoever it is computed with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lumber_core.errors import MissingExtraError

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError("onnx", "train") from error

Array = npt.NDArray[np.generic]
Weights = Mapping[str, npt.NDArray[np.float32]]
Precision = Literal["fp32", "int8"]

_CONTRIB = "com.microsoft"
_OPSET = 17
_IR_VERSION = 8
# Channels of an activation that are kept in 32-bit floats: a few are twenty times as large as the
# others, and would leave those a handful of steps.
_OUTLIERS = 8
# Seven bits, not eight: where a processor adds products of bytes in 16 bits, as those without
# VNNI do, eight could overflow and the same weights would score differently from machine to
# machine.
_LARGEST = 63


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """What the weights do not tell about a BERT encoder.

    Attributes:
        layers: Number of layers.
        heads: Attention heads in each.
        epsilon: What normalisation adds to the variance.
    """

    layers: int
    heads: int
    epsilon: float = 1e-12


class EncoderGraph:
    """Collects the nodes of a graph. Methods return names of tensors, shape (1, length, width).

    Args:
        shape: Shape of the encoder.
        precision: "int8" stores matrices as integers of seven bits, one scale for each column,
            and rounds activations as they come.
    """

    def __init__(
        self,
        shape: EncoderShape,
        precision: Precision,
    ) -> None:
        self._shape = shape
        self._precision = precision
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}
        self._names: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._count = 0

    def encode(self, ids: str, weights: Weights, peaks: Weights) -> str:
        """Run a whole encoder.

        Args:
            ids: Name of the vocabulary numbers, int64, shape (1, length).
            weights: Its weights, by the names that BERT's state dict has.
            peaks: For "int8", the largest magnitude seen in each channel of what goes into a
                matrix, by the name of the matrix; the largest channels are not rounded. Matrices
                without an entry have all their channels rounded.
        """
        hidden = self.embed(ids, weights)
        for number in range(self._shape.layers):
            hidden = self.layer(hidden, weights, peaks, number)
        return hidden

    def embed(self, ids: str, weights: Weights) -> str:
        """Add up word, position and type embeddings of a sequence, and normalise.

        Args:
            ids: Name of the vocabulary numbers, int64, shape (1, length).
            weights: The encoder's weights, by the names that BERT's state dict has.
        """
        words = self._gather_words(ids, weights["embeddings.word_embeddings.weight"])
        length = self._node("Shape", [ids], start=1, end=2)
        position_table = self._constant(
            weights["embeddings.position_embeddings.weight"]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        zero = self._constant(np.zeros(1, dtype=np.int64))
        positions = self._node("Slice", [position_table, zero, length, zero])
        summed = self._node("Add", [words, positions])
        return self._normalise(summed, weights, "embeddings.")

    def layer(self, hidden: str, weights: Weights, peaks: Weights, number: int) -> str:
        """Run one layer: self-attention over the whole sequence, then the feed-forward part."""
        prefix = f"encoder.layer.{number}."
        parts = [f"{prefix}attention.self.{part}." for part in ("query", "key", "value")]
        joined = self.linear(
            hidden,
            np.concatenate([weights[part + "weight"] for part in parts]),
            np.concatenate([weights[part + "bias"] for part in parts]),
            peaks.get(parts[0] + "weight"),
        )
        query, key, value = self._split(joined, 3)
        attended = self._node(
            "MultiHeadAttention", [query, key, value], contrib=True, num_heads=self._shape.heads
        )
        hidden = self._add_and_norm(attended, hidden, weights, peaks, f"{prefix}attention.output.")
        inner = self.linear(
            hidden,
            weights[f"{prefix}intermediate.dense.weight"],
            weights[f"{prefix}intermediate.dense.bias"],
            peaks.get(f"{prefix}intermediate.dense.weight"),
        )
        inner = self._node("Gelu", [inner], contrib=True)
        return self._add_and_norm(inner, hidden, weights, peaks, f"{prefix}output.")

    def linear(
        self,
        hidden: str,
        weight: npt.NDArray[np.float32],
        bias: npt.NDArray[np.float32],
        peaks: npt.NDArray[np.float32] | None = None,
    ) -> str:
        """Multiply by a matrix, given as PyTorch keeps it (out, in), and add a bias."""
        if self._precision == "fp32":
            product = self._node("MatMul", [hidden, self._constant(weight.T)])
            return self._node("Add", [product, self._constant(bias)])
        scales = np.maximum(np.abs(weight).max(axis=1), 1e-12).astype(np.float32) / _LARGEST
        rounded = np.rint(weight / scales[:, None]).astype(np.int8)
        exact = None
        if peaks is not None:
            largest = np.sort(np.argsort(peaks)[-_OUTLIERS:])
            rest = np.ones(len(peaks), dtype=np.float32)
            rest[largest] = 0
            columns = self._node("Gather", [hidden, self._constant(largest)], axis=2)
            exact = self._node("MatMul", [columns, self._constant(weight.T[largest])])
            hidden = self._node("Mul", [hidden, self._constant(rest)])
        product = self._node(
            "DynamicQuantizeMatMul",
            [
                hidden,
                self._constant(rounded.T),
                self._constant(scales),
                self._constant(np.zeros(len(scales), dtype=np.int8)),
                self._constant(bias),
            ],
            contrib=True,
        )
        return product if exact is None else self._node("Add", [product, exact])

    def tag(
        self, hidden: str, weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]
    ) -> str:
        """Return t = logit(start) - logit(normal) of each token, shape (1, length)."""
        column = (weight[1] - weight[0]).astype(np.float32)[:, None]
        product = self._node("MatMul", [hidden, self._constant(column)])
        biased = self._node("Add", [product, self._constant(bias[1:] - bias[:1])])
        return self._node("Squeeze", [biased, self._constant(np.asarray([2], dtype=np.int64))])

    def mean(self, hidden: str) -> str:
        """Return the mean over a sequence's tokens, scaled to length 1, shape (1, width)."""
        pooled = self._node("ReduceMean", [hidden], axes=[1], keepdims=0)
        return self._node("LpNormalization", [pooled], axis=1, p=2)

    def model(self, *, output: str, tensor: str, shape: Sequence[int | str]) -> onnx.ModelProto:
        """Return the finished model, whose input is `ids`, int64, shape (1, length).

        Args:
            output: Name of its output.
            tensor: The tensor to give out.
            shape: The shape of that.
        """
        graph = helper.make_graph(
            [*self._nodes, helper.make_node("Identity", [tensor], [output])],
            "bert",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "length"])],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
            list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="lumber-splitters")
        model.ir_version = _IR_VERSION
        return model

    def _gather_words(self, ids: str, table: npt.NDArray[np.float32]) -> str:
        """Look words up; with integers, each word has a scale of its own."""
        if self._precision == "fp32":
            return self._node("Gather", [self._constant(table), ids])
        scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-12) / 127
        rounded = np.rint(table / scales).astype(np.int8)
        words = self._node("Gather", [self._constant(rounded), ids])
        words = self._node("Cast", [words], to=TensorProto.FLOAT)
        scale = self._node("Gather", [self._constant(scales.astype(np.float32)), ids])
        return self._node("Mul", [words, scale])

    def _add_and_norm(
        self, inner: str, hidden: str, weights: Weights, peaks: Weights, prefix: str
    ) -> str:
        """Run the linear part of a block, add what came in, and normalise."""
        out = self.linear(
            inner,
            weights[prefix + "dense.weight"],
            weights[prefix + "dense.bias"],
            peaks.get(prefix + "dense.weight"),
        )
        # Two nodes, as onnxruntime's fused one is many times slower than both together.
        return self._normalise(self._node("Add", [out, hidden]), weights, prefix)

    def _normalise(self, hidden: str, weights: Weights, prefix: str) -> str:
        return self._node(
            "LayerNormalization",
            [
                hidden,
                self._constant(weights[prefix + "LayerNorm.weight"]),
                self._constant(weights[prefix + "LayerNorm.bias"]),
            ],
            axis=-1,
            epsilon=self._shape.epsilon,
        )

    def _split(self, tensor: str, parts: int) -> list[str]:
        """Cut the last axis into equal parts."""
        names = [self._fresh() for _ in range(parts)]
        self._nodes.append(helper.make_node("Split", [tensor], names, axis=2))
        return names

    def _node(self, kind: str, inputs: list[str], *, contrib: bool = False, **options: Any) -> str:
        name = self._fresh()
        domain = _CONTRIB if contrib else ""
        self._nodes.append(helper.make_node(kind, inputs, [name], domain=domain, **options))
        return name

    def _constant(self, values: Array) -> str:
        """Add a constant; equal ones are kept once, such as the words that two encoders share."""
        values = np.ascontiguousarray(values)
        key = (str(values.dtype), values.shape, hashlib.sha256(values.tobytes()).digest())
        if key not in self._names:
            name = f"c{len(self._constants)}"
            self._names[key] = name
            self._constants[name] = numpy_helper.from_array(values, name)
        return self._names[key]

    def _fresh(self) -> str:
        self._count += 1
        return f"t{self._count}"
