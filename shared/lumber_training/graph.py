"""BERT encoders as ONNX graphs, built node by node in 32-bit floats or 8-bit integers.

A graph takes one sequence at a time, without padding: dynamic quantisation depends on all values in
a batch, and the scores of a window must not depend on other windows.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import onnx

from lumber_training.graph_builder import GraphBuilder, Precision
from lumber_training.quantisation import (
    Floats,
    activation_range,
    outlier_channels,
    smoothing_factors,
)

Weights = Mapping[str, Floats]


class EncoderGraph(GraphBuilder):
    """The graph of an encoder. Methods return names of tensors of shape (1, length, width).

    Args:
        config: The encoder's config, of transformers.
        weights: Its weights, by their names in BERT's state dict.
        peaks: The largest magnitude of each input channel of a matrix, by the name of the matrix
            ("query" for the three matrices of attention); see `channel_peaks`.
        precision: See `GraphBuilder`.
    """

    def __init__(self, config: Any, weights: Weights, peaks: Weights, precision: Precision) -> None:
        super().__init__(precision)
        self._config = config
        self._weights = weights
        self._peaks = peaks

    def encode(self, ids: str, places: str | None = None) -> str:
        """Run the whole encoder.

        Args:
            ids: Name of the token IDs, int64, shape (1, length).
            places: Name of the positions whose hidden states are returned, int64, shape (count,);
                the last layer computes only these. None: all positions.
        """
        hidden = self._embed(ids)
        last = self._config.num_hidden_layers - 1
        for number in range(last + 1):
            hidden = self._layer(hidden, number, places if number == last else None)
        return hidden

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

    def _embed(self, ids: str) -> str:
        """Add word, position and type embeddings, and normalise."""
        words = self._gather_words(ids, self._weights["embeddings.word_embeddings.weight"])
        length = self._node("Shape", [ids], start=1, end=2)
        position_table = self._constant(
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        zero = self._constant(np.zeros(1, dtype=np.int64))
        positions = self._node("Slice", [position_table, zero, length, zero])
        return self._normalise(self._node("Add", [words, positions]), "embeddings.")

    def _gather_words(self, ids: str, table: Floats) -> str:
        """Look up word embeddings; for "int8", each word has its own scale."""
        if self._precision == "fp32":
            return self._node("Gather", [self._constant(table), ids])
        scales = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-12) / 127
        values = np.rint(table / scales).astype(np.int8)
        words = self._node("Gather", [self._constant(values), ids])
        words = self._node("Cast", [words], to=onnx.TensorProto.FLOAT)
        scale = self._node("Gather", [self._constant(scales.astype(np.float32)), ids])
        return self._node("Mul", [words, scale])

    def _layer(self, hidden: str, number: int, places: str | None) -> str:
        """Run one layer: self-attention over the whole sequence, then the feed-forward network.

        With `places`, activations are quantised with constant scales, so that the result of a
        token does not depend on which other tokens are computed.
        """
        prefix = f"encoder.layer.{number}."
        attended = self._attend(hidden, prefix, places)
        if places is not None:
            hidden = self._node("Gather", [hidden, places], axis=1)
        # The sum is a node of its own: onnxruntime's fused node is many times slower.
        residual = self._node("Add", [attended, hidden])
        hidden = self._normalise(residual, f"{prefix}attention.output.")
        inner = self._feed_forward(hidden, prefix, fixed=places is not None)
        return self._normalise(self._node("Add", [inner, hidden]), f"{prefix}output.")

    def _attend(self, hidden: str, prefix: str, places: str | None) -> str:
        """Run self-attention, including its output matrix."""
        weights = self._weights
        parts = [f"{prefix}attention.self.{part}." for part in ("query", "key", "value")]
        matrices = [weights[part + "weight"] for part in parts]
        biases = [weights[part + "bias"] for part in parts]
        out_name = f"{prefix}attention.output.dense."
        out, out_peaks = weights[out_name + "weight"], self._peaks[out_name + "weight"]
        if self._precision == "int8":
            # Attention averages values within a channel, so the value matrix takes the factors.
            factors = smoothing_factors(out_peaks, out)
            matrices[2] = matrices[2] / factors[:, None]
            biases[2] = biases[2] / factors
            out, out_peaks = out * factors, out_peaks / factors
        hidden, matrices, _ = self._smooth(hidden, matrices, self._peaks[parts[0] + "weight"])
        project = partial(self.linear, hidden)
        if self._precision == "int8":
            project = partial(self._integer_linear, self._quantise(hidden))
        query, key, value = (project(*pair) for pair in zip(matrices, biases, strict=True))
        if places is not None:
            query = self._node("Gather", [query, places], axis=1)
        heads = self._config.num_attention_heads
        attended = self._node(
            "MultiHeadAttention", [query, key, value], contrib=True, num_heads=heads
        )
        constant = None if places is None else activation_range(out_peaks.max())
        return self.linear(attended, out, weights[out_name + "bias"], constant)

    def _feed_forward(self, hidden: str, prefix: str, *, fixed: bool) -> str:
        """Run the feed-forward network: widen, apply GELU, narrow."""
        weights = self._weights
        name, out_name = f"{prefix}intermediate.dense.", f"{prefix}output.dense."
        wide, bias = weights[name + "weight"], weights[name + "bias"]
        out, out_peaks = weights[out_name + "weight"], self._peaks[out_name + "weight"]
        exact = None
        if self._precision == "int8":
            # GELU is not linear, so outlier channels cannot be smoothed: they stay in floats.
            outliers = outlier_channels(out_peaks)
            if len(outliers):
                exact = self._node("MatMul", [hidden, self._constant(wide[outliers].T)])
                exact = self._node("Add", [exact, self._constant(bias[outliers])])
                exact = self._node("Gelu", [exact], contrib=True)
                exact = self._node("MatMul", [exact, self._constant(out.T[outliers])])
            mask = np.ones(len(bias), dtype=np.float32)
            mask[outliers] = 0
            wide, bias = wide * mask[:, None], bias * mask
            out, out_peaks = out * mask, out_peaks * mask
        hidden, (wide,), peaks = self._smooth(hidden, [wide], self._peaks[name + "weight"])
        constant = activation_range(peaks.max()) if fixed else None
        inner = self._node("Gelu", [self.linear(hidden, wide, bias, constant)], contrib=True)
        constant = activation_range(out_peaks.max(), gelu=True) if fixed else None
        product = self.linear(inner, out, weights[out_name + "bias"], constant)
        return product if exact is None else self._node("Add", [product, exact])

    def _smooth(
        self, hidden: str, matrices: list[Floats], peaks: Floats
    ) -> tuple[str, list[Floats], Floats]:
        """Apply SmoothQuant; return the activations, the matrices and the new peaks."""
        if self._precision == "fp32":
            return hidden, matrices, peaks
        factors = smoothing_factors(peaks, np.concatenate(matrices))
        smoothed = self._node("Mul", [hidden, self._constant(1 / factors)])
        return smoothed, [matrix * factors for matrix in matrices], peaks / factors

    def _normalise(self, hidden: str, prefix: str) -> str:
        names = f"{prefix}LayerNorm.weight", f"{prefix}LayerNorm.bias"
        scale, bias = (self._constant(self._weights[name]) for name in names)
        epsilon = self._config.layer_norm_eps
        return self._node("LayerNormalization", [hidden, scale, bias], axis=-1, epsilon=epsilon)
