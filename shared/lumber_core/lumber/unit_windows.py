"""Windows of a text, about which a judge is asked all starts at once; without any I/O.

A window holds at most `WINDOW_TOKENS` tokens, and shares about a tenth of them with the next one.
Which windows there are depends on the text alone, so all of them may be asked about at the same
time, and the number of calls is known beforehand.

A judge gives each unit of a window but the first a score: how good a start it is. Near the edges of
a window a judge sees little of what comes before or after. So of two windows that share a unit, the
one decides in which the unit lies farther from the edge.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from lumber_core.lumber.grouping import Group, TextUnits
from lumber_core.segmentation import Usage, Verdict, total_usage

WINDOW_TOKENS = 4096
"""Maximum tokens in a window: a novel of 200,000 tokens has about 55 windows."""

_OVERLAP = 0.1  # of a window's tokens: enough text around a unit at the middle of an overlap

# Scores of units, in the unit of BertChunker's t, which the cutter weighs against sizes. A start
# that is named outweighs sizes unless one of the chunks beside it would have a tenth of the target
# size or less; a strong one always does, except for `min_chunk_size`. If every unit is named,
# chunks still have about 0.4 of the target size. Units that are not named score as paragraphs do
# that clearly continue the one before: one in twenty in Emma has such a t.
NAMED, STRONG, UNNAMED = 3.0, 5.0, -3.0


class UnitWindow(Group):
    """Consecutive units of which a judge names all that start new content, or none.

    A judge that is a function returns their numbers as a list; None or an empty list: no start.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"UnitWindow(start={self.start}, stop={self.stop})"


def scores_of(
    window: UnitWindow, starts: Collection[int], strong: Collection[int] = ()
) -> list[float]:
    """Return the score of each choice of a window in which a judge named some units.

    Args:
        window: The window.
        starts: The units it named.
        strong: Those of them that it called strong.
    """
    return [
        STRONG if unit in strong else NAMED if unit in starts else UNNAMED
        for unit in window.choices
    ]


def plan_unit_windows(tokens: Sequence[int], window_tokens: int) -> list[tuple[int, int]]:
    """Return the first unit of each window, and the one past its last.

    A window has as many units as fit in `window_tokens`, and two at least. Neighbours share at most
    a tenth of `window_tokens`, and one unit at least, so every unit but the first is a choice of a
    window.

    Args:
        tokens: Tokens of each unit. One that counts none is taken for one.
        window_tokens: Maximum tokens in a window.
    """
    before = [0, *accumulate(max(1, count) for count in tokens)]
    units, overlap = len(before) - 1, _OVERLAP * window_tokens
    windows: list[tuple[int, int]] = []
    start, stop = 0, min(1, units)
    while stop < units:
        stop = min(units, max(start + 2, bisect_right(before, before[start] + window_tokens) - 1))
        windows.append((start, stop))
        if stop < units:
            shared = bisect_left(before, before[stop] - overlap)
            fitting = bisect_left(before, before[stop + 1] - window_tokens)  # with a further unit
            start = min(max(start + 1, shared, fitting), stop - 1)
    return windows


