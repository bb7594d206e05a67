"""Records of the files in an index, by which a later run finds those that have not changed."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from lumber_core.errors import StoreError
from lumber_files import NamedPath
from lumber_retrieval.index.store import PassageStore

_MAX_DUE_SHARE = 1 / 8  # of the files read, whose records wait for `flush`; a kill loses these
_NOTE = "files"  # the name of the note with the records, in the index

Stamp = tuple[int, int]
"""Values that change with a file: the time of its last change in nanoseconds, its size in bytes."""

_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # pipes do not wait
_SETTLED_NANOSECONDS = 2 * 10**9  # the resolution of modification times on FAT


class FileRecord(NamedTuple):
    """A file when it was read: its stamp, and digests of its bytes and of its indexed text."""

    stamp: Stamp | None
    content: str
    digest: str


class FileRecords:
    """The records of the files in an index, which several processes write.

    The `version` changes whenever files must be read again.
    """

    def __init__(self, store: PassageStore, version: str) -> None:
        self._store = store
        self._version = version
        self._read: dict[str, FileRecord] = {}  # files that this process has read
        self._due: dict[str, FileRecord | None] = {}  # the records that are not stored yet
        self._by_content: dict[str, list[tuple[str, str]]] = {}  # paths and digests, for a rename

    def find_unchanged(self, stamps: Mapping[str, Stamp | None]) -> set[str]:
        """Return the files that need not be read, because the index contains them as they are.

        A file with a new time of change and the same bytes is unchanged; a file without a stamp
        must be read. Raises a StoreError if the index cannot be used.
        """
        self.flush()
        records = self._records(self._store.about(_NOTE))
        self._by_content = {}
        for path, record in records.items():
            self._by_content.setdefault(record.content, []).append((path, record.digest))
        unchanged = self._find_stored(stamps, records)
        touched = {
            path: records[path]._replace(stamp=stamp)
            for path, stamp in stamps.items()
            if path not in unchanged and _is_touched(path, stamp, records.get(path))
        }
        stored = self._find_stored(stamps, touched)
        settled = {path: touched[path] for path in stored if is_settled(stamps[path])}
        if settled:
            with suppress(StoreError):  # a read-only index
                self._store_records(settled)
        return unchanged | stored

    def find_current(self, stamps: Mapping[str, Stamp | None]) -> set[str]:
        """Return the unchanged files, and the files with the stamp of this process's last reading.

        Files of the second kind may have changed again with the same stamp, if they were read right
        after a change.
        """
        return self.find_unchanged(stamps) | self._find_stored(stamps, self._read)

    def with_bytes(self, content: str) -> list[tuple[str, str]]:
        """Return the paths and digests of stored files whose bytes have this digest."""
        return self._by_content.get(content, []) if content else []

    def add(self, path: str, record: FileRecord, *, settled: bool) -> None:
        """Note that a file was read, to be stored by `flush`; see `is_settled`."""
        self._read[path] = record
        stamp = record.stamp
        # The bytes are compared the next time if a change may leave the stamp as it is.
        unsettled = record._replace(stamp=(0, stamp[1])) if stamp and record.content else None
        self._due[path] = record if settled else unsettled

    def flush_if_many(self) -> None:
        """Store records that were added, if they are many."""
        # All records are written each time: after every batch, this would take longer than reading
        # and embedding the files.
        if len(self._due) > _MAX_DUE_SHARE * len(self._read):
            self.flush()

    def flush(self) -> None:
        """Store the records that `add` has not stored yet."""
        due, self._due = self._due, {}
        if due:
            self._store_records(due)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove the records of files."""
        self._store_records(dict.fromkeys(paths, None))

    def _find_stored(
        self, stamps: Mapping[str, Stamp | None], records: Mapping[str, FileRecord]
    ) -> set[str]:
        """Return the files whose stamp is that of their record, and whose content is stored."""
        unchanged = {
            path: records[path].digest
            for path, stamp in stamps.items()
            if stamp is not None and path in records and records[path].stamp == stamp
        }
        # Another process may have stored something else.
        stored = self._store.versions(unchanged)
        return {path for path, version in stored.items() if version.digest == unchanged[path]}

    def _records(self, note: bytes | None) -> dict[str, FileRecord]:
        """Return the records of a note by path; none if it is damaged, so that files are read."""
        with suppress(ValueError):
            content = json.loads(note or b"{}")
            if isinstance(content, dict) and content.get("version") == self._version:
                return {
                    path: FileRecord((changed, size), bytes_digest, digest)
                    for path, (changed, size, bytes_digest, digest) in content["stamps"].items()
                }
        return {}

    def _store_records(self, changes: Mapping[str, FileRecord | None]) -> None:
        """Store records beside those of other processes; None removes one."""

        def change(note: bytes | None) -> bytes:
            merged = {**self._records(note), **changes}
            rows = {
                path: [*record.stamp, record.content, record.digest]
                for path, record in merged.items()
                if record is not None and record.stamp is not None
            }
            return json.dumps({"version": self._version, "stamps": rows}).encode()

        self._store.revise(_NOTE, change)


def content_of(path: Path) -> str:
    """Return a digest of the bytes of a file, "" if it cannot be read."""
    try:
        with open(os.open(path, _OPEN), "rb") as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return blake2b(file.read(), digest_size=16).hexdigest() if regular else ""
    except OSError:  # reading reports what is wrong
        return ""


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp of a file with this status."""
    return status.st_mtime_ns, status.st_size


def is_settled(stamp: Stamp | None) -> bool:
    """Return whether a change from now on gives a file another stamp."""
    return stamp is not None and stamp[0] <= time.time_ns() - _SETTLED_NANOSECONDS


def stamp_of_input(named: NamedPath | None) -> Stamp | None:
    """Return the stamp of a file; None if only reading shows whether it has changed."""
    if named is None:
        return None
    try:
        status = named.path.stat()
    except OSError:  # reading reports what is wrong
        return None
    # A file that the user may no longer read must not be in answers.
    return stamp_of(status) if os.access(named.path, os.R_OK) else None


def _is_touched(path: str, stamp: Stamp | None, record: FileRecord | None) -> bool:
    """Return whether a file has a new time of change and the bytes of its record."""
    if not (stamp and record and record.stamp and record.content):
        return False
    return stamp[1] == record.stamp[1] and content_of(Path(path)) == record.content
