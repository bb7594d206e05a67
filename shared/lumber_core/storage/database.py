"""What databases in files and in PostgreSQL share: transactions, versions and damage."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from sqlite3 import DatabaseError
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from lumber_core.errors import StoreError

logger = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


class UnusableError(StoreError):
    """A store is damaged, or another version or program has written it: no repetition helps."""


class ReadError(StoreError):
    """A store could not be read, or what was read does not fit: disks and networks may err once.

    Args:
        what: What was read.
        if_again: What is raised if it is so over new connections, too. None: the same.
    """

    def __init__(self, what: str, if_again: StoreError | None = None) -> None:
        super().__init__(what)
        self.if_again = if_again or StoreError(what)


class Connection(Protocol):
    """Runs statements on a database within a transaction; SQLite's connections are like this."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> Any:
        """Run a statement with a "?" for each value; return a cursor."""

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a statement for each row of values."""


class Database(ABC):
    """Tables of one schema, of one version.

    Damage is what does not fit in two readings, the second of which is over new connections.

    A schema is a list of `CREATE` statements in which `{integer}`, `{text}`, `{bytes}` and
    `{clustered}` stand for what each database calls the types, and a table that is stored in the
    order of its key.

    Attributes:
        path: The path of a file, or the URL of a collection, which may have a password.
        name: What messages call it.
    """

    path: Path | str
    name: str
    _replaces_outdated = False

    @abstractmethod
    def transaction(self, *, write: bool = False) -> AbstractContextManager[Connection]:
        """Open a transaction, which sees one state of the database; an error undoes it.

        Args:
            write: Whether it writes. If so, it waits for other writers, and is on disk afterwards.

        Raises:
            StoreError: The database cannot be read or written, belongs to another program or has
                another version; or a server does not answer in time.
        """

    @abstractmethod
    def close(self) -> None:
        """Close what is open. The next use opens it again."""

    @property
    @abstractmethod
    def _rescue(self) -> str:
        """How a damaged database is copied before it is made again."""

    def unfit(self, why: object) -> ReadError:
        """Return the error that what was read does not fit."""
        return ReadError(
            f"what was read of the store {self.name} does not fit ({why}): repeat the call",
            UnusableError(
                f"the store {self.name} is damaged ({why}) and cannot be used: {self._rescue}"
            ),
        )

    @contextmanager
    def intact(self) -> Iterator[None]:
        """Read stored values, within `read_twice`.

        Raises:
            ReadError: A value has an unexpected type or form.
        """
        try:
            yield
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            raise self.unfit(f"{type(error).__name__}: {error}") from error

    def remove_outdated(self) -> None:
        """Empty the database, with a warning, if an older version of this library has written it.

        Raises:
            StoreError: As for `transaction`.
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
    """Have a method repeated once, over new connections, if what it reads does not fit.

    Its transactions are undone before, or can be repeated.
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
            raise error.if_again from error

    return use_again


def warn_of_older_format(name: str) -> None:
    """Log that a database is emptied because of its format."""
    logger.warning("%s has the format of an older version: all of it is made anew", name)


class VersionError(DatabaseError):
    """A database has another version than this one reads."""

    def __init__(self, found: int, version: int, outdated: str) -> None:
        age, remedy = "an older", outdated
        if found > version:
            age, remedy = "a newer", "Use that version or one after it, or pass another path"
        super().__init__(
            f"it was written by {age} version of lumber-splitters (format {found}; this version "
            f"reads format {version})"
        )
        self.remedy = remedy
