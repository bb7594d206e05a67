"""Runs the walks of a call: chooses the next group or window, and the thread that judges it.

`Schedule` decides the order over all documents, without waiting or calling the judge. `drive` asks
the judge, in a loop or in threads. Only the judge runs in other threads; only the calling thread
changes walks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from threading import Event
from typing import NamedTuple

from lumber_core.calls.deadlines import stop_event
from lumber_core.calls.threads import Stopped, end_sleep_on, wait_for_first
from lumber_core.lumber.fallback import GuardedJudge
from lumber_core.lumber.grouping import Group
from lumber_core.lumber.unit_windows import WindowWalk
from lumber_core.lumber.walk import Walk
from lumber_core.segmentation import Usage, Verdict

AnyWalk = Walk | WindowWalk
"""Hands out groups or windows, and takes verdicts."""


class Task(NamedTuple):
    """A group to ask about, with the number of its document and the walk through it."""

    number: int
    walk: AnyWalk
    group: Group


class Schedule:
    """Hands out the groups of many walks, a limited number at a time.

    Groups of the main chains (see `walk`) come first: those of documents in progress, then those of
    the next document. Lanes use capacity that would otherwise be idle. A main chain is first
    followed through stored verdicts, so that no lane repeats their questions.

    There is a walk for each document, which is started when there is capacity for it. `stored`
    returns the stored verdict on a group, or None. If `stop` is set, no further questions may be
    asked.
    """

    def __init__(
        self,
        walks: Iterator[AnyWalk],
        capacity: int,
        stored: Callable[[Group], Verdict | None],
        stop: Event,
    ) -> None:
        self._stored = stored
        self.stop = stop
        self._waiting = enumerate(walks)
        self._capacity = capacity
        self._active: dict[int, AnyWalk] = {}
        self._finished: list[tuple[int, AnyWalk]] = []
        self._handed_out = 0

    def next_task(self) -> Task | None:
        """Return the next group to judge, or None if there is currently no capacity or no work.

        If no further questions may be asked, `Stopped` is raised.
        """
        if self.stop.is_set():
            raise Stopped
        if self._handed_out >= self._capacity:
            return None
        task = next(self._candidates(), None)
        self._handed_out += task is not None
        return task

    def give_back(self, task: Task) -> None:
        """Release the capacity of a task whose verdict has been recorded."""
        self._handed_out -= 1
        task.walk.follow(self._stored)
        if task.walk.done:
            self._active.pop(task.number, None)
            if not task.walk.is_waiting:  # calls still in flight belong to its usage
                self._finished.append((task.number, task.walk))

    def take_finished(self) -> list[tuple[int, AnyWalk]]:
        """Return the walks that have ended since the last call, with their document numbers."""
        finished, self._finished = self._finished, []
        return finished

    def _candidates(self) -> Iterator[Task]:
        for number, walk in self._active.items():
            group = walk.claim()
            if group is not None:
                yield Task(number, walk, group)
        for number, walk in self._waiting:
            walk.follow(self._stored)
            group = walk.claim()
            if group is None:  # no group of the document needs a judge
                self._finished.append((number, walk))
                continue
            self._active[number] = walk
            yield Task(number, walk, group)
        for number, walk in self._active.items():
            group = walk.claim_ahead()
            if group is not None:
                yield Task(number, walk, group)


OnVerdict = Callable[[Task, Verdict], None]
"""Called for each verdict as it arrives, to show progress."""


def drive(
    walks: Iterator[AnyWalk], judge: GuardedJudge, *, capacity: int, on_verdict: OnVerdict
) -> Iterator[tuple[int, AnyWalk]]:
    """Ask the judge from up to `capacity` threads, and yield walks as they end.

    After an error, or if the caller stops iterating, no further questions are asked. Calls in
    flight are completed, so that the store gets every paid answer. If the caller's event loop
    cancels the work, the calls on that loop are cancelled.
    """
    stop = stop_event()
    schedule = Schedule(walks, capacity, judge.find_stored, stop)
    if capacity == 1 or not judge.waits:
        while (task := schedule.next_task()) is not None:
            _record(schedule, task, judge.judge(task.group), on_verdict)
            yield from schedule.take_finished()
        yield from schedule.take_finished()
        return
    with ThreadPoolExecutor(capacity, thread_name_prefix="lumber-judge") as pool:
        try:
            yield from _drive_pool(pool, schedule, judge, on_verdict)
        except BaseException:
            stop.set()  # ends pauses between attempts, but not calls in flight
            raise


def _drive_pool(
    pool: ThreadPoolExecutor, schedule: Schedule, judge: GuardedJudge, on_verdict: OnVerdict
) -> Iterator[tuple[int, AnyWalk]]:
    in_flight: dict[Future[Verdict], Task] = {}
    while True:
        while (task := schedule.next_task()) is not None:
            context = copy_context()  # has the frameworks' callbacks and traces
            context.run(end_sleep_on, schedule.stop)
            in_flight[pool.submit(context.run, judge.judge, task.group)] = task
        yield from schedule.take_finished()
        if not in_flight:
            return
        for future in wait_for_first(in_flight):
            task = in_flight.pop(future)
            start, walk, error = task.group.start, task.walk, future.exception()
            if isinstance(walk, Walk) and isinstance(error, Exception) and walk.defer(start, error):
                schedule.give_back(task)
            else:
                _record(schedule, task, future.result(), on_verdict)


def _record(schedule: Schedule, task: Task, verdict: Verdict, on_verdict: OnVerdict) -> None:
    task.walk.record(verdict)
    schedule.give_back(task)
    on_verdict(task, verdict)


class Progress:
    """A progress bar over `total` characters that shows calls and tokens; None: no bar."""

    def __init__(self, total: int | None) -> None:
        from tqdm import tqdm  # deferred: importing it takes longer than a short text

        self._bar = tqdm(total=total, disable=total is None, unit="char", unit_scale=True)
        self._usage = Usage()
        self._passed: dict[int, int] = {}

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None and self._bar.total is not None:
            self._bar.update(self._bar.total - self._bar.n)
        self._bar.close()

    def show(self, task: Task, verdict: Verdict) -> None:
        """Show how far the walk has come, and the calls and tokens of all verdicts."""
        if self._bar.disable:
            return
        self._usage += verdict.usage
        document = task.walk.document
        reached = task.walk.position
        done = reached == len(document.units)
        passed = len(document.text) if done else document.units[reached].start
        self._bar.update(passed - self._passed.get(task.number, 0))
        self._passed[task.number] = passed
        tokens = self._usage.prompt_tokens + self._usage.completion_tokens
        self._bar.set_postfix({"calls": self._usage.calls, "tokens": tokens}, refresh=False)
