"""Opens the database that a path names: a file of SQLite, or a collection in PostgreSQL."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, unquote

from lumber_core.storage.database import Database
from lumber_core.storage.sqlite import SqliteDatabase
from lumber_core.support.extras import require

_URL = re.compile(r"(postgres(?:ql)?://)(?:[^@/]*@)?([^?@]*)")
_COLLECTION = re.compile(r"(?<=[?&])collection=([^&]*)&?")
_DEFAULT_COLLECTION = "passages"


def is_url(path: object) -> bool:
    """Return whether a path is the URL of a database."""
    return isinstance(path, str) and _URL.match(path) is not None


def display_path(path: object) -> object:
    """Return a path as it may be shown: a URL without user, password and query."""
    url = _URL.match(path) if isinstance(path, str) else None
    return path if url is None else "".join(url.groups())


def in_collection(path: str | Path | None, name: str | None) -> str | Path | None:
    """Return the URL of a collection in the database of another URL; without a name, the path.

    Raises:
        ValueError: There is a name, and the path is no URL.
    """
    if name is None:
        return path
    if not is_url(path):
        raise ValueError("a collection is one of a database: pass its URL as the path")
    base, _ = _split_url(str(path))
    return f"{base}{'&' if '?' in base else '?'}collection={quote(name, safe='')}"


def _split_url(url: str) -> tuple[str, str]:
    """Return a URL as libpq takes it, and the name of the collection."""
    given = _COLLECTION.search(url)
    return _COLLECTION.sub("", url).rstrip("?&"), unquote(
        given[1]
    ) if given else _DEFAULT_COLLECTION


def open_database(
    path: str | Path, *, application: int, version: int, schema: str, create: bool, outdated: str
) -> Database:
    """Return the database at a path, with the table `about` among others; see `Database`."""
    if is_url(path):
        require("psycopg", package="psycopg", extra="postgres")
        # Deferred: an optional package.
        from lumber_core.storage.postgres import PostgresDatabase

        server, collection = _split_url(str(path))
        return PostgresDatabase(
            str(path), server, collection, version=version, schema=schema, outdated=outdated
        )
    return SqliteDatabase(
        path,
        application=application,
        version=version,
        table="about",
        schema=schema,
        create=create,
        outdated=outdated,
    )
