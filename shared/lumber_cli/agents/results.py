"""What the tools for agents return, as data and as text for a model.

Texts of documents are indented, or follow a number of a line, so that no line of a document can
pass for one that the server says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lumber_core.support.wording import ranged
from lumber_core.text.unicode import printable

_HEADINGS = 300  # characters of those that are shown above a passage


@dataclass(frozen=True)
class FoundPassage:
    """A passage that fits a question.

    Attributes:
        file: The name of the file.
        first_line: Its first line in the file's text, from 1.
        last_line: Its last line.
        first_page: Its first page, from 1; None if the file has none.
        last_page: Its last page.
        headings: The headings above it, from the outermost.
        table_header: The header rows of the table whose rows it continues; "" if it does not.
        text: An exact slice of the file's text.
        similarity: The cosine similarity of its best part to the question.
    """

    file: str
    first_line: int
    last_line: int
    first_page: int | None
    last_page: int | None
    headings: list[str]
    table_header: str
    text: str
    similarity: float | None


@dataclass(frozen=True)
class SearchResult:
    """The passages that fit a question.

    Attributes:
        passages: By file, the one with the best passage first.
        note: What to know of them, such as that none seems to answer; "" if nothing.
        progress: How far indexing is, while files are missing in the index; "" if none is.
    """

    passages: list[FoundPassage]
    note: str
    progress: str

    def as_text(self) -> str:
        """Return it as text."""
        said = [line for line in (self.progress, self.note) if line]
        for passage in self.passages:
            place = _place(passage)
            if passage.headings:
                place += f" ({printable(' > '.join(passage.headings))[:_HEADINGS]})"
            above = f"{passage.table_header}\n" if passage.table_header else ""
            said.append(f"{place}\n{quoted(above + passage.text)}")
        return "\n\n".join(said)


@dataclass(frozen=True)
class LinesRead:
    """Lines of a file.

    Attributes:
        file: The name of the file.
        first_line: The first of them, from 1; 0 if the file is empty.
        last_line: The last of them.
        total_lines: Number of lines of the whole file.
        first_page: The page of the first of them, from 1; None if the file has none.
        last_page: The page of the last of them.
        text: The lines as they are in the file's text, without the break that ends the last.
        note: What is missing, and how to read it; "" if nothing is.
    """

    file: str
    first_line: int
    last_line: int
    total_lines: int
    first_page: int | None
    last_page: int | None
    text: str
    note: str

    def as_text(self) -> str:
        """Return it as text."""
        if not self.total_lines:
            return f"{printable(self.file)} is empty"
        shown = numbered(self.first_line, self.text)
        end = f"\n{self.note}" if self.note else ""
        return f"{_place(self)}, of {self.total_lines:,}\n{shown}{end}"


@dataclass(frozen=True)
class Section:
    """A part of a file.

    Attributes:
        first_line: Its first line, from 1.
        last_line: Its last line, with those of the sections inside.
        level: The level of its heading, from 1; 0 for a topic.
        title: The heading, or the first sentence of the topic.
    """

    first_line: int
    last_line: int
    level: int
    title: str


@dataclass(frozen=True)
class Outline:
    """The parts of a file.

    Attributes:
        file: The name of the file.
        total_lines: Number of lines of the whole file.
        kind: "headings", or if the file has none "topics", which a model finds.
        sections: The parts, in order.
        note: What is missing; "" if nothing is.
    """

    file: str
    total_lines: int
    kind: str
    sections: list[Section]
    note: str

    def as_text(self) -> str:
        """Return it as text."""
        said = [f"{printable(self.file)}, {self.total_lines:,} lines, {self.kind}:"]
        for each in self.sections:
            indent = "  " * max(each.level, 1)
            said.append(f"{indent}{ranged('line', each.first_line, each.last_line)}: "
                        f"{printable(each.title)}")  # fmt: skip
        return "\n".join([*said, *filter(None, [self.note])])


@dataclass(frozen=True)
class Match:
    """A line that matches.

    Attributes:
        file: The name of the file.
        line: The number of the line, from 1.
        text: The line, or of a long one the part around the match, with … where it is cut.
    """

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class GrepResult:
    """Lines that match.

    Attributes:
        matches: The first of them, by file.
        count: Number of lines that match in the files that were searched.
        files_searched: Number of files that were searched.
        truncated: Whether lines are left out, or files were not searched.
        note: What is missing, and what to do; "" if nothing is.
    """

    matches: list[Match]
    count: int
    files_searched: int
    truncated: bool
    note: str

    def as_text(self) -> str:
        """Return it as text."""
        said = [f"{self.count:,} matching lines in {self.files_searched:,} files searched"]
        file = None
        for match in self.matches:
            if match.file != file:
                file = match.file
                said.append(printable(file))
            said.append(numbered(match.line, match.text))
        return "\n".join([*said, *filter(None, [self.note])])


@dataclass(frozen=True)
class Unread:
    """A file that is not read.

    Attributes:
        file: Its name.
        reason: Why, and what to do.
    """

    file: str
    reason: str


@dataclass(frozen=True)
class Status:
    """The folders and their index.

    Attributes:
        folders: The folders.
        total: Number of files that can be read.
        indexed: Number of those that search finds, as they are now.
        waiting: Number of those that are still to be indexed.
        indexing: Whether files are being indexed now.
        files: The names of the files that can be read, or the first of them.
        failed: Files that could not be read, or the first of them.
        left_out: Files in the folders that are not read, or the first of them.
        index: The file of the index.
        note: What is wrong with the index, or missing in the lists; "" if nothing is.
    """

    folders: list[str]
    total: int
    indexed: int
    waiting: int
    indexing: bool
    files: list[str]
    failed: list[Unread]
    left_out: list[Unread]
    index: str
    note: str

    def as_text(self) -> str:
        """Return it as text."""
        said = [
            f"folders: {', '.join(map(printable, self.folders))}",
            f"{self.total:,} files: {self.indexed:,} indexed, {self.waiting:,} waiting, "
            f"{len(self.failed):,} failed",
            f"index: {printable(self.index)}{', indexing goes on' if self.indexing else ''}",
            *_listed("files:", self.files),
            *_listed("failed:", (f"{each.file}: {each.reason}" for each in self.failed)),
            *_listed("left out:", (f"{each.file}: {each.reason}" for each in self.left_out)),
        ]
        return "\n".join([*said, *filter(None, [self.note])])


def quoted(text: str) -> str:
    """Return a text of a document, indented."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def numbered(first: int, text: str) -> str:
    """Return lines of a document, each after its number."""
    said = []
    normal = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(normal.split("\n"), first):
        # Some characters look like a line break, and are none.
        begin, *rest = line.splitlines() or [""]
        said += [f"{number:>6} | {begin}", *(f"{'':>6} | {each}" for each in rest)]
    return "\n".join(said)


def _place(part: FoundPassage | LinesRead) -> str:
    """Return where lines are, as one cites them."""
    said = [printable(part.file)]
    if part.first_page is not None and part.last_page is not None:
        said.append(ranged("page", part.first_page, part.last_page))
    return ", ".join([*said, ranged("line", part.first_line, part.last_line)])


def _listed(title: str, items: Iterable[str]) -> Iterator[str]:
    lines = [f"  {printable(item)}" for item in items]
    if lines:
        yield title
        yield from lines
