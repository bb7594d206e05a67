"""What agents do with folders: search, read, outline, grep, and ask how far the index is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lumber_cli.agents.background_index import BackgroundIndex
from lumber_cli.agents.folders import Listing, ServedFolders
from lumber_cli.agents.grep import find_lines
from lumber_cli.agents.outline import outline_of
from lumber_cli.agents.results import Result, joined, listed, numbered, place_of, quoted
from lumber_cli.agents.texts import FileTexts, LinedText
from lumber_cli.file_index import FileIndex, is_far
from lumber_cli.passage_formats import table_header
from lumber_core import Span
from lumber_core.support.cache import digest
from lumber_core.support.wording import counted
from lumber_core.text.markdown import HEADING_SEPARATOR
from lumber_core.text.unicode import encodable, printable
from lumber_retrieval.passages import Passage

_WAIT = 2.0  # seconds that a search waits for changes to be indexed
_MOST_LINES, _MOST_CHARACTERS = 400, 24_000  # of a call of read; about 4,000 words
_MOST_WORDS = 20_000  # of a search; more would fill the context of a model
_LISTED = 200  # names of a status, of each kind
_HEADINGS = 300  # characters of those that are shown above a passage


class FolderTools:
    """The tools, as functions that return results; ValueError says in a sentence what is wrong.

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

    def search(self, question: str, words: int, patterns: str | Sequence[str] | None) -> Result:
        """Return the passages that fit a question, of the files whose names match patterns."""
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
        said, total = "", len(files) - len(progress.failed)
        if len(progress.current) < total:
            said = (
                f"{len(progress.current):,} of {total:,} files indexed; results may be "
                "incomplete: search again later, or use grep, which needs no index"
            )
            said += f". {progress.fault}" if progress.fault else ""
        note = "; ".join(notes)
        text = "\n\n".join(filter(None, [said, note, *map(_shown, passages)]))
        return Result(text, {"passages": passages, "note": note, "progress": said})

    def read(self, name: str, first_line: int, last_line: int | None) -> Result:
        """Return lines of a file; without `last_line`, as many as a call returns."""
        text = self._texts.read(self._listing().file(name))
        total = len(text)
        if not total and first_line == 1:
            made = _lines(name, text, 0, Span(0, 0))
            return Result(f"{printable(name)} is empty", {**made, "last_line": 0, "note": ""})
        if not 1 <= first_line <= total:
            raise ValueError(
                f"first_line must be from 1 to {total:,}, the number of lines of {name}, "
                f"not {first_line}"
            )
        if last_line is not None and last_line < first_line:
            raise ValueError(
                f"last_line must be first_line ({first_line}) or more, not {last_line}"
            )
        last = min(total, last_line or total, first_line + _MOST_LINES - 1)
        span = text.span_of(first_line, last)
        notes = []
        if span.end - span.start > _MOST_CHARACTERS:
            cut = Span(span.start, span.start + _MOST_CHARACTERS)
            last = max(first_line, text.lines_of(cut)[1] - 1)
            span = text.span_of(first_line, last)
            if (size := span.end - span.start) > _MOST_CHARACTERS:
                notes.append(
                    f"line {last} has {size:,} characters, and only the first "
                    f"{_MOST_CHARACTERS:,} are shown: grep and search find the others"
                )
                span = cut
        if last < total:
            notes.append(f"lines {last + 1} to {total} follow: read on with first_line={last + 1}")
        made = {**_lines(name, text, first_line, span), "last_line": last, "note": "; ".join(notes)}
        title = f"{place_of(made)}, of {total:,}"
        return Result(joined(title, numbered(first_line, made["text"]), made["note"]), made)

    def outline(self, name: str) -> Result:
        """Return the headings of a file, or if it has none its topics."""
        return outline_of(name, self._texts.read(self._listing().file(name)))

    def grep(
        self,
        pattern: str,
        patterns: str | Sequence[str] | None,
        *,
        regex: bool,
        ignore_case: bool,
    ) -> Result:
        """Return the lines that have a text, or that match an expression; see `find_lines`."""
        listing = self._listing()
        files = listing.select(patterns)
        found = find_lines(self._texts, files, pattern, regex=regex, ignore_case=ignore_case)
        away = "; ".join(listing.away)
        note = "; ".join(filter(None, [away, found.data["note"]]))
        return Result(joined(found.text, away), {**found.data, "note": note})

    def status(self) -> Result:
        """Return which files there are, and how far the index is."""
        listing = self._listing()
        progress = self._index.progress(listing.files.values())
        total, indexed, failed = len(listing.files), len(progress.current), len(progress.failed)
        notes = [*listing.away, *filter(None, [progress.fault])]
        if max(total, failed, len(listing.left_out)) > _LISTED:
            notes.append(f"at most {_LISTED} names of each kind are listed")
        unread = {
            title: [{"file": name, "reason": why} for name, why in [*reasons.items()][:_LISTED]]
            for title, reasons in (("failed", progress.failed), ("left_out", listing.left_out))
        }
        waiting = total - indexed - failed
        data: dict[str, Any] = {
            "folders": [*map(encodable, self._folders.given)],
            "total": total,
            "indexed": indexed,
            "waiting": waiting,
            "indexing": waiting > 0 and not progress.fault,
            "files": [*listing.files][:_LISTED],
            **unread,
            "index": encodable(str(self._path)),
            "note": "; ".join(notes),
        }
        text = joined(
            f"folders: {', '.join(map(printable, self._folders.given))}",
            f"{total:,} files: {indexed:,} indexed, {waiting:,} waiting, {failed:,} failed",
            f"index: {printable(data['index'])}{', indexing goes on' * data['indexing']}",
            listed("files:", data["files"]),
            *(
                listed(f"{title.replace('_', ' ')}:", (f"{e['file']}: {e['reason']}" for e in each))
                for title, each in unread.items()
            ),
            data["note"],
        )
        return Result(text, data)

    def _open_index(self) -> FileIndex:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return FileIndex(self._path, self._encoding)

    def _listing(self, wait: float = 0.0) -> Listing:
        """Return the files that are there now, which the index takes up."""
        listing = self._folders.list_files()
        self._index.catch_up(listing, wait)
        return listing

    def _checked(self, passage: Passage, listing: Listing) -> dict[str, Any] | None:
        """Return a passage with its place; None if the file does not have it any more."""
        file = listing.files[passage.document]
        try:
            text = self._texts.read(file)
        except ValueError:
            return None
        if passage.span.of(text.file.text) != passage.text:
            self._index.mark_stale(file)
            return None
        first_line, last_line = text.lines_of(passage.span)
        headings = passage.metadata.get("headings")
        return {
            **_lines(file.name, text, first_line, passage.span),
            "last_line": last_line,
            "headings": headings.split(HEADING_SEPARATOR) if headings else [],
            "table_header": "\n".join(table_header(passage)),
            "similarity": passage.similarity and round(passage.similarity, 4),
        }


def _lines(name: str, text: LinedText, first_line: int, span: Span) -> dict[str, Any]:
    """Return where a part of a file is, from which line on, and its text."""
    first_page, last_page = text.file.pages_of(span) or (None, None)
    return {
        "file": name,
        "first_line": first_line,
        "total_lines": len(text),
        "first_page": first_page,
        "last_page": last_page,
        "text": span.of(text.file.text),
    }


def _shown(passage: dict[str, Any]) -> str:
    """Return a passage as text, below its place."""
    headings = printable(" > ".join(passage["headings"]))[:_HEADINGS]
    place = f"{place_of(passage)} ({headings})" if headings else place_of(passage)
    return f"{place}\n{quoted(joined(passage['table_header'], passage['text']))}"


def _cached_index(parts: Sequence[str]) -> Path:
    """Return the index of some folders in the user's cache."""
    from platformdirs import user_cache_path  # deferred: another file needs none

    return user_cache_path("lumber-splitters") / "indexes" / f"{digest(*sorted(parts))[:16]}.db"
