"""Your own file or folder of texts, optionally with marked sections and questions about them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from lumber_core.spans import spans_from_starts
from lumber_core.text.parsed import MarkdownText
from lumber_core.text.source import Source
from lumber_core.text.unicode import printable
from lumber_core.text.units import UnitFinder, UnitSpec, unit_finder
from lumber_evaluation.corpora.files import existing_folder, existing_path, matching_files
from lumber_evaluation.corpora.question_table import load_questions
from lumber_evaluation.dataset import Corpus, Document
from lumber_files import (
    MAX_UNPACKED,
    UnreadableFileError,
    check_encoding,
    count_suffixes,
    find_files,
    read_file,
)

logger = logging.getLogger(__name__)

Sections = Literal["headings", "marks"]

_MARK = re.compile(r"^={10,}[^\S\r\n]*(?:\r\n|\r|\n|\Z)", re.MULTILINE)
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|[\r\n]|\Z)")


def load_folder(
    folder: str | Path,
    *,
    pattern: str | Sequence[str] | None = None,
    also: Sequence[str] = (),
    questions: str | Path | None = None,
    sections: Sections | None = None,
    encoding: str | None = None,
    units: UnitSpec = "sentences",
    max_unpacked: int = MAX_UNPACKED,
) -> Corpus:
    """Load files, and questions about them, as a corpus.

    Args:
        folder: The folder with the files, at any depth, or one file. A document is named by its
            path within the folder, as in `tales/fox.txt`.
        pattern: The files to read: one pattern or several. None: those in a format of
            `lumber_files.READABLE`, without hidden ones; others are counted in a warning.
        also: Patterns of files of other types to read, too. A ValueError with `pattern`.
        questions: A table of questions about these files; see `load_questions`. None loads none.
        sections: What starts a section. "headings": Markdown headings (`# Title`), which stay in
            the text; those in code, lists and HTML are ignored. "marks": lines of ten or more `=`,
            which are removed, so that offsets, including those of references, refer to the text
            without them. None: no sections.
        encoding: Encoding of the files. None: UTF-8, or the one that `lumber_files.read_file`
            detects, with a warning if it has to guess. Line ends are not translated.
        units: Units in which boundaries are counted: "sentences", "paragraphs" or others of
            `lumber_core.text.units`.
        max_unpacked: Maximum size in bytes that a DOCX or PDF unpacks to.

    Returns:
        A corpus with the name of the folder or file; documents are in order of their names.

    Raises:
        FileNotFoundError: The folder or the questions are missing, or no file matches.
        NotADirectoryError: `folder` is a file, and a pattern is given.
        ValueError: A file is not in that encoding (the message names the byte), is damaged or
            unpacks to more than `max_unpacked`, no file has text, `sections` is given and no file
            has a mark or heading, or the questions are invalid (see `load_questions`).
        MissingExtraError: A file is HTML, PDF, DOCX or not UTF-8, and the extra `documents` is not
            installed.
    """
    if sections not in (None, "headings", "marks"):
        raise ValueError(f'sections must be "headings", "marks" or None, not {sections!r}')
    if also and pattern is not None:
        raise ValueError(f"also has no effect with a pattern: make {also[0]!r} a pattern, too")
    if encoding is not None:
        check_encoding(encoding)
    table = None if questions is None else existing_path(Path(questions), "questions")
    find = unit_finder(units)
    root = Path(folder)
    documents = []
    for path in _files(root, pattern, also, table):
        name = path.name if path == root else path.relative_to(root).as_posix()
        try:
            file = read_file(path, name=name, encoding=encoding, max_unpacked=max_unpacked)
        except UnreadableFileError as error:
            if path == root:
                raise
            raise UnreadableFileError(f"{error}; pattern='*.md' chooses other files") from error
        if file.detected:
            logger.warning("%s is not UTF-8: read as %s", printable(str(path)), file.encoding)
        documents.append(_document(file, sections, find))
    if not any(document.text.strip() for document in documents):
        where = f"the {len(documents)} files in {root} contain" if root.is_dir() else f"{root} has"
        raise ValueError(f"{where} no text")
    if sections and not any(document.is_segmented for document in documents):
        looked_for = "a Markdown heading" if sections == "headings" else 'a line of "=========="'
        raise ValueError(
            f"no file in {root} has {looked_for} between two texts; mark where sections start, or "
            "compare without sections"
        )
    asked = [] if table is None else load_questions(table, documents=documents)
    return Corpus(root.resolve().name, tuple(documents), tuple(asked))


def _files(
    root: Path, pattern: str | Sequence[str] | None, also: Sequence[str], questions: Path | None
) -> list[Path]:
    """Return the files of a corpus in order of path; warn of those that are left out."""
    if pattern is not None:
        patterns = (pattern,) if isinstance(pattern, str) else tuple(pattern)
        if not patterns:
            raise ValueError('pattern must be one or more patterns such as "*.txt"')
        return matching_files(root, patterns)
    if root.is_file():
        return [root]
    try:
        matches = find_files([existing_folder(root)], also=also)
    except FileNotFoundError as error:  # here, patterns select files that are left out
        raise FileNotFoundError(str(error).replace("no_ignore=True", "pattern='*.md'")) from None
    table = None if questions is None else questions.resolve()
    skipped = [path for _, path in matches.skipped if path.resolve() != table]
    if skipped:
        logger.warning(
            "%s: left out: %s; also='*.log', for example, reads such files as text",
            root,
            printable(count_suffixes(path.name for path in skipped)),
        )
    return sorted(path for _, path in matches.files if path.resolve() != table)


def _document(file: Source, sections: Sections | None, find: UnitFinder) -> Document:
    """Make a document; sentences are found section by section, so that none spans two."""
    if sections == "headings":
        pieces = _under_headings(file.text) if file.text else [""]
    else:
        pieces = _MARK.split(file.text) if sections == "marks" else [file.text]
    text = "".join(pieces)
    units: list[int] = []
    starts: list[int] = []
    position = 0
    for piece in _join_blanks(pieces):
        starts.append(position)
        units += (position + unit.start for unit in find(piece))
        position += len(piece)
    return Document(file.name, text, tuple(units), tuple(starts), "folder", file.kind)


def _join_blanks(pieces: Sequence[str]) -> Iterator[str]:
    """Yield the pieces that contain text; blank pieces are merged with their neighbours."""
    section = ""
    for piece in pieces:
        if section.strip() and piece.strip():
            yield section
            section = ""
        section += piece
    if section:
        yield section


def _under_headings(content: str) -> list[str]:
    """Return the text before the first heading, then each heading with the text under it.

    Consecutive headings, with only blank lines between them, start one section.
    """
    starts = [0]
    for section in MarkdownText(Source(content, format="markdown")).sections:
        above = content[starts[-1] : section.start].splitlines()
        divided = any(line.strip() and not _HEADING.match(line) for line in above)
        if divided and _HEADING.match(content, section.start):
            starts.append(section.start)
    return [span.of(content) for span in spans_from_starts(starts, len(content))]
