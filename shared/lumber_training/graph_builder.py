"""ONNX graphs, built node by node.

Graphs are built explicitly rather than traced. So they consist of the nodes that onnxruntime runs
fastest on a CPU (fused attention, normalisation and integer matrix products), and do not depend on
the version of a tracer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lumber_core.errors import MissingExtraError
from lumber_training.quantisation import ActivationRange, Floats, quantise_matrix

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError("onnx", "train") from error

Array = npt.NDArray[np.generic]
Precision = Literal["fp32", "int8"]

_CONTRIB = "com.microsoft"
_OPSET = 17
_IR_VERSION = 8


class GraphBuilder:
    """Collects the nodes of a graph. Methods return names of tensors.

    Args:
        precision: "int8" stores matrices as 7-bit integers with one scale per column, and
            quantises activations dynamically.
    """

    def __init__(self, precision: Precision) -> None:
        self._precision = precision
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}
        self._names: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._count = 0

    def linear(
        self, hidden: str, weight: Floats, bias: Floats, constant: ActivationRange | None = None
    ) -> str:
        """Multiply by a matrix, given in PyTorch's layout (out, in), and add a bias.

        `constant` has the scale and zero point of `hidden` for "int8"; None: they are dynamic.
        """
        if self._precision == "fp32":
            product = self._node("MatMul", [hidden, self._constant(weight.T)])
            return self._node("Add", [product, self._constant(bias)])
        if constant is not None:
            scaling = [self._constant(constant.scale), self._constant(constant.zero_point)]
            return self._integer_linear(
                [self._node("QuantizeLinear", [hidden, *scaling]), *scaling], weight, bias
            )
        matrix = quantise_matrix(weight)
        constants: tuple[Array, ...] = (*matrix, np.zeros(len(bias), dtype=np.int8), bias)
        inputs = [hidden, *map(self._constant, constants)]
        return self._node("DynamicQuantizeMatMul", inputs, contrib=True)

    def model(
        self,
        output: str,
        tensor: str,
        shape: Sequence[int | str],
        *,
        inputs: Mapping[str, Sequence[int | str]],
    ) -> onnx.ModelProto:
        """Return the finished model, with int64 inputs of these shapes, and one output."""
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

    def _quantise(self, hidden: str) -> list[str]:
        """Quantise activations: bytes, scale and zero point."""
        outputs = [self._new_name() for _ in range(3)]
        self._nodes.append(helper.make_node("DynamicQuantizeLinear", [hidden], outputs))
        return outputs

    def _integer_linear(self, quantised: list[str], weight: Floats, bias: Floats) -> str:
        """Multiply quantised activations, given as bytes, scale and zero point."""
        values, scale, zero_point = quantised
        matrix = quantise_matrix(weight)
        zeros = self._constant(np.zeros(len(bias), dtype=np.int8))
        integers, scales = self._constant(matrix.values), self._constant(matrix.scales)
        constants = integers, scale, scales, zero_point
        inputs = [values, *constants, zeros, self._constant(bias)]
        return self._node("MatMulIntegerToFloat", inputs, contrib=True)

    def _node(self, kind: str, inputs: list[str], *, contrib: bool = False, **options: Any) -> str:
        name = self._new_name()
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

    def _new_name(self) -> str:
        self._count += 1
        return f"t{self._count}"
