"""Vectors as 8 bits a number, and the search of those nearest to another one.

All vectors are compared by the signs of their numbers first, a bit each. The similarities of the
best are then computed from the 8 bits. So a search reads an eighth of the vectors, and finds 99 of
the 100 nearest ones or more.

Vectors are turned before they are stored, all in the same way. That leaves similarities as they
are, and spreads over all numbers what a model keeps in one of them.

A vector is stored as it is, and compared as it is, beside whatever others: sums of floats depend on
their order, which differs with the number of rows that are multiplied at once. So numbers are
rounded to multiples of a power of two, whose sums are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from hashlib import shake_256
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lumber_retrieval.index.surroundings import Vectors, unit_length

Rows = npt.NDArray[np.intp]
_Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

_BLOCK = 256  # vectors turned into floats at once: they stay in the cache of a processor
# Of numbers up to 1. Sums of products of two such numbers are exact for vectors of length 1.
_STEP = 2.0**-24
_SAMPLE = 4096  # vectors whose mean stands for the mean of all
_SAMPLED = 512  # the highest so many of a sample show the highest of all within a few per cent


def rotate(vectors: Vectors) -> Doubles:
    """Return vectors, shape (…, width), as they are stored and compared, of length 1."""
    rows = unit_length(np.atleast_2d(vectors).astype(np.float64, order="C"))
    made = unit_length(_round(rows) @ _rotation(vectors.shape[-1]).T)
    return made.reshape(vectors.shape)


def pack(vectors: Vectors) -> bytes:
    """Return vectors, shape (vectors, width), as 8 bits a number."""
    made = rotate(vectors)
    largest = np.abs(made).max(axis=1, keepdims=True, initial=1e-30)
    content: bytes = np.rint(made * (127 / largest)).astype(np.int8).tobytes()
    return content


def unpack(content: bytes, count: int) -> Vectors:
    """Return vectors of length 1, shape (count, width), from what `pack` returned.

    They are the same beside whatever others: so many bits are exact.
    """
    numbers = np.frombuffer(content, dtype=np.int8).reshape(count, -1).astype(np.float64)
    return unit_length(numbers @ _rotation(numbers.shape[1])).astype(np.float32)


class PackedVectors:
    """So many vectors of 8 bits a number, as one or more calls of `pack` returned them."""

    def __init__(self, content: bytes, count: int) -> None:
        self._numbers = np.frombuffer(content, dtype=np.int8).reshape(count, -1)

    def __len__(self) -> int:
        """Return the number of vectors."""
        return len(self._numbers)

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return self._numbers.shape[1]

    def similarities(self, wanted: Doubles, places: Rows) -> _Floats:
        """Return the cosine similarities of some vectors to one that `rotate` returned."""
        found = np.empty(len(places), dtype=np.float64)
        exact = _round(wanted)
        for first in range(0, len(places), _BLOCK):
            some = slice(first, first + _BLOCK)
            found[some] = self._numbers[places[some]].astype(np.float64) @ exact
        return (found * self._scales[places]).astype(np.float32)

    def estimates(self, wanted: Doubles) -> _Floats:
        """Return the similarities of all vectors as their signs tell them."""
        signs = self._signs
        rest = wanted - signs.centre
        differing = np.zeros(len(self), dtype=np.uint16)
        for stored, own in zip(signs.bits, _bits(rest[None])[:, 0], strict=True):
            differing += _bit_count(stored ^ own)
        # The share of signs that differ is the angle between two vectors.
        cosines = np.cos(np.pi / self.width * np.arange(self.width + 1))
        by_count = (cosines * np.linalg.norm(rest)).astype(np.float32)
        found: _Floats = by_count[differing] * signs.lengths
        found += signs.to_centre
        found += np.float32(signs.centre @ rest)
        return found

    @cached_property
    def _scales(self) -> _Floats:
        """What makes the length of each vector 1."""
        blocks = (self._numbers[first : first + _BLOCK] for first in range(0, len(self), _BLOCK))
        squares = [np.einsum("ij,ij->i", block, block, dtype=np.float64) for block in blocks]
        lengths = np.sqrt(np.concatenate(squares))
        scales: _Floats = (1 / np.maximum(lengths, 1)).astype(np.float32)
        return scales

    @cached_property
    def _signs(self) -> _Signs:
        """The signs of the differences from the mean, which vectors of some models are close to."""
        count = len(self)
        sample = slice(None, None, max(1, count // _SAMPLE))
        made = _Signs(
            (self._numbers[sample] * self._scales[sample, None]).mean(axis=0),
            np.empty((-(-self.width // 64), count), dtype=np.uint64),
            np.empty(count, dtype=np.float32),
            np.empty(count, dtype=np.float32),
        )
        for first in range(0, count, _BLOCK):
            some = slice(first, first + _BLOCK)
            vectors = self._numbers[some] * self._scales[some, None]
            made.to_centre[some] = vectors @ made.centre
            vectors -= made.centre
            made.lengths[some] = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
            made.bits[:, some] = _bits(vectors)
        return made


class _Signs(NamedTuple):
    """The signs of vectors from which a centre was subtracted."""

    centre: _Floats
    bits: npt.NDArray[np.uint64]  # the signs, 64 at a time, shape (width / 64, vectors)
    lengths: _Floats  # after the centre was subtracted
    to_centre: _Floats  # products with it, before


def highest(values: _Floats, places: Rows, count: int) -> Iterator[Rows]:
    """Yield places with the highest values, about `count`, then always more, until the end.

    At least `count` come first, but if these are thousands, by estimate. Places ascend, as do those
    that come together.
    """
    while len(places) > count:
        known = values[places]
        step = max(1, count // _SAMPLED)
        chosen = known >= np.partition(known[::step], -(count // step))[-(count // step)]
        yield places[chosen]
        places = places[~chosen]
        count *= 8
    yield places


def rank(values: _Floats, places: Rows, count: int) -> Iterator[tuple[Rows, _Floats]]:
    """Yield places and their values, the highest first; see `highest`."""
    for some in highest(values, places, count):
        order = some[np.argsort(-values[some], kind="stable")]
        yield order, values[order]


@lru_cache(maxsize=4)
def _rotation(width: int) -> Doubles:
    """Return an orthogonal matrix: a cosine transform after half of all signs are changed.

    It is part of the format of the file.
    """
    place = np.arange(width)
    cosines = np.cos(np.pi / width * (place + 0.5) * place[:, None]) * np.sqrt(2 / width)
    cosines[0] /= np.sqrt(2)
    signs = np.frombuffer(shake_256(b"lumber").digest(width), dtype=np.uint8) % 2 * 2.0 - 1
    return _round(cosines * signs)


def _round(values: Doubles) -> Doubles:
    return np.rint(values / _STEP) * _STEP


def _bits(vectors: Vectors | Doubles) -> npt.NDArray[np.uint64]:
    """Return the signs of vectors, shape (width / 64, vectors)."""
    signs = np.packbits(vectors > 0, axis=1)
    padded = np.pad(signs, ((0, 0), (0, -signs.shape[1] % 8)))
    return padded.view(np.uint64).T


def _bit_count(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
    """Return how many bits are set in each number."""
    counts: npt.NDArray[np.uint8]
    if hasattr(np, "bitwise_count"):  # from numpy 2 on
        counts = np.bitwise_count(values)
        return counts
    pairs = values - (values >> 1 & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    eights = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    counts = (eights * 0x0101010101010101 >> 56).astype(np.uint8)
    return counts
