"""BERT encoders as ONNX graphs, built node by node in 32-bit floats or 8-bit integers.

The graph is written out rather than traced, so that it consists of the nodes that onnxruntime runs
fastest on a CPU (fused attention, normalisation and integer matrix products) and does not depend
on the version of a tracer. It takes one sequence at a time, without padding: dynamic quantisation
depends on everything computed together, and a window must score the same whatever is scored with
it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lumber_core.errors import MissingExtraError
from lumber_training.quantisation import (
    ActivationRange,
    Floats,
    activation_range,
    outlier_channels,
    quantise_matrix,
    smoothing_factors,
)

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError("onnx", "train") from error

Array = npt.NDArray[np.generic]
Weights = Mapping[str, Floats]
Precision = Literal["fp32", "int8"]

_CONTRIB = "com.microsoft"
_OPSET = 17
_IR_VERSION = 8


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """The shape of a BERT encoder, as far as its weights do not tell it.

    Attributes:
        layers: Number of layers.
        heads: Attention heads of each layer.
        epsilon: Epsilon of layer normalisation.
    """

    layers: int
    heads: int
    epsilon: float = 1e-12


class EncoderGraph:
    """Collects the nodes of a graph. Methods return names of tensors of shape (1, length, width).

    Args:
        shape: Shape of the encoder.
        precision: "int8" stores matrices as 7-bit integers with one scale per column, and
            quantises activations dynamically.
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

    def encode(self, ids: str, weights: Weights, peaks: Weights, places: str | None = None) -> str:
        """Run a whole encoder.

        Args:
            ids: Name of the token ids, int64, shape (1, length).
            weights: Its weights, by their names in BERT's state dict.
            peaks: For "int8", the largest magnitude of each input channel of a matrix, by the
                name of the matrix ("query" for the three matrices of attention).
            places: Name of the positions whose hidden states are returned, int64, shape (count,);
                the last layer computes only these. None returns all.
        """
        hidden = self.embed(ids, weights)
        for number in range(self._shape.layers):
            last = number == self._shape.layers - 1
            hidden = self.layer(hidden, weights, peaks, number, places if last else None)
        return hidden

    def embed(self, ids: str, weights: Weights) -> str:
        """Add word, position and type embeddings, and normalise.

        Args:
            ids: Name of the token ids, int64, shape (1, length).
            weights: The encoder's weights, by their names in BERT's state dict.
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

    def layer(
        self, hidden: str, weights: Weights, peaks: Weights, number: int, places: str | None = None
    ) -> str:
        """Run one layer: self-attention over the whole sequence, then the feed-forward network.

        With `places`, activations are quantised with constant scales, so that the result of a
        token does not depend on which others are computed.
        """
        prefix = f"encoder.layer.{number}."
        attended = self._attend(hidden, weights, peaks, prefix, places)
        if places is not None:
            hidden = self._node("Gather", [hidden, places], axis=1)
        hidden = self._add_and_norm(attended, hidden, weights, f"{prefix}attention.output.")
        inner = self._feed_forward(hidden, weights, peaks, prefix, fixed=places is not None)
        return self._add_and_norm(inner, hidden, weights, f"{prefix}output.")

    def linear(
        self, hidden: str, weight: Floats, bias: Floats, constant: ActivationRange | None = None
    ) -> str:
        """Multiply by a matrix, given in PyTorch's layout (out, in), and add a bias.

        Args:
            hidden: The input.
            weight: The matrix.
            bias: The bias.
            constant: Constant scale and zero point of `hidden` for "int8"; None for dynamic ones.
        """
        if self._precision == "fp32":
            product = self._node("MatMul", [hidden, self._constant(weight.T)])
            return self._node("Add", [product, self._constant(bias)])
        if constant is not None:
            given = [self._constant(constant.scale), self._constant(constant.zero_point)]
            return self._integer_linear(
                [self._node("QuantizeLinear", [hidden, *given]), *given], weight, bias
            )
        matrix = quantise_matrix(weight)
        constants: tuple[Array, ...] = (*matrix, np.zeros(len(bias), dtype=np.int8), bias)
        inputs = [hidden, *map(self._constant, constants)]
        return self._node("DynamicQuantizeMatMul", inputs, contrib=True)

    def tag(self, hidden: str, weight: Floats, bias: Floats) -> str:
        """Return t = logit(start) - logit(normal) of each hidden state, shape (1, count)."""
        column = (weight[1] - weight[0]).astype(np.float32)[:, None]
        product = self._node("MatMul", [hidden, self._constant(column)])
        biased = self._node("Add", [product, self._constant(bias[1:] - bias[:1])])
        return self._node("Squeeze", [biased, self._constant(np.asarray([2], dtype=np.int64))])

    def mean(self, hidden: str) -> str:
        """Return the mean over the tokens, normalised to length 1, shape (1, width)."""
        pooled = self._node("ReduceMean", [hidden], axes=[1], keepdims=0)
        return self._node("LpNormalization", [pooled], axis=1, p=2)

    def model(
        self,
        *,
        output: str,
        tensor: str,
        shape: Sequence[int | str],
        inputs: Mapping[str, Sequence[int | str]],
    ) -> onnx.ModelProto:
        """Return the finished model.

        Args:
            output: Name of its output.
            tensor: The tensor to return.
            shape: Its shape.
            inputs: Shapes of the int64 inputs, by name.
        """
        graph = helper.make_graph(
            [*self._nodes, helper.make_node("Identity", [tensor], [output])],
            "bert",
            [
                helper.make_tensor_value_info(name, TensorProto.INT64, size)
                for name, size in inputs.items()
            ],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
            list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="lumber-splitters")
        model.ir_version = _IR_VERSION
        return model

    def _gather_words(self, ids: str, table: Floats) -> str:
        """Look up word embeddings; as integers, each word has its own scale."""
        if self._precision == "fp32":
            return self._node("Gather", [self._constant(table), ids])
        scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-12) / 127
        values = np.rint(table / scales).astype(np.int8)
        words = self._node("Gather", [self._constant(values), ids])
        words = self._node("Cast", [words], to=TensorProto.FLOAT)
        scale = self._node("Gather", [self._constant(scales.astype(np.float32)), ids])
        return self._node("Mul", [words, scale])

    def _attend(
        self, hidden: str, weights: Weights, peaks: Weights, prefix: str, places: str | None
    ) -> str:
        """Run self-attention, including its output matrix."""
        parts = [f"{prefix}attention.self.{part}." for part in ("query", "key", "value")]
        matrices = [weights[part + "weight"] for part in parts]
        biases = [weights[part + "bias"] for part in parts]
        out_name = f"{prefix}attention.output.dense."
        out, reach = weights[out_name + "weight"], peaks.get(out_name + "weight")
        if self._precision == "int8" and reach is not None:
            # Attention averages values within a channel, so the value matrix takes the factors.
            factors = smoothing_factors(reach, out)
            matrices[2] = matrices[2] / factors[:, None]
            biases[2] = biases[2] / factors
            out, reach = out * factors, reach / factors
        hidden, matrices, _ = self._smooth(hidden, matrices, peaks.get(parts[0] + "weight"))
        if self._precision == "int8":
            bytes_of = [self._fresh() for _ in range(3)]
            self._nodes.append(helper.make_node("DynamicQuantizeLinear", [hidden], bytes_of))
            query, key, value = (
                self._integer_linear(bytes_of, *pair) for pair in zip(matrices, biases, strict=True)
            )
        else:
            query, key, value = (
                self.linear(hidden, *pair) for pair in zip(matrices, biases, strict=True)
            )
        if places is not None:
            query = self._node("Gather", [query, places], axis=1)
        attended = self._node(
            "MultiHeadAttention", [query, key, value], contrib=True, num_heads=self._shape.heads
        )
        constant = None
        if places is not None and reach is not None:
            constant = activation_range(reach.max())
        return self.linear(attended, out, weights[out_name + "bias"], constant)

    def _feed_forward(
        self, hidden: str, weights: Weights, peaks: Weights, prefix: str, *, fixed: bool
    ) -> str:
        """Run the feed-forward network: widen, apply GELU, narrow."""
        name, out_name = f"{prefix}intermediate.dense.", f"{prefix}output.dense."
        wide, bias = weights[name + "weight"], weights[name + "bias"]
        out, reach = weights[out_name + "weight"], peaks.get(out_name + "weight")
        exact = None
        if self._precision == "int8" and reach is not None:
            # GELU is not linear, so outlier channels cannot be smoothed: they stay in floats.
            outliers = outlier_channels(reach)
            if len(outliers):
                exact = self._node("MatMul", [hidden, self._constant(wide[outliers].T)])
                exact = self._node("Add", [exact, self._constant(bias[outliers])])
                exact = self._node("Gelu", [exact], contrib=True)
                exact = self._node("MatMul", [exact, self._constant(out.T[outliers])])
            kept = np.ones(len(bias), dtype=np.float32)
            kept[outliers] = 0
            wide, bias, out, reach = wide * kept[:, None], bias * kept, out * kept, reach * kept
        hidden, (wide,), seen = self._smooth(hidden, [wide], peaks.get(name + "weight"))
        constant = activation_range(seen.max()) if fixed and seen is not None else None
        inner = self._node("Gelu", [self.linear(hidden, wide, bias, constant)], contrib=True)
        constant = activation_range(reach.max(), gelu=True) if fixed and reach is not None else None
        product = self.linear(inner, out, weights[out_name + "bias"], constant)
        return product if exact is None else self._node("Add", [product, exact])

    def _smooth(
        self, hidden: str, matrices: list[Floats], peaks: Floats | None
    ) -> tuple[str, list[Floats], Floats | None]:
        """Apply SmoothQuant; return the activations, the matrices and the new peaks."""
        if self._precision == "fp32" or peaks is None:
            return hidden, matrices, peaks
        factors = smoothing_factors(peaks, np.concatenate(matrices))
        smoothed = self._node("Mul", [hidden, self._constant(1 / factors)])
        return smoothed, [matrix * factors for matrix in matrices], peaks / factors

    def _integer_linear(self, bytes_of: list[str], weight: Floats, bias: Floats) -> str:
        """Multiply quantised activations, given as bytes, scale and zero point."""
        values, scale, zero_point = bytes_of
        matrix = quantise_matrix(weight)
        zeros = self._constant(np.zeros(len(bias), dtype=np.int8))
        integers, scales = self._constant(matrix.values), self._constant(matrix.scales)
        constants = integers, scale, scales, zero_point
        inputs = [values, *constants, zeros, self._constant(bias)]
        return self._node("MatMulIntegerToFloat", inputs, contrib=True)

    def _add_and_norm(self, inner: str, hidden: str, weights: Weights, prefix: str) -> str:
        """Add the residual and normalise."""
        # Two nodes: onnxruntime's fused one is many times slower.
        return self._normalise(self._node("Add", [inner, hidden]), weights, prefix)

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

    def _node(self, kind: str, inputs: list[str], *, contrib: bool = False, **options: Any) -> str:
        name = self._fresh()
        domain = _CONTRIB if contrib else ""
        self._nodes.append(helper.make_node(kind, inputs, [name], domain=domain, **options))
        return name

    def _constant(self, values: Array) -> str:
        """Add a constant and return its name; equal constants are stored once."""
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
