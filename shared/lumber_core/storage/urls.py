"""Opens the database at a path: an SQLite file or a collection in PostgreSQL."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, unquote

from lumber_core.storage.database import Database, TableFormat
from lumber_core.storage.sqlite import SqliteDatabase
from lumber_core.support.extras import require

_URL = re.compile(r"\s*([a-z][\w+.-]*)://([^@/]*@)?([^?@]*)", re.IGNORECASE)
_POSTGRES = re.compile(r"postgres(?:ql)?(?:\+\w+)?", re.IGNORECASE)  # also as SQLAlchemy writes it
# The beginning of a connection string, which libpq accepts instead of a URL.
_CONNECTION_STRING = re.compile(
    r"\s*(?:host|hostaddr|port|user|password|dbname|service|passfile|sslmode)\s*=", re.IGNORECASE
)
_COLLECTION = re.compile(r"(?<=[?&])collection=([^&]*)&?")
_DEFAULT_COLLECTION = "passages"


def is_url(path: object) -> bool:
    """Return whether a path has the form of a URL or of a connection string of libpq."""
    return isinstance(path, str) and bool(_URL.match(path) or _CONNECTION_STRING.match(path))


def display_path(path: object) -> object:
    """Return a path for messages: a URL without user, password and query."""
    if not isinstance(path, str) or not is_url(path):
        return path
    url = _URL.match(path)
    if url is None or "@" in path[url.end() :]:  # a password may contain "@" and "?"
        return "..." if url is None else f"{url[1].lower()}://..."
    return f"{url[1].lower()}://{url[3].strip()}"


def _split_url(path: str) -> tuple[str, str]:
    """Return the URL of a database in PostgreSQL in the form of libpq, and a collection's name.

    If the path has another form, a ValueError is raised, whose message contains only the scheme,
    because other parts may belong to a password.
    """
    url = _URL.match(path)
    expected = "pass the path of a file, or postgresql://user@host/database?collection=name"
    if url is None:
        raise ValueError(f"a string such as 'host=... dbname=...' is not supported: {expected}")
    if _POSTGRES.fullmatch(url[1]) is None:
        raise ValueError(f"{url[1].lower()}://... is not supported for an index: {expected}")
    whole = f"postgresql{path[url.end(1) :].strip()}"
    match = _COLLECTION.search(whole)
    name = unquote(match[1]) if match else _DEFAULT_COLLECTION
    return _COLLECTION.sub("", whole).rstrip("?&"), name


def in_collection(path: str | Path | None, name: str | None) -> str | Path | None:
    """Return the URL of the collection `name` in the database of a URL; without a name, the path.

    If there is a name, and the path is not a URL, a ValueError is raised.
    """
    if name is None:
        return path
    if not is_url(path):
        raise ValueError(
            "a collection needs a database: pass its URL as the path, as in "
            "postgresql://user@host/database"
        )
    base, _ = _split_url(str(path))
    return f"{base}{'&' if '?' in base else '?'}collection={quote(name, safe='')}"


def open_database(path: str | Path, expected: TableFormat, *, create: bool) -> Database:
    """Return the database at a path; see `SqliteDatabase` and `PostgresDatabase`."""
    if is_url(path):
        server, collection = _split_url(str(path))
        require("psycopg", package="psycopg", extra="postgres")
        # Deferred: an optional package.
        from lumber_core.storage.postgres import PostgresDatabase

        return PostgresDatabase(str(path), server, collection, expected)
    return SqliteDatabase(path, expected, create=create)
