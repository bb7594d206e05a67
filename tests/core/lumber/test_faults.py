"""Faults from outside: cancellation anywhere, clocks that jump, read-only files."""

from __future__ import annotations

import asyncio
import itertools
import os
import stat
import threading
import time
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from lumber_core import AnswerStore, CallPolicy, Completion, LumberChunker, ModelJudge
from lumber_core.errors import StoreError
from lumber_core.llms.openai import OpenAIModel
from tests.core.core_support import memory_folder
from tests.core.lumber.support import ScatteredModel, story
from tests.loopback.faults import Status
from tests.loopback.server import LoopbackServer

TEXT = story(16)
ALONE = LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(TEXT)


class Answering(ScatteredModel):
    """Awaits before and after its answer, and knows which answers it has given."""

    def __init__(self) -> None:
        super().__init__()
        self.answered: set[str] = set()

    async def acomplete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        await asyncio.sleep(0)
        completion = self.complete(system, user, answers=answers)
        await asyncio.sleep(0)
        self.answered.add(user)
        return completion


class AnsweringInThreads(Answering):
    """Answers in a thread, as models without asynchronous methods do."""

    async def acomplete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        from lumber_core.support.concurrency import in_thread

        return await in_thread(self._answer, system, user, answers)

    def _answer(self, system: str, user: str, answers: Any) -> Completion:
        completion = self.complete(system, user, answers=answers)
        self.answered.add(user)
        return completion


class Step(Coroutine[Any, Any, Any]):
    """A coroutine that reports each of its steps before it takes it."""

    def __init__(self, inner: Any, report: Callable[[], None]) -> None:
        self._inner = inner
        self._report = report

    def send(self, value: Any) -> Any:
        self._report()
        return self._inner.send(value)

    def throw(self, *error: Any) -> Any:
        self._report()
        return self._inner.throw(*error)

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        raise NotImplementedError


def cancelled_at(step: int, work: Callable[[], Coroutine[Any, Any, Any]]) -> bool:
    """Run `work`, and cancel it before the given step of any of its tasks.

    Returns:
        Whether it came to that; False if it ended before.
    """
    numbers = itertools.count(1)

    async def main() -> bool:
        loop = asyncio.get_running_loop()
        tasks: list[asyncio.Task[Any]] = []

        def report() -> None:
            if next(numbers) == step:
                tasks[0].cancel()

        def make(loop: Any, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
            return asyncio.Task(Step(coroutine, report), loop=loop, **options)

        loop.set_task_factory(make)
        tasks.append(loop.create_task(work()))
        try:
            await tasks[0]
        except asyncio.CancelledError:
            return True
        finally:
            loop.set_task_factory(None)
            assert asyncio.all_tasks() == {asyncio.current_task()}
        return next(numbers) > step

    return asyncio.run(main())


@pytest.mark.parametrize("make", [Answering, AnsweringInThreads])
def test_a_cancellation_at_any_await_loses_no_answer(make: type[Answering]) -> None:
    steps = 0
    for step in itertools.count(1):
        with memory_folder() as folder:
            store = AnswerStore(Path(folder) / "answers.db")
            model = make()
            chunker = LumberChunker(ModelJudge(model), theta=60, store=store, max_concurrency=3)
            came = cancelled_at(step, lambda: chunker.asegment(TEXT))  # noqa: B023 - called at once
            assert len(store) == len(model.answered)
            again = ScatteredModel()
            resumed = LumberChunker(ModelJudge(again), theta=60, store=store)
            assert resumed.segment(TEXT) == ALONE
            assert not model.answered & set(again.asked)
            store.close()
        if not came:
            break
        steps = step
    assert steps > 20


@pytest.fixture
def jumping_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on the wall that jumps ten years forward and back with every look."""
    jumps = itertools.cycle([10, -10])
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps) * 365 * 86_400)


@pytest.mark.usefixtures("jumping_clock")
@pytest.mark.parametrize("after", ["0", "Wed, 21 Oct 2037 07:28:00 GMT", "not a date"])
def test_a_clock_that_jumps_changes_no_wait(after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("lumber_core.support.concurrency.time.sleep", waits.append)
    faults = {2: Status(429, headers={"Retry-After": after}), 3: Status(503)}
    policy = CallPolicy(
        initial_backoff=0.01, max_backoff=0.05, requests_per_minute=60_000, attempts=4
    )
    with LoopbackServer("Answer: none", faults=faults) as server:
        model = OpenAIModel("any", api_key="k", base_url=server.openai_url)
        judge = ModelJudge(model, policy=policy)
        result = LumberChunker(judge, theta=60).segment(TEXT)
    assert result.failures == ()
    assert result.usage.calls == server.count - 2
    assert 0 < max(waits) < 0.1  # with jitter


@contextmanager
def unprivileged() -> Iterator[None]:
    """Give up the rights of the superuser, who may write to read-only files."""
    if os.geteuid():
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store with the first answers of `TEXT`, in a folder where nothing can be written."""
    if not hasattr(os, "geteuid"):
        pytest.skip("files are made read-only in another way on this system")
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "answers.db"
        store = AnswerStore(path)
        LumberChunker(ModelJudge(ScatteredModel()), theta=60, store=store).segment(story(16)[:400])
        store.close()
        path.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
        folder.chmod(0o555)
        yield path
        folder.chmod(0o755)


def test_a_store_that_is_read_only_is_refused_before_the_model_is_asked(read_only: Path) -> None:
    before = read_only.read_bytes()
    model = ScatteredModel()
    chunker = LumberChunker(ModelJudge(model), theta=60, store=read_only)
    with (
        unprivileged(),
        pytest.raises(StoreError, match=r"answers\.db cannot be used.*readonly.*allow writing"),
    ):
        chunker.segment(TEXT)
    assert model.asked == []
    assert read_only.read_bytes() == before


def test_two_event_loops_share_a_splitter_and_pay_once(tmp_path: Path) -> None:
    model = Answering()
    chunker = LumberChunker(ModelJudge(model), theta=60, store=tmp_path / "answers.db")
    results: list[Any] = []

    def run() -> None:
        results.append(asyncio.run(chunker.asegment(TEXT)))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert results == [ALONE, ALONE]
    assert len(model.asked) == ALONE.usage.calls
