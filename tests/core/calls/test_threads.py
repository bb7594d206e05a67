import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lumber_core import (
    AnswerStore,
    CallPolicy,
    Completion,
    Group,
    Judge,
    LumberChunker,
    ModelJudge,
    Usage,
    Verdict,
)
from lumber_core.calls.threads import in_thread, start_in_thread
from tests.core.lumber.support import ScatteredModel, judge_by_hash, story

TEXT = story(40)


def run_to_end(work: Callable[[], Any], seconds: float = 60) -> Any:
    """Return what `work` returns; fail if it does not end."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - handed to the caller
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future.result(seconds)


def run_to_end_in_a_loop(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return run_to_end(lambda: asyncio.run(work()))


class Counted:
    """A user's slow judge, which counts its calls."""

    identity = "counted"

    def __init__(self, seconds: float = 0.0) -> None:
        self.calls = 0
        self._seconds = seconds
        self._lock = threading.Lock()

    def judge(self, group: Group) -> int | None:
        time.sleep(self._seconds)
        with self._lock:
            self.calls += 1
        return judge_by_hash(group)


class Both(Judge):
    """A judge that waits in its first coroutine, and answers synchronous calls at once."""

    identity = "both"

    def __init__(self, seconds: float = 0.05) -> None:
        self.asked = asyncio.Event()
        self.calls = 0
        self._seconds = seconds

    def judge(self, group: Group) -> Verdict:
        self.calls += 1
        return Verdict(group.start, group.stop, judge_by_hash(group), "shift", usage=Usage(1))

    async def ajudge(self, group: Group) -> Verdict:
        if not self.asked.is_set():
            self.asked.set()
            await asyncio.sleep(self._seconds)
        return self.judge(group)


def raise_stop_iteration(group: Group) -> int:
    raise StopIteration


class Exhausted(Judge):
    def judge(self, group: Group) -> Verdict:
        raise StopIteration


@pytest.mark.parametrize("judge", [raise_stop_iteration, Exhausted()], ids=["function", "class"])
def test_a_judge_that_raises_stop_iteration_ends_the_call(judge: Any) -> None:
    chunker = LumberChunker(judge, theta=60)
    with pytest.raises(RuntimeError, match="StopIteration"):
        run_to_end_in_a_loop(lambda: chunker.call_async(chunker.segment, TEXT))
    with pytest.raises(RuntimeError, match="StopIteration"):
        run_to_end(lambda: chunker.segment(TEXT))


@pytest.mark.parametrize("concurrency", [None, 4])
def test_a_sync_call_on_an_event_loop_does_not_wait_for_that_loop(tmp_path, concurrency) -> None:
    judge = Both()
    chunker = LumberChunker(judge, theta=60, store=tmp_path / "a.db", max_concurrency=concurrency)

    async def both() -> bool:
        task = asyncio.ensure_future(chunker.call_async(chunker.segment, TEXT))
        await judge.asked.wait()  # the first group is in flight on this loop
        return chunker.segment(TEXT) == await task

    assert run_to_end_in_a_loop(both)


def test_threads_of_the_loop_that_wait_for_a_coroutine_do_not_starve_it(tmp_path: Path) -> None:
    judge = Both(0.3)
    chunker = LumberChunker(judge, theta=60, store=tmp_path / "a.db")
    expected = LumberChunker(judge, theta=60).segment(TEXT)
    calls, judge.calls = judge.calls, 0

    async def many() -> list[Any]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
        task = asyncio.ensure_future(chunker.call_async(chunker.segment, TEXT))
        await judge.asked.wait()
        return await asyncio.gather(
            task, *(asyncio.to_thread(chunker.segment, TEXT) for _ in range(4))
        )

    assert all(result == expected for result in run_to_end_in_a_loop(many))
    assert judge.calls < 2 * calls  # the threads share calls, the coroutine makes its own


def test_answers_in_flight_in_threads_are_kept_after_an_error(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path / "a.db")
    begun = threading.Barrier(4)

    class Failing(Counted):
        def judge(self, group: Group) -> int | None:
            begun.wait(120)
            if group.texts[0].startswith("S3"):
                raise KeyError("a bug")
            time.sleep(0.2)
            return super().judge(group)

    judge = Failing()
    chunker = LumberChunker(judge, theta=60, store=store)
    texts = [story(40, seed) for seed in range(4)]
    with pytest.raises(KeyError, match="a bug"):
        run_to_end_in_a_loop(lambda: chunker.call_async(chunker.segment_all, texts))
    assert judge.calls == len(store) == 3


def test_a_cancellation_takes_effect_after_the_work_in_a_thread() -> None:
    finished = []
    begun, ended = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert ended.wait(60)

    async def work() -> None:
        await in_thread(wait)
        finished.append("thread")
        await asyncio.sleep(0)
        finished.append("more")

    async def cancel() -> None:
        task = asyncio.ensure_future(work())
        while not begun.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        ended.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        ended.clear()
        asyncio.get_running_loop().call_later(0.5, ended.set)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(work(), 0.05)

    run_to_end_in_a_loop(cancel)
    assert finished == ["thread", "thread"]


class Splitting(ScatteredModel):
    """A model that splits a text itself, synchronously, before it answers on the event loop."""

    async def acomplete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(TEXT)
        return self.complete(system, user, answers=answers)


def test_a_model_on_the_event_loop_may_split_a_text_itself() -> None:
    chunker = LumberChunker(ModelJudge(Splitting()), theta=60)
    expected = LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(TEXT)
    assert run_to_end_in_a_loop(lambda: chunker.call_async(chunker.segment, TEXT)) == expected


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_cancellation_ends_the_pauses_between_attempts(concurrency: int, monkeypatch) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: high)

    class Down(ScatteredModel):
        async def acomplete(self, system: str, user: str, *, answers: Any = None) -> Completion:
            completion = self.complete(system, user, answers=answers)
            if len(self.asked) > 1:
                raise ConnectionError
            return completion

    model, policy = Down(), CallPolicy(initial_backoff=10_000.0, max_backoff=10_000.0)
    judge = ModelJudge(model, policy=policy)
    chunker = LumberChunker(judge, theta=60, max_concurrency=concurrency)
    chunker.segment("One.\n\nTwo.")  # loads the model

    async def cancel() -> None:
        task = asyncio.ensure_future(chunker.call_async(chunker.segment_all, [TEXT] * 4))
        while len(model.asked) < 1 + concurrency:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run_to_end_in_a_loop(cancel)
    assert len(model.asked) == 1 + concurrency


def test_work_in_threads_gets_context_variables_and_arguments() -> None:
    async def work() -> int:
        return await start_in_thread(int, "11", base=2)

    assert run_to_end_in_a_loop(work) == 3
