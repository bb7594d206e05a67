"""Checks that spans cover a text exactly once."""

from collections.abc import Iterable

from lumber_core.spans import Span


def check_tiling(spans: Iterable[Span | tuple[int, int]], length: int) -> None:
    """Fail unless `spans` cover a text of `length` characters exactly once, in order."""
    position = 0
    for number, (start, end) in enumerate(spans):
        assert start == position, f"span {number} ({start}, {end}) should start at {position}"
        assert end > start, f"span {number} ({start}, {end}) is empty"
        position = end
    assert position == length, f"the spans end at {position} of {length} characters"
