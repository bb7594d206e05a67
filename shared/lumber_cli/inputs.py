"""The files that a command reads: paths, folders, glob patterns and stdin."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import typer

from lumber_cli.options import FileOptions, say
from lumber_core.support.wording import with_noun
from lumber_core.text.source import FILE_TYPES, has_markdown_marks
from lumber_files import (
    NamedPath,
    TextFile,
    UnreadableFileError,
    check_readable,
    count_suffixes,
    find_files,
    read_bytes,
    read_file,
)

STDIN = "-"
_MAX_SHOWN_ERRORS = 5  # about single files; then only their number is printed

_PATHS = typer.Argument(
    metavar="PATH",
    help="Files, folders, glob patterns (quoted), or - for stdin. In folders, these are read: "
    "text, Markdown, HTML, PDF, office documents, tables, data, captions, source code. HTML, PDF "
    "and documents are converted to Markdown, to which offsets refer.",
    show_default=False,
)
Paths = Annotated[list[str], _PATHS]
MaybePaths = Annotated[list[str] | None, _PATHS]
"""Like `Paths`, but optional: the command itself reports that paths are missing."""


@dataclass
class Inputs:
    """The texts of a command, read one at a time."""

    paths: list[str]  # as the user gave them
    options: FileOptions = field(default=FileOptions())
    failed: list[str] = field(default_factory=list)  # names of files that could not be read so far
    named: list[NamedPath | None] = field(init=False)  # the files, each once; None is stdin

    def __post_init__(self) -> None:
        paths = [path for path in self.paths if path != STDIN]
        options = self.options
        search = find_files(paths, no_ignore=options.no_ignore, also=options.also or ())
        for _, path in search.files:
            check_readable(path)
        self.named = [*search.files]
        if STDIN in self.paths:
            self.named.insert(0 if self.paths[0] == STDIN else len(self.named), None)
        self._skipped = search.skipped

    def __len__(self) -> int:
        return len(self.named)

    @property
    def files(self) -> list[Path]:
        """The files that are read."""
        return [Path("/dev/stdin") if file is None else file.path for file in self.named]

    def __iter__(self) -> Iterator[TextFile]:
        """Read the files in turn; see `read`."""
        return filter(None, map(self.read, self.named))

    def read(self, named: NamedPath | None) -> TextFile | None:
        """Return one of the files; None if it cannot be read, which is reported on stderr."""
        try:
            file = self._read(named)
        except (UnreadableFileError, OSError) as error:
            self.failed.append("stdin" if named is None else named.name)
            if len(self.failed) <= _MAX_SHOWN_ERRORS:
                say(str(error))
            return None
        if file.detected:
            say(f"{file.name} is not UTF-8: read as {file.encoding} (pass --encoding if wrong)")
        for notice in file.notices:
            say(f"{file.name}: {notice}")
        if not file.text:
            say(f"{file.name} is empty")
        return file

    def report_unread(self) -> None:
        """Report how many files were left out of folders, and how many could not be read."""
        if self._skipped:
            counts = count_suffixes(file.name for file in self._skipped)
            say(f"left out: {counts}; --also '*.log', for example, reads such files as text")
        if self.failed:
            say(
                f"{len(self.failed)} of {with_noun(len(self), 'document')} could not be read: "
                f"{count_suffixes(self.failed)}"
            )

    def _read(self, named: NamedPath | None) -> TextFile:
        encoding, max_unpacked = self.options.encoding, self.options.max_unpacked
        if named is None:
            file = read_bytes(sys.stdin.buffer.read(), name="stdin", encoding=encoding)
            markdown = {"file_type": FILE_TYPES[".md"]} if has_markdown_marks(file.text) else {}
            return replace(file, metadata=markdown)
        return read_file(named.path, name=named.name, encoding=encoding, max_unpacked=max_unpacked)
