"""An exported classifier as a graph for GPUs: in 32-bit floats, for batches of sequences.

onnxruntime has no kernels for 8-bit matrix products on a GPU: it would run those of the bundled
model on the CPU, and copy every activation there and back.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lumber_core.errors import MissingExtraError, WeightsError

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError("onnx", "gpu") from error

# Places of the matrix, its scales and the bias among the inputs of a node.
_PRODUCTS = {"DynamicQuantizeMatMul": (1, 2, 4), "MatMulIntegerToFloat": (1, 3, 6)}
_QUANTISING = ("DynamicQuantizeLinear", "QuantizeLinear")
_ATTENTION = "MultiHeadAttention"


def float_graph(path: Path) -> bytes:
    """Return an exported classifier as a model in 32-bit floats, for batches of padded sequences.

    Args:
        path: The `.onnx` file that `lumber-splitters export` wrote, in floats or in 8 bits.

    Returns:
        A model with the inputs `ids` (int64) and `mask` (int32, 1 for tokens and 0 for padding) and
        the output `t`, all of shape (batch, length). Its scores differ from those in 8 bits by what
        rounding adds to these.

    Raises:
        WeightsError: The file cannot be read, or is another kind of model.
    """
    try:
        model = onnx.load(path)
    except Exception as error:  # onnx's errors have no narrower base
        raise WeightsError(f"onnx cannot read {path}: {error}") from error
    graph = model.graph
    if [node.name for node in graph.output] != ["t"]:
        raise WeightsError(f"{path} is another kind of model: expected the output t")
    constants = {one.name: one for one in graph.initializer}
    same: dict[str, str] = {}  # tensors that are left out, and what takes their place
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        inputs = [same.get(name, name) for name in node.input]
        (output, *_) = node.output
        if node.op_type in _QUANTISING or "places" in inputs:
            same[output] = inputs[0]
        elif node.op_type in _PRODUCTS:
            matrix, scale, bias = (inputs[at] for at in _PRODUCTS[node.op_type])
            integers, scales = map(numpy_helper.to_array, (constants[matrix], constants[scale]))
            floats = integers.astype(np.float32) * scales
            weight, product = f"{output}_weight", f"{output}_product"
            constants[weight] = numpy_helper.from_array(floats, weight)
            nodes.append(helper.make_node("MatMul", [inputs[0], weight], [product]))
            nodes.append(helper.make_node("Add", [product, bias], [output]))
        else:
            node.input[:] = [*inputs, "", "mask"] if node.op_type == _ATTENTION else inputs
            nodes.append(node)
    used = {name for node in nodes for name in node.input}
    shape = ["batch", "length"]
    made = helper.make_graph(
        nodes,
        graph.name,
        [
            helper.make_tensor_value_info("ids", TensorProto.INT64, shape),
            helper.make_tensor_value_info("mask", TensorProto.INT32, shape),
        ],
        [helper.make_tensor_value_info("t", TensorProto.FLOAT, shape)],
        [constant for name, constant in constants.items() if name in used],
    )
    model.graph.CopyFrom(made)
    data: bytes = model.SerializeToString()
    return data
