"""The papers' experiments, on cases worked out by hand and on a model with scripted answers."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from benchmarks.corpora import book_of, iter_wiki, load_emma
from benchmarks.papers import gutenqa, qa
from benchmarks.papers.start_error import start_error, start_tokens
from lumber_evaluation.dataset import Corpus, Question
from lumber_evaluation.retrieval import retrieve
from lumber_evaluation.splitters import preset
from tests.evaluation.asking_support import model_at
from tests.evaluation.comparing import WordEmbedder
from tests.loopback.server import LoopbackServer, Request

ARTICLE = """========,1,preface.
The harbour of Elm Quay opened in spring.
========,2,Music.
***LIST***.
A choir sings there on Sundays.
========,3,Songs.
Its songs are old and slow.
"""
PARAGRAPHS = ["The fox lives in the wood.", "The owl lives in the barn.", "The cat has a bell."]


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    (tmp_path / "1").write_text(ARTICLE, encoding="utf-8")
    (tmp_path / "SOURCE.txt").write_text("Wikipedia", encoding="utf-8")
    return tmp_path


def test_the_error_of_a_document_is_computed_as_in_the_article() -> None:
    assert start_error([0, 50, 100, 200], [0, 49, 105, 180]) == 26
    assert start_error([0, 50, 100, 200], [0, 49, 150]) == 101
    assert start_error([0], [0, 10, 30]) == start_error([0, 10, 30], [0]) == 40
    assert start_error([], []) == 0


def test_each_marked_level_starts_a_section(wiki: Path) -> None:
    (document,) = iter_wiki(wiki)
    assert document.text.split("\n") == [
        line for line in ARTICLE.splitlines() if line[0] not in "=*"
    ]
    assert len(document.starts) == 3
    (upper,) = iter_wiki(wiki, levels=[1, 2])
    assert upper.starts == document.starts[:2]


def test_section_starts_are_counted_in_tokens_as_greedy_counts(wiki: Path) -> None:
    (document,) = iter_wiki(wiki)
    starts, total = start_tokens(document, document.starts)
    assert 0 == starts[0] < starts[1] < starts[2] < total


def test_a_book_has_its_paragraphs_its_published_chunks_and_questions(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"text": text}) + "\n" for text in PARAGRAPHS)
    (tmp_path / "paragraphs.jsonl").write_text(rows, encoding="utf-8")
    (tmp_path / "published_chunk_ends.json").write_text('{"ends": [2, 3]}', encoding="utf-8")
    row = {"question": "Who has a bell?", "chunk_must_contain": "a bell"}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row), encoding="utf-8")
    corpus = gutenqa.load_books(tmp_path)
    assert corpus == load_emma(tmp_path)
    (book,) = corpus.documents
    assert [span.of(book.text) for span in book.segments] == [
        f"{PARAGRAPHS[0]}\n{PARAGRAPHS[1]}\n",
        PARAGRAPHS[2],
    ]


def test_books_come_from_the_published_tables(tmp_path: Path) -> None:

    def write(name: str, rows: list[dict[str, str | None]]) -> None:
        (tmp_path / name).mkdir()
        parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / name / "a.parquet")

    write("GutenQA_Paragraphs", [{"Book Name": "B", "Chunk": text} for text in PARAGRAPHS])
    first = dict.fromkeys(("Question", "Answer", "Chunk Must Contain"))
    last = {"Question": "Who?", "Answer": "The cat.", "Chunk Must Contain": "a bell"}
    chunk = {"Book Name": "B", "Chunk": "\n".join(PARAGRAPHS[:2])}
    write("GutenQA", [{**chunk, **first}, {**chunk, "Chunk": PARAGRAPHS[2], **last}])
    corpus = gutenqa.load_books(tmp_path)
    assert [len(document.segments) for document in corpus.documents] == [2]
    assert corpus.questions == (Question("Who?", "B", "The cat.", "a bell"),)


def zoo() -> Corpus:
    questions = (
        Question("Where does the owl live?", "zoo", "in the barn", "in the barn"),
        Question("What has the cat?", "zoo", "a bell", "a bell"),
    )
    return Corpus("zoo", (book_of("zoo", [f"{text}\n" for text in PARAGRAPHS]),), questions)


def answer(request: Request) -> str:
    if "Reference: " in request.user:
        fields = dict(line.split(": ", 1) for line in request.user.splitlines())
        right = fields["Reference"] in fields["Answer to judge"]
        return json.dumps({"correct": "yes" if right else "no"})
    if request.user.endswith("What has the cat?"):
        return "no idea"
    return request.user.split("\n")[0]


def test_recall_and_dcg_are_means_over_the_questions() -> None:
    splits = [preset("paragraphs").split(document) for document in zoo().documents]
    first, second = retrieve(zoo(), splits, WordEmbedder()).questions
    measures = gutenqa.measures(
        [first, replace(second, first_hit=3), replace(second, first_hit=None)]
    )
    assert measures[:5] == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3, 2 / 3])
    assert measures[5:] == pytest.approx([1 / 3, 1 / 3, 0.5, 0.5, 0.5])


def test_answers_are_judged_by_the_reference() -> None:
    splits = [preset("paragraphs").split(document) for document in zoo().documents]
    result = retrieve(zoo(), splits, WordEmbedder())
    with LoopbackServer(answer) as server:
        model = model_at(server)
        assert qa.accuracies(result, model, model, top_k=1, store=None) == [1.0, 0.0]
