"""Rounding the matrices of an encoder to 8-bit integers, and what is done to lose little by it.

All of a tensor's channels are rounded with one scale when they come to a matrix. A few channels
are ten times as large as the others and would leave those a handful of steps, so channels are
brought closer to one size beforehand, and the matrix undoes it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

# Seven bits, not eight: where a processor adds products of bytes in 16 bits, as those without
# VNNI do, eight could overflow and the same weights would score differently from machine to
# machine.
_LARGEST = 63
_TINY = 1e-12
# A unit stands out when it is this many times as large as the one of this rank.
_STANDS_OUT, _RANK = 2.0, 8
# Texts reach beyond what random words do.
_MARGIN = 1.5
_GELU_LOWEST = -0.17


class Rounded(NamedTuple):
    """A matrix in integers.

    Attributes:
        values: int8, shape (in, out).
        scales: What one step is worth in each column, shape (out,).
    """

    values: npt.NDArray[np.int8]
    scales: Floats


class Step(NamedTuple):
    """How activations are rounded to bytes beforehand: (byte - zero) * scale."""

    scale: Floats
    zero: npt.NDArray[np.uint8]


def rounded(weight: Floats) -> Rounded:
    """Round a matrix, given as PyTorch keeps it (out, in), with a scale for each output."""
    scales = np.maximum(np.abs(weight).max(axis=1), _TINY).astype(np.float32) / _LARGEST
    return Rounded(np.rint(weight / scales[:, None]).astype(np.int8).T, scales)


def evening(peaks: Floats, weight: Floats) -> Floats:
    """Return what to divide channels by, and to multiply a matrix's columns with, before rounding.

    Half of a channel's excess goes into the matrix, so that neither has all of it.

    Args:
        peaks: The largest magnitude seen in each channel, shape (in,).
        weight: The matrix that they come to, shape (out, in).
    """
    steep = np.maximum(np.abs(weight).max(axis=0), _TINY)
    peaks = np.maximum(peaks, _TINY)
    factors = np.sqrt(peaks / np.median(peaks) * np.median(steep) / steep)
    return np.asarray(factors, dtype=np.float32)


def standing_out(peaks: Floats) -> npt.NDArray[np.intp]:
    """Return the numbers of the units that are much larger than nearly all others, rising."""
    usual = np.sort(peaks)[-min(_RANK, len(peaks))]
    return np.flatnonzero(peaks > _STANDS_OUT * usual)


def step_for(peak: float, *, gelu: bool = False) -> Step:
    """Choose a step for values up to a magnitude, with room for larger ones.

    Args:
        peak: The largest magnitude seen.
        gelu: Whether the values come from gelu, which gives hardly any negative ones.
    """
    highest = max(float(peak), _TINY) * _MARGIN
    lowest = max(-highest, _GELU_LOWEST) if gelu else -highest
    scale = np.float32((highest - lowest) / 255)
    return Step(np.asarray(scale), np.asarray(np.rint(-lowest / scale), dtype=np.uint8))
