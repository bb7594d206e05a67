"""GutenQA: a book in a folder, and books in tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lumber_core.spans import check_tiling
from lumber_evaluation.corpora import load_gutenqa, load_gutenqa_tables
from tests.evaluation.writing import write, write_lines, write_table

FOX, OWL = "The_Fox_-_A._Nonym", "The_Owl_-_A._Nonym"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book of three paragraphs in two chunks."""
    folder = tmp_path / "tale"
    write_lines(folder / "paragraphs.jsonl", [{"text": text} for text in ("A", "B", "C")])
    write(folder / "published_chunk_ends.json", '{"ends": [2, 3]}')
    return folder


def test_a_book_is_a_corpus_of_one_document(book: Path) -> None:
    corpus = load_gutenqa(book)
    (document,) = corpus.documents
    assert corpus.name == document.name == "tale"
    assert document.units == (0, 2, 4)
    assert [span.of(document.text) for span in document.segments] == ["A\nB\n", "C"]
    assert corpus.questions == ()


def test_its_questions_need_not_name_it(book: Path) -> None:
    row = {"question": "Who?", "answer": "B.", "chunk_must_contain": "B"}
    write_lines(book / "questions.jsonl", [row])
    (question,) = load_gutenqa(book).questions
    assert (question.document, question.answer, question.must_contain) == ("tale", "B.", "B")


@pytest.mark.parametrize("ends", ["[2, 2]", "[1]", "[2, 3, 4]", "[0, 3]"])
def test_ends_must_fit(ends: str, book: Path) -> None:
    write(book / "published_chunk_ends.json", f'{{"ends": {ends}}}')
    with pytest.raises(ValueError, match="ascending up to 3"):
        load_gutenqa(book)


@pytest.mark.parametrize("content", ["{", "[2, 3]", "{}", '{"ends": 3}', '{"ends": ["3"]}'])
def test_ends_in_another_form_are_refused(content: str, book: Path) -> None:
    write(book / "published_chunk_ends.json", content)
    with pytest.raises(ValueError, match=r"published_chunk_ends\.json: expected"):
        load_gutenqa(book)


def test_what_a_book_lacks_is_said(book: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="expected a book of GutenQA"):
        load_gutenqa(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="expected the paragraphs"):
        load_gutenqa(tmp_path)
    write(book / "questions.jsonl", "")
    with pytest.raises(ValueError, match="contains no question"):
        load_gutenqa(book)
    (book / "published_chunk_ends.json").unlink()
    with pytest.raises(FileNotFoundError, match="expected the published chunks"):
        load_gutenqa(book)


def test_the_real_book(data: Path) -> None:
    corpus = load_gutenqa(data / "gutenqa_emma")
    (document,) = corpus.documents
    assert (len(document.units), len(document.starts)) == (2287, 476)
    check_tiling(document.segments, len(document.text))
    assert len(corpus.questions) == 10
    assert all(question.must_contain and question.answer for question in corpus.questions)


def text_rows(*rows: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {"Book Name": book, "Book ID": 7, "Chunk ID": n, "Chapter": "I", "Chunk": text}
        for n, (book, text) in enumerate(rows)
    ]


def question_row(book: str, question: str, needle: str) -> dict[str, Any]:
    place = {"Book Name": book, "Book ID": 7, "Chunk ID": 0, "Chapter": "I"}
    return place | {"Question": question, "Answer": "Yes.", "Chunk Must Contain": needle}


PARAGRAPHS = text_rows((FOX, "A fox ran."), (FOX, ""), (FOX, "It hid, well."), (OWL, "An owl."))
CHUNKS = text_rows((FOX, "A fox ran.\n"), (FOX, "It hid, well."), (OWL, "An owl."))
QUESTIONS = [question_row(FOX, "Who ran?", "fox ran"), question_row(OWL, "Who?", "owl")]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl", "json"])
def test_tables_give_a_document_for_each_book(suffix: str, tmp_path: Path) -> None:
    corpus = load_gutenqa_tables(
        write_table(tmp_path / f"paragraphs.{suffix}", PARAGRAPHS),
        questions=write_table(tmp_path / f"questions.{suffix}", QUESTIONS),
        chunks=write_table(tmp_path / f"chunks.{suffix}", CHUNKS),
    )
    fox, owl = corpus.documents
    assert (corpus.name, fox.name, owl.name) == ("gutenqa", FOX, OWL)
    assert (fox.text, fox.units, fox.starts) == (
        "A fox ran.\n\nIt hid, well.",
        (0, 11, 12),
        (0, 12),
    )
    assert (owl.text, owl.units, owl.starts) == ("An owl.", (0,), (0,))
    assert [(q.document, q.question) for q in corpus.questions] == [
        (FOX, "Who ran?"),
        (OWL, "Who?"),
    ]


