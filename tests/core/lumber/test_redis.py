"""Answers in a real Redis, through the classes of LangChain and LlamaIndex.

Skipped if `redis-server` or one of the two packages is not installed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import socket
import subprocess
import time
import warnings
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from lumber_core import AnswerStore, LumberChunker, ModelJudge
from tests.core.lumber.support import LoggedModel, ScatteredModel, splitter, story

redis = pytest.importorskip("redis")
pytest.importorskip("langchain_community")
pytest.importorskip("llama_index.storage.kvstore.redis")
if shutil.which("redis-server") is None:
    pytest.skip("redis-server is not installed", allow_module_level=True)

TEXT = story(120)
ALONE = LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(TEXT)
KINDS = ["langchain", "llama-index"]
PASSWORD = "planted-password-1"


class Server:
    """A Redis server on a port of this machine, which keeps its data on disk."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._folder = folder
        self.start()

    @property
    def url(self) -> str:
        return f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"

    def client(self) -> Any:
        return redis.Redis(port=self.port, password=PASSWORD)

    def start(self) -> None:
        command = ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", ""]
        command += ["--appendonly", "yes", "--appendfsync", "always", "--dir", str(self._folder)]
        command += ["--requirepass", PASSWORD]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not self._answers():
            assert time.monotonic() < deadline, "redis-server did not start"
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            return bool(self.client().ping())
        except redis.exceptions.RedisError:
            return False

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.kill()


def connect(kind: str, url: str) -> Any:
    if kind == "langchain":
        with warnings.catch_warnings():  # langchain-community says that it is no longer extended
            warnings.simplefilter("ignore")
            from langchain_community.storage import RedisStore

        return RedisStore(redis_url=url, namespace="tests")
    from llama_index.storage.kvstore.redis import RedisKVStore

    return RedisKVStore(url)


@pytest.mark.parametrize("kind", KINDS)
def test_one_store_serves_several_event_loops_and_is_read_by_the_next_run(
    server: Server, kind: str
) -> None:
    first, second = ScatteredModel(), ScatteredModel()
    chunker = splitter(first, AnswerStore(connect(kind, server.url)))
    for _ in range(3):
        assert asyncio.run(chunker.asegment_all([TEXT, TEXT])) == [ALONE, ALONE]
    again = AnswerStore(connect(kind, server.url))
    assert splitter(second, again).segment(TEXT) == ALONE
    assert second.asked == []
    assert len(again) == again.usage().calls == len(first.asked)
    assert again.forget_failures() == 0


def split_and_log(kind: str, url: str, log: Path, output: Path) -> None:
    """Split a story, and write each question's hash as it is answered, and at last the spans."""
    chunker = splitter(LoggedModel(log, 0.004), connect(kind, url), max_concurrency=2)
    output.write_text(str(chunker.segment(story(300)).spans))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.parametrize("kind", KINDS)
def test_of_two_processes_one_is_killed_and_nothing_paid_is_lost(
    server: Server, kind: str, tmp_path: Path
) -> None:
    logs = [tmp_path / "first.log", tmp_path / "second.log"]
    outputs = [tmp_path / "first", tmp_path / "second"]

    def start(number: int) -> BaseProcess:
        """Start a forked process, which is ready at once."""
        arguments = (kind, server.url, logs[number], outputs[number])
        child = get_context("fork").Process(target=split_and_log, args=arguments)
        child.start()
        return child

    def calls(log: Path) -> list[str]:
        return log.read_text().split() if log.exists() else []

    first = start(0)
    until = time.monotonic() + 60
    while first.is_alive() and len(calls(logs[0])) < 40 and time.monotonic() < until:
        time.sleep(0.001)
    first.kill()
    first.join(60)
    assert first.exitcode == -signal.SIGKILL
    paid = calls(logs[0])
    assert len(paid) >= 40
    second = start(1)
    second.join(60)
    assert second.exitcode == 0
    expected = str(LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(story(300)).spans)
    assert outputs[1].read_text() == expected
    assert len(set(paid) & set(calls(logs[1]))) <= 2  # those in flight when it was killed
    # Both at once over what is stored: nothing is asked.
    for path in (*logs, outputs[1]):
        path.unlink()
    both = [start(0), start(1)]
    for child in both:
        child.join(60)
    assert [child.exitcode for child in both] == [0, 0]
    assert [output.read_text() for output in outputs] == [expected, expected]
    assert [calls(log) for log in logs] == [[], []]


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_dies_during_a_run_costs_no_answer(
    server: Server, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    class At(ScatteredModel):
        def complete(self, system, user, *, answers=None):
            completion = super().complete(system, user, answers=answers)
            if len(self.asked) == 10:
                server.kill()
            return completion

    model = At()
    store = AnswerStore(connect(kind, server.url))
    chunker = splitter(model, store)
    assert chunker.segment(TEXT) == ALONE
    said = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert f"{len(model.asked) - 9} answers could not be written to Redis" in said[-1]
    assert PASSWORD not in caplog.text
    server.start()
    store.flush()
    again = ScatteredModel()
    assert splitter(again, connect(kind, server.url)).segment(TEXT) == ALONE
    assert again.asked == []
