"""Faults from outside: clocks that jump, read-only files."""

import itertools
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from lumber_core import AnswerStore, CallPolicy, LumberChunker, ModelJudge
from lumber_core.errors import StoreError
from lumber_core.llms.openai import OpenAIModel
from tests.core.lumber.support import ScatteredModel, story
from tests.loopback.faults import Status
from tests.loopback.server import LoopbackServer

TEXT = story(16)
ALONE = LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(TEXT)


@pytest.fixture
def jumping_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system clock that jumps ten years forward and back with every reading."""
    jumps = itertools.cycle([10, -10])
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps) * 365 * 86_400)


@pytest.mark.usefixtures("jumping_clock")
@pytest.mark.parametrize("after", ["0", "Wed, 21 Oct 2037 07:28:00 GMT", "not a date"])
def test_waits_do_not_depend_on_the_system_clock(
    after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("lumber_core.calls.threads.time.sleep", waits.append)
    faults = {2: Status(429, headers={"Retry-After": after}), 3: Status(503)}
    policy = CallPolicy(initial_backoff=0.01, max_backoff=0.05, requests_per_minute=60_000)
    with LoopbackServer("Answer: none", faults=faults) as server:
        model = OpenAIModel("any", api_key="k", base_url=server.openai_url)
        judge = ModelJudge(model, policy=policy)
        result = LumberChunker(judge, theta=60).segment(TEXT)
    assert result.failures == ()
    assert result.usage.calls == server.count - 2
    assert 0 < max(waits) < 0.1  # pauses have jitter


@contextmanager
def drop_privileges() -> Iterator[None]:
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
        drop_privileges(),
        pytest.raises(StoreError, match=r"answers\.db cannot be used.*readonly.*allow writing"),
    ):
        chunker.segment(TEXT)
    assert model.asked == []
    assert read_only.read_bytes() == before
