"""Long windows of a text in which a judge names all starts at once: `method="window"`.

A window has at most `WINDOW_TOKENS` tokens, and shares about a tenth of them with the next window.
Windows depend on the text alone. So all of them may be judged at the same time, and the number of
calls is fixed in advance.

Near the edges of a window, a judge sees little text around a unit. So if two windows share a unit,
the window in which the unit is farther from the edge decides.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from lumber_core.chunking.chunker import enforce_limits
from lumber_core.chunking.cutting import Cutter
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.lumber.grouping import Group, TextUnits
from lumber_core.segmentation import ParsedAnswer, Segmentation, Usage, Verdict
from lumber_core.spans import spans_from_starts
from lumber_core.text.parsed import ParsedText
from lumber_core.text.place import Places

WINDOW_TOKENS = 4096
"""Maximum tokens in a window: a novel of 200,000 tokens has about 55 windows."""

_OVERLAP_SHARE = 0.1  # of a window's tokens: enough text around a unit in the middle of an overlap

# Scores that the cutter weighs against sizes, in units of BertChunker's t. A named start outweighs
# sizes unless one of the chunks next to it would have a tenth of the target size or less. If every
# unit is named, chunks still have about 0.4 of the target size. Other units have the score of a
# paragraph that clearly continues the paragraph before: one in twenty in Emma has such a t.
_SCORE_IF_NAMED, _SCORE_OTHERWISE = 3.0, -3.0


class UnitWindow(Group):
    """Consecutive units; a judge names all units in it that start new content.

    A judge that is a function returns a list of unit numbers; None or an empty list: no start.
    """

    __slots__ = ()

    several = True

    def read(self, reply: str) -> ParsedAnswer:
        """Return the units in a language model's reply."""
        from lumber_core.lumber.answer_parser import read_list  # deferred, as in `Group.read`

        return read_list(reply, self.choices)


class WindowWalk:
    """The windows of one document, each judged on its own; without any I/O.

    A window has as many units as fit in `window_tokens`, and at least two. Neighbours share at most
    a tenth of `window_tokens`, and at least one unit, so every unit except the first is a choice of
    some window. A unit without tokens counts as one. `usage` is the cost of all verdicts.
    """

    def __init__(self, document: TextUnits, tokens: Sequence[int], window_tokens: int) -> None:
        self.document = document
        before = [0, *accumulate(max(1, count) for count in tokens)]
        self._windows = _plan_windows(before, window_tokens)
        # For each window except the first: the first unit that this window decides.
        self._edges = [
            max(start + 1, bisect_right(before, (before[start] + before[end]) / 2, start, end))
            for (_, end), (start, _) in pairwise(self._windows)
        ]
        self._verdicts: dict[int, Verdict] = {}
        self.usage = Usage()
        self._waiting = iter(range(len(self._windows)))
        self._in_flight: set[int] = set()
        self.groups = tuple(UnitWindow(document, *window) for window in self._windows)
        self._unread = iter(self.groups)  # windows whose stored verdicts were not looked up yet

    @property
    def done(self) -> bool:
        """Whether every window has a verdict."""
        return len(self._verdicts) == len(self._windows)

    @property
    def is_waiting(self) -> bool:
        """Whether a window that was handed out has no verdict yet."""
        return bool(self._in_flight)

    @property
    def position(self) -> int:
        """Estimated number of units judged, as if windows had equal lengths."""
        units = len(self.document.units)
        return units if self.done else units * len(self._verdicts) // len(self._windows)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts so far, in document order."""
        if not self._windows and self.document.units:
            return (Verdict(0, 1, None, "single", "the text is one unit"),)
        return tuple(self._verdicts[number] for number in sorted(self._verdicts))

    def claim(self) -> Group | None:
        """Hand out the next window that needs a judge, or None if none is left."""
        for number in self._waiting:
            if number not in self._verdicts:
                self._in_flight.add(number)
                return self.groups[number]
        return None

    def claim_ahead(self) -> None:
        """Return None: `claim` hands out all windows, without waiting for verdicts."""

    def follow(self, stored: Callable[[Group], Verdict | None]) -> None:
        """Record the stored verdicts, which are looked up once."""
        for verdict in filter(None, map(stored, self._unread)):
            self.record(verdict)

    def record(self, verdict: Verdict) -> None:
        """Record the verdict on a window of this walk, in any order, or raise a ValueError."""
        number = bisect_left(self._windows, (verdict.start, verdict.stop))
        if self._windows[number : number + 1] != [(verdict.start, verdict.stop)]:
            raise ValueError(f"no window of this walk goes from {verdict.start} to {verdict.stop}")
        self._in_flight.discard(number)
        if number not in self._verdicts:
            self._verdicts[number] = verdict
            self.usage += verdict.usage

    def deciding_verdict(self, unit: int) -> Verdict | None:
        """Return the verdict that decides whether a unit is a start; None if it was a failure."""
        if not self._windows:
            return None
        verdict = self._verdicts[bisect_right(self._edges, unit)]
        return verdict if verdict.starts or not verdict.failed else None


def _plan_windows(before: Sequence[int], window_tokens: int) -> list[tuple[int, int]]:
    """Return the first unit of each window, and the unit just past its last.

    `before` has the tokens before each unit and before the end.
    """
    units, overlap = len(before) - 1, _OVERLAP_SHARE * window_tokens
    windows: list[tuple[int, int]] = []
    start, stop = 0, min(1, units)
    while stop < units:
        stop = min(units, max(start + 2, bisect_right(before, before[start] + window_tokens) - 1))
        windows.append((start, stop))
        if stop < units:
            shared = bisect_left(before, before[stop] - overlap)
            # A window that starts at this unit has room for the unit at `stop`.
            fitting = bisect_left(before, before[stop + 1] - window_tokens)
            start = min(max(shared, fitting), stop - 1)
    return windows


def cut_by_windows(walk: WindowWalk, parsed: ParsedText, limits: SizeLimits) -> Segmentation:
    """Return the best chunks of a text after all of its windows were judged.

    Chunks start at units, or inside a unit that is longer than a chunk. In windows without a usable
    answer, layout and sizes decide. `limits` has a `target_size`.
    """
    segmentation = Segmentation((), walk.verdicts, walk.usage)
    text, units = parsed.text, walk.document.units
    if not text:
        return segmentation
    numbers = {unit.start: number for number, unit in enumerate(units)}
    starts = [*numbers]

    def scores(places: Places) -> list[float]:
        scores = []
        for place in places.offsets:
            verdict = walk.deciding_verdict(bisect_right(starts, place) - 1)
            named = verdict is not None and numbers.get(place) in verdict.starts
            scores.append(
                _SCORE_IF_NAMED if named else 0.0 if verdict is None else _SCORE_OTHERWISE
            )
        return scores

    cutter = Cutter(parsed, limits)
    sized = cutter.places(units, parsed.all_places)
    cuts = cutter.cut(sized, scores(sized.places))
    segmentation = replace(segmentation, spans=spans_from_starts([0, *cuts], len(text)))
    segmentation = enforce_limits(segmentation, parsed, limits, units, scores)
    start_verdicts: list[Verdict | None] = []
    for span in segmentation.spans:
        unit = numbers.get(span.start, 0)
        verdict = walk.deciding_verdict(unit) if unit else None
        if verdict is not None and unit in verdict.starts:
            start_verdicts.append(replace(verdict, unit=unit, starts=(), usage=Usage()))
        else:
            start_verdicts.append(None)
    return replace(segmentation, start_verdicts=tuple(start_verdicts))
