"""The whole way to a model over real HTTP: the OpenAI SDK against a server that misbehaves."""

import asyncio
import gc
import re
import tracemalloc
from pathlib import Path
from zlib import crc32

import pytest

from lumber_core import CallPolicy, LumberChunker, ModelJudge
from lumber_core.llms.openai import OpenAIModel
from tests.core.lumber.support import story
from tests.loopback.faults import Drop, rate_limited
from tests.loopback.server import LoopbackServer, Request
from tests.tiling import check_tiling

load = pytest.mark.load
FAST = CallPolicy(attempts=5, initial_backoff=0.005, max_backoff=0.05)


def scattered_answer(request: Request) -> str:
    """Answer by the words of the question, as a model at temperature 0 would."""
    labels = re.findall(r"^ID (\d+):", request.user, re.MULTILINE)[1:]
    return f"Answer: ID {labels[crc32(request.user.encode()) % len(labels)]}"


def splitter(server: LoopbackServer, **options) -> LumberChunker:
    model = OpenAIModel("any", base_url=server.openai_url, structured=False)
    return LumberChunker(ModelJudge(model, policy=FAST), **{"theta": 60, **options})


@pytest.mark.parametrize(("documents", "calls"), [(1, 125), pytest.param(80, 10_000, marks=load)])
def test_many_calls_lose_no_answer_and_ask_none_twice(
    tmp_path: Path, documents: int, calls: int
) -> None:
    """Every answer is stored once and none is asked for twice; `make load` asks 10,000 times.

    Passing errors change the number of requests alone.
    """
    texts = [story(168, seed) for seed in range(documents)]
    store = tmp_path / "answers.db"
    faults = {2: rate_limited(0.02), 9: Drop("body"), 33: rate_limited(), 50: Drop("body")}
    with LoopbackServer(scattered_answer, faults=faults, keep=0) as server:
        chunker = splitter(server, max_concurrency=16, store=store)
        results = asyncio.run(chunker.call_async(chunker.segment_all, texts))
        assert server.count >= calls
        assert server.count == sum(result.usage.calls for result in results) + len(faults)
        before = server.count
        assert splitter(server, store=store).segment_all(texts) == results
        assert server.count == before
    with LoopbackServer(scattered_answer) as server:  # a server without faults
        assert splitter(server).segment(texts[0]) == results[0]
    for text, result in zip(texts, results, strict=True):
        check_tiling(result.spans, len(text))
        assert result.failures == ()


@pytest.mark.parametrize("calls", [40, pytest.param(5_000, marks=load)])
def test_memory_grows_by_verdicts_and_not_by_questions(tmp_path: Path, calls: int) -> None:
    """One question is open at each measurement, so that only stored data differs."""
    held: list[int] = []
    lengths: list[int] = []

    def look(request: Request) -> str:
        lengths.append(len(request.user))
        if len(lengths) in (calls // 2, calls):
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
        return scattered_answer(request)

    with LoopbackServer(look, keep=0) as server:
        chunker = splitter(server, theta=1000, store=tmp_path / "answers.db", max_concurrency=1)
        chunker.segment("One.\n\nTwo.")  # imports the packages
        lengths.clear()
        tracemalloc.start()
        try:
            asyncio.run(chunker.call_async(chunker.segment, story(30 * calls)))
        finally:
            tracemalloc.stop()
    middle, end = held
    assert end - middle < sum(lengths[calls // 2 : calls]) / 2
