"""What databases in files and in PostgreSQL share: transactions, versions and damage."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from sqlite3 import DatabaseError
from typing import Any, Protocol

from lumber_core.errors import StoreError

logger = logging.getLogger(__name__)


class Connection(Protocol):
    """Runs statements on a database within a transaction; SQLite's connections are like this."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> Any:
        """Run a statement with a "?" for each value; return a cursor."""

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a statement for each row of values."""


class Database(ABC):
    """Tables of one schema, of one version.

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

    @contextmanager
    def intact(self) -> Iterator[None]:
        """Read stored values.

        Raises:
            StoreError: A value has an unexpected type or form: the database is damaged.
        """
        try:
            yield
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            raise StoreError(
                f"the store {self.name} is damaged ({type(error).__name__}: {error}): delete it, "
                "and it is made again"
            ) from error

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