class UnitWindowWalk:
    """The windows of one document, each judged on its own.

    Args:
        document: The text and its units.
        tokens: Tokens of each unit.
        window_tokens: Maximum tokens in a window.
    """

    def __init__(self, document: TextUnits, tokens: Sequence[int], window_tokens: int) -> None:
        self.document = document
        self._windows = plan_unit_windows(tokens, window_tokens)
        self._edges = self._deciding_edges(tokens)
        self._verdicts: dict[int, Verdict] = {}
        self._waiting = [*range(len(self._windows))][::-1]
        self._out: set[int] = set()
        self._followed = False

    @property
    def done(self) -> bool:
        """Whether every window has a verdict."""
        return len(self._verdicts) == len(self._windows)

    @property
    def unanswered(self) -> bool:
        """Whether a window that was handed out has no verdict yet."""
        return bool(self._out)

    @property
    def position(self) -> int:
        """Units that were judged, as if windows were equally long."""
        units = len(self.document.units)
        return units if self.done else units * len(self._verdicts) // len(self._windows)

    @property
    def groups(self) -> list[Group]:
        """All windows, in document order."""
        return [self._window(number) for number in range(len(self._windows))]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts so far, in document order."""
        if not self._windows and self.document.units:
            return (Verdict(0, 1, None, "single", "the text is one unit"),)
        return tuple(self._verdicts[number] for number in sorted(self._verdicts))

    @property
    def usage(self) -> Usage:
        """The cost of all verdicts."""
        return total_usage(self._verdicts.values())

    def claim(self) -> Group | None:
        """Hand out the next window that needs a judge, or None if there is none left."""
        while self._waiting:
            number = self._waiting.pop()
            if number not in self._verdicts:
                self._out.add(number)
                return self._window(number)
        return None

    def claim_ahead(self) -> None:
        """Return None: `claim` hands out all windows, whatever the verdicts say."""

    def follow(self, stored: Callable[[Group], Verdict | None]) -> None:
        """Record the verdicts that are stored; they are looked up once.

        Args:
            stored: Returns the stored verdict on a window, or None.
        """
        if self._followed:
            return
        self._followed = True
        for window in self.groups:
            if (verdict := stored(window)) is not None:
                self.record(verdict)

    def record(self, verdict: Verdict) -> None:
        """Record the verdict on a window, in any order.

        Raises:
            ValueError: There is no window of this walk with the verdict's `start` and `stop`.
        """
        number = bisect_left(self._windows, (verdict.start, verdict.stop))
        if self._windows[number : number + 1] != [(verdict.start, verdict.stop)]:
            raise ValueError(f"no window of this walk goes from {verdict.start} to {verdict.stop}")
        self._out.discard(number)
        self._verdicts.setdefault(number, verdict)

    def verdict_on(self, unit: int) -> Verdict:
        """Return the verdict of the window that decides about a unit, as one on that unit alone.

        Its `unit` is this unit if it was named. If no answer could be used, the outcome and the
        reason say so. It has no usage.

        Args:
            unit: A unit's number, at least 1.
        """
        verdict = self._deciding(unit)
        named = self.score(unit) > 0
        if verdict.failed:
            return replace(verdict, unit=unit if named else None, usage=Usage())
        if named:
            return replace(verdict, unit=unit, outcome="shift", usage=Usage())
        reason = "no start was named here: layout and sizes decided"
        return replace(verdict, unit=None, outcome="no_shift", reason=reason, usage=Usage())

    def score(self, unit: int) -> float:
        """Return the score of a start at a unit, in the unit of BertChunker's t.

        It is 0 if nothing is known, so that layout and sizes decide.

        Args:
            unit: A unit's number, at least 1.
        """
        verdict = self._deciding(unit)
        return verdict.scores[unit - verdict.start - 1] if verdict.scores else 0.0

    def score_inside(self, unit: int) -> float:
        """Return the score of a start inside a unit: as low as that of one that is not named."""
        if not self._windows:
            return 0.0
        return UNNAMED if self._deciding(max(1, unit)).scores else 0.0

    def _deciding(self, unit: int) -> Verdict:
        return self._verdicts[bisect_right(self._edges, unit)]

    def _window(self, number: int) -> UnitWindow:
        return UnitWindow(self.document, *self._windows[number])

    def _deciding_edges(self, tokens: Sequence[int]) -> list[int]:
        """Return, for each window but the first, the first unit about which it decides."""
        before = [0, *accumulate(max(1, count) for count in tokens)]
        edges = []
        for (_, end), (start, _) in pairwise(self._windows):
            middle = (before[start] + before[end]) / 2
            edges.append(max(start + 1, bisect_right(before, middle, start, end)))
        return edges
