"""Whether spans cover a text exactly once, in order."""

from __future__ import annotations

from collections.abc import Iterable


def check_tiling(spans: Iterable[tuple[int, int]], length: int) -> None:
    """Fail unless spans, none of them empty, cover a text of `length` characters."""
    position = 0
    for number, (start, end) in enumerate(spans):
        assert start == position, f"span {number} starts at {start}, the one before ends elsewhere"
        assert end > start, f"span {number} at {start} is empty"
        position = end
    assert position == length
