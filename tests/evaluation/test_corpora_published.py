"""Choi's set, lists of sections and passages, and Chroma's corpora."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lumber_core.spans import Span, check_tiling
from lumber_evaluation.corpora import (
    load_choi,
    load_chroma,
    load_covidqa,
    load_multi_corpus,
    load_passages,
    load_qmsum,
    load_wiki_sections,
)
from lumber_evaluation.documents import document_from_segments
from tests.evaluation.writing import write, write_lines


def test_segments_become_a_document_with_exact_offsets() -> None:
    document = document_from_segments([["A b.", " C. "], [], ["", "D."]], name="n", source="s")
    assert document.text == "A b.\nC.\nD."
    assert document.units == (0, 5, 8)
    assert document.starts == (0, 8)
    assert [span.of(document.text) for span in document.segments] == ["A b.\nC.\n", "D."]
    assert document_from_segments([], name="n", source="s").segments == ()


CHOI = "==========\nOne . \nTwo . \n==========\nThree . \n==========\n"


def test_choi(tmp_path: Path) -> None:
    write(tmp_path / "3-5" / "0.ref", CHOI)
    (document,) = load_choi(tmp_path)
    assert document.text == "One .\nTwo .\nThree ."
    assert document.starts == (0, 12)
    assert document.source == "choi/3-5"
    write(tmp_path / "bad.ref", "no marks")
    with pytest.raises(ValueError, match=r"bad.ref contains no segments"):
        load_choi(tmp_path)


def test_wiki_sections_and_passages(tmp_path: Path) -> None:
    write_lines(tmp_path / "documents.jsonl", [{"document": "d", "sections": ["A.\nB.", "C."]}])
    (document,) = load_wiki_sections(tmp_path)
    assert (document.text, document.starts) == ("A.\nB.\nC.", (0, 6))
    rows = [
        {"source": "s", "document": "d", "text": "One here. Two here."},
        {"source": "s", "document": "e", "text": "Other."},
        {"source": "s", "document": "d", "text": "Three here."},
    ]
    first, second = load_passages(write_lines(tmp_path / "passages.jsonl", rows))
    assert first.text == "One here.\nTwo here.\nThree here."
    assert (first.starts, first.units) == ((0, 20), (0, 10, 20))
    assert second.name == "e"


@pytest.mark.parametrize(
    ("line", "reason"),
    [("{", "not JSON"), ("[]", "expected a JSON object"), ('{"document": 3}', "'source' as str")],
)
def test_malformed_lines_are_named(tmp_path: Path, line: str, reason: str) -> None:
    good = json.dumps({"source": "s", "document": "d", "text": "x"})
    path = write(tmp_path / "passages.jsonl", f"{good}\n{line}\n")
    with pytest.raises(ValueError, match=rf"line 2: .*{reason}"):
        load_passages(path)


@pytest.mark.parametrize("load", [load_choi, load_wiki_sections, load_passages, load_chroma])
def test_what_is_missing_is_said(load, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="expected"):
        load(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="expected"):
        load(tmp_path)


@pytest.mark.parametrize("load", [load_choi, load_chroma])
def test_a_file_in_place_of_a_folder_is_refused(load, tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError, match="is a file; expected a folder with"):
        load(write(tmp_path / "file.txt", "text"))


def test_a_file_that_is_not_utf8_is_named_with_the_byte(tmp_path: Path) -> None:
    (tmp_path / "0.ref").write_bytes(b"==========\nCaf\xe9 .\n")
    with pytest.raises(ValueError, match=r"0\.ref is not utf-8: byte 14 \(0xe9\)"):
        load_choi(tmp_path)


REFERENCE = {"content": "the answer", "start_index": 6, "end_index": 16}


def test_an_excerpt_that_is_not_where_it_should_be_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "corpora" / "c.md", "line\r\nthe answer")
    row = {"question": "q?", "references": [REFERENCE], "corpus": "c"}
    write_lines(tmp_path / "questions.jsonl", [row])
    (corpus,) = load_chroma(tmp_path)
    assert corpus.questions[0].references[0].of(corpus.by_name["c"].text) == "the answer"
    write(tmp_path / "corpora" / "c.md", "line\nthe answer, later")
    with pytest.raises(ValueError, match="without translating line ends"):
        load_chroma(tmp_path)


@pytest.mark.parametrize(
    ("row", "error", "reason"),
    [
        ({"references": [REFERENCE], "corpus": "c"}, ValueError, "line 1: expected 'question'"),
        ({"question": "q?", "corpus": "c"}, ValueError, "expected 'references' as list"),
        ({"question": "q?", "references": [REFERENCE]}, ValueError, "expected 'corpus'"),
        (
            {"question": "q?", "references": [{"start_index": 6}], "corpus": "c"},
            ValueError,
            "expected each reference as",
        ),
        (
            {"question": "q?", "references": [REFERENCE], "corpus": "d"},
            FileNotFoundError,
            "expected the corpus 'd'",
        ),
    ],
)
def test_what_chromas_questions_lack_is_said(row, error, reason, tmp_path: Path) -> None:
    write(tmp_path / "corpora" / "c.md", "line\r\nthe answer")
    write_lines(tmp_path / "questions.jsonl", [row])
    with pytest.raises(error, match=reason):
        load_chroma(tmp_path)


@pytest.mark.parametrize("name", ["../private", "link", "/nowhere/private", "../nowhere"])
def test_chromas_questions_cannot_read_a_file_outside_the_corpora(
    name: str, tmp_path: Path
) -> None:
    write(tmp_path / "private.md", "line\r\nthe answer")
    write(tmp_path / "corpora" / "c.md", "line\r\nthe answer")
    (tmp_path / "corpora" / "link.md").symlink_to(tmp_path / "private.md")
    row = {"question": "q?", "references": [REFERENCE], "corpus": name}
    write_lines(tmp_path / "questions.jsonl", [row])
    with pytest.raises(ValueError, match="expected the name of a file in that folder"):
        load_chroma(tmp_path)


@pytest.mark.parametrize("name", ["d", "n" * 300, "a\0b", ""])
def test_a_corpus_that_chroma_lacks_is_named(name: str, tmp_path: Path) -> None:
    write(tmp_path / "corpora" / "c.md", "line\r\nthe answer")
    row = {"question": "q?", "references": [REFERENCE], "corpus": name}
    write_lines(tmp_path / "questions.jsonl", [row])
    with pytest.raises(FileNotFoundError, match="does not exist; expected the corpus"):
        load_chroma(tmp_path)


def test_chromas_corpora_without_questions_are_an_error(tmp_path: Path) -> None:
    write(tmp_path / "questions.jsonl", "\n")
    with pytest.raises(ValueError, match="contains no question"):
        load_chroma(tmp_path)


def test_the_real_corpora(data: Path) -> None:
    for load, name, count in (
        (load_choi, "choi", 200),
        (load_wiki_sections, "wiki_sections", 300),
    ):
        documents = load(data / name)
        assert len(documents) == count
        for document in documents:
            check_tiling(document.segments, len(document.text))
            assert set(document.starts) <= set(document.units)
            assert "=====" not in document.text
    assert all(len(document.starts) == 10 for document in load_choi(data / "choi"))
    assert sum(len(d.starts) for d in load_passages(data / "passages")) == 9221
    assert sum(len(c.questions) for c in load_chroma(data / "chroma_eval")) == 319


def test_loaders_import_nothing_heavy() -> None:
    program = (
        "import sys, lumber_evaluation.corpora, lumber_evaluation.start_error\n"
        "heavy = {'pandas', 'pyarrow', 'matplotlib', 'huggingface_hub', 'torch', 'nltk',"
        " 'langchain_core', 'llama_index'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stdout == "[]\n", ended.stderr


def test_covidqa_has_papers_and_questions_with_excerpts(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "d1.txt").write_bytes(b"One thing.\r\nAnother thing.")
    row = {"question": "q?", "document": "d1", "references": [{"start_index": 12, "end_index": 19}]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row))
    corpus = load_covidqa(tmp_path)
    (question,) = corpus.questions
    assert question.references[0].of(corpus.by_name[question.document].text) == "Another"


def multi_corpus(folder: Path, *references: dict[str, object]) -> Path:
    write(folder / "acme" / "Leave & Pay.md", "# Leave\r\n\r\nTwenty days.")
    write(folder / "birch" / "Leave.md", "# Leave\n\nTwelve days.")
    write(folder / "formats" / "leave.html", "<h1>Leave</h1>")
    write(folder / "SOURCE.txt", "From somewhere.")
    row = {"question": "How many days of leave?", "references": references}
    write_lines(folder / "questions.jsonl", [row])
    return folder


def test_companies_have_markdown_documents_and_questions_to_all_of_them(tmp_path: Path) -> None:
    named = {"document": "acme/Leave & Pay.md", "start_index": 11, "end_index": 22}
    corpus = load_multi_corpus(multi_corpus(tmp_path, named))
    assert [(d.name, d.source, d.format) for d in corpus.documents] == [
        ("acme/Leave & Pay.md", "multi_corpus/acme", "markdown"),
        ("birch/Leave.md", "multi_corpus/birch", "markdown"),
    ]
    assert all(document.to_split().is_markdown for document in corpus.documents)
    (question,) = corpus.questions
    assert question.document == "acme/Leave & Pay.md"
    assert question.references[0].of(corpus.by_name[question.document].text) == "Twenty days"


def test_a_question_about_two_documents_is_asked_about_each(tmp_path: Path) -> None:
    references = [
        {"document": "birch/Leave.md", "start_index": 9, "end_index": 20},
        {"document": "acme/Leave & Pay.md", "start_index": 2, "end_index": 7},
        {"document": "birch/Leave.md", "start_index": 2, "end_index": 7},
    ]
    asked = load_multi_corpus(multi_corpus(tmp_path, *references)).questions
    assert [(question.document, question.references) for question in asked] == [
        ("birch/Leave.md", (Span(9, 20), Span(2, 7))),
        ("acme/Leave & Pay.md", (Span(2, 7),)),
    ]


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ({"document": "cedar/Pay.md", "start_index": 0, "end_index": 1}, "no document 'cedar/Pay"),
        ({"document": "birch/Leave.md", "start_index": 0, "end_index": 99}, "ends at character 99"),
        ({"start_index": 0, "end_index": 1}, "names no document and there are 2"),
        ({"document": 3, "start_index": 0, "end_index": 1}, "expected each reference as"),
    ],
)
def test_a_reference_to_what_a_company_lacks_is_refused(
    reference: dict[str, object], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=rf"line 1: .*{reason}"):
        load_multi_corpus(multi_corpus(tmp_path, reference))


def qmsum(folder: Path, *topics: tuple[int, int]) -> Path:
    (folder / "val").mkdir()
    (folder / "val" / "m1.txt").write_text("Ann: Hello. Well.\nBob: Yes.\nAnn: Next point.")
    spans = [{"start_index": start, "end_index": end} for start, end in topics]
    rows = {
        "val_topics.jsonl": {"document": "m1", "topics": spans},
        "val_questions.jsonl": {"question": "q?", "document": "m1", "references": spans[:1]},
    }
    for name, row in rows.items():
        (folder / name).write_text(json.dumps(row))
    return folder


def test_topics_of_a_meeting_are_its_segments_and_turns_its_units(tmp_path: Path) -> None:
    corpus = load_qmsum(qmsum(tmp_path, (0, 17), (28, 44)))
    (document,) = corpus.documents
    assert (document.units, document.starts) == ((0, 18, 28), (0, 28))
    assert corpus.questions[0].references == (Span(0, 17),)


def test_a_topic_that_starts_inside_a_turn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside a speaker turn"):
        load_qmsum(qmsum(tmp_path, (5, 17)))


def test_all_meetings_and_papers_load(data: Path) -> None:
    meetings, papers = load_qmsum(data / "qmsum"), load_covidqa(data / "covidqa")
    assert (len(meetings.documents), len(meetings.questions)) == (35, 237)
    assert all(document.is_segmented for document in meetings.documents)
    assert (len(papers.documents), len(papers.questions)) == (49, 836)


def test_all_companies_load(data: Path) -> None:
    corpus = load_multi_corpus(data / "multi_corpus")
    assert (len(corpus.documents), len(corpus.questions)) == (124, 260)
    assert {document.format for document in corpus.documents} == {"markdown"}
