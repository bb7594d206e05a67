"""Ctrl-C and cancelled tasks stop at once, and keep every answer that has come."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from lumber_core import AnswerStore, LumberChunker, ModelJudge
from tests.lumber.support import ScatteredModel, story

CHILD = textwrap.dedent(
    """
    import itertools, signal, sys, time
    from lumber_core import LumberChunker, ModelJudge
    from tests.lumber.support import ScatteredModel, story

    # Whoever starts the tests may have turned Ctrl-C off, which children inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    class Troubled(ScatteredModel):
        '''Answers some questions, and then is out of reach for good.'''

        numbers = itertools.count(1)

        def complete(self, system, user, *, choices=()):
            number = next(self.numbers)
            if number == 21:
                print("out of reach", flush=True)
            if number > 20:
                raise ConnectionError
            return super().complete(system, user, choices=choices)

    chunker = LumberChunker(
        ModelJudge(Troubled()), theta=60, store=sys.argv[1], max_concurrency=int(sys.argv[2])
    )
    chunker.segment(story(300))
    """
)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_ctrl_c_ends_the_waiting_and_keeps_the_answers(tmp_path: Path, concurrency: int) -> None:
    store = tmp_path / "answers.db"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(store), str(concurrency)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "out of reach\n"
    time.sleep(0.3)  # attempts are now up to half a minute apart
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=5)
    assert "KeyboardInterrupt" in errors
    assert len(AnswerStore(store)) == 20


def test_a_cancelled_task_keeps_the_answers(tmp_path: Path) -> None:
    class Slow(ScatteredModel):
        async def acomplete(self, system, user, *, choices=()):
            if len(self.asked) >= 12:
                await asyncio.sleep(60)
            return self.complete(system, user, choices=choices)

    store = AnswerStore(tmp_path / "answers.db")
    chunker = LumberChunker(ModelJudge(Slow()), theta=60, store=store, max_concurrency=4)

    async def cancelled() -> None:
        task = asyncio.ensure_future(chunker.asegment(story(300)))
        while len(store) < 12:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(cancelled())
    assert len(store) == 12


def test_an_error_stops_what_is_under_way() -> None:
    class Failing(ScatteredModel):
        def complete(self, system, user, *, choices=()):
            if len(self.asked) >= 10:
                raise KeyError("a bug")
            return super().complete(system, user, choices=choices)

    model = Failing()
    chunker = LumberChunker(ModelJudge(model), theta=60, max_concurrency=4)
    with pytest.raises(KeyError, match="a bug"):
        chunker.segment_all([story(300, seed) for seed in range(50)])
    assert len(model.asked) == 10
