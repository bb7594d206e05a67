"""GutenQA (LumberChunker, section 4): books as paragraphs, and questions that one place answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import accumulate, pairwise
from pathlib import Path

from lumber_evaluation.corpora.files import (
    FORMATS,
    Row,
    existing,
    existing_folder,
    field,
    json_lines,
    read_text,
    table_rows,
)
from lumber_evaluation.corpora.questions import (
    AskedQuestion,
    join_questions,
    load_questions,
    read_questions,
)
from lumber_evaluation.documents import Corpus, Document, Question, listed

_BOOK, _TEXT, _QUESTION = "Book Name", "Chunk", "Question"


def load_gutenqa(folder: str | Path) -> Corpus:
    """Load one book from a folder: paragraphs, ends of the published chunks, questions.

    Args:
        folder: The folder with `paragraphs.jsonl` (`{"text": …}`), `published_chunk_ends.json`
            (`{"ends": […]}`, numbers of paragraphs, exclusive) and, if there are questions,
            `questions.jsonl`; see `load_questions`.

    Returns:
        A corpus of one document, with the folder's name. Its units are the paragraphs, joined by
        line breaks, and its segments the published chunks.

    Raises:
        FileNotFoundError: The paragraphs or the ends are missing.
        ValueError: A line is malformed, the ends do not rise to the number of paragraphs, or the
            file of questions has none.
    """
    root = existing_folder(folder, "a book of GutenQA")
    rows = json_lines(root / "paragraphs.jsonl", "the paragraphs of a book")
    paragraphs = [field(row, "text", str, where) for where, row in rows]
    ends_file = existing(root / "published_chunk_ends.json", "the published chunks")
    edges = [0, *_ends(ends_file)]
    if edges[-1] != len(paragraphs) or any(b <= a for a, b in pairwise(edges)):
        raise ValueError(
            f"{ends_file}: the ends must be ascending up to {len(paragraphs)}, the number of "
            "paragraphs"
        )
    name = root.resolve().name
    whole = _book(name, paragraphs)
    starts = tuple(whole.units[first] for first in edges[:-1])
    document = Document(name, whole.text, whole.units, starts, whole.source)
    file = root / "questions.jsonl"
    questions = load_questions(file, documents=[document]) if file.exists() else []
    return Corpus(name, (document,), tuple(questions))


def load_gutenqa_tables(
    paragraphs: str | Path,
    *,
    questions: str | Path | None = None,
    chunks: str | Path | None = None,
    books: str | Sequence[str] | None = None,
) -> Corpus:
    """Load books from tables as GutenQA publishes them.

    Each table is a .parquet, .csv, .jsonl or .json file, or a folder, of which the files with the
    right columns are read. The order of rows is kept.

    Args:
        paragraphs: The books: a row for each paragraph with the columns `Book Name` and `Chunk`
            (`GutenQA_paragraphs.parquet` has `Book ID`, `Chunk ID` and `Chapter` too).
        questions: Rows with `Book Name`, `Question`, `Answer`, `Chunk Must Contain`
            (`questions.parquet`); None loads no questions.
        chunks: Chunks to take as reference segments, in the same columns as the paragraphs
            (`gutenqa_chunks.parquet` has those that LumberChunker made). Each must be the
            newline-join of its paragraphs. None: no segments.
        books: Names of the books to load, such as `"Emma_-_Jane_Austen"` or `"Emma - Jane Austen"`.
            None: all.

    Returns:
        A corpus named after its book, or "gutenqa" if there are several, with one document per book
        and the questions about these books. Units are the paragraphs, joined by line breaks.

    Raises:
        FileNotFoundError: A table is missing.
        ValueError: A table lacks a column or has no rows, a book does not exist, a question is
            about an unknown book, or chunks do not match their paragraphs.
        MissingExtraError: For Parquet, if pyarrow is not installed.
    """
    texts = _texts(paragraphs, "the paragraphs of GutenQA")
    asked = None if questions is None else _asked(questions)
    wanted = list(texts) if books is None else _wanted(books, list(texts), str(paragraphs))
    documents = [_book(name, texts[name]) for name in wanted]
    if chunks is not None:
        pieces = _texts(chunks, "the chunks of GutenQA")
        documents = [_with_chunks(document, pieces, str(chunks)) for document in documents]
    joined: list[Question] = []
    if asked is not None:
        # Joined to all books first, so that a question about none of them raises.
        known = join_questions(asked, [Document(name, "", (), (), "gutenqa") for name in texts])
        joined = [question for question in known if question.document in wanted]
        if not joined:
            raise ValueError(
                f"{questions} contains no question about {listed(wanted)}; it has questions about "
                f"{listed(sorted({question.document for question in known}))}"
            )
    name = wanted[0] if len(wanted) == 1 else "gutenqa"
    return Corpus(name, tuple(documents), tuple(joined))


def _ends(file: Path) -> list[int]:
    """Read `{"ends": […]}`."""
    try:
        ends = json.loads(read_text(file))["ends"]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise ValueError(f'{file}: expected {{"ends": [...]}}, numbers of paragraphs') from error
    if not isinstance(ends, list) or not all(type(end) is int for end in ends):
        raise ValueError(f"{file}: expected the ends as a list of whole numbers")
    return ends


def _book(name: str, paragraphs: Sequence[str]) -> Document:
    """Join paragraphs by line breaks; they are the units, and no segments are marked."""
    lengths = [len(paragraph) + 1 for paragraph in paragraphs[:-1]]
    units = tuple(accumulate(lengths, initial=0))
    return Document(name, "\n".join(paragraphs), units, (0,), "gutenqa")


def _with_chunks(document: Document, pieces: Mapping[str, list[str]], source: str) -> Document:
    """Mark the places where published chunks start."""
    units, starts, position = set(document.units), [], 0
    for number, piece in enumerate(pieces.get(document.name, ())):
        end = position + len(piece)
        fits = document.text.startswith(piece, position) and position in units
        if not fits or (end < len(document.text) and end + 1 not in units):
            raise ValueError(
                f"{source}: chunk {number} of {document.name!r} is not its next paragraphs joined "
                "by line breaks; load the book without chunks"
            )
        starts.append(position)
        position = end + 1
    if position <= len(document.text):
        raise ValueError(
            f"{source}: the chunks of {document.name!r} end at character {max(0, position - 1)} of "
            f"{len(document.text)}; load the book without chunks"
        )
    return Document(document.name, document.text, document.units, tuple(starts), document.source)


def _texts(path: str | Path, what: str) -> dict[str, list[str]]:
    """Read the texts of each book's rows, books in order of appearance."""
    texts: dict[str, list[str]] = {}
    for where, row in _rows(path, _TEXT, what):
        texts.setdefault(field(row, _BOOK, str, where), []).append(field(row, _TEXT, str, where))
    if not texts:
        raise ValueError(f"{path} contains no row; expected {what}")
    return texts


