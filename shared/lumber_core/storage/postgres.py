"""Collections of tables in PostgreSQL, shared by processes on many machines.

A collection is a schema of the database with its own tables. A transaction that reads sees one
state of it, even if others write meanwhile. A transaction that writes holds the collection's
advisory lock, so that the writers on all machines take turns.

Importing this module imports psycopg.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import islice
from threading import Condition
from time import monotonic
from typing import Any, NamedTuple
from weakref import finalize

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict

from lumber_core.calls.forks import renew_after_fork
from lumber_core.errors import StoreError
from lumber_core.storage.database import (
    Database,
    TableFormat,
    UnusableError,
    VersionError,
    warn_of_older_format,
)

_MAX_WAIT_SECONDS = 60  # for the answer of a server, and for the turn of a writer
_MAX_CONNECT_SECONDS = 10  # until a server accepts a connection
_MAX_CONNECTIONS = 8  # per object: a server often allows 100 for all of its users
_PREFIX = "lumber_"  # of our schemas, so that our tables are apart from those of other programs
_MAX_NAME_BYTES = 63 - len(_PREFIX)  # PostgreSQL truncates longer names
_INSERT = re.compile(r"INSERT INTO (\w+) VALUES")
_LIST = re.compile(r"IN \(((?:\?, )*\?)\)")
_TYPES = {
    "integer": "BIGINT",
    "text": 'TEXT COLLATE "C"',  # other collations depend on the server, and are slow
    "bytes": "BYTEA",
    "only_in_postgres": "",
}


class PostgresDatabase(Database):
    """A collection of tables in PostgreSQL, one of which is `about`.

    `path` is the URL that the user passed, and `url` the URL of the database in the form of libpq.
    A ValueError is raised if the URL cannot be read, or if the name of the collection is too long.
    """

    def __init__(self, path: str, url: str, collection: str, expected: TableFormat) -> None:
        self.path = path
        size = len(collection.encode(errors="replace"))
        if not 0 < size <= _MAX_NAME_BYTES or "\0" in collection:
            raise ValueError(
                f"a collection has a name of 1 to {_MAX_NAME_BYTES} bytes, not {collection!r}"
            )
        try:
            fields: dict[str, Any] = conninfo_to_dict(url)
        except psycopg.Error:  # the error's message may contain the password
            fields = {"host": "@"}
        # An @ here belongs to a password that contains @ or /, which must not be shown.
        if any("@" in str(fields.get(part, "")) for part in ("host", "dbname")):
            raise ValueError(
                "the URL of the database cannot be read: write "
                "postgresql://user:password@host:port/database?sslmode=require, with parameters of "
                "libpq after the question mark, and in the password %40 for @, %2F for /, %25 for %"
            )
        # Statements are not prepared, because connection poolers keep no sessions.
        fixed = {"autocommit": True, "prepare_threshold": None, "client_encoding": "utf8"}
        defaults = {
            "connect_timeout": _MAX_CONNECT_SECONDS,
            "fallback_application_name": "lumber-splitters",
        }
        self._settings = {**defaults, **fields, **fixed}
        server = ":".join(str(fields[part]) for part in ("host", "port") if part in fields)
        self.name = f"{collection} in the database {fields.get('dbname', '')}".strip()
        self.name += f" at {server}" * bool(server)
        self._format = expected
        self._schema = f"{_PREFIX}{collection}"
        self._quoted = sql.Identifier(self._schema).as_string(None)
        key = int.from_bytes(sha256(self._schema.encode()).digest()[:8], "big", signed=True)
        self._lock = f"SELECT pg_advisory_xact_lock({key})"
        # These override an administrator's settings, in each transaction because poolers keep no
        # sessions. Without pg_temp at the end, temporary tables of other programs would come first.
        # A machine that is switched off while it writes holds the lock for at most this time.
        self._local_settings = (
            f"SET LOCAL search_path = {self._quoted}, pg_temp; "
            "SET LOCAL standard_conforming_strings = on; SET LOCAL lock_timeout = 0; "
            f"SET LOCAL statement_timeout = '{_MAX_WAIT_SECONDS}s'; "
            f"SET LOCAL idle_in_transaction_session_timeout = '{_MAX_WAIT_SECONDS}s'"
        )
        self._free: list[_Connection] = []
        self._renew()
        renew_after_fork(self, PostgresDatabase._renew)
        finalize(self, _close, self._free)

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[_Statements]:
        """Open a transaction."""
        with self._explain_errors(), self._connection(write) as connection:
            yield _Statements(connection, connection.about)
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close all connections that are not in use."""
        _close(self._free)

    def _renew(self) -> None:
        """Start without connections: a forked process must not close its parent's connections."""
        _parents_connections.extend(self._free)
        self._free.clear()
        self._returned = Condition()
        self._in_use = self._waiting = 0  # open transactions, and how many wait for a connection

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.Error, VersionError) as error:
            diagnosed = error.diag.message_primary if isinstance(error, psycopg.Error) else None
            message = " ".join((diagnosed or str(error)).split()).rstrip(".?")
            if isinstance(error, _DAMAGE):
                raise self.damage_error(message) from error
            kind = UnusableError if isinstance(error, VersionError) else StoreError
            raise kind(
                f"the database {self.name} cannot be used: {message}. {self._remedy(error)}"
            ) from error

    @property
    def _advice(self) -> str:
        return (
            f"make a copy first (pg_dump --schema '{self._schema}'), then run "
            f"DROP SCHEMA {self._quoted} CASCADE, and it is built again"
        )

    def _remedy(self, error: Exception) -> str:
        schema, user = self._schema, self._settings.get("user", "USER")
        if isinstance(error, VersionError):
            return error.remedy
        if isinstance(error, _NoRightError):
            return (
                "Ask the owner of the database to create the collection: "
                f'CREATE SCHEMA "{schema}" AUTHORIZATION "{user}"'
            )
        if isinstance(error, errors.InsufficientPrivilege):
            return (
                f'Ask its owner for the rights: GRANT ALL ON SCHEMA "{schema}" TO "{user}"; '
                f'GRANT ALL ON ALL TABLES IN SCHEMA "{schema}" TO "{user}"'
            )
        if isinstance(error, errors.ReadOnlySqlTransaction):
            return "The database is read-only: pass the URL of the server that takes writes"
        if isinstance(error, errors.ProgramLimitExceeded):  # entries of an index have 2,704 bytes
            return "Give documents and their sources names of at most 2,500 bytes"
        return (
            "Make sure that the server runs, can be reached and has room, and repeat the call: it "
            "continues from what is stored"
        )

    @contextmanager
    def _connection(self, write: bool) -> Iterator[_Connection]:
        """Yield a connection with an open transaction; roll back what is not committed."""
        deadline = monotonic() + _MAX_WAIT_SECONDS
        with self._returned:
            if not self._returned.wait_for(
                lambda: self._in_use < _MAX_CONNECTIONS, _MAX_WAIT_SECONDS
            ):
                raise psycopg.OperationalError(
                    f"all {_MAX_CONNECTIONS} connections of this process are in use"
                )
            self._in_use += 1
        try:
            connection = self._take_connection(write, deadline)
            try:
                yield connection
            except psycopg.Error as error:
                if connection.closed and not isinstance(error, psycopg.OperationalError):
                    # psycopg raises a ProgrammingError if a server and a pooler both send an error.
                    raise psycopg.OperationalError("the connection was lost") from error
                raise
            finally:
                self._give_back(connection)
        finally:
            with self._returned:
                self._in_use -= 1
                self._returned.notify_all()

    def _take_connection(self, write: bool, deadline: float) -> _Connection:
        while True:
            try:
                connection, is_reused = self._free.pop(), True
            except IndexError:
                try:
                    connection, is_reused = _Connection.connect(**self._settings), False
                except psycopg.OperationalError:
                    if not self._wait_for_returned_connection(deadline):
                        raise
                    continue
            try:
                self._open(connection, write)
            except BaseException as error:
                self._give_back(connection)
                # The server has closed the idle connection, or has restarted.
                if not (is_reused and _is_lost(error)):
                    raise
            else:
                return connection

    def _wait_for_returned_connection(self, deadline: float) -> bool:
        """Wait for a connection that another thread returns: the server may have no more."""
        with self._returned:
            used_by_others = self._in_use - self._waiting - 1
            if used_by_others <= 0:
                return bool(self._free)  # another thread may just have returned its connection
            self._waiting += 1
            try:
                return self._returned.wait_for(
                    lambda: bool(self._free) or self._in_use == self._waiting,
                    deadline - monotonic(),
                )
            finally:
                self._waiting -= 1

    def _give_back(self, connection: _Connection) -> None:
        """Roll back what was not committed, and keep the connection for reuse unless it is lost."""
        with suppress(psycopg.Error):
            if connection.info.transaction_status in (_OPEN, _FAILED):
                connection.execute("ROLLBACK")
        if connection.info.transaction_status == _IDLE:
            self._free.append(connection)
        else:
            connection.close()

    def _open(self, connection: _Connection, write: bool) -> None:
        """Begin a transaction on a collection of this version, which is created if necessary."""
        expected = self._format.version
        while (version := self._begin_transaction(connection, write)) != expected:
            connection.execute("ROLLBACK")
            if version is not None and not (self._replaces_outdated and version < expected):
                raise VersionError(version, self._format)
            self._create_tables(connection)

    def _begin_transaction(self, connection: _Connection, write: bool) -> int | None:
        """Begin a transaction; return the version of the collection, None if there is none."""
        kind = "READ COMMITTED" if write else "REPEATABLE READ, READ ONLY"
        cursor = connection.cursor()
        try:  # one message, to save round trips
            cursor.execute(
                f"BEGIN ISOLATION LEVEL {kind}; {self._local_settings}; "
                f"{self._lock if write else ''}; SELECT name, value FROM {self._quoted}.about"
            )
        except errors.UndefinedTable:
            return None
        while cursor.nextset():
            pass
        connection.about = dict(cursor)
        with self.intact():
            return int(connection.about["format"]) if "format" in connection.about else None

    def _create_tables(self, connection: _Connection) -> None:
        """Create the tables, and replace those of an older version."""
        connection.execute(
            f"BEGIN ISOLATION LEVEL READ COMMITTED; {self._local_settings}; {self._lock}"
        )
        query = "SELECT 1 FROM pg_namespace WHERE nspname = %s"
        if connection.execute(query, [self._schema]).fetchone() is None:
            try:
                connection.execute(f"CREATE SCHEMA {self._quoted}")
            except errors.InsufficientPrivilege as error:
                raise _NoRightError(str(error)) from error
        of_schema = "SELECT tablename FROM pg_tables WHERE schemaname = %s"
        tables = {name for (name,) in connection.execute(of_schema, [self._schema])}
        format_now = "SELECT value FROM about WHERE name = 'format'"
        # Another process may have created the tables meanwhile.
        if self._replaces_outdated and "about" in tables:
            [(version,)] = connection.execute(format_now).fetchall()
            if int(version) < self._format.version:
                warn_of_older_format(self.name)
                for name in tables:
                    connection.execute(
                        sql.SQL("DROP TABLE {} CASCADE").format(sql.Identifier(name))
                    )
        connection.execute(self._format.schema.format(**_TYPES))
        connection.execute(
            f"INSERT INTO about VALUES ('format', '{self._format.version}') "
            "ON CONFLICT DO NOTHING; COMMIT"
        )


