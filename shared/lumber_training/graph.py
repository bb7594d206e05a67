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
from lumber_training.quantisation import Step, evening, rounded, standing_out, step_for

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError("onnx", "train") from error

Array = npt.NDArray[np.generic]
Floats = npt.NDArray[np.float32]
Weights = Mapping[str, Floats]
Precision = Literal["fp32", "int8"]

_CONTRIB = "com.microsoft"
_OPSET = 17
_IR_VERSION = 8


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

    def encode(self, ids: str, weights: Weights, peaks: Weights, places: str | None = None) -> str:
        """Run a whole encoder.

        Args:
            ids: Name of the vocabulary numbers, int64, shape (1, length).
            weights: Its weights, by the names that BERT's state dict has.
            peaks: For "int8", the largest magnitude seen in each channel of what goes into a
                matrix, by the name of the matrix ("query" for all three of attention's).
            places: Name of the places in the sequence whose hidden states are wanted, int64,
                shape (count,); None gives all of them. The last layer then works on these alone.
        """
        hidden = self.embed(ids, weights)
        for number in range(self._shape.layers):
            last = number == self._shape.layers - 1
            hidden = self.layer(hidden, weights, peaks, number, places if last else None)
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

    def layer(
        self, hidden: str, weights: Weights, peaks: Weights, number: int, places: str | None = None
    ) -> str:
        """Run one layer: self-attention over the whole sequence, then the feed-forward part.

        With `places`, what is rounded has its scale fixed here, so that a token's result does not
        depend on which other places are asked for.
        """
        prefix = f"encoder.layer.{number}."
        attended = self._attend(hidden, weights, peaks, prefix, places)
        if places is not None:
            hidden = self._node("Gather", [hidden, places], axis=1)
        hidden = self._add_and_norm(attended, hidden, weights, f"{prefix}attention.output.")
        inner = self._feed_forward(hidden, weights, peaks, prefix, fixed=places is not None)
        return self._add_and_norm(inner, hidden, weights, f"{prefix}output.")

    def linear(self, hidden: str, weight: Floats, bias: Floats, step: Step | None = None) -> str:
        """Multiply by a matrix, given as PyTorch keeps it (out, in), and add a bias.

        Args:
            hidden: What to multiply.
            weight: The matrix.
            bias: The bias.
            step: How "int8" rounds `hidden`; None lets its own range decide.
        """
        if self._precision == "fp32":
            product = self._node("MatMul", [hidden, self._constant(weight.T)])
            return self._node("Add", [product, self._constant(bias)])
        if step is not None:
            given = [self._constant(step.scale), self._constant(step.zero)]
            return self._integer_linear(
                [self._node("QuantizeLinear", [hidden, *given]), *given], weight, bias
            )
        matrix = rounded(weight)
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
        """Return the mean over a sequence's tokens, scaled to length 1, shape (1, width)."""
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
            tensor: The tensor to give out.
            shape: The shape of that.
            inputs: Shapes of its inputs by name; all are int64.
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
        """Look words up; with integers, each word has a scale of its own."""
        if self._precision == "fp32":
            return self._node("Gather", [self._constant(table), ids])
        scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-12) / 127
        rounded = np.rint(table / scales).astype(np.int8)
        words = self._node("Gather", [self._constant(rounded), ids])
        words = self._node("Cast", [words], to=TensorProto.FLOAT)
        scale = self._node("Gather", [self._constant(scales.astype(np.float32)), ids])
        return self._node("Mul", [words, scale])

    def _attend(
        self, hidden: str, weights: Weights, peaks: Weights, prefix: str, places: str | None
    ) -> str:
        """Run self-attention with its output matrix."""
        parts = [f"{prefix}attention.self.{part}." for part in ("query", "key", "value")]
        matrices = [weights[part + "weight"] for part in parts]
        biases = [weights[part + "bias"] for part in parts]
        out_name = f"{prefix}attention.output.dense."
        out, reach = weights[out_name + "weight"], peaks.get(out_name + "weight")
        if self._precision == "int8" and reach is not None:
            # Attention mixes values and leaves channels apart: no node is needed here.
            factors = evening(reach, out)
            matrices[2] = matrices[2] / factors[:, None]
            biases[2] = biases[2] / factors
            out, reach = out * factors, reach / factors
        hidden, matrices, _ = self._even(hidden, matrices, peaks.get(parts[0] + "weight"))
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
        step = step_for(reach.max()) if places is not None and reach is not None else None
        return self.linear(attended, out, weights[out_name + "bias"], step)

    def _feed_forward(
        self, hidden: str, weights: Weights, peaks: Weights, prefix: str, *, fixed: bool
    ) -> str:
        """Widen, apply gelu and narrow again."""
        name, out_name = f"{prefix}intermediate.dense.", f"{prefix}output.dense."
        wide, bias = weights[name + "weight"], weights[name + "bias"]
        out, reach = weights[out_name + "weight"], peaks.get(out_name + "weight")
        exact = None
        if self._precision == "int8" and reach is not None:
            # Gelu cannot be scaled: units that stand out take a way of their own, in floats.
            units = standing_out(reach)
            if len(units):
                exact = self._node("MatMul", [hidden, self._constant(wide[units].T)])
                exact = self._node("Add", [exact, self._constant(bias[units])])
                exact = self._node("Gelu", [exact], contrib=True)
                exact = self._node("MatMul", [exact, self._constant(out.T[units])])
            kept = np.ones(len(bias), dtype=np.float32)
            kept[units] = 0
            wide, bias, out, reach = wide * kept[:, None], bias * kept, out * kept, reach * kept
        hidden, (wide,), seen = self._even(hidden, [wide], peaks.get(name + "weight"))
        step = step_for(seen.max()) if fixed and seen is not None else None
        inner = self._node("Gelu", [self.linear(hidden, wide, bias, step)], contrib=True)
        step = step_for(reach.max(), gelu=True) if fixed and reach is not None else None
        product = self.linear(inner, out, weights[out_name + "bias"], step)
        return product if exact is None else self._node("Add", [product, exact])

    def _even(
        self, hidden: str, matrices: list[Floats], peaks: Floats | None
    ) -> tuple[str, list[Floats], Floats | None]:
        """Bring channels closer to one size; return them, the matrices, and the peaks then."""
        if self._precision == "fp32" or peaks is None:
            return hidden, matrices, peaks
        factors = evening(peaks, np.concatenate(matrices))
        evened = self._node("Mul", [hidden, self._constant(1 / factors)])
        return evened, [matrix * factors for matrix in matrices], peaks / factors

    def _integer_linear(self, bytes_of: list[str], weight: Floats, bias: Floats) -> str:
        """Multiply what is rounded already, given as its bytes, their scale and their zero."""
        values, scale, zero = bytes_of
        matrix = rounded(weight)
        zeros = self._constant(np.zeros(len(bias), dtype=np.int8))
        constants = self._constant(matrix.values), scale, self._constant(matrix.scales), zero
        inputs = [values, *constants, zeros, self._constant(bias)]
        return self._node("MatMulIntegerToFloat", inputs, contrib=True)

    def _add_and_norm(self, inner: str, hidden: str, weights: Weights, prefix: str) -> str:
        """Add what came in to a block's result, and normalise."""
        # Two nodes, as onnxruntime's fused one is many times slower than both together.
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
