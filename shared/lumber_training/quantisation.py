"""8-bit quantisation of an encoder that keeps its scores close to the original scores.

Activations of a matrix are quantised with one scale for all channels. A few channels of a BERT
encoder, the outlier channels, are ten times as large as the others, which would leave only a few of
the 256 steps for the others. SmoothQuant (Xiao et al. 2023, arXiv 2211.10438, section 4) divides
each channel by a factor and multiplies the matrix by it. This changes no result and moves part of
the difficulty from the activations into the weights. After GELU a channel cannot be rescaled, so
the outlier channels there stay in 32-bit floats, as in LLM.int8() (arXiv 2208.07339).

The large channels are a property of the model and hardly depend on its input, so random tokens are
enough to find them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_core.bert.pytorch import ChunkTagger
from lumber_core.errors import MissingExtraError

try:
    import torch
except ImportError as error:  # pragma: no cover - exercised where the extra is absent
    raise MissingExtraError(error.name or "torch", "train") from error

Floats = npt.NDArray[np.float32]

# Seven bits rather than eight: processors without VNNI add products of bytes in 16 bits. Eight bits
# could overflow there, and the same weights would give different scores.
_MAX_WEIGHT = 63
_MIN_PEAK = 1e-12  # avoids division by zero
# An outlier channel is more than twice as large as the eighth largest channel.
_OUTLIER_RATIO, _OUTLIER_RANK = 2.0, 8
# Real texts have larger activations than random tokens.
_PEAK_MARGIN = 1.5
_GELU_MINIMUM = -0.17
_PROBES, _PROBE_LENGTH = 16, 128  # random sequences, and tokens of each


class QuantisedMatrix(NamedTuple):
    """A matrix in 8-bit integers; a weight is its integer times the scale of its column."""

    values: npt.NDArray[np.int8]  # the integers, shape (in, out)
    scales: Floats  # of the columns, shape (out,)


class ActivationRange(NamedTuple):
    """The quantisation of activations: value = (byte - zero_point) * scale."""

    scale: Floats
    zero_point: npt.NDArray[np.uint8]


def quantise_matrix(weight: Floats) -> QuantisedMatrix:
    """Quantise a matrix, given in PyTorch's layout (out, in), with one scale for each output."""
    largest = np.maximum(np.abs(weight).max(axis=1), _MIN_PEAK).astype(np.float32)
    scales = largest / _MAX_WEIGHT
    return QuantisedMatrix(np.rint(weight / scales[:, None]).astype(np.int8).T, scales)


def smoothing_factors(peaks: Floats, weight: Floats) -> Floats:
    """Return SmoothQuant's factors, which divide the activations and multiply the matrix.

    These are the factors of equation 4 with alpha = 0.5: activations and weights share the excess
    of a channel equally. They are scaled so that a typical channel keeps its size. The peaks, which
    are the largest magnitude of each input channel, and the factors have the shape (in,), the
    matrix (out, in).
    """
    largest = np.maximum(np.abs(weight).max(axis=0), _MIN_PEAK)
    peaks = np.maximum(peaks, _MIN_PEAK)
    factors = np.sqrt(peaks / np.median(peaks) * np.median(largest) / largest)
    return np.asarray(factors, dtype=np.float32)


def outlier_channels(peaks: Floats) -> npt.NDArray[np.intp]:
    """Return the indices of the channels that are much larger than nearly all others, ascending."""
    reference = np.sort(peaks)[-min(_OUTLIER_RANK, len(peaks))]
    return np.flatnonzero(peaks > _OUTLIER_RATIO * reference)


def activation_range(peak: float, *, gelu: bool = False) -> ActivationRange:
    """Choose a constant scale and zero point for activations up to a measured peak, with a margin.

    With `gelu`, the values come from GELU, which is never below -0.17.
    """
    highest = max(float(peak), _MIN_PEAK) * _PEAK_MARGIN
    lowest = max(-highest, _GELU_MINIMUM) if gelu else -highest
    scale = np.float32((highest - lowest) / 255)
    return ActivationRange(np.asarray(scale), np.asarray(np.rint(-lowest / scale), dtype=np.uint8))


def random_probes(vocabulary: int) -> npt.NDArray[np.int64]:
    """Return sequences of random token IDs, shape (16, 128); they are the same in every call.

    The first IDs of the vocabulary, which are special tokens, are left out.
    """
    rng = np.random.default_rng(0)
    return rng.integers(min(1000, vocabulary // 2), vocabulary, (_PROBES, _PROBE_LENGTH))


@torch.inference_mode()
def channel_peaks(model: ChunkTagger, probes: npt.NDArray[np.int64]) -> dict[str, Floats]:
    """Return the largest magnitude of each input channel of each matrix, by the matrix's name.

    The model is run on `probes`, token IDs of shape (sequences, length).
    """
    peaks: dict[str, Floats] = {}

    def watch(name: str) -> Any:
        def look(_module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
            width = inputs[0].shape[-1]
            magnitudes = inputs[0].abs().reshape(-1, width).amax(0).numpy()
            peaks[name] = np.maximum(peaks[name], magnitudes) if name in peaks else magnitudes

        return look

    hooks = [
        module.register_forward_pre_hook(watch(f"{name}.weight"))
        for name, module in model.model.named_modules()
        if name.endswith(("self.query", "intermediate.dense", "output.dense"))
    ]
    try:
        for probe in probes:
            ids = torch.from_numpy(probe)[None]
            model(ids, torch.ones_like(ids))
    finally:
        for hook in hooks:
            hook.remove()
    return peaks
