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
from lumber_cli.file_index import (
    MAX_BATCH_FILES,
    FileIndex,
    ReadFile,
    Stamp,
    content_of,
    is_settled,
    stamp_of,
)
from lumber_core.errors import LumberError
from lumber_files import UnreadableFileError
from lumber_retrieval.passages.joining import Passage

_BATCH_BYTES = 30_000  # a second of embedding: how long a changed file waits for new ones
_LARGE_FILE_BYTES = 1_000_000  # bytes of a file that takes half a minute


class IndexProgress(NamedTuple):
    """The files that are up to date, why others failed, and what is wrong with the index."""

    current: Collection[str]
    failed: Mapping[str, str]
    fault: str


class _Failure(NamedTuple):
    """Why a file could not be read; `lasts`: that is so until its stamp changes."""

    stamp: Stamp
    reason: str
    lasts: bool


class BackgroundIndex:
    """Indexes the files of listings in a thread.

    Args:
        open_index: Opens the index.
        roots: The folders, resolved.
        texts: Reads the files.
    """

    def __init__(
        self, open_index: Callable[[], FileIndex], roots: Sequence[Path], texts: FileTexts
    ) -> None:
        self._open = open_index
        self._roots = roots
        self._texts = texts
        self._index: FileIndex | None = None
        self._turn = Condition()
        self._listing = Listing()
        self._asked = self._done = 0  # listings
        self._failed: dict[str, _Failure] = {}
        self._stale: set[str] = set()  # changed, though their stamps are the same
        self._fault = ""
        self._thread = Thread(target=self._run, name="index", daemon=True)

    def catch_up(self, listing: Listing, seconds: float) -> None:
        """Have the index take up a listing; wait until it has, at most some seconds."""
        deadline = time.monotonic() + seconds
        with self._turn:
            self._listing = listing
            self._asked += 1
            ticket = self._asked
            if self._thread.ident is None:
                self._thread.start()
            self._turn.notify_all()
            self._turn.wait_for(lambda: self._done >= ticket, deadline - time.monotonic())

    def search(self, question: str, words: int, files: Collection[ServedFile]) -> list[Passage]:
        """Return the passages that fit a question, of the files whose index is up to date.

        Raises:
            ValueError: The index cannot be used.
        """
        if self._index is None:
            if self._fault:
                raise ValueError(self._fault)
            return []
        current = self._current(files)
        # A file that has several names, by links, is found under the first.
        names = {str(file.path): file.name for file in [*files][::-1] if str(file.path) in current}
        return self._index.search(question, words, names=names) if names else []

    def mark_stale(self, file: ServedFile) -> None:
        """Have a file read again, whose text is not the one that is indexed."""
        self._stale.add(str(file.path))

    def progress(self, files: Collection[ServedFile]) -> IndexProgress:
        """Return how far the index is with some files."""
        fault = self._fault
        try:
            current = self._current(files)
        except LumberError as error:
            current, fault = set(), str(error)
        failed = {}
        for file in files:
            failure = self._failed.get(str(file.path))
            if failure is not None and failure.stamp == file.stamp:
                failed[file.name] = failure.reason
        names = {file.name for file in files if str(file.path) in current}
        return IndexProgress(names - failed.keys(), failed, fault)

    def _current(self, files: Collection[ServedFile]) -> set[str]:
        if self._index is None:
            return set()
        found = self._index.find_current({str(file.path): file.stamp for file in files})
        return found - self._stale

    def _run(self) -> None:
        while True:
            with self._turn:
                self._turn.wait_for(lambda: self._done < self._asked)
                ticket, listing = self._asked, self._listing
            try:
                if self._index is None:
                    self._index = self._open()
                ended = self._take_up(self._index, listing, ticket)
                self._fault = ""
            except Exception as error:  # noqa: BLE001 - the thread goes on, status reports it
                ended, self._fault = True, str(error) or type(error).__name__
            with self._turn:
                if ended:
                    self._done = ticket
                self._turn.notify_all()

    def _take_up(self, index: FileIndex, listing: Listing, ticket: int) -> bool:
        """Index what has changed; return False if there is a newer listing before the end."""
        files = {str(file.path): file for file in listing.files.values()}
        stamps = {path: file.stamp for path, file in files.items()}
        index.remove_gone(self._roots, files)
        due = self._find_due(index, stamps)
        random.shuffle(due)  # in different orders, processes that share an index share the work
        # First files whose old passages are still found, then small new files, then large ones.
        before = set(index.paths)
        due.sort(key=lambda path: (path not in before, stamps[path][1] > _LARGE_FILE_BYTES))
        while due:
            batch = _take_batch(due, stamps)
            due = due[len(batch) :]
            # Another process may have stored some meanwhile.
            left = self._find_due(index, {path: stamps[path] for path in batch})
            read = [*self._read(index, (files[path] for path in left))]
            if read:
                index.add(read)
                self._stale -= {each.path for each in read}
            if due and self._asked > ticket:
                return False
        index.flush()
        return True

    def _find_due(self, index: FileIndex, stamps: Mapping[str, Stamp]) -> list[str]:
        """Return the files to read: neither up to date in the index, nor known to fail."""
        stored = index.find_unchanged(stamps) - self._stale
        failed = {path: each.stamp for path, each in self._failed.items() if each.lasts}
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
                # A file that could not be opened may be opened the next time, without a change.
                lasts = isinstance(error, UnreadableFileError)
                self._failed[path] = _Failure(file.stamp, str(error), lasts)
            else:
                self._failed.pop(path, None)
                yield ReadFile(path, text, stamp, settled, content)


def _take_batch(paths: Sequence[str], stamps: Mapping[str, Stamp]) -> Sequence[str]:
    """Return the first files, as many as are indexed together."""
    sizes = accumulate(stamps[path][-1] for path in paths[:MAX_BATCH_FILES])
    return paths[: 1 + sum(size < _BATCH_BYTES for size in sizes)][:MAX_BATCH_FILES]
