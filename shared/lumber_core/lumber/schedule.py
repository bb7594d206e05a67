"""Which group is asked about next, across all documents of a call.

Groups of true chains go first: those of documents under way, then those of the next document.
Lanes get what capacity would idle otherwise. Like the walk, this neither waits nor calls anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lumber_core.lumber.grouping import Group
from lumber_core.lumber.walk import Walk


class Task(NamedTuple):
    """A group to ask about: the number of its document, its walk, and itself."""

    number: int
    walk: Walk
    group: Group


class Schedule:
    """Hands out groups of many walks, up to a number at once.

    Args:
        walks: The walks, one for each document; each is taken when there is room for it.
        capacity: Most groups handed out and not yet given back.
    """

    def __init__(self, walks: Iterator[Walk], capacity: int) -> None:
        self._waiting = enumerate(walks)
        self._capacity = capacity
        self._active: dict[int, Walk] = {}
        self._finished: list[tuple[int, Walk]] = []
        self._out = 0

    def next_task(self) -> Task | None:
        """Return the next group to ask about; None where capacity or work is exhausted for now."""
        if self._out >= self._capacity:
            return None
        for task in self._candidates():
            self._out += 1
            return task
        return None

    def give_back(self, task: Task) -> None:
        """Say that the verdict on a task's group was recorded."""
        self._out -= 1
        if task.walk.done and self._active.pop(task.number, None) is not None:
            self._finished.append((task.number, task.walk))

    def finished(self) -> list[tuple[int, Walk]]:
        """Return the walks that have ended since the last call, with their documents' numbers."""
        finished, self._finished = self._finished, []
        return finished

    def _candidates(self) -> Iterator[Task]:
        for number, walk in self._active.items():
            group = walk.claim()
            if group is not None:
                yield Task(number, walk, group)
        for number, walk in self._waiting:
            group = walk.claim()
            if group is None:  # nothing in it needs a judge
                self._finished.append((number, walk))
                continue
            self._active[number] = walk
            yield Task(number, walk, group)
        for number, walk in self._active.items():
            group = walk.claim_ahead()
            if group is not None:
                yield Task(number, walk, group)
