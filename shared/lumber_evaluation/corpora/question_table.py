"""Questions from a table, checked against the documents they are about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lumber_core.spans import Span
from lumber_evaluation.corpora.files import Row, json_fault, table_rows
from lumber_evaluation.dataset import Document, Question, find_document
from lumber_files import replacing

# The columns of each field as this project names them, then as GutenQA does.
_COLUMNS = {
    "question": ("question",),
    "document": ("document", "book_name"),
    "answer": ("answer",),
    "must_contain": ("must_contain", "chunk_must_contain"),
    "references": ("references",),
}
_EXPECTED = (
    "'question' and one of 'must_contain' and 'references', perhaps 'document' and 'answer'; or "
    "GutenQA's 'Question', 'Chunk Must Contain', 'Book Name' and 'Answer'"
)


def load_questions(path: str | Path, *, documents: Sequence[Document]) -> list[Question]:
    """Load questions about documents from a table.

    Columns are GutenQA's (`Book Name`, `Question`, `Answer`, `Chunk Must Contain`) or the names of
    the fields of `Question` (`document`, `question`, `answer`, `must_contain` or
    `chunk_must_contain`, `references`); case, spaces and underscores make no difference, and other
    columns are ignored. References are `{"start_index": …, "end_index": …, "content": …}`, in CSV
    as JSON; the content is optional. If there is no column `document`, each reference may name its
    "document". A question with references in several documents becomes one question for each.

    Args:
        path: A .jsonl or .csv file.
        documents: The documents that the questions are about. A question gets the full name of its
            document, found by file name with or without extension; if there is only one document,
            questions that name none are about it.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file has no question, lacks a column or a value, names an unknown document,
            or has a reference that is not in its document.
    """
    by_name = {document.name: document for document in documents}
    rows = table_rows(path)
    questions = [question for where, row in rows for question in _questions(row, where, by_name)]
    if not questions:
        raise ValueError(f"{path} contains no question; expected rows with the columns {_EXPECTED}")
    return questions


def _questions(row: Row, where: str, by_name: Mapping[str, Document]) -> Iterator[Question]:
    """Yield the question of a row, or one for each document that its references name."""
    columns = _columns(row, where)
    if "question" not in columns or not columns.keys() & {"must_contain", "references"}:
        names = ", ".join(map(repr, row)) or "none"
        raise ValueError(f"{where}: found the columns {names}; expected {_EXPECTED}")
    values = {
        name: _string(row[columns[name]], columns[name], where)
        for name in ("question", "document", "answer", "must_contain")
        if name in columns
    }
    references = _list(row.get(columns.get("references", "")), where)
    if not values["question"]:
        raise ValueError(f"{where}: the question is empty")
    if not values.get("must_contain") and not references:
        raise ValueError(
            f"{where}: the question has no expected answer; give must_contain, a string that its "
            "chunk must contain, or references"
        )
    document = values.get("document", "").strip()
    excerpts: dict[str, list[Span]] = {}
    for reference in references:
        name, span = _read_reference(reference, document, by_name, where)
        excerpts.setdefault(name, []).append(span)
    for name, spans in (excerpts or {find_document(by_name, document, where).name: []}).items():
        yield Question(
            values["question"],
            name,
            values.get("answer", ""),
            values.get("must_contain") or None,
            tuple(spans),
        )


def _read_reference(
    reference: object, of_question: str, by_name: Mapping[str, Document], where: str
) -> tuple[str, Span]:
    """Return the document and the span of a reference; `of_question` is its question's document."""
    fields = reference if isinstance(reference, dict) else {}
    start, end, content = map(fields.get, ("start_index", "end_index", "content"))
    document = fields.get("document") or ""
    if (
        type(start) is not int
        or type(end) is not int
        or not isinstance(content, str | None)
        or not isinstance(document, str)
    ):
        raise ValueError(
            f"{where}: expected each reference as "
            '{"start_index": 10, "end_index": 25, "content": "..."} with whole numbers, '
            f"found {str(reference)[:80]}"
        )
    if not 0 <= start < end:
        raise ValueError(
            f"{where}: a reference from character {start} to {end} is not an excerpt; expected "
            "0 <= start_index < end_index"
        )
    source = find_document(by_name, of_question or document.strip(), where)
    span = Span(start, end)
    if end > len(source.text):
        raise ValueError(
            f"{where}: a reference ends at character {end}, but {source.name} has "
            f"{len(source.text)}; expected offsets of Python characters, not of bytes"
        )
    if content is not None and span.of(source.text) != content:
        raise ValueError(
            f"{where}: characters {start} to {end} of {source.name} are not the "
            "excerpt given. Offsets count Python characters of the text as it was decoded, with "
            "its own line ends: read files without translating line ends"
        )
    return source.name, span


def _columns(row: Row, where: str) -> dict[str, str]:
    by_form: dict[str, str] = {}
    for column in row:
        by_form.setdefault(re.sub(r"[\s_-]+", "_", column.strip()).casefold(), column)
    columns = {}
    for name, forms in _COLUMNS.items():
        matches = [by_form[form] for form in forms if form in by_form]
        if len(matches) > 1:
            raise ValueError(
                f"{where}: {' and '.join(map(repr, matches))} mean the same: keep one of them"
            )
        if matches:
            columns[name] = matches[0]
    return columns


def _string(value: object, column: str, where: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{where}: expected {column!r} as a string, found {type(value).__name__}")
    return value if value.strip() else ""


def _list(value: object, where: str) -> list[object]:
    """Return the references of a row; in CSV they are JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else []
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"{where}: the references are not JSON ({json_fault(error)})"
            ) from error
    if value is None:
        return []
    if not isinstance(value, list):
        raise ValueError(f"{where}: expected references as a list, found {type(value).__name__}")
    return value


def check_question_path(path: str | Path) -> Path:
    """Return the path of a question file after checking that it can be written."""
    path = Path(path)
    if path.suffix.casefold() != ".jsonl":
        raise ValueError(f"questions are written as .jsonl, not as {path.name!r}")
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"{path} cannot be written: the folder {path.parent} does not exist"
        )
    return path


def write_questions(questions: Iterable[Question], path: str | Path) -> None:
    """Write questions as JSON lines, as `load_questions` reads them; a file is replaced."""
    path = check_question_path(path)
    rows = (
        {
            "question": question.question,
            "document": question.document,
            "answer": question.answer,
            "must_contain": question.must_contain or "",
            "references": [{"start_index": a, "end_index": b} for a, b in question.references],
        }
        for question in questions
    )
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    with replacing(path) as part:
        part.write_bytes("".join(lines).encode())
