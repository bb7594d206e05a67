"""Ctrl-C and cancelled tasks stop at once, and keep every answer received."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lumber_core import AnswerStore, LumberChunker, ModelJudge
from tests.core.lumber.interrupting import ANSWERED, interrupted
from tests.core.lumber.support import ScatteredModel, story

CHILD = """
import sys
from lumber_core import LumberChunker, ModelJudge
from tests.core.lumber.interrupting import TroubledModel
from tests.core.lumber.interrupting import ANSWERED, interrupted
from tests.core.lumber.support import story

judge = ModelJudge(TroubledModel())
chunker = LumberChunker(judge, theta=60, store=sys.argv[1], max_concurrency=int(sys.argv[2]))
chunker.segment(story(300))
"""


@pytest.mark.parametrize("concurrency", [1, 4])
def test_ctrl_c_ends_the_waiting_and_keeps_the_answers(tmp_path: Path, concurrency: int) -> None:
    store = tmp_path / "answers.db"
    assert "KeyboardInterrupt" in interrupted(CHILD, store, concurrency)
    assert len(AnswerStore(store)) == ANSWERED


def test_a_cancelled_task_keeps_the_answers(tmp_path: Path) -> None:
    class Slow(ScatteredModel):
        async def acomplete(self, system, user, *, answers=None):
            if len(self.asked) >= 12:
                await asyncio.sleep(60)
            return self.complete(system, user, answers=answers)

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
        def complete(self, system, user, *, answers=None):
            if len(self.asked) >= 10:
                raise KeyError("a bug")
            return super().complete(system, user, answers=answers)

    model = Failing()
    chunker = LumberChunker(ModelJudge(model), theta=60, max_concurrency=4)
    with pytest.raises(KeyError, match="a bug"):
        chunker.segment_all([story(300, seed) for seed in range(50)])
    assert len(model.asked) == 10
