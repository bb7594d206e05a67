"""An index that is brought up to date in the background, while it is searched."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from threading import Condition, Thread
from typing import NamedTuple

from lumber_cli.agents.folders import Listing, ServedFile
from lumber_cli.agents.texts import FileTexts
from lumber_cli.file_index import MAX_BATCH_FILES, FileIndex, ReadFile
from lumber_cli.file_records import Stamp, content_of, is_settled, stamp_of
from lumber_core.errors import LumberError
from lumber_files import UnreadableFileError
from lumber_retrieval.passages.joining import Passage

# Files of this size are indexed together, in about a second; a newly changed file waits for them.
_BATCH_BYTES = 30_000
_LARGE_FILE_BYTES = 1_000_000  # larger files take over half a minute, and are indexed last


class IndexProgress(NamedTuple):
    """The names of indexed files, the reasons why others failed, and an error of the index."""

    current: Collection[str]
    failed: Mapping[str, str]
    fault: str


class _Failure(NamedTuple):
    """Why a file could not be read; if `permanent`, it is not tried again until it changes."""

    stamp: Stamp
    reason: str
    permanent: bool


class BackgroundIndex:
    """Indexes the listed files of some folders (`roots`, resolved) in a thread."""

    def __init__(
        self, open_index: Callable[[], FileIndex], roots: Sequence[Path], texts: FileTexts
    ) -> None:
        self._open = open_index
        self._roots = roots
        self._texts = texts
        self._index: FileIndex | None = None
        self._condition = Condition()
        self._listing = Listing()
        self._requested = self._done = 0  # how many listings were requested and indexed so far
        self._failed: dict[str, _Failure] = {}
        self._stale: set[str] = set()  # files that changed, though their stamps are the same
        self._fault = ""
        self._thread = Thread(target=self._run, name="index", daemon=True)

    def catch_up(self, listing: Listing, seconds: float) -> None:
        """Start to index the files of a listing; wait until that is done, or for `seconds`."""
        deadline = time.monotonic() + seconds
        with self._condition:
            self._listing = listing
            self._requested += 1
            ticket = self._requested
            if self._thread.ident is None:
                self._thread.start()
            self._condition.notify_all()
            self._condition.wait_for(lambda: self._done >= ticket, deadline - time.monotonic())

    def search(self, question: str, words: int, files: Collection[ServedFile]) -> list[Passage]:
        """Return the passages that fit a question, from the files whose index is up to date."""
        if self._index is None:
            if self._fault:
                raise ValueError(self._fault)
            return []
        current = self._current(files)
        # A file with several names (by links) is found under the first.
        names = {str(file.path): file.name for file in [*files][::-1] if str(file.path) in current}
        return self._index.search(question, words, names=names) if names else []

    def mark_stale(self, file: ServedFile) -> None:
        """Have a file indexed again: its text is no longer the indexed one."""
        self._stale.add(str(file.path))

    def progress(self, files: Collection[ServedFile]) -> IndexProgress:
        """Return which of these files are indexed and which failed."""
        fault = self._fault
        try:
            current = self._current(files)
        except LumberError as error:
            current, fault = set(), str(error)
        failures = [(file, self._failed.get(str(file.path))) for file in files]
        failed = {file.name: f.reason for file, f in failures if f and f.stamp == file.stamp}
        names = {file.name for file in files if str(file.path) in current}
        return IndexProgress(names - failed.keys(), failed, fault)

    def _current(self, files: Collection[ServedFile]) -> set[str]:
        if self._index is None:
            return set()
        current = self._index.records.find_current({str(file.path): file.stamp for file in files})
        return current - self._stale

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._done < self._requested)
                ticket, listing = self._requested, self._listing
            try:
                if self._index is None:
                    self._index = self._open()
                ended = self._update(self._index, listing, ticket)
                self._fault = ""
            except Exception as error:  # noqa: BLE001 - the thread continues, status reports it
                ended, self._fault = True, str(error) or type(error).__name__
            with self._condition:
                if ended:
                    self._done = ticket
                self._condition.notify_all()

    def _update(self, index: FileIndex, listing: Listing, ticket: int) -> bool:
        """Index what has changed; return False if a newer listing arrives before the end."""
        files = {str(file.path): file for file in listing.files.values()}
        stamps = {path: file.stamp for path, file in files.items()}
        index.remove_gone(self._roots, files)
        due = self._find_due(index, stamps)
        random.shuffle(due)  # so that processes that share an index do not all read the same file
        # Changed files first, because a search still finds their old text; large new files last.
        before = set(index.paths)
        due.sort(key=lambda path: (path not in before, stamps[path][1] > _LARGE_FILE_BYTES))
        while due:
            sizes = accumulate(stamps[path][-1] for path in due[:MAX_BATCH_FILES])
            count = min(MAX_BATCH_FILES, 1 + sum(size < _BATCH_BYTES for size in sizes))
            batch, due = due[:count], due[count:]
            # Another process may have indexed some of these files meanwhile.
            remaining = self._find_due(index, {path: stamps[path] for path in batch})
            new_texts = [*self._read(index, (files[path] for path in remaining))]
            if new_texts:
                index.add(new_texts)
                self._stale -= {file.path for file in new_texts}
            if due and self._requested > ticket:
                return False
        index.records.flush()
        return True

    def _find_due(self, index: FileIndex, stamps: Mapping[str, Stamp]) -> list[str]:
        """Return the files to read: those that are not indexed and have not failed for good."""
        stored = index.records.find_unchanged(stamps) - self._stale
        failed = {path: f.stamp for path, f in self._failed.items() if f.permanent}
        return [
            path
            for path, stamp in stamps.items()
            if path not in stored and failed.get(path) != stamp
        ]

    def _read(self, index: FileIndex, files: Iterable[ServedFile]) -> Iterator[ReadFile]:
        for file in files:
            path = str(file.path)
            try:
                stamp = stamp_of(file.path.stat())
                settled = is_settled(stamp)
                content = content_of(file.path)
                text = index.find_text(file.path, content, file.name)
                text = text or self._texts.read(file).file
            except (OSError, ValueError) as error:
                # A file that could not be opened may open the next time, without a change.
                permanent = isinstance(error, UnreadableFileError)
                self._failed[path] = _Failure(file.stamp, str(error), permanent)
            else:
                self._failed.pop(path, None)
                yield ReadFile(path, text, stamp, settled, content)
