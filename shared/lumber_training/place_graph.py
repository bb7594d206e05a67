"""Models of places as ONNX graphs, in 32-bit floats or 8-bit integers.

The vectors and weights of words, and the first layer, which sees one word at a time, are tables.
In 8 bits, the tables of vectors and all large matrices are integers. Segments have different
lengths; sums over their tokens are scattered, which a session adds in order in one thread.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
import torch
from onnx import TensorProto, numpy_helper

from lumber_training.graph_builder import GraphBuilder, Precision
from lumber_training.place_model import (
    LAST,
    LONGEST,
    POOLS,
    REACH,
    SPANS,
    PlaceModel,
    PlaceShape,
    gelu,
)
from lumber_training.quantisation import Floats

_EPSILON = 1e-5  # of PyTorch's layer normalisation
_AT_ONCE = 4096
_END = 1 << 40  # beyond the end of every axis
_BLOCK = 40  # places whose attention is computed together; 24 to 80 take about the same time
_SEEN = _BLOCK + 2 * REACH
_FAR = -1e4  # bias of places out of reach, whose weight becomes 0


def place_graph(model: PlaceModel, precision: Precision) -> onnx.ModelProto:
    """Build the graph of a model of places.

    Its inputs are `ids`, shape (1, length), without [CLS] and [SEP], and `places`, shape (count,):
    the position of each segment's first token, ascending, of which the first is 0. Its output is
    `t` of the places, shape (1, count).

    Args:
        model: The model.
        precision: Precision of its matrices.
    """
    return PlaceGraph(model, precision).build()


class PlaceGraph(GraphBuilder):
    """The graph of a model of places. Methods return names of tensors of shape (rows, width).

    Args:
        model: The model.
        precision: As for `GraphBuilder`.
    """

    def __init__(self, model: PlaceModel, precision: Precision) -> None:
        super().__init__(precision)
        self._shape: PlaceShape = model.shape
        self._weights: Mapping[str, Floats] = {
            name: value.detach().numpy() for name, value in model.state_dict().items()
        }
        self._vectors, self._word_weights, self._read = _tables(model)

    def build(self) -> onnx.ModelProto:
        """Return the finished model."""
        self._ids = self._node("Squeeze", ["ids", self._ints(0)])
        self._length = self._node("Shape", [self._ids])
        self._places = self._node("Shape", ["places"])
        # The first token of each segment and the one behind its last, shape (places, 1).
        self._first = self._node("Unsqueeze", ["places", self._ints(1)])
        rest = self._slice("places", 1, _END, axis=0)
        after = self._node("Concat", [rest, self._length], axis=0)
        self._after = self._node("Unsqueeze", [after, self._ints(1)])
        self._owner = self._find_owners()
        means, sums = self._mean_vectors()
        width = self._shape.vector_width
        features = [
            self._times(self._node("Reshape", [means, self._ints(0, width)]), 2),
            *self._read_tokens(),
            self._times(self._compare(means), 2),
            *self._known(sums),
        ]
        hidden = self._linear("into", self._node("Concat", features, axis=1))
        hidden = self._transform(self._norm("nin", hidden))
        t = self._node("MatMul", [hidden, self._constant(self._weights["t.weight"].T)])
        t = self._node("Add", [t, self._constant(self._weights["t.bias"])])
        t = self._node("Transpose", [t], perm=[1, 0])
        inputs: dict[str, list[int | str]] = {"ids": [1, "length"], "places": ["count"]}
        return self.model(output="t", tensor=t, shape=[1, "count"], inputs=inputs)

    def _find_owners(self) -> str:
        """Return the number of each token's segment, shape (tokens, 1)."""
        ones = self._node("Expand", [self._ints(1), self._places])
        begins = self._fill([self._length], np.int64(0))
        begins = self._node("ScatterElements", [begins, "places", ones], axis=0)
        owners = self._node("CumSum", [begins, self._constant(np.array(0))])
        owners = self._node("Sub", [owners, self._ints(1)])
        return self._node("Unsqueeze", [owners, self._ints(1)])

    def _mean_vectors(self) -> tuple[str, str]:
        """Return the means over segments, (places, means, group_width), and sums of weights."""
        shape = self._shape
        weights = self._node("Gather", [self._constant(self._word_weights), self._ids])
        weights = self._sum(weights, shape.means)
        weights = self._node("Add", [weights, self._floats(1e-3)])
        vectors = self._sum(self._look_up(self._vectors), shape.vector_width)
        vectors = self._node("Reshape", [vectors, self._ints(0, shape.means, shape.group_width)])
        divisors = self._node("Unsqueeze", [weights, self._ints(2)])
        return self._node("Div", [vectors, divisors]), weights

    def _read_tokens(self) -> list[str]:
        """Return weighted mean, first and last tokens of each segment, after two convolutions."""
        width, part = self._shape.token_width, self._shape.token_width // POOLS
        hidden = self._look_up(self._read)
        for name, norm in (("c1", "n1"), ("c2", "n2")):
            convolved = self._convolve(name, self._norm(norm, hidden))
            hidden = self._node("Add", [hidden, self._gelu(convolved)])
        weights = self._node("MatMul", [hidden, self._constant(self._weights["att.weight"].T)])
        weights = self._node("Add", [weights, self._constant(self._weights["att.bias"])])
        limits = [self._constant(np.array(each, dtype=np.float32)) for each in (-8, 8)]
        weights = self._node("Exp", [self._node("Clip", [weights, *limits])])
        pools = self._node("Reshape", [hidden, self._ints(0, POOLS, part)])
        pools = self._node("Mul", [pools, self._node("Unsqueeze", [weights, self._ints(2)])])
        flat = self._node("Reshape", [pools, self._ints(0, width)])
        pools = self._sum(flat, width)
        pools = self._node("Reshape", [pools, self._ints(0, POOLS, part)])
        divisors = self._sum(weights, POOLS)
        divisors = self._node("Add", [divisors, self._floats(1e-3)])
        divisors = self._node("Unsqueeze", [divisors, self._ints(2)])
        mean = self._node("Reshape", [self._node("Div", [pools, divisors]), self._ints(0, width)])
        padded = self._node("Pad", [hidden, self._ints(0, 0, 1, 0)])
        count = self._shape.first_tokens
        at = self._node("Add", [self._first, self._constant(np.arange(count)[None])])
        at = self._node("Where", [self._node("Less", [at, self._after]), at, self._length])
        first = self._pick("firsts", padded, at, count)
        at = self._node("Sub", [self._after, self._constant(np.arange(1, LAST + 1)[None])])
        there = self._node("GreaterOrEqual", [at, self._first])
        last = self._pick("lasts", padded, self._node("Where", [there, at, self._length]), LAST)
        return [mean, first, last]

    def _convolve(self, name: str, hidden: str) -> str:
        """Return the convolution of tokens with their neighbours; beyond the ends are zeros."""
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        if self._precision == "fp32":
            return self.linear(self._shifted(hidden), weight, bias)
        values, scale, zero = self._quantise(hidden)  # once, not three times
        return self._integer_linear([self._shifted(values, zero), scale, zero], weight, bias)

    def _shifted(self, hidden: str, *zero: str) -> str:
        """Return each token's vector between those of its neighbours, shape (tokens, 3 x width)."""
        wide = self._node("Pad", [hidden, self._ints(1, 0, 1, 0), *zero])
        parts = [self._slice(wide, n, n - 2 if n < 2 else _END, axis=0) for n in range(3)]
        return self._node("Concat", parts, axis=1)

    def _pick(self, name: str, padded: str, at: str, count: int) -> str:
        """Read `count` tokens of each segment in full."""
        picked = self._node("Gather", [padded, at], axis=0)
        picked = self._node("Reshape", [picked, self._ints(-1, count * self._shape.token_width)])
        return self._gelu(self._linear(name, picked))

    def _compare(self, means: str) -> str:
        """Return cosines of the segments before and from each place on, (places, spans x means)."""
        shape, count = self._shape, self._places
        learned = self._slice(means, 0, shape.groups)
        random = self._slice(means, shape.groups, _END)
        sizes = self._node("Max", [self._size(learned), self._floats(1e-4)])
        unit = self._node("Concat", [self._node("Div", [learned, sizes]), random], axis=1)
        total = self._node("CumSum", [unit, self._constant(np.array(0))])
        total = self._node("Pad", [total, self._ints(1, 0, 0, 0, 0, 0)])
        at = self._node("Unsqueeze", [self._range(count), self._ints(1)])
        here = self._node("Gather", [total, at])
        low = self._node("Max", [self._node("Sub", [at, self._ints(*SPANS)]), self._ints(0)])
        high = self._node("Min", [self._node("Add", [at, self._ints(*SPANS)]), count])
        before = self._node("Sub", [here, self._node("Gather", [total, low])])
        onward = self._node("Sub", [self._node("Gather", [total, high]), here])
        product = self._node("Mul", [before, onward])
        product = self._node("ReduceSum", [product, self._ints(-1)], keepdims=1)
        lengths = [
            self._node("Max", [self._size(each), self._floats(1e-3)]) for each in (before, onward)
        ]
        cosines = self._node("Div", [product, self._node("Mul", lengths)])
        return self._node("Reshape", [cosines, self._ints(-1, len(SPANS) * shape.means)])

    def _known(self, sums: str) -> list[str]:
        """Return the length of each segment, whether it is the first, and its weight."""
        length = self._node("Sub", [self._after, self._first])
        length = self._node("Min", [length, self._ints(LONGEST)])
        length = self._node("Log", [self._node("Cast", [length], to=TensorProto.FLOAT)])
        is_first = self._node("Equal", [self._first, self._ints(0)])
        is_first = self._node("Cast", [is_first], to=TensorProto.FLOAT)
        weight = self._node("ReduceSum", [sums, self._ints(1)], keepdims=1)
        weight = self._node("Log", [self._node("Add", [weight, self._floats(1)])])
        return [length, is_first, weight]

    def _transform(self, hidden: str) -> str:
        """Run the transformer over places.

        A block of places attends to itself and to `REACH` places before and after it, so that
        time and memory grow with the number of places and not with its square.
        """
        width, heads = self._shape.width, self._shape.heads
        reach, block = self._ints(REACH), self._ints(_BLOCK)
        blocks = self._node(
            "Div", [self._node("Add", [self._places, self._ints(_BLOCK - 1)]), block]
        )
        begins = self._node("Mul", [self._range(blocks), block])
        begins = self._node("Unsqueeze", [begins, self._ints(1)])
        keys = self._node("Add", [begins, self._constant(np.arange(_SEEN)[None])])
        end = self._node("Add", [self._places, reach])
        inside = [self._node("GreaterOrEqual", [keys, reach]), self._node("Less", [keys, end])]
        there = self._node("Unsqueeze", [self._node("And", inside), self._ints(1, 2)])
        spare = self._node("Sub", [self._node("Mul", [blocks, block]), self._places])
        behind = self._node("Add", [spare, reach])
        pads = self._node("Concat", [self._ints(REACH, 0), behind, self._ints(0)], axis=0)
        for number in range(self._shape.layers):
            name = f"layers.{number}."
            qkv = self._linear(name + "qkv", self._norm(name + "n1", hidden))
            qkv = self._node("Pad", [qkv, pads])
            query = self._slice(self._slice(qkv, 0, width), REACH, -REACH, axis=0)
            query = self._node("Reshape", [query, self._ints(-1, _BLOCK, width)])
            others = self._node("Gather", [self._slice(qkv, width, _END), keys])
            key, value = (self._slice(others, n * width, (n + 1) * width, axis=2) for n in (0, 1))
            bias = self._constant(_by_distance(self._weights[name + "bias"]))
            bias = self._node("Where", [there, bias, self._floats(_FAR)])
            inputs = [query, key, value, "", "", bias]
            mixed = self._node("MultiHeadAttention", inputs, contrib=True, num_heads=heads)
            mixed = self._node("Reshape", [mixed, self._ints(-1, width)])
            zero, axis = self._ints(0), self._ints(0)
            mixed = self._node("Slice", [mixed, zero, self._places, axis])
            hidden = self._node("Add", [hidden, self._linear(name + "o", mixed)])
            inner = self._gelu(self._linear(name + "a", self._norm(name + "n2", hidden)))
            hidden = self._node("Add", [hidden, self._linear(name + "b", inner)])
        return self._norm("nout", hidden)

    def _look_up(self, table: Floats) -> str:
        """Return the vectors of words; as integers, each word has its own scale."""
        if self._precision == "fp32":
            return self._node("Gather", [self._constant(table), self._ids])
        scales = np.maximum(np.abs(table).max(axis=1), 1e-12) / 127
        values = self._constant(np.rint(table / scales[:, None]).astype(np.int8))
        tables = values, self._constant(scales.astype(np.float32))
        found = [self._node("Gather", [each, self._ids]) for each in tables]
        return self._node("DequantizeLinear", found, axis=0)

    def _sum(self, values: str, width: int) -> str:
        """Return sums over the tokens of each segment, shape (places, width)."""
        sums = self._fill([self._places, self._ints(width)], np.float32(0))
        return self._node("ScatterND", [sums, self._owner, values], reduction="add")

    def _fill(self, shape: list[str], value: np.generic) -> str:
        """Return a tensor of a shape, given by parts, that has one value everywhere."""
        size = self._node("Concat", shape, axis=0)
        filled = numpy_helper.from_array(np.array([value]))
        return self._node("ConstantOfShape", [size], value=filled)

    def _linear(self, name: str, hidden: str) -> str:
        return self.linear(hidden, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _norm(self, name: str, hidden: str) -> str:
        weights = [self._constant(self._weights[f"{name}.{each}"]) for each in ("weight", "bias")]
        return self._node("LayerNormalization", [hidden, *weights], axis=-1, epsilon=_EPSILON)

    def _gelu(self, hidden: str) -> str:
        return self._node("FastGelu", [hidden], contrib=True)

    def _times(self, hidden: str, factor: float) -> str:
        return self._node("Mul", [hidden, self._floats(factor)])

    def _size(self, vectors: str) -> str:
        """Return the length of vectors, whose last axis becomes 1."""
        return self._node("ReduceL2", [vectors], axes=[-1], keepdims=1)

    def _slice(self, tensor: str, start: int, stop: int, axis: int = 1) -> str:
        bounds = [self._ints(each) for each in (start, stop, axis)]
        return self._node("Slice", [tensor, *bounds])

    def _range(self, length: str) -> str:
        """Return 0, 1, ..., length - 1."""
        zero, one = (self._constant(np.array(each)) for each in (0, 1))
        return self._node("Range", [zero, self._node("Squeeze", [length]), one])

    def _ints(self, *values: int) -> str:
        return self._constant(np.array(values, dtype=np.int64))

    def _floats(self, *values: float) -> str:
        return self._constant(np.array(values, dtype=np.float32))


@torch.inference_mode()
def _tables(model: PlaceModel) -> tuple[Floats, Floats, Floats]:
    """Return what the model knows of each word: its vector, weights, and its first layer."""
    found = []
    for begin in range(0, model.shape.vocabulary, _AT_ONCE):
        ids = torch.arange(begin, min(begin + _AT_ONCE, model.shape.vocabulary))
        vectors, weights = model.words(ids)
        found.append((vectors, weights, gelu(model.c0(vectors))))
    tables = [torch.cat(each).numpy() for each in zip(*found, strict=True)]
    return tables[0], tables[1], tables[2]


def _by_distance(bias: Floats) -> Floats:
    """Return the bias of each place of a block to those it may see, (1, heads, block, seen)."""
    distance = np.arange(_SEEN) - REACH - np.arange(_BLOCK)[:, None]
    found = np.where(abs(distance) <= REACH, bias[:, distance.clip(-REACH, REACH) + REACH], _FAR)
    return found[None].astype(np.float32)
