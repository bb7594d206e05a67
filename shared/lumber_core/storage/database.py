"""The base of databases in files and in PostgreSQL: transactions, values, versions and damage."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from sqlite3 import DatabaseError
from typing import Any, Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from lumber_core.calls.threads import batches
from lumber_core.errors import StoreError

_VALUES_PER_STATEMENT = 500  # versions of SQLite before 3.32 allow 999

logger = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


class UnusableError(StoreError):
    """A store is damaged, or another version or program wrote it: retrying does not help."""


class ReadError(StoreError):
    """A store could not be read, or a value is malformed: errors of disks and networks may pass.

    If reading over new connections fails, too, `second_error` is raised; by default a `StoreError`
    with the same message.
    """

    def __init__(self, message: str, second_error: StoreError | None = None) -> None:
        super().__init__(message)
        self.second_error = second_error or StoreError(message)


class Connection(Protocol):
    """Runs statements within a transaction; the part of `sqlite3.Connection` that is used."""

    @property
    def about(self) -> dict[str, bytes]:
        """The values of the table `about` by name, as they were when the transaction began."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> Any:
        """Run a statement with a "?" for each value; return a cursor."""

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a statement for each row of values."""


def select(connection: Connection, what: str, values: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return the rows in which the column at the end of the query `what` has one of the values."""
    rows: list[tuple[Any, ...]] = []
    for batch in batches(values, _VALUES_PER_STATEMENT):
        marks = ", ".join("?" * len(batch))
        rows += connection.execute(f"SELECT {what} IN ({marks})", batch).fetchall()
    return rows


def to_bytes(text: str) -> bytes:
    """Return a text as it is stored: the encoding of a database may lack some characters."""
    return text.encode("utf-8", "surrogatepass")


def text_in(stored: bytes) -> str:
    """Return the text that `to_bytes` encoded."""
    return str(stored, "utf-8", "surrogatepass")


class TableFormat(NamedTuple):
    """The tables of a database, in one version.

    `schema` has statements that create the tables unless they exist. `{integer}`, `{text}` and
    `{bytes}` are replaced by the types of the database, and a line that begins with
    `{only_in_postgres}` is left out in SQLite.
    """

    version: int
    application: int  # the application ID in the header of an SQLite file
    table: str  # one of the tables; if it does not exist, the schema is executed
    schema: str
    outdated: str = "Pass another path"  # for the user of a database of an older version
    check_pages: bool = False  # whether a whole SQLite file is checked when it is opened


class Database(ABC):
    """Tables of one format.

    A database is damaged if a value is malformed in two reads, the second over new connections.
    """

    path: Path | str  # a file, or the URL of a collection, which may contain a password
    name: str  # the file or collection in messages, without a password
    _replaces_outdated = False

    @abstractmethod
    def transaction(self, *, write: bool = False) -> AbstractContextManager[Connection]:
        """Open a transaction, which sees one state of the database; an error rolls it back.

        With `write`, it waits for other writers, and is on disk afterwards. A StoreError is raised
        if the database cannot be read or written, belongs to another program or has another
        version, or if a server does not answer in time.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the database. The next use opens it again."""

    @property
    @abstractmethod
    def _advice(self) -> str:
        """Instructions for the user: how to copy a damaged database, and build it again."""

    def damage_error(self, why: object) -> ReadError:
        """Return the error for a stored value that cannot be right."""
        return ReadError(
            f"a value in the database {self.name} is damaged or misread ({why}): repeat the call",
            UnusableError(
                f"the database {self.name} is damaged ({why}) and cannot be used: {self._advice}"
            ),
        )

    @contextmanager
    def intact(self) -> Iterator[None]:
        """Read stored values, within `read_twice`; an unexpected form raises a ReadError."""
        try:
            yield
        except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
            raise self.damage_error(f"{type(error).__name__}: {error}") from error

    def remove_outdated(self) -> None:
        """Empty the database, with a warning, if an older version of this library wrote it.

        Errors are those of `transaction`.
        """
        self._replaces_outdated = True
        try:
            with self.transaction():
                pass
        finally:
            self._replaces_outdated = False


class _HasDatabase(Protocol):
    @property
    def database(self) -> Database: ...


S = TypeVar("S", bound=_HasDatabase)


def read_twice(use: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Decorate a method: after a `ReadError`, call it once more over new connections.

    The transactions of the first call are rolled back or can be repeated.
    """

    @wraps(use)
    def use_again(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return use(self, *args, **kwargs)
        except ReadError:
            self.database.close()
        try:
            return use(self, *args, **kwargs)
        except ReadError as error:
            raise error.second_error from error

    return use_again


def warn_of_older_format(name: str) -> None:
    """Log a warning that a database is emptied because of its format."""
    logger.warning("%s has the format of an older version: it is built again", name)


class VersionError(DatabaseError):
    """A database has a version of the format that this library does not read."""

    def __init__(self, stored: int, expected: TableFormat) -> None:
        age, remedy = "an older", expected.outdated
        if stored > expected.version:
            age, remedy = "a newer", "Use that version or one after it, or pass another path"
        super().__init__(
            f"it was written by {age} version of lumber-splitters (format {stored}; this version "
            f"reads format {expected.version})"
        )
        self.remedy = remedy