class _Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that waits at most `_MAX_WAIT_SECONDS` for an answer."""

    about: dict[str, bytes]

    def wait(self, gen: Generator[Any, Any, Any], *args: Any, **kwargs: Any) -> Any:
        return super().wait(_wait_in_time(gen), *args, **kwargs)


def _wait_in_time(call: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """Run psycopg's generator for a call until the deadline. It is resumed ten times a second."""
    end = monotonic() + _MAX_WAIT_SECONDS + 1  # a working server ends the call itself before that
    try:
        awaited = next(call)
        while monotonic() < end:
            awaited = call.send((yield awaited)) or awaited
    except StopIteration as ended:
        return ended.value
    raise _NoAnswerError(f"no answer within {_MAX_WAIT_SECONDS} s")


class _Statements(NamedTuple):
    """A connection that runs statements written for SQLite."""

    connection: _Connection
    about: dict[str, bytes]

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        # Lists of values become arrays, which takes a quarter less time of client and server.
        parts, unused_values, arguments = _LIST.split(statement), iter(values), list[Any]()
        for number, part in enumerate(parts):  # every second part is a list
            part_values = [*islice(unused_values, part.count("?"))]
            arguments += [_array(part_values)] if number % 2 else part_values
        text = "= ANY(%s)".join(part.replace("?", "%s") for part in parts[::2])
        return self.connection.execute(text, arguments, binary=True)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        cursor = self.connection.cursor()
        if inserting := _INSERT.match(statement):  # COPY takes a tenth of the time
            with cursor.copy(f"COPY {inserting[1]} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            cursor.executemany(statement.replace("?", "%s"), rows)


def _array(values: Iterable[Any]) -> str:
    """Return an array as text, in less time than psycopg takes."""
    texts = (f"\\x{item.hex()}" if isinstance(item, bytes) else str(item) for item in values)
    return '{"' + '","'.join(text.replace("\\", r"\\").replace('"', r"\"") for text in texts) + '"}'


class _NoAnswerError(psycopg.OperationalError):
    """A server that was reached does not answer in time."""


class _NoRightError(errors.InsufficientPrivilege):
    """The user may not create a collection."""


_IDLE = psycopg.pq.TransactionStatus.IDLE
_OPEN, _FAILED = psycopg.pq.TransactionStatus.INTRANS, psycopg.pq.TransactionStatus.INERROR
# A part of the collection is missing, or a column has another type.
_DAMAGE = (
    *(errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction),
    errors.DatatypeMismatch,
)
_parents_connections: list[_Connection] = []  # closing them would end the parent's sessions


def _is_lost(error: BaseException) -> bool:
    """Return whether the server has closed the session, or cannot be reached any more."""
    if not isinstance(error, psycopg.OperationalError) or isinstance(error, _NoAnswerError):
        return False
    return error.sqlstate is None or error.sqlstate.startswith("57P")


def _close(connections: list[_Connection]) -> None:
    while connections:
        with suppress(IndexError):  # another thread has just taken the last connection
            connections.pop().close()