def _asked(path: str | Path) -> list[AskedQuestion]:
    rows = _rows(path, _QUESTION, "the questions of GutenQA")
    # In a table with chunks and questions together, most chunks have an empty question.
    told = ((where, row) for where, row in rows if row.get(_QUESTION) or _TEXT not in row)
    return read_questions(told, str(path))


def _rows(path: str | Path, column: str, what: str) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a table, or of the tables in a folder that have the column.

    Raises:
        FileNotFoundError: There is no table.
        ValueError: No table has the columns; the message lists the columns found.
    """
    root = existing(Path(path), what)
    files = [root]
    if root.is_dir():
        files = sorted(f for f in root.rglob("*") if f.suffix.lower() in FORMATS and f.is_file())
    if not files:
        raise FileNotFoundError(f"{root} contains no file in {', '.join(FORMATS)}; expected {what}")
    found = []
    missing = []
    for file in files:
        _, first = next(table_rows(file, what), ("", {}))
        if first.keys() >= {_BOOK, column}:
            found.append(file)
        else:
            columns = ", ".join(map(repr, first)) or "no row"
            missing.append(f"{file.name} has {columns}")
    if not found:
        raise ValueError(
            f"{root}: expected {what} with the columns {_BOOK!r} and {column!r}, but "
            + "; ".join(missing)
        )
    for file in found:
        yield from table_rows(file, what)


def _wanted(books: str | Sequence[str], known: Sequence[str], source: str) -> list[str]:
    """Return the full names of the requested books."""
    asked = [books] if isinstance(books, str) else list(books)
    if not asked:
        raise ValueError("books must name at least one book, or be None for all")
    by_form = {_form(name): name for name in known}
    unknown = [name for name in asked if _form(name) not in by_form]
    if unknown:
        form = _form(unknown[0])
        near = [name for other, name in by_form.items() if form in other]
        near += [by_form[other] for other in get_close_matches(form, by_form)]
        hint = "did you mean" if near else "it has"
        raise ValueError(
            f"{source} has no book {unknown[0]!r}; {hint}: "
            f"{listed(list(dict.fromkeys(near)) or sorted(known))}"
        )
    return list(dict.fromkeys(by_form[_form(name)] for name in asked))


def _form(name: str) -> str:
    """Return a book's name without differences in writing that do not matter."""
    return " ".join(name.replace("_", " ").split()).casefold()
