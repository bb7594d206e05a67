"""`lumber-splitters index`: copy an index of passages, list and clear those in the cache."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import typer

from lumber_cli.index_cache import cached_indexes, remove_index
from lumber_cli.options import wrong_options
from lumber_core.calls.threads import batches
from lumber_core.errors import StoreError
from lumber_core.storage.database import select
from lumber_core.storage.urls import is_url
from lumber_core.text.unicode import printable
from lumber_files import check_output
from lumber_retrieval.index.rows import write_note
from lumber_retrieval.index.store import PassageStore

# For each table: the column by which rows are read, the query for its values, and how many values
# are read at once.
_TABLES = (
    ("documents", "id", "id FROM documents", 500),
    ("chunks", "id", "id FROM chunks", 500),
    ("segments", "id", "id FROM segments", 1),
    ("postings", "key", "key FROM postings", 500),
    ("embedded", "id", "id FROM embedded", 100),
    ("removed", "chunk", "chunk FROM removed", 500),
)


def index_command(
    action: Annotated[
        Literal["copy", "list", "clear"],
        typer.Argument(
            help="copy an index; list the indexes in the cache, or clear it.", show_default=False
        ),
    ],
    source: Annotated[
        str | None,
        typer.Argument(
            help="For copy: file or URL of the index.", metavar="FROM", show_default=False
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Argument(
            help="For copy: file that does not exist yet, or URL of an empty collection.",
            metavar="TO",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Copy an index, even while it is searched; list the indexes in the cache, or clear it.

    A copy splits and embeds nothing again. A URL names a collection in PostgreSQL:
    postgresql://user@host/database?collection=name.

    The cache has the indexes of ask and mcp. `list` prints each with its file, its size, the day of
    its last use, and its folder. `clear` removes all of them.

    Exits with 0, 1 after an error, 2 if there is nothing to copy or the target exists.
    """
    with wrong_options():
        if action == "copy":
            if source is None or target is None:
                raise ValueError("copy needs two indexes: lumber-splitters index copy FROM TO")
            copy_index(source, target)
            return
        if source is not None:
            raise ValueError(f"{action} is about the whole cache: pass nothing after it")
    for index in cached_indexes():
        if action == "clear":
            remove_index(index.path)
        else:
            day = date.fromtimestamp(index.used).isoformat()
            size = f"{index.size / 1e6:,.1f} MB"
            typer.echo(printable(f"{index.path}  {size}  {day}  {index.subject}"))


def copy_index(source: str | Path, target: str | Path) -> None:
    """Copy an index as it is at one moment, while others may search it.

    `source` and `target` are files, or URLs of collections.
    """
    if not is_url(source) and not Path(source).is_file():
        raise ValueError(f"there is no index {source}: pass its file, or the URL of a database")
    if is_url(target):
        _copy(PassageStore(source), target)
        return
    check_output(Path(target))
    if Path(target).exists():
        raise ValueError(f"{target} exists: pass another file, or delete it first")
    # Under another name first, so that an interrupted copy is not taken for an index, and can be
    # repeated.
    unfinished = Path(f"{target}.part")
    unfinished.unlink(missing_ok=True)
    try:
        _copy(PassageStore(source), unfinished)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _copy(old: PassageStore, target: str | Path) -> None:
    new = PassageStore(target)
    with old.database.transaction() as reader:
        if reader.execute("SELECT 1 FROM documents LIMIT 1").fetchone() is None:
            raise ValueError(f"{old.name} has no documents")
        if isinstance(reader, sqlite3.Connection) and not is_url(target):
            _back_up(reader, Path(target))
            return
        with new.database.transaction(write=True) as writer:
            if writer.execute("SELECT 1 FROM documents LIMIT 1").fetchone() is not None:
                raise ValueError(f"{new.name} has documents: pass another collection")
            for name, value in reader.execute("SELECT name, value FROM about"):
                if name != "format":  # an SQLite file states its format in the header
                    write_note(writer, name, value)
            for table, column, values, batch_size in _TABLES:
                keys = [key for (key,) in reader.execute(f"SELECT {values}")]
                for batch in batches(keys, batch_size):
                    rows = select(reader, f"* FROM {table} WHERE {column}", batch)
                    marks = ", ".join("?" * len(rows[0])) if rows else ""
                    writer.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def _back_up(reader: sqlite3.Connection, target: Path) -> None:
    """Copy a file as it is at one moment."""
    try:
        with closing(sqlite3.connect(target)) as copy:
            reader.backup(copy)
    except sqlite3.Error as error:
        raise StoreError(
            f"{target.with_suffix('')} cannot be written: {error}. Make room, or pass another file"
        ) from error
