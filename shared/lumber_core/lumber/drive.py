"""Driving walks: asking a judge for every group they hand out, until they are done.

The same schedule is driven by threads, by tasks of an event loop, or by a plain loop. All walks
are touched by the calling thread or task alone; only the judge is called from elsewhere.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from lumber_core import waiting
from lumber_core.lumber.judges import Judge
from lumber_core.lumber.schedule import Schedule, Task
from lumber_core.lumber.walk import Walk
from lumber_core.segmentation import Verdict

OnVerdict = Callable[[Task, Verdict], None]
"""Called for every verdict as it comes in, to show progress."""


def drive(
    walks: Iterator[Walk], judge: Judge, *, capacity: int, on_verdict: OnVerdict
) -> Iterator[tuple[int, Walk]]:
    """Ask the judge, from `capacity` threads at once, and yield walks as they end.

    On an error, or when the caller stops listening, nothing more is asked; what is in flight is
    waited for, so that no answer that was paid for is lost to a store.
    """
    schedule = Schedule(walks, capacity)
    if capacity == 1 or not judge.waits:
        yield from _drive_here(schedule, judge, on_verdict)
        return
    stop = threading.Event()
    with ThreadPoolExecutor(
        capacity,
        thread_name_prefix="lumber-judge",
        initializer=waiting.listen_to,
        initargs=(stop,),
    ) as pool:
        try:
            yield from _drive_pool(pool, schedule, judge, on_verdict)
        except BaseException:
            stop.set()  # ends the pauses between attempts, not the calls that are under way
            raise


def _drive_pool(
    pool: ThreadPoolExecutor, schedule: Schedule, judge: Judge, on_verdict: OnVerdict
) -> Iterator[tuple[int, Walk]]:
    out: dict[Future[Verdict], Task] = {}
    while True:
        while (task := schedule.next_task()) is not None:
            out[pool.submit(judge.judge, task.group)] = task
        yield from schedule.finished()
        if not out:
            return
        done, _ = wait(out, return_when=FIRST_COMPLETED)
        for future in done:
            _take(schedule, out.pop(future), future.result(), on_verdict)


def _drive_here(
    schedule: Schedule, judge: Judge, on_verdict: OnVerdict
) -> Iterator[tuple[int, Walk]]:
    while (task := schedule.next_task()) is not None:
        _take(schedule, task, judge.judge(task.group), on_verdict)
        yield from schedule.finished()
    yield from schedule.finished()


async def adrive(
    walks: Iterator[Walk],
    judge: Judge,
    *,
    capacity: int,
    on_verdict: OnVerdict,
    on_finished: Callable[[int, Walk], None],
) -> None:
    """Ask the judge, `capacity` answers being awaited at once, and report walks as they end.

    On an error or cancellation nothing more is asked, and what is in flight is cancelled.
    """
    schedule = Schedule(walks, capacity)
    out: dict[asyncio.Task[Verdict], Task] = {}
    try:
        while True:
            while (task := schedule.next_task()) is not None:
                out[asyncio.ensure_future(judge.ajudge(task.group))] = task
            for number, walk in schedule.finished():
                on_finished(number, walk)
            if not out:
                return
            done, _ = await asyncio.wait(out, return_when=asyncio.FIRST_COMPLETED)
            for answered in done:
                _take(schedule, out.pop(answered), answered.result(), on_verdict)
    finally:
        for pending in out:
            pending.cancel()
        await asyncio.gather(*out, return_exceptions=True)


def _take(schedule: Schedule, task: Task, verdict: Verdict, on_verdict: OnVerdict) -> None:
    task.walk.record(verdict)
    schedule.give_back(task)
    on_verdict(task, verdict)
