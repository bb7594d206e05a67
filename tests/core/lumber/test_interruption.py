import asyncio
import hashlib
import itertools
import os
import random
import signal
import time
from collections.abc import Callable, Coroutine, Generator
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from lumber_core import AnswerStore, Completion, LumberChunker, ModelJudge
from lumber_core.calls.threads import in_thread
from lumber_core.storage.cache import Cache
from tests.core.core_support import memory_folder
from tests.core.lumber.interrupting import ANSWERED, press_ctrl_c
from tests.core.lumber.stores import opener
from tests.core.lumber.support import ScatteredModel, segment, splitter, story

STORY = 100  # number of paragraphs
TEXT = story(10)
ALONE = LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(TEXT)

needs_forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")


class KilledModel(ScatteredModel):
    """Writes the hash of each question to a file, which outlasts the process.

    The system kills the process soon after the question with a given number.
    """

    def __init__(self, log: Path, last: int, seconds: float) -> None:
        super().__init__()
        self._log = os.open(log, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        self._last, self._seconds = last, seconds
        self._numbers = itertools.count(1)

    def complete(self, system: str, user: str, *, answers: Any = None) -> Completion:
        completion = super().complete(system, user, answers=answers)
        os.write(self._log, f"{hashlib.sha256(user.encode()).hexdigest()}\n".encode())
        if next(self._numbers) == self._last:
            signal.setitimer(signal.ITIMER_REAL, self._seconds)
        time.sleep(0.001)
        return completion


def start(open_store: Callable[[], Any], log: Path, output: Path, **options: Any) -> BaseProcess:
    """Split a story in a forked process, which writes the spans, or is killed."""
    seed, calls = options.pop("seed"), options.pop("calls")

    def split_and_log() -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the signal ends the process
        chunker = splitter(KilledModel(log, **options), open_store(), max_concurrency=calls)
        output.write_text(str(chunker.segment(story(STORY, seed)).spans))

    child = get_context("fork").Process(target=split_and_log)
    child.start()
    return child


def count_repeated(log: Path) -> int:
    """Return the number of questions that were asked again."""
    calls = log.read_text().split()
    return len(calls) - len(set(calls))


@needs_forks
@pytest.mark.parametrize(("kind", "calls"), [("file", 1), ("file", 4), ("llama-index-redis", 4)])
def test_a_killed_process_repeats_only_questions_in_flight_and_does_not_affect_another(
    tmp_path: Path, kind: str, calls: int
) -> None:
    log, output, other_log, other_path = (tmp_path / name for name in "abcd")
    chance, kills = random.Random(7), 0
    with opener(kind, tmp_path) as open_store:
        other = start(open_store, other_log, other_path, seed=1, calls=2, last=0, seconds=0.0)
        while not output.exists():
            assert kills < 20, "no run gets farther than the one before"
            child = start(
                open_store,
                log,
                output,
                seed=0,
                calls=calls,
                last=chance.randrange(4, 14),
                seconds=0.0001 + chance.random() * 0.004,
            )
            child.join(120)
            assert child.exitcode in (0, -signal.SIGALRM)
            kills += child.exitcode != 0
        other.join(120)
        assert other.exitcode == 0
        last = ScatteredModel()
        splitter(last, open_store()).segment(story(STORY))
        assert last.asked == []
    assert kills >= 2
    assert count_repeated(log) <= kills * calls
    assert count_repeated(other_log) == 0
    for seed, path in ((0, output), (1, other_path)):
        expected = splitter(ScatteredModel(), None).segment(story(STORY, seed))
        assert path.read_text() == str(expected.spans)
    if kind == "file":
        assert sorted(tmp_path.glob("answers.db*")) == [tmp_path / "answers.db"]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_lanes_of_a_resumed_run_ask_only_missing_questions(tmp_path: Path, way: str):
    model = ScatteredModel()
    expected = splitter(model, tmp_path / "answers.db").segment(story(STORY))
    entries = Cache(tmp_path / "answers.db", "verdicts")
    entries.delete([[*dict(entries.items())][-3]])
    model.asked.clear()
    ahead = splitter(model, tmp_path / "answers.db", max_concurrency=16)
    assert segment(ahead, story(STORY), way) == expected
    assert 1 <= len(model.asked) <= 3  # the missing group and those after the stored ones


# Ctrl-C and errors stop at once.

WALK = """
import sys
from lumber_core import LumberChunker, ModelJudge
from tests.core.lumber.interrupting import TroubledModel
from tests.core.lumber.support import story

judge = ModelJudge(TroubledModel(sys.argv[3]))
chunker = LumberChunker(judge, theta=60, store=sys.argv[1], max_concurrency=int(sys.argv[2]))
chunker.segment(story(300))
"""
QUESTIONS = """
import sys
from lumber_evaluation.llm.batch_asking import Prompt, ask_all
from tests.core.lumber.interrupting import TroubledModel

prompts = [Prompt("s", f"question {number}", str) for number in range(100)]
ask_all(TroubledModel(sys.argv[3]), prompts, store=sys.argv[1], max_concurrency=int(sys.argv[2]))
"""


@pytest.mark.parametrize(
    ("program", "kind", "calls", "pressed_by"),
    [
        (WALK, "verdicts", 1, "user"),
        (WALK, "verdicts", 4, "user"),
        (WALK, "verdicts", 4, "thread"),
        (QUESTIONS, "completions", 4, "user"),
        (QUESTIONS, "completions", 4, "thread"),
    ],
)
def test_ctrl_c_ends_waiting_and_keeps_the_answers(program, kind, calls, pressed_by, tmp_path):
    if pressed_by == "thread" and not hasattr(signal, "pthread_kill"):
        pytest.skip("this platform signals no single thread")
    store = tmp_path / "answers.db"
    assert "KeyboardInterrupt" in press_ctrl_c(program, store, kind, calls, pressed_by)
    assert len(Cache(store, kind)) == ANSWERED


def test_an_error_stops_calls_in_flight() -> None:
    class Failing(ScatteredModel):
        def complete(self, system, user, *, answers=None):
            if len(self.asked) >= 10:
                raise KeyError("a bug")
            return super().complete(system, user, answers=answers)

    model = Failing()
    chunker = LumberChunker(ModelJudge(model), theta=60, max_concurrency=4)
    with pytest.raises(KeyError, match="a bug"):
        chunker.segment_all([story(300, seed) for seed in range(50)])
    assert len(model.asked) == 10


class Answering(ScatteredModel):
    """Awaits before and after its answer, and records the answers that it has given."""

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


def cancel_at(step: int, work: Callable[[], Coroutine[Any, Any, Any]]) -> bool:
    """Run `work`, and cancel it before the given step of any of its tasks.

    Returns:
        Whether the work was cancelled; False if it ended before.
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
def test_a_cancellation_at_any_await_keeps_all_answers(make: type[Answering]) -> None:
    steps = 0
    for step in itertools.count(1):
        with memory_folder() as folder:
            store = AnswerStore(Path(folder) / "answers.db")
            model = make()
            chunker = LumberChunker(ModelJudge(model), theta=60, store=store, max_concurrency=3)
            came = cancel_at(step, lambda: chunker.call_async(chunker.segment, TEXT))  # noqa: B023
            assert len(store) == len(model.answered)
            second_model = ScatteredModel()
            resumed = LumberChunker(ModelJudge(second_model), theta=60, store=store)
            assert resumed.segment(TEXT) == ALONE
            assert not model.answered & set(second_model.asked)
            store.close()
        if not came:
            break
        steps = step
    assert steps > 10