@pytest.mark.parametrize("name", [FOX, "the fox - a. nonym", [FOX], [FOX, "The Fox - A. Nonym"]])
def test_one_book_by_name(name: str | list[str], tmp_path: Path) -> None:
    corpus = load_gutenqa_tables(
        write_table(tmp_path / "p.jsonl", PARAGRAPHS),
        questions=write_table(tmp_path / "q.jsonl", QUESTIONS),
        books=name,
    )
    assert corpus.name == FOX
    assert [document.name for document in corpus.documents] == [FOX]
    assert [question.question for question in corpus.questions] == ["Who ran?"]


def test_a_folder_gives_the_tables_with_the_right_columns(tmp_path: Path) -> None:
    write_table(tmp_path / "questions.jsonl", QUESTIONS)
    write_table(tmp_path / "part-1.jsonl", PARAGRAPHS[:3])
    write_table(tmp_path / "part-2.jsonl", PARAGRAPHS[3:])
    corpus = load_gutenqa_tables(tmp_path, questions=tmp_path)
    assert [document.name for document in corpus.documents] == [FOX, OWL]
    assert len(corpus.questions) == 2


def test_chunks_without_a_question_in_one_table(tmp_path: Path) -> None:
    empty = {"Question": None, "Answer": None, "Chunk Must Contain": None}
    rows = [{**PARAGRAPHS[0], **empty}, {**PARAGRAPHS[2], **QUESTIONS[0]}]
    path = write_table(tmp_path / "all.jsonl", rows)
    corpus = load_gutenqa_tables(path, questions=path)
    assert [question.question for question in corpus.questions] == ["Who ran?"]


@pytest.mark.parametrize(
    ("books", "reason"),
    [
        ("fox", f"no book 'fox'; did you mean: {FOX}$"),
        ("The Foks A Nonym", f"did you mean: {FOX}"),
        ([FOX, "Moby"], f"no book 'Moby'; it has: {FOX}, {OWL}"),
        ([], "at least one book"),
    ],
)
def test_a_book_that_is_not_there(books: str | list[str], reason: str, tmp_path: Path) -> None:
    path = write_table(tmp_path / "p.jsonl", PARAGRAPHS)
    with pytest.raises(ValueError, match=reason):
        load_gutenqa_tables(path, books=books)


def test_questions_about_a_book_that_is_not_there(tmp_path: Path) -> None:
    path = write_table(tmp_path / "p.jsonl", PARAGRAPHS)
    stray = write_table(
        tmp_path / "stray.jsonl", [*QUESTIONS, question_row("Moby", "Who?", "whale")]
    )
    with pytest.raises(ValueError, match=rf"line 3: there is no document 'Moby'.*{FOX}, {OWL}"):
        load_gutenqa_tables(path, questions=stray, books=FOX)
    only = write_table(tmp_path / "only.jsonl", QUESTIONS[:1])
    with pytest.raises(ValueError, match=f"no question about {OWL}; it has questions about {FOX}"):
        load_gutenqa_tables(path, questions=only, books=OWL)


@pytest.mark.parametrize(
    ("chunks", "reason"),
    [
        (["A fox ran.\nIt hid, well."], "chunk 0 of .* joined by line breaks"),
        (["A fox", " ran.\n\nIt hid, well."], "chunk 0 of .* joined by line breaks"),
        (["A fox ran."], "end at character 10 of 25"),
        (["A fox ran.\n\nIt hid, well.", "More."], "chunk 1 of"),
        ([], "end at character 0 of 25"),
    ],
)
def test_chunks_must_be_their_paragraphs(chunks: list[str], reason: str, tmp_path: Path) -> None:
    path = write_table(tmp_path / "p.jsonl", PARAGRAPHS)
    rows = text_rows(*((FOX, chunk) for chunk in chunks), (OWL, "An owl."))
    pieces = write_table(tmp_path / "c.jsonl", rows)
    with pytest.raises(ValueError, match=rf"c\.jsonl: .*{reason}.*without chunks"):
        load_gutenqa_tables(path, chunks=pieces, books=FOX)


def test_wrong_columns_and_missing_tables_are_said(tmp_path: Path) -> None:
    wrong = write_table(tmp_path / "p.jsonl", [{"title": FOX, "text": "A fox ran."}])
    with pytest.raises(ValueError, match=r"'Book Name' and 'Chunk', but p\.jsonl has 'title'"):
        load_gutenqa_tables(wrong)
    with pytest.raises(ValueError, match=r"'Book Name' and 'Question', but p\.jsonl has 'Book N"):
        load_gutenqa_tables(write_table(wrong, PARAGRAPHS), questions=wrong)
    with pytest.raises(ValueError, match=r"but p\.jsonl has no row"):
        load_gutenqa_tables(write(wrong, ""))
    with pytest.raises(ValueError, match="expected 'Chunk' as str, found int"):
        load_gutenqa_tables(write_table(wrong, [{"Book Name": FOX, "Chunk": 3}]))
    with pytest.raises(FileNotFoundError, match="expected the paragraphs of GutenQA"):
        load_gutenqa_tables(tmp_path / "nowhere.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"contains no file in \.jsonl"):
        load_gutenqa_tables(tmp_path / "empty")
