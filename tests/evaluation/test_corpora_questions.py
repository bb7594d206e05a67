from pathlib import Path
from typing import Any

import pytest

from lumber_core.spans import Span
from lumber_evaluation.corpora import load_questions
from lumber_evaluation.dataset import Document, Question
from tests.evaluation.writing import write, write_table

TEXT = "The fox ran. It hid in a hole."


def document(name: str, text: str = TEXT) -> Document:
    return Document(name, text, (0,), (0,), "test")


EXCERPT = {"start_index": 4, "end_index": 11, "content": "fox ran"}
OWN = {
    "question": "Who ran?",
    "document": "fox",
    "answer": "The fox.",
    "must_contain": "fox ran",
    "references": [EXCERPT, {"start_index": 16, "end_index": 30, "content": "hid in a hole."}],
}
EXPECTED = Question("Who ran?", "fox", "The fox.", "fox ran", (Span(4, 11), Span(16, 30)))


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_each_format_gives_the_same_questions(suffix: str, tmp_path: Path) -> None:
    path = write_table(tmp_path / f"questions.{suffix}", [OWN], encoding="utf-8-sig")
    assert load_questions(path, documents=[document("fox"), document("owl")]) == [EXPECTED]


BOOK = {"Book Name": "fox", "Book ID": 3, "Chunk ID": 5, "Chapter": "I"}
ASKED = {"Question": "Who, and\nwhy?", "Answer": "The fox.", "Chunk Must Contain": " fox ran"}


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
@pytest.mark.parametrize(
    ("row", "question"),
    [
        (BOOK | ASKED, Question("Who, and\nwhy?", "fox", "The fox.", " fox ran")),
        (
            {"QUESTION": "Who?", "chunk-must-contain": "fox", "other": 1},
            Question("Who?", "fox", must_contain="fox"),
        ),
    ],
    ids=["of gutenqa", "spelt in capitals and with hyphens"],
)
def test_columns_are_recognised_by_many_names(row, question, suffix: str, tmp_path: Path) -> None:
    path = write_table(tmp_path / f"q.{suffix}", [row])
    assert load_questions(path, documents=[document("fox")]) == [question]


@pytest.mark.parametrize(
    ("documents", "name", "expected_name"),
    [
        (["fox.txt", "owl.txt"], "fox", "fox.txt"),
        (["fox", "owl"], "fox.txt", "fox"),
        (["tales/fox.md", "owl.md"], "fox", "tales/fox.md"),
        (["tales/fox.md", "owl.md"], "tales\\fox", "tales/fox.md"),
        (["a/fox.md", "b/fox.md"], "b/fox", "b/fox.md"),
        (["fox.md", "fox.txt"], "fox.txt", "fox.txt"),
        (["fox", "fox.txt"], "fox", "fox"),
        (["a/fox.txt", "b/fox.md"], "fox.txt", "a/fox.txt"),
        (["only.md"], "", "only.md"),
    ],
)
def test_documents_are_named_with_or_without_extension(documents, name, expected_name, tmp_path):
    path = write_table(tmp_path / "q.jsonl", [{**OWN, "document": name}])
    (question,) = load_questions(path, documents=[document(d) for d in documents])
    assert question.document == expected_name


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"document": "wolf"}, "no document 'wolf'.*: fox, a/owl.md, b/owl.md, 0.* 6 and 1 more$"),
        ({"document": ""}, "names no document and there are 11.*: fox, a/owl.md"),
        ({"document": "owl"}, "'owl' could be any of.*a/owl.md, b/owl.md"),
        ({"question": " "}, "the question is empty"),
        ({"question": 3}, "expected 'question' as a string, found int"),
        ({"must_contain": "", "references": []}, "the question has no expected answer"),
        ({"Book Name": "fox"}, "'document' and 'Book Name' mean the same"),
        ({"references": "fox"}, "the references are not JSON"),
        ({"references": {}}, "expected references as a list, found dict"),
        ({"references": [[4, 11]]}, "expected each reference as"),
        ({"references": [{"start_index": 4.0, "end_index": 11}]}, "with whole numbers"),
        ({"references": [{"start_index": 7, "end_index": 7}]}, "0 <= start_index < end_index"),
        ({"references": [{"start_index": 4, "end_index": 99}]}, "at character 99, but fox has 30"),
        ({"references": [{**EXCERPT, "content": "owl ran"}]}, "characters 4 to 11 of fox"),
    ],
)
def test_errors_name_faulty_rows(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    names = ["fox", "a/owl.md", "b/owl.md", *"01234567"]
    path = write_table(tmp_path / "q.jsonl", [OWN, {**OWN, **change}])
    with pytest.raises(ValueError, match=rf"q\.jsonl, line 2: .*{reason}"):
        load_questions(path, documents=[document(name) for name in names])


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("q.jsonl", '{"prompt": 1, "answer": ""}', "the columns 'prompt', 'answer'; expected"),
        ("q.csv", "prompt\na", "found the columns 'prompt'; expected 'question' and"),
        ("q.csv", "question,answer\na,b", "'question', 'answer'; expected .*'Chunk Must Contain'"),
        ("q.jsonl", "\n", "contains no question; expected rows"),
        ("q.csv", "question,answer\n", "contains no question; expected rows"),
        ("q.txt", "", r"q\.txt: expected questions as a file in \.jsonl or \.csv"),
        ("q.jsonl", "[3]", "line 1: expected a JSON object, found list"),
        ("q.csv", 'question,must_contain\n"Who?","fox', r"line 2: not CSV"),
        ("q.csv", "question,must_contain\nWho, really?,fox\n", r"line 2: more cells than the 2"),
        ("q.jsonl", '{"question": ' + "[" * 200_000, r"line 1: not JSON \(nested too deeply\)"),
        ("q.csv", "question,references\nWho?," + "[" * 90_000, "not JSON .nested too deeply."),
    ],
)
def test_errors_name_malformed_files(name: str, content: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=reason):
        load_questions(write(tmp_path / name, content), documents=[])


def test_an_error_names_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"q\.jsonl does not exist; expected questions"):
        load_questions(tmp_path / "q.jsonl", documents=[])
