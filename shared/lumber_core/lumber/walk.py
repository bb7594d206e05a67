"""The walk from group to group, without any I/O.

A walk hands out the groups that need a verdict, accepts verdicts in any order, and ends when no
verdict is missing. The caller decides how judges are called: one by one, in threads or in tasks.
The result depends only on the verdicts.

A group depends only on where it starts, and its verdict only on the group. So two chains of groups
that ever start a group at the same unit are the same from there on. The main chain starts with the
text. A lane is a chain that is started further down, in advance: once the main chain reaches a unit
where the lane has started a group, the lane's verdicts are used. That is speculative execution.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from lumber_core.chunking.chunker import enforce_limits
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.lumber.grouping import Group, TextUnits, WalkRules
from lumber_core.segmentation import UNUSABLE, Segmentation, Usage, Verdict
from lumber_core.spans import Span
from lumber_core.text.parsed import ParsedText

MAX_EXTRA_CALLS = 0.2
"""Share of a text's calls that lanes may waste. A text of 30 KB then takes 0.4 of the time, for a
tenth more calls. Judges whose answers do not depend on the text can waste more.
"""

_EXPECTED_WASTE = 1.2  # groups that a lane judges on average before the main chain meets it
# Another lane divides the gap between two lanes only if it is longer than half an even share of the
# text, and longer than this number of groups.
_MIN_GAP_SHARE = 0.5
_MIN_GAP_GROUPS = 6


@dataclass(slots=True)
class _Lane:
    """A chain started ahead of time: its start and its current position."""

    start: int
    position: int
    judged: list[int] = field(default_factory=list)  # starts of its groups that were judged


class Walk:
    """The chain of groups through one document.

    Each step moves forward by at least one unit, whatever the verdicts are, so there are at most
    as many groups as units. A verdict whose unit is not a choice of its group counts as None.

    At most `lanes` chains are followed at once, including the main chain; 1 starts no lanes. Lanes
    may waste `max_extra_calls`, a share of the expected number of calls: a lane is started only if
    the expected waste stays within it, and lanes are dropped once the actual waste exceeds it.

    If the first `give_up_after` answers of the main chain are all unusable, no further groups are
    asked about. Lanes start after a usable answer, so the result does not depend on them. None: all
    groups are asked about.
    """

    def __init__(
        self,
        document: TextUnits,
        rules: WalkRules,
        *,
        lanes: int = 1,
        max_extra_calls: float = MAX_EXTRA_CALLS,
        give_up_after: int | None = None,
    ) -> None:
        self.document = document
        self.rules = rules
        self._max_lanes = lanes
        self._max_extra_calls = max_extra_calls
        self._verdicts: dict[int, Verdict] = {}
        self._in_flight: set[int] = set()
        self._errors: dict[int, Exception] = {}
        self._give_up_after = give_up_after  # None: never; set to None after a usable answer
        self._unusable = 0
        self.verdicts: list[Verdict] = []  # verdicts of the main chain so far, in document order
        # The units where chunks start so far, in order and without the first unit.
        self.boundaries: dict[int, Verdict] = {}  # each start with the verdict that set it
        self.usage = Usage()  # the cost of all verdicts, even those wasted by lanes
        self._chain_calls = 0
        self._position = 0
        self._lanes: list[_Lane] = []
        self._lane_starts: list[int] | None = None
        self._advance()

    @property
    def done(self) -> bool:
        """Whether every group of the main chain has a verdict."""
        return self.rules.stop(self._position) is None

    @property
    def is_waiting(self) -> bool:
        """Whether a group that was handed out has no verdict yet; its verdict may be wasted."""
        return bool(self._in_flight)

    @property
    def position(self) -> int:
        """Number of units that the main chain has passed."""
        return self.rules.units if self.done else self._position

    @property
    def waste(self) -> int:
        """Groups judged so far that are on no chain, according to the current verdicts.

        If a chain has passed the start of a later chain without meeting it, the groups of the later
        chain up to that point count as wasted.
        """
        useful = self._chain_calls
        reached = self._position
        for lane in self._lanes:
            useful += len(lane.judged) - bisect_left(lane.judged, reached)
            reached = max(reached, lane.position)
        return len(self._verdicts) - useful

    def claim(self) -> Group | None:
        """Hand out the next group of the main chain that needs a judge.

        None: the walk is done, or waits for a verdict on a group already handed out.
        """
        if error := self._errors.get(self._position):  # an error that a lane has met
            raise error
        group = self._hand_out(self._position)
        if group is not None:
            group.is_skipped = self._unusable == self._give_up_after
        return group

    def claim_ahead(self) -> Group | None:
        """Hand out a group of a lane, perhaps of a new one if the budget allows it, or None."""
        if self._max_lanes < 2 or self.done or self._give_up_after or self.waste > self._budget():
            return None
        for lane in self._lanes:
            group = self._hand_out(lane.position)
            if group is not None:
                return group
        start = self._new_start()
        if start is None:
            return None
        lane = _Lane(start, start)
        self._lanes.append(lane)
        self._lanes.sort(key=lambda lane: lane.start)
        self._follow(lane)
        return self._hand_out(lane.position)

    def follow(self, stored: Callable[[Group], Verdict | None]) -> None:
        """Follow the main chain through the stored verdicts, which `stored` returns."""
        while self._position not in self._in_flight and (group := self._group(self._position)):
            verdict = stored(group)
            if verdict is None:
                return
            self.record(verdict)

    def record(self, verdict: Verdict) -> None:
        """Record the verdict on a group of this walk, in any order, or raise a ValueError."""
        if self.rules.stop(verdict.start) != verdict.stop:
            raise ValueError(f"no group of this walk goes from {verdict.start} to {verdict.stop}")
        self._in_flight.discard(verdict.start)
        if verdict.start in self._verdicts:
            return
        self._verdicts[verdict.start] = verdict
        self.usage += verdict.usage
        self._advance()

    def defer(self, start: int, error: Exception) -> bool:
        """Keep an error until the main chain reaches its group; return False if it already has."""
        self._in_flight.discard(start)
        self._errors[start] = error
        return start != self._position

    def _hand_out(self, start: int) -> Group | None:
        if start in self._in_flight or start in self._verdicts or start in self._errors:
            return None
        group = self._group(start)
        if group is not None:
            self._in_flight.add(start)
        return group

    def _group(self, start: int) -> Group | None:
        stop = self.rules.stop(start)
        if stop is None:
            return None
        return Group(self.document, start, stop, self.rules.choices(start, stop))

    def _advance(self) -> None:
        """Follow the main chain and all lanes through the recorded verdicts."""
        while (verdict := self._verdict_at(self._position)) is not None:
            self.verdicts.append(verdict)
            if verdict.outcome in UNUSABLE:
                self._unusable += 1
            elif verdict.outcome not in ("single", "unavailable"):
                self._give_up_after = None
            self._chain_calls += verdict.start in self._verdicts
            boundary, self._position = self._step(verdict)
            if boundary is not None:
                self.boundaries[boundary] = verdict
        reached = {self._position}
        useful_lanes = []
        for lane in self._lanes:
            self._follow(lane)
            # Two lanes at the same position have met. A lane that the main chain has passed is
            # useless.
            if lane.position > self._position and lane.position not in reached:
                useful_lanes.append(lane)
                reached.add(lane.position)
        self._lanes = useful_lanes

    def _follow(self, lane: _Lane) -> None:
        while (verdict := self._verdict_at(lane.position)) is not None:
            if verdict.start in self._verdicts:
                lane.judged.append(verdict.start)
            _, lane.position = self._step(verdict)

    def _verdict_at(self, start: int) -> Verdict | None:
        """Return the verdict on the group at `start`; None if a judge has to be asked first."""
        verdict = self._verdicts.get(start)
        if verdict is not None:
            return verdict
        stop = self.rules.stop(start)
        if stop is None or self.rules.choices(start, stop):
            return None
        return Verdict(start, stop, None, "single", "the group is one unit")

    def _step(self, verdict: Verdict) -> tuple[int | None, int]:
        start, stop, unit = verdict.start, verdict.stop, verdict.unit
        if unit not in self.rules.choices(start, stop):
            unit = None
        return self.rules.step(start, stop, unit)

    @cached_property
    def _fewest_calls(self) -> int:
        """The number of calls if every answer is None: groups end to end."""
        calls, start = 0, 0
        while (stop := self.rules.stop(start)) is not None:
            calls += bool(self.rules.choices(start, stop))
            start = stop
        return calls

    def _budget(self) -> float:
        """Maximum number of wasted calls: a share of the calls that the text certainly needs."""
        passed = self._chain_calls / self._position * self.rules.units if self._position else 0.0
        return self._max_extra_calls * max(self._fewest_calls, passed)

    def _new_start(self) -> int | None:
        """Return where to start a lane: evenly spaced at first, then in the longest gap."""
        if len(self._lanes) + 1 >= self._max_lanes:
            return None
        if self.waste + _EXPECTED_WASTE * (len(self._lanes) + 1) > self._budget():
            return None
        if self._lane_starts is None:
            count = min(self._max_lanes, 1 + int(self._budget() / _EXPECTED_WASTE))
            self._lane_starts = [self.rules.unit_at(number / count) for number in range(1, count)]
        while self._lane_starts:
            start = self._lane_starts.pop(0)
            if start > self._position and start not in self._verdicts:
                return start
        return self._middle_of_longest_gap()

    def _middle_of_longest_gap(self) -> int | None:
        heads = sorted({self._position, *(lane.position for lane in self._lanes)})
        starts = sorted(lane.start for lane in self._lanes)
        longest, middle = _MIN_GAP_SHARE * self.rules.units / self._max_lanes, None
        for head in heads:
            following = bisect_left(starts, head + 1)
            end = starts[following] if following < len(starts) else self.rules.units
            group = (self.rules.stop(head) or head + 1) - head
            if end - head > max(longest, _MIN_GAP_GROUPS * group):
                longest, middle = float(end - head), (head + end) // 2
        return middle


def cut_by_groups(walk: Walk, parsed: ParsedText, limits: SizeLimits) -> Segmentation:
    """Return chunks that start at the units named by the verdicts, within limits."""
    units = walk.document.units
    edges = [0, *walk.boundaries, len(units)] if units else []
    spans = tuple(Span(units[first].start, units[last - 1].end) for first, last in pairwise(edges))
    segmentation = Segmentation(spans, tuple(walk.verdicts), walk.usage)
    segmentation = enforce_limits(segmentation, parsed, limits, units)
    by_start = {units[unit].start: verdict for unit, verdict in walk.boundaries.items()}
    start_verdicts = tuple(by_start.get(span.start) for span in segmentation.spans)
    return replace(segmentation, start_verdicts=start_verdicts)
