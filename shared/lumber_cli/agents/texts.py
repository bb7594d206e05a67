"""The texts of files and their lines, read again whenever a file has changed."""

from __future__ import annotations

import errno
import os
import stat
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock

from lumber_cli.agents.folders import ServedFile
from lumber_core.spans import Span
from lumber_core.text.markdown import LINE_BREAK
from lumber_core.text.unicode import encodable, is_encodable
from lumber_files import TextFile, UnreadableFileError, read_bytes

_MAX_CACHED_CHARACTERS = 20_000_000  # characters of texts in memory
# Opening follows no link and waits for no pipe: a file may have become a link or pipe since the
# listing. Windows lacks some of these flags.
_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
_OPEN = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in _FLAGS)
_DESCRIPTORS = Path("/proc/self/fd")  # links to the files that are open, on Linux


@dataclass(frozen=True)
class LinedText:
    """The text of a file, with its lines. LF, CR LF or CR ends a line."""

    file: TextFile

    @property
    def lines(self) -> list[str]:
        """The lines, without the breaks that end them."""
        return [span.of(self.file.text) for span in self._spans]

    @cached_property
    def _spans(self) -> list[Span]:
        breaks = [match.span() for match in LINE_BREAK.finditer(self.file.text)]
        starts = [0, *(end for _, end in breaks)]
        ends = [*(start for start, _ in breaks), len(self.file.text)]
        # There is no line after a last break.
        return [Span(*line) for line in zip(starts, ends, strict=True) if line[0] < ends[-1]]

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self._spans)

    def lines_of(self, span: Span) -> tuple[int, int]:
        """Return the first and the last line of a span's visible characters, from 1."""
        body = span.strip(self.file.text)
        after_all = len(self.file.text) + 1  # later than the end of any line
        first = bisect_right(self._spans, (body.start, after_all))
        return first, max(first, bisect_right(self._spans, (body.end - 1, after_all)))

    def span_of(self, first: int, last: int) -> Span:
        """Return the place of some lines, without the break that ends the last."""
        return Span(self._spans[first - 1].start, self._spans[last - 1].end)


class FileTexts:
    """Reads files as `read_file` does, and caches the latest texts: reading a PDF takes seconds."""

    def __init__(self, encoding: str | None, max_unpacked: int) -> None:
        self._encoding = encoding
        self._max_unpacked = max_unpacked
        self._lock = Lock()
        self._cache: dict[tuple[str, bytes], LinedText | str] = {}  # by name and content
        self._size = 0
        self.notices: dict[str, str] = {}  # notices of the reader by file name; "" for none

    def read(self, file: ServedFile) -> LinedText:
        """Return the text of a file as it is now.

        An UnreadableFileError is raised if it has no text that can be read, and another ValueError
        if it cannot be opened, is gone, or has become a link.
        """
        content = _content(file)
        key = file.name, sha256(content).digest()
        text = self._cache.get(key)
        if text is None:
            text = self._read_text(file, content)
            with self._lock:
                self._cache[key] = text
                self._size += _size(text)
                while self._size > _MAX_CACHED_CHARACTERS and len(self._cache) > 1:
                    self._size -= _size(self._cache.pop(next(iter(self._cache))))
        if isinstance(text, str):
            raise UnreadableFileError(text)
        return text

    def _read_text(self, file: ServedFile, content: bytes) -> LinedText | str:
        """Return the text of a file, or the reason why it has none. Both are slow, and cached."""
        try:
            file_text = read_bytes(
                content,
                name=file.name,
                suffix=file.path.suffix,
                encoding=self._encoding,
                max_unpacked=self._max_unpacked,
            )
        except UnreadableFileError as error:
            return encodable(str(error))
        self.notices[file.name] = "; ".join(file_text.notices)
        if not is_encodable(file_text.text):
            file_text = replace(file_text, text=encodable(file_text.text))
        return LinedText(file_text)


def _content(file: ServedFile) -> bytes:
    """Return the bytes of a file, unless its path now leads elsewhere."""
    linked = ValueError(f"{file.name} has become a link, and is not read: call status")
    try:
        with open(os.open(file.path, _OPEN), "rb") as opened:
            status = os.fstat(opened.fileno())
            # The open file is checked, because its path may become a link at any moment.
            if not _is_at(opened.fileno(), status, str(file.path)):
                raise linked
            if not stat.S_ISREG(status.st_mode):
                raise ValueError(f"{file.name} is no longer a file: call status")
            return opened.read()
    except FileNotFoundError:
        raise ValueError(f"{file.name} has just been deleted: call status") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise linked from None
        raise ValueError(f"{file.name} cannot be read: {error.strerror or error}") from None


def _is_at(descriptor: int, status: os.stat_result, path: str) -> bool:
    """Return whether an open file is the one at a path, which contains no link."""
    if _DESCRIPTORS.is_dir():
        place = os.readlink(_DESCRIPTORS / str(descriptor))
        # If a file is replaced after it was opened, the old version is read.
        return place == path or (not status.st_nlink and place == f"{path} (deleted)")
    return os.path.realpath(path) == path and os.path.samestat(status, os.stat(path))


def _size(text: LinedText | str) -> int:
    return len(text if isinstance(text, str) else text.file.text)
