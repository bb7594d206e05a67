"""What agents do with folders: search, read, outline, grep, and ask how far the index is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lumber_cli.agents.background_index import BackgroundIndex, IndexProgress
from lumber_cli.agents.folders import Listing, ServedFolders
from lumber_cli.agents.grep import find_lines
from lumber_cli.agents.outline import headings_of, topics_of
from lumber_cli.agents.results import (
    FoundPassage,
    GrepResult,
    LinesRead,
    Outline,
    SearchResult,
    Status,
    Unread,
)
from lumber_cli.agents.texts import FileTexts
from lumber_cli.file_index import FileIndex, is_far
from lumber_cli.passage_formats import table_header
from lumber_core import Span
from lumber_core.support.cache import digest
from lumber_core.support.wording import counted
from lumber_core.text.markdown import HEADING_SEPARATOR
from lumber_core.text.unicode import encodable
from lumber_retrieval.passages import Passage

_WAIT = 2.0  # seconds that a search waits for changes to be indexed
_MOST_LINES, _MOST_CHARACTERS = 400, 24_000  # of a call of read; about 4,000 words
_MOST_WORDS = 20_000  # of a search; more would fill the context of a model
_LISTED = 200  # names of a status, of each kind


class FolderTools:
    """The tools, as functions that return results or raise errors in one sentence.

    Args:
        folders: The folders.
        index: The file of the index. None: one in the user's cache, which all who serve the same
            folders share.
        encoding: Encoding of the files; None detects it.
        max_unpacked: Maximum size in bytes that a file unpacks to.
    """

    def __init__(
        self, folders: Sequence[str], index: Path | None, encoding: str | None, max_unpacked: int
    ) -> None:
        self._folders = ServedFolders(folders)
        self._texts = FileTexts(encoding, max_unpacked)
        roots = self._folders.roots
        self._path = index or _cached_index([*map(str, roots), repr(encoding)])
        self._index = BackgroundIndex(self._open_index, roots, self._texts)
        self._encoding = encoding

    def start(self) -> None:
        """Begin to index, if that has not begun."""
        self._listing()

    def search(
        self, question: str, words: int, patterns: str | Sequence[str] | None
    ) -> SearchResult:
        """Return the passages that fit a question.

        Args:
            question: The question.
            words: Maximum number of words of all passages.
            patterns: Patterns of names of files. None: all files.

        Raises:
            ValueError: The question has no text, `words` is out of range, no file matches, or the
                index cannot be used.
        """
        if not question.strip():
            raise ValueError("the question is empty: ask in words, as in 'How long may it last?'")
        if not 1 <= words <= _MOST_WORDS:
            raise ValueError(f"words must be from 1 to {_MOST_WORDS:,}, not {words}")
        listing = self._listing(_WAIT)
        files = listing.select(patterns)
        found = self._index.search(question, words, files)
        passages = [
            made for passage in found if (made := self._checked(passage, listing)) is not None
        ]
        notes = [*listing.away]
        if len(passages) < len(found):
            notes.append("some files have just changed, and are left out: search again")
        if passages and all(map(is_far, found)):
            notes.append("nothing in these files seems to answer this; these are the nearest")
        progress = self._index.progress(files)
        if progress.failed:
            notes.append(f"{counted(len(progress.failed), 'file')} could not be read: see status")
        return SearchResult(passages, "; ".join(notes), _said(progress, len(files)))

    def read(self, name: str, first_line: int, last_line: int | None) -> LinesRead:
        """Return lines of a file.

        Args:
            name: The name of the file.
            first_line: The first line, from 1.
            last_line: The last line. None: as many as a call returns.

        Raises:
            ValueError: There is no such file, it cannot be read, or it has no such lines.
        """
        text = self._texts.read(self._listing().file(name))
        total = len(text)
        if not total and first_line == 1:
            return LinesRead(name, 0, 0, 0, None, None, "", "")
        if not 1 <= first_line <= total:
            raise ValueError(
                f"first_line must be from 1 to {total:,}, the number of lines of {name}, "
                f"not {first_line}"
            )
        if last_line is not None and last_line < first_line:
            raise ValueError(
                f"last_line must be first_line ({first_line}) or more, not {last_line}"
            )
        wanted = min(total, total if last_line is None else last_line)
        last = min(wanted, first_line + _MOST_LINES - 1)
        span = text.span_of(first_line, last)
        if span.end - span.start > _MOST_CHARACTERS:
            cut = Span(span.start, span.start + _MOST_CHARACTERS)
            last = max(first_line, text.lines_of(cut)[1] - 1)
            span = text.span_of(first_line, last)
        notes = []
        if span.end - span.start > _MOST_CHARACTERS:
            notes.append(
                f"line {last} has {span.end - span.start:,} characters, and only the first "
                f"{_MOST_CHARACTERS:,} are shown: grep and search find the others"
            )
            span = Span(span.start, span.start + _MOST_CHARACTERS)
        if last < total:
            notes.append(f"lines {last + 1} to {total} follow: read on with first_line={last + 1}")
        first_page, last_page = text.file.pages_of(span) or (None, None)
        shown = span.of(text.file.text)
        note = "; ".join(notes)
        return LinesRead(name, first_line, last, total, first_page, last_page, shown, note)

    def outline(self, name: str) -> Outline:
        """Return the headings of a file, or if it has none its topics.

        Raises:
            ValueError: There is no such file, or it cannot be read.
        """
        text = self._texts.read(self._listing().file(name))
        sections, note = headings_of(text)
        if sections:
            return Outline(name, len(text), "headings", sections, note)
        topics = topics_of(text)
        end = topics[-1].last_line if topics else 0
        seen = text.span_of(1, end).end if topics else 0
        rest = text.file.text[seen:].strip()
        note = f"the topics after line {end} are left out" if rest else ""
        return Outline(name, len(text), "topics", topics, note)

    def grep(
        self,
        pattern: str,
        patterns: str | Sequence[str] | None,
        *,
        regex: bool,
        ignore_case: bool,
    ) -> GrepResult:
        """Return the lines that have a text, or that match an expression; see `find_lines`.

        Raises:
            ValueError: As `find_lines`; or no file matches.
        """
        listing = self._listing()
        files = listing.select(patterns)
        found = find_lines(self._texts, files, pattern, regex=regex, ignore_case=ignore_case)
        notes = [*listing.away, *filter(None, [found.note])]
        return replace(found, note="; ".join(notes))

    def status(self) -> Status:
        """Return which files there are, and how far the index is."""
        listing = self._listing()
        progress = self._index.progress(listing.files.values())
        waiting = len(listing.files) - len(progress.current) - len(progress.failed)
        lists = (listing.files, progress.failed, listing.left_out)
        longest = max(map(len, lists))
        notes = [*listing.away, *filter(None, [progress.fault])]
        if longest > _LISTED:
            notes.append(f"at most {_LISTED} names of each kind are listed")
        return Status(
            folders=[*map(encodable, self._folders.given)],
            total=len(listing.files),
            indexed=len(progress.current),
            waiting=waiting,
            indexing=progress.running and waiting > 0,
            files=[*listing.files][:_LISTED],
            failed=_unread(progress.failed),
            left_out=_unread(listing.left_out),
            index=encodable(str(self._path)),
            note="; ".join(notes),
        )

    def _open_index(self) -> FileIndex:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return FileIndex(self._path, self._encoding)

    def _listing(self, wait: float = 0.0) -> Listing:
        """Return the files that are there now, which the index takes up."""
        listing = self._folders.list_files()
        self._index.catch_up(listing, wait)
        return listing

    def _checked(self, passage: Passage, listing: Listing) -> FoundPassage | None:
        """Return a passage with its place; None if the file does not have it any more."""
        file = listing.files[passage.document]
        try:
            text = self._texts.read(file)
        except ValueError:
            return None
        if passage.span.of(text.file.text) != passage.text:
            self._index.mark_stale(file)
            return None
        known: Mapping[str, Any] = passage.metadata
        first_line, last_line = text.lines_of(passage.span)
        first_page, last_page = text.file.pages_of(passage.span) or (None, None)
        headings = known.get("headings")
        return FoundPassage(
            file=file.name,
            first_line=first_line,
            last_line=last_line,
            first_page=first_page,
            last_page=last_page,
            headings=headings.split(HEADING_SEPARATOR) if headings else [],
            table_header="\n".join(table_header(passage)),
            text=passage.text,
            similarity=None if passage.similarity is None else round(passage.similarity, 4),
        )


def _said(progress: IndexProgress, files: int) -> str:
    """Return how far an index is with some files; "" if it has all that can be read."""
    total = files - len(progress.failed)
    if len(progress.current) >= total:
        return ""
    said = (
        f"{len(progress.current):,} of {total:,} files indexed; results may be incomplete: "
        "search again later, or use grep, which needs no index"
    )
    return f"{said}. {progress.fault}" if progress.fault else said


def _unread(reasons: Mapping[str, str]) -> list[Unread]:
    return [Unread(name, reason) for name, reason in [*reasons.items()][:_LISTED]]


def _cached_index(parts: Sequence[str]) -> Path:
    """Return the index of some folders in the user's cache."""
    from platformdirs import user_cache_path  # deferred: another file needs none

    return user_cache_path("lumber-splitters") / "indexes" / f"{digest(*sorted(parts))[:16]}.db"
