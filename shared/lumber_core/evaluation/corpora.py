"""Loaders for the corpora that segmentation is measured on, from folders the user names.

Nothing is downloaded. Every loader says what is missing or malformed, with file and line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from lumber_core.evaluation.documents import (
    Corpus,
    Document,
    Question,
    document_from_segments,
)
from lumber_core.spans import Span
from lumber_core.units import sentences

_CHOI_SEPARATOR = "=========="
_WIKI_MARK = "========,"
_WIKI_LIST = "***LIST***."

_T = TypeVar("_T")


def load_choi(folder: str | Path) -> list[Document]:
    """Load Choi's set: `.ref` files whose segments stand between lines of `==========`.

    Args:
        folder: The folder with the files, at any depth. The name of a file's folder (`3-11`)
            is the document's source.

    Raises:
        FileNotFoundError: If the folder is missing or holds no `.ref` file.
        ValueError: If a file has no segment mark.
    """
    documents = []
    for path in _files(folder, "*.ref", "Choi's segmentation set"):
        segments: list[list[str]] = []
        for line in _text(path).splitlines():
            if line.startswith(_CHOI_SEPARATOR):
                segments.append([])
            elif segments:
                segments[-1].append(line)
            elif line.strip():
                segments.append([line])
        if len(segments) < 2:
            raise ValueError(
                f"{path} holds no segments: expected one sentence a line with lines of "
                f"{_CHOI_SEPARATOR!r} between segments"
            )
        documents.append(
            document_from_segments(segments, name=path.stem, source=f"choi/{path.parent.name}")
        )
    return documents


def load_wiki50(folder: str | Path, *, deepest: int | None = None) -> list[Document]:
    """Load files of Wiki-50 or Wiki-727K, whose sections open with `========,LEVEL,TITLE.`.

    The marks and the place holders of lists are left out of the text: a reader of the article
    would not see them.

    Args:
        folder: The folder with the files, at any depth; files without a section mark in their
            first line are passed over.
        deepest: The deepest level that starts a segment, as in 2; None takes every level.

    Raises:
        FileNotFoundError: If the folder is missing or holds no such file.
        ValueError: If a mark has no number for its level, or `deepest` is below 1.
    """
    if deepest is not None and deepest < 1:
        raise ValueError(f"deepest must be at least 1, the level of the preface, not {deepest}")
    documents = []
    for path in _files(folder, "*", "Wiki-50"):
        lines = _text(path).splitlines()
        if not lines or not lines[0].startswith(_WIKI_MARK):
            continue
        segments: list[list[str]] = [[]]
        for number, line in enumerate(lines, start=1):
            if not line.startswith(_WIKI_MARK):
                if line.strip() != _WIKI_LIST:
                    segments[-1].append(line)
                continue
            level = line[len(_WIKI_MARK) :].split(",", 1)[0]
            if not level.isdecimal():
                raise ValueError(
                    f"{path}, line {number}: expected '{_WIKI_MARK}LEVEL,TITLE.' with a number "
                    f"for the level, found {line[:60]!r}"
                )
            if deepest is None or int(level) <= deepest:
                segments.append([])
        documents.append(document_from_segments(segments, name=path.name, source="wiki50"))
    if not documents:
        raise FileNotFoundError(
            f"no file in {folder} starts with a section mark '{_WIKI_MARK}LEVEL,TITLE.': "
            "expected the files of Wiki-50 or Wiki-727K"
        )
    return documents


def load_wiki_sections(path: str | Path) -> list[Document]:
    """Load articles given as lists of sections: lines of `{"document": …, "sections": […]}`.

    Args:
        path: The JSON Lines file, or the folder with its `documents.jsonl`. Each line of a
            section is one sentence.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If a line is not such an object.
    """
    documents = []
    for where, row in _rows(path, "documents.jsonl"):
        name = _field(row, "document", str, where)
        sections = _field(row, "sections", list, where)
        documents.append(
            document_from_segments(
                [str(section).splitlines() for section in sections],
                name=name,
                source="wiki_sections",
            )
        )
    return documents


def load_passages(path: str | Path) -> list[Document]:
    """Load passages: lines of `{"source": …, "document": …, "text": …}`.

    Args:
        path: The JSON Lines file, or the folder with its `passages.jsonl`.

    Returns:
        One document for each pair of source and document, in the order of the file; its segments
        are its passages, in order.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If a line is not such an object.
    """
    passages: dict[tuple[str, str], list[list[str]]] = {}
    for where, row in _rows(path, "passages.jsonl"):
        key = (_field(row, "source", str, where), _field(row, "document", str, where))
        text = _field(row, "text", str, where)
        found = [span.of(text) for span in sentences(text)]
        passages.setdefault(key, []).append(found)
    return [
        document_from_segments(segments, name=name, source=source)
        for (source, name), segments in passages.items()
    ]


def load_chroma(folder: str | Path) -> list[Corpus]:
    """Load corpora with questions and exact reference excerpts, as Chroma's evaluation has them.

    Args:
        folder: The folder with `corpora/NAME.md` and `questions.jsonl`.

    Returns:
        A corpus of one document for each `NAME`.

    Raises:
        FileNotFoundError: If a file is missing.
        ValueError: If a line is malformed or an excerpt is not what its offsets say.
    """
    root = _existing(Path(folder), "the corpora with reference excerpts")
    questions: dict[str, list[Question]] = {}
    texts: dict[str, str] = {}
    for where, row in _rows(root, "questions.jsonl"):
        name = _field(row, "corpus", str, where)
        if name not in texts:
            texts[name] = _text(_existing(root / "corpora" / f"{name}.md", f"the corpus {name!r}"))
        references = []
        for reference in _field(row, "references", list, where):
            span = Span(reference["start_index"], reference["end_index"])
            if span.of(texts[name]) != reference["content"]:
                raise ValueError(
                    f"{where}: characters {span.start} to {span.end} of {name}.md are not the "
                    "excerpt given. Read the files as UTF-8 without translating line ends, as "
                    "they were published"
                )
            references.append(span)
        text = _field(row, "question", str, where)
        question = Question(text, name, references=tuple(references))
        questions.setdefault(name, []).append(question)
    corpora = []
    for name, asked in questions.items():
        units = tuple(span.start for span in sentences(texts[name]))
        document = Document(name, texts[name], units, (0,), "chroma")
        corpora.append(Corpus(name, (document,), tuple(asked)))
    return corpora


def load_gutenqa(folder: str | Path) -> Document:
    """Load a book as GutenQA publishes it: paragraphs, and where its chunks end.

    Args:
        folder: The folder with `paragraphs.jsonl` (`{"id": …, "text": …}`) and
            `published_chunk_ends.json` (`{"ends": […]}`, numbers of paragraphs, exclusive).

    Returns:
        The book; its units are the paragraphs, joined by a line break, its segments the chunks.

    Raises:
        FileNotFoundError: If a file is missing.
        ValueError: If a line is malformed or the ends do not rise to the number of paragraphs.
    """
    root = _existing(Path(folder), "the book of GutenQA")
    paragraphs = [_field(row, "text", str, where) for where, row in _rows(root, "paragraphs.jsonl")]
    ends_file = _existing(root / "published_chunk_ends.json", "the published chunks")
    ends = json.loads(_text(ends_file))["ends"]
    rising = [0, *ends]
    if rising[-1] != len(paragraphs) or any(b <= a for a, b in pairwise(rising)):
        raise ValueError(
            f"{ends_file}: the ends must rise to {len(paragraphs)}, the number of paragraphs"
        )
    units = [0]
    for paragraph in paragraphs:
        units.append(units[-1] + len(paragraph) + 1)
    starts = tuple(units[first] for first in rising[:-1])
    return Document(root.name, "\n".join(paragraphs), tuple(units[:-1]), starts, "gutenqa")


def _existing(path: Path, what: str) -> Path:
    """Return `path` if it exists, else say what was expected there."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; expected {what} there")
    return path


def _files(folder: str | Path, pattern: str, what: str) -> list[Path]:
    """Return the files of a folder that match, in order of name."""
    root = _existing(Path(folder), what)
    found = sorted(path for path in root.rglob(pattern) if path.is_file())
    if not found:
        raise FileNotFoundError(f"{root} holds no file {pattern!r}; expected {what} there")
    return found


def _text(path: Path) -> str:
    """Read a file as UTF-8; line ends stay as they are, so that offsets do too."""
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


def _rows(path: str | Path, name: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield where each JSON line stands and what it holds."""
    file = Path(path)
    if file.is_dir():
        file = file / name
    for number, line in enumerate(_text(_existing(file, f"the file {name}")).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{file}, line {number}"
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{where}: not JSON ({error.msg})") from error
        if not isinstance(row, dict):
            raise ValueError(f"{where}: expected a JSON object, found {type(row).__name__}")
        yield where, row


def _field(row: dict[str, object], key: str, kind: type[_T], where: str) -> _T:
    """Return a field of the kind expected, or say where it is missing."""
    value = row.get(key)
    if not isinstance(value, kind):
        raise ValueError(
            f"{where}: expected {key!r} as {kind.__name__}, found {type(value).__name__}"
        )
    return value
