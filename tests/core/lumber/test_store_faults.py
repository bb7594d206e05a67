"""A store whose file fails in the middle of a run: no answer of the run is lost, none silently."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from lumber_core import AnswerStore, LumberChunker, ModelJudge
from tests.core.lumber.support import ActingModel, ScatteredModel, story, warnings

TEXT = story(60)
ALONE = LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(TEXT)


def run(model: ScatteredModel, store: object, way: str = "sync") -> None:
    chunker = LumberChunker(ModelJudge(model), theta=60, store=store, max_extra_calls=0)
    result = chunker.segment(TEXT) if way == "sync" else asyncio.run(chunker.asegment(TEXT))
    assert result == ALONE


@pytest.mark.parametrize("every", [True, False], ids=["all files", "the database"])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_file_deleted_during_a_run_is_written_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, way: str, every: bool
) -> None:
    path = tmp_path / "answers.db"

    def delete() -> None:
        for file in tmp_path.glob("answers.db*") if every else [path]:
            file.unlink()

    run(ActingModel(delete), path, way)
    (warning,) = warnings(caplog)
    assert "was deleted while it was in use" in warning
    second = ScatteredModel()
    run(second, path)
    assert second.asked == []


def test_a_file_replaced_during_a_run_takes_what_was_paid(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, other = tmp_path / "answers.db", tmp_path / "other.db"
    elsewhere = LumberChunker(ModelJudge(ScatteredModel()), theta=60, store=other)
    elsewhere.segment(story(20, 5))
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = len(AnswerStore(other))
    run(ActingModel(lambda: other.replace(path)), path)
    (warning,) = warnings(caplog)
    assert "was replaced while it was in use" in warning
    second = ScatteredModel()
    run(second, path)
    assert second.asked == []
    assert len(AnswerStore(path)) == before + ALONE.usage.calls


@pytest.mark.parametrize("way", ["sync", "async"])
def test_answers_outlast_a_lock_of_another_program(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    monkeypatch.setattr("lumber_core.cache_file._BUSY_SECONDS", 0.05)
    path = tmp_path / "answers.db"
    other: list[sqlite3.Connection] = []

    def lock() -> None:
        other.append(sqlite3.connect(path, check_same_thread=False))
        other[0].execute("BEGIN IMMEDIATE")

    store = AnswerStore(path)
    model = ActingModel(lock)
    begun = time.monotonic()
    run(model, store, way)
    assert time.monotonic() - begun < 30  # one wait for the lock, not one for each answer
    first, last = warnings(caplog)
    assert "kept in memory for now" in first
    assert "locked" in first
    assert f"{len(model.asked) - 9} answers could not be written" in last
    other[0].close()
    run(model, store)  # the same store still has them
    store.flush()
    second = ScatteredModel()
    run(second, path)
    assert second.asked == []


@pytest.mark.parametrize("way", ["sync", "async"])
def test_answers_in_flight_outlast_a_lock_of_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr("lumber_core.cache_file._BUSY_SECONDS", 0.05)
    path = tmp_path / "answers.db"
    other: list[sqlite3.Connection] = []

    def lock() -> None:
        other.append(sqlite3.connect(path, timeout=60, check_same_thread=False))
        other[0].execute("BEGIN IMMEDIATE")

    def split(model: ScatteredModel, store: AnswerStore) -> object:
        chunker = LumberChunker(
            ModelJudge(model), theta=60, store=store, max_concurrency=16, max_extra_calls=0
        )
        texts = [story(20, seed) for seed in range(16)]
        return (
            chunker.segment_all(texts)
            if way == "sync"
            else asyncio.run(chunker.asegment_all(texts))
        )

    store = AnswerStore(path)
    first = split(ActingModel(lock), store)
    assert other[0].in_transaction
    other[0].close()
    store.flush()
    second = ScatteredModel()
    assert split(second, AnswerStore(path)) == first
    assert second.asked == []


def test_answers_outlast_a_full_disk(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "answers.db"
    store = AnswerStore(path)

    def fill() -> None:
        connection = store._cache._connection
        assert connection is not None
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    model = ActingModel(fill)
    run(model, store)
    assert "full" in warnings(caplog)[0]
    assert "could not be written" in warnings(caplog)[-1]
    asked = len(model.asked)
    run(model, store)
    assert len(model.asked) == asked
    store.close()  # with a new connection there is room again
    store.flush()
    second = ScatteredModel()
    run(second, path)
    assert second.asked == []
