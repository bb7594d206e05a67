"""A store whose file fails in the middle of a run: no answer of the run is lost, none silently."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from lumber_core import AnswerStore, LumberChunker, ModelJudge
from lumber_core.errors import StoreError
from tests.core.lumber.support import (
    ActingModel,
    ScatteredModel,
    segment,
    splitter,
    story,
    warnings,
)

TEXT = story(60)
ALONE = LumberChunker(ModelJudge(ScatteredModel()), theta=60).segment(TEXT)


def run(model: ScatteredModel, store: object, way: str = "sync") -> None:
    assert segment(splitter(model, store), TEXT, way) == ALONE


class OtherProgram:
    """Locks a file for as long as it likes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def lock(self) -> None:
        self._connection = sqlite3.connect(self._path, check_same_thread=False)
        self._connection.execute("BEGIN IMMEDIATE")

    def unlock(self) -> None:
        self._connection.close()


def test_answers_that_come_after_a_file_was_replaced_are_in_the_other(tmp_path: Path) -> None:
    path, other = tmp_path / "answers.db", tmp_path / "other.db"
    elsewhere = LumberChunker(ModelJudge(ScatteredModel()), theta=60, store=other)
    elsewhere.segment(story(20, 5))
    before = len(AnswerStore(other))
    model = ActingModel(lambda: other.replace(path))
    run(model, path)
    assert len(AnswerStore(path)) == before + len(model.asked) - 9


@pytest.mark.parametrize("way", ["sync", "async"])
def test_answers_outlast_a_lock_of_another_program(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    monkeypatch.setattr("lumber_core.support.database._BUSY_SECONDS", 0.05)
    path = tmp_path / "answers.db"
    other = OtherProgram(path)
    store = AnswerStore(path)
    model = ActingModel(other.lock)
    begun = time.monotonic()
    run(model, store, way)
    assert time.monotonic() - begun < 30  # one wait for the lock, not one for each answer
    first, last = warnings(caplog)
    assert "kept in memory for now" in first
    assert "locked" in first
    (aside,) = tmp_path.glob("answers.db.unsaved-*")
    assert f"{len(model.asked) - 9} answers could not be written" in last
    assert f"They are in {aside}" in last
    other.unlock()
    run(model, store)  # the same store still has them
    store.flush()
    assert [*tmp_path.iterdir()] == [path]
    second = ScatteredModel()
    run(second, path)
    assert second.asked == []


@pytest.mark.parametrize("use", ["run", "usage"])
def test_answers_that_could_not_be_written_are_read_in_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, use: str
) -> None:
    monkeypatch.setattr("lumber_core.support.database._BUSY_SECONDS", 0.05)
    path = tmp_path / "answers.db"
    other = OtherProgram(path)
    run(ActingModel(other.lock), AnswerStore(path))  # and its process ends
    other.unlock()
    assert len([*tmp_path.iterdir()]) == 2
    if use == "usage":
        assert AnswerStore(path).usage().calls == ALONE.usage.calls
    second = ScatteredModel()
    run(second, path)
    assert second.asked == []
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_of_unsaved_answers_that_is_damaged_is_refused_and_left_alone(
    tmp_path: Path,
) -> None:
    path = tmp_path / "answers.db"
    aside = path.with_name("answers.db.unsaved-0123456789ab")
    aside.write_bytes(b"no answers" * 100)
    model = ScatteredModel()
    with pytest.raises(StoreError, match=aside.name):
        run(model, path)
    assert model.asked == []
    assert aside.read_bytes() == b"no answers" * 100


def test_answers_outlast_a_full_disk(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, connect = tmp_path / "answers.db", sqlite3.connect
    store = AnswerStore(path)

    def connect_to_a_full_disk(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    def fill() -> None:
        monkeypatch.setattr(sqlite3, "connect", connect_to_a_full_disk)
        store.close()

    model = ActingModel(fill)
    run(model, store)
    first, *_, last = warnings(caplog)
    assert "kept in memory for now" in first
    assert "full. Make room" in first
    assert "could not be written" in last
    asked = len(model.asked)
    run(model, store)
    assert len(model.asked) == asked
    monkeypatch.undo()
    store.close()
    store.flush()
    second = ScatteredModel()
    run(second, path)
    assert second.asked == []
