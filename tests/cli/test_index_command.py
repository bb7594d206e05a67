import json
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lumber_cli.commands.index import copy_index
from lumber_core.storage import sqlite
from tests.cli.running import run_apart
from tests.postgres import Place, Server

QUESTION = "How long may a rental last?"


def ask(docs: Path, index: object) -> object:
    outcome = run_apart("ask", docs, QUESTION, "--index", index, "--format", "json", code=0)
    return json.loads(outcome.out)


def test_a_copied_index_answers_without_reading_files_again(
    docs: Path, place: Place, tmp_path: Path
):
    first, second = tmp_path / "first.db", place()
    answer = ask(docs, first)
    assert run_apart("index", "copy", first, second).code == 0
    for path in docs.iterdir():
        stamp = path.stat().st_mtime_ns, path.stat().st_size
        path.write_text("x" * stamp[1])  # same size, and below the same time
        os.utime(path, ns=(stamp[0], stamp[0]))
    assert ask(docs, second) == answer


@pytest.mark.parametrize("source", ["none.db", "empty.db"])
def test_a_missing_or_empty_index_is_reported_in_one_line(source: str, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    (tmp_path / "empty.db").touch()
    outcome = run_apart("index", "copy", tmp_path / source, target)
    assert (outcome.code, outcome.out) == (2, "")
    assert ("there is no index" in outcome.err) == (source == "none.db")
    assert ("has no documents" in outcome.err) == (source == "empty.db")
    assert not target.exists()


def test_a_copy_that_fails_for_lack_of_space_leaves_no_file(
    docs: Path, tmp_path: Path, monkeypatch
) -> None:
    ask(docs, tmp_path / "notes.db")
    with monkeypatch.context() as patch, limited_files(30_000):
        patch.chdir(tmp_path)
        outcome = run_apart("index", "copy", "notes.db", "copy.db")
    assert outcome.code == 1
    assert "copy.db cannot be written: " in outcome.err
    assert not (tmp_path / "copy.db").exists()
    assert run_apart("index", "copy", "notes.db", "none/copy.db").code == 2


@contextmanager
def limited_files(size: int) -> Iterator[None]:
    """Limit the size of files, as if the disk were full."""
    resource = pytest.importorskip("resource", reason="limits the size of files")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)


def test_the_status_for_agents_shows_the_place_of_a_postgres_index_without_its_password(
    docs: Path, postgres: Server
):
    from lumber_cli.agents.tools import FolderTools
    from tests.cli.serving import wait_for

    url = postgres.place().replace("postgres:@", "postgres:s3cr3t@")
    tools = FolderTools([str(docs)], url)
    tools.start()
    wait_for(lambda: str(tools.search(QUESTION)), lambda result: "seven days" in result)
    status = str(tools.status())
    assert "postgresql:///postgres" in status
    assert "s3cr3t" not in status


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_killed_copy_cannot_be_opened_and_can_be_repeated(docs: Path, tmp_path):
    first, second = tmp_path / "first.db", tmp_path / "second.db"
    answer = ask(docs, first)
    if os.fork() == 0:

        class Killed(sqlite3.Connection):
            def backup(self, target: sqlite3.Connection, **_: object) -> None:
                super().backup(target, pages=1, progress=lambda *_: os._exit(9))

        sqlite._Connection = Killed  # type: ignore[assignment, misc]
        copy_index(first, second)
    assert os.wait()[1] == 9 << 8
    assert not second.exists()
    assert run_apart("index", "copy", first, second).code == 0
    assert ask(docs, second) == answer
    assert sorted(path.name for path in tmp_path.glob("*.db*")) == ["first.db", "second.db"]
