"""The sizes of chunks: what `chunk_size` and `target_size` default to, and checks of sizes."""

from __future__ import annotations

import logging
from math import ceil
from typing import Literal

from lumber_core.checks import check_positive

logger = logging.getLogger(__name__)

ChunkSize = int | Literal["auto"] | None
"""A hard limit in tokens; None for no limit, "auto" for a limit that fits the other settings."""

DEFAULT_CHUNK_SIZE = 512
"""Maximum tokens that common embedding models read."""
DEFAULT_TARGET_SIZE = 400
"""The matching target: it leaves enough room that sentences rarely have to be cut."""
FITTING_CHUNK_SIZE = 256
"""Fits nearly all embedding models: most read 512 tokens, all-MiniLM-L6-v2 reads 256."""
_TARGET_SHARE = 0.6  # of `chunk_size`: leaves room to choose among several cuts


def greedy_sizes(chunk_size: ChunkSize, target_size: int | None) -> tuple[int | None, int]:
    """Return the hard limit and the target of a splitter that cuts as near the target as it can.

    The limit "auto" is 512, or more for a `target_size` above 400. The target None is in proportion
    to `chunk_size`, 400 for 512. Errors are those of `check_sizes`.
    """
    check_sizes(chunk_size, target_size)
    share = DEFAULT_TARGET_SIZE / DEFAULT_CHUNK_SIZE
    most = None if isinstance(chunk_size, str) else chunk_size
    if chunk_size == "auto":
        most = max(DEFAULT_CHUNK_SIZE, ceil((target_size or 0) / share))
    return most, target_size or max(1, int((most or DEFAULT_CHUNK_SIZE) * share))


def layout_sizes(chunk_size: ChunkSize, target_size: int | None) -> tuple[int | None, int]:
    """Return the hard limit and the target of a splitter that chooses all cuts together.

    The limit "auto" is 256, or in proportion to `target_size`. The target None is 60 % of
    `chunk_size`. Errors are those of `check_sizes`.
    """
    check_sizes(chunk_size, target_size)
    most = None if isinstance(chunk_size, str) else chunk_size
    if chunk_size == "auto":
        most = round(target_size / _TARGET_SHARE) if target_size else FITTING_CHUNK_SIZE
    return most, target_size or max(1, round(_TARGET_SHARE * (most or FITTING_CHUNK_SIZE)))


def check_sizes(
    chunk_size: ChunkSize, target_size: int | None, min_chunk_size: int | None = None
) -> None:
    """Raise unless each size is a whole number of at least 1, None or, for `chunk_size`, "auto".

    A wrong type is a TypeError. A number below 1, or a size above `chunk_size`, is a ValueError.
    """
    if isinstance(chunk_size, str) and chunk_size != "auto":
        raise TypeError(
            'chunk_size must be a whole number, not str: pass a number, "auto", or None for no '
            "limit"
        )
    if chunk_size not in (None, "auto"):
        check_positive("chunk_size", chunk_size)
    for name, size in (("target_size", target_size), ("min_chunk_size", min_chunk_size)):
        if size is not None:
            check_positive(name, size)
    if not isinstance(chunk_size, int):
        return
    if target_size is not None and target_size > chunk_size:
        raise ValueError(
            f"target_size ({target_size}) must not be above chunk_size ({chunk_size}), the maximum "
            "tokens in a chunk: raise chunk_size, or leave it out, as it follows target_size"
        )
    if min_chunk_size is not None and min_chunk_size > chunk_size:
        raise ValueError(
            f"min_chunk_size ({min_chunk_size}) must not be above chunk_size ({chunk_size}): raise "
            "chunk_size as well, or pass chunk_size=None for no limit"
        )


def warn_of_overlap(chunk_overlap: int, chunk_size: int | None, target_size: int | None) -> bool:
    """Log a warning if overlap fills more than half of a chunk; return whether it does."""
    if chunk_size is None:  # without a limit, overlap makes chunks longer
        return False
    room = chunk_size - chunk_overlap
    new_tokens = room if target_size is None else target_size * room // chunk_size
    if chunk_overlap <= new_tokens:
        return False
    logger.warning(
        "chunk_overlap=%d of chunk_size=%d: only about %d tokens of each chunk are new, so there "
        "are many chunks; pass a smaller chunk_overlap or a larger chunk_size",
        chunk_overlap,
        chunk_size,
        max(1, new_tokens),
    )
    return True


def check_overlap(chunk_overlap: int, chunk_size: int | None) -> None:
    """Raise unless an overlap is a whole number from 0 to below `chunk_size`."""
    check_positive("chunk_overlap", chunk_overlap, least=0)
    if chunk_size is not None and chunk_overlap >= chunk_size:
        raise ValueError(f"chunk_overlap ({chunk_overlap}) must be below chunk_size ({chunk_size})")
