"""The walk from group to group, without any input or output.

A walk hands out the groups it needs judged, takes verdicts in any order, and knows when it is
done. Whoever drives it decides how judges are called: one after the other, in threads, or as
tasks; the result depends on the verdicts alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from lumber_core.lumber.groups import Document, Group, WalkRules
from lumber_core.segmentation import Verdict


class Walk:
    """The chain of groups through one document.

    Each step moves forward by at least one unit, whatever the verdicts say: there are at most as
    many groups as units, and a verdict that names a unit outside its group counts as none.

    Args:
        document: The text and its units.
        rules: How groups are formed and what answers do.
    """

    def __init__(self, document: Document, rules: WalkRules) -> None:
        self._document = document
        self._rules = rules
        self._verdicts: dict[int, Verdict] = {}
        self._asked: set[int] = set()
        self._chain: list[Verdict] = []
        self._boundaries: list[int] = []
        self._position = 0
        self._advance()

    @property
    def done(self) -> bool:
        """Whether every group of the chain has its verdict."""
        return self._rules.stop(self._position) is None

    @property
    def position(self) -> int:
        """Units that the chain has passed."""
        return self._rules.units if self.done else self._position

    @property
    def units(self) -> int:
        """Units in the document."""
        return self._rules.units

    def claim(self) -> Group | None:
        """Hand out the next group that needs a judge.

        Returns:
            The group; None where the walk is done or waits for a verdict on a group already
            handed out.
        """
        start = self._position
        stop = self._rules.stop(start)
        if stop is None or start in self._asked:
            return None
        self._asked.add(start)
        return Group(self._document, start, stop, self._rules.choices(start, stop))

    def release(self, start: int) -> None:
        """Take back a group that was handed out and got no verdict, so it can be claimed again."""
        self._asked.discard(start)

    def record(self, verdict: Verdict) -> None:
        """Take the verdict on a group, in any order.

        Raises:
            ValueError: The verdict's `start` and `stop` are no group of this walk.
        """
        if self._rules.stop(verdict.start) != verdict.stop:
            raise ValueError(f"no group of this walk goes from {verdict.start} to {verdict.stop}")
        self._verdicts.setdefault(verdict.start, verdict)
        self._advance()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts of the chain so far, in document order."""
        return tuple(self._chain)

    @property
    def boundaries(self) -> tuple[int, ...]:
        """Numbers of the units where chunks start, so far, without the first unit."""
        return tuple(self._boundaries)

    def _advance(self) -> None:
        """Follow the chain as far as verdicts are known."""
        for verdict in self._known():
            start, stop, unit = verdict.start, verdict.stop, verdict.unit
            if unit not in self._rules.choices(start, stop):
                unit = None
            step = self._rules.step(start, stop, unit)
            self._chain.append(verdict)
            if step.boundary is not None:
                self._boundaries.append(step.boundary)
            self._position = step.next

    def _known(self) -> Iterator[Verdict]:
        """Yield the verdict at the chain's position as long as there is one."""
        while (stop := self._rules.stop(self._position)) is not None:
            verdict = self._verdicts.get(self._position)
            if verdict is None:
                if self._rules.asks(self._position, stop):
                    return
                verdict = Verdict(self._position, stop, None, "single", "the group is one unit")
            yield verdict
