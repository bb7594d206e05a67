"""Writing questions in GutenQA's columns, as `corpora.load_questions` reads them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lumber_core.files import atomic_write
from lumber_evaluation.documents import Question
from lumber_evaluation.questions import QuestionSet

COLUMNS = (
    "Book Name",
    "Book ID",
    "Chunk ID",
    "Chapter",
    "Question",
    "Answer",
    "Chunk Must Contain",
    "References",
)
"""GutenQA's columns, and the references: where `Chunk Must Contain` stands in the document."""

_ENDINGS = (".jsonl", ".csv")


def check_question_path(path: str | Path) -> Path:
    """Return the path of a file of questions if it can be written.

    Raises:
        ValueError: Its ending says neither JSON lines nor CSV.
        FileNotFoundError: Its folder is missing.
    """
    path = Path(path)
    if path.suffix.casefold() not in _ENDINGS:
        raise ValueError(f"questions are written as .jsonl or .csv, not as {path.name!r}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {path.parent}")
    return path


def write_questions(questions: QuestionSet | Iterable[Question], path: str | Path) -> None:
    """Write questions as JSON lines or CSV, one row each.

    `Book ID` numbers the documents from 0 in the order of their first questions. `Chunk ID` is
    the number of the chunk that a question was made from, where a `QuestionSet` tells; `Chapter`
    is empty. `References` is a list of `{"start_index": …, "end_index": …}`, in CSV as JSON.

    Args:
        questions: The questions.
        path: A .jsonl or .csv file; one that is there is replaced.

    Raises:
        ValueError: The file's ending is another one.
        FileNotFoundError: The folder is missing.
    """
    path = check_question_path(path)
    if isinstance(questions, QuestionSet):
        asked: Sequence[Question] = questions.questions
        chunks: Sequence[int | str] = questions.chunks
    else:
        asked = tuple(questions)
        chunks = [""] * len(asked)
    books: dict[str, int] = {}
    rows = [
        _row(question, books.setdefault(question.document, len(books)), chunk)
        for question, chunk in zip(asked, chunks, strict=True)
    ]
    text = _csv(rows) if path.suffix.casefold() == ".csv" else _json_lines(rows)
    atomic_write(path, text.encode())


def _row(question: Question, book: int, chunk: int | str) -> dict[str, Any]:
    references = [{"start_index": start, "end_index": end} for start, end in question.references]
    values = (
        question.document,
        book,
        chunk,
        "",
        question.question,
        question.answer,
        question.must_contain or "",
        references,
    )
    return dict(zip(COLUMNS, values, strict=True))


def _json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _csv(rows: list[dict[str, Any]]) -> str:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, COLUMNS)
    writer.writeheader()
    writer.writerows(row | {"References": json.dumps(row["References"])} for row in rows)
    return file.getvalue()
