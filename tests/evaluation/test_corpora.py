"""Loaders: small files made here, and the real ones where they lie beside the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lumber_core.evaluation.corpora import (
    load_choi,
    load_chroma,
    load_gutenqa,
    load_passages,
    load_wiki50,
    load_wiki_sections,
)
from lumber_core.evaluation.documents import document_from_segments
from lumber_core.spans import check_tiling


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


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
    with pytest.raises(ValueError, match=r"bad.ref holds no segments"):
        load_choi(tmp_path)


WIKI = (
    "========,1,preface.\nOne.\n***LIST***.\n========,2,History.\n========,3,Early.\nTwo.\nThree.\n"
    "========,2,Now.\nFour.\n"
)


def test_wiki50_levels(tmp_path: Path) -> None:
    write(tmp_path / "123", WIKI)
    write(tmp_path / "README", "not an article")
    (document,) = load_wiki50(tmp_path)
    assert document.text == "One.\nTwo.\nThree.\nFour."
    assert document.starts == (0, 5, 17)
    (coarse,) = load_wiki50(tmp_path, deepest=1)
    assert coarse.starts == (0,)
    with pytest.raises(ValueError, match="deepest"):
        load_wiki50(tmp_path, deepest=0)


def test_a_malformed_mark_is_named_with_its_line(tmp_path: Path) -> None:
    write(tmp_path / "9", "========,1,preface.\nOne.\n========,two,Title.\n")
    with pytest.raises(ValueError, match=r"9, line 3: expected '========,LEVEL,TITLE.'"):
        load_wiki50(tmp_path)


def test_wiki_sections_and_passages(tmp_path: Path) -> None:
    write(
        tmp_path / "documents.jsonl",
        json.dumps({"document": "d", "sections": ["A.\nB.", "C."]}) + "\n",
    )
    (document,) = load_wiki_sections(tmp_path)
    assert (document.text, document.starts) == ("A.\nB.\nC.", (0, 6))
    rows = [
        {"source": "s", "document": "d", "text": "One here. Two here."},
        {"source": "s", "document": "e", "text": "Other."},
        {"source": "s", "document": "d", "text": "Three here."},
    ]
    write(tmp_path / "passages.jsonl", "\n".join(map(json.dumps, rows)))
    first, second = load_passages(tmp_path)
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


@pytest.mark.parametrize(
    "load", [load_choi, load_wiki50, load_wiki_sections, load_passages, load_chroma, load_gutenqa]
)
def test_what_is_missing_is_said(load, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="expected"):
        load(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="expected"):
        load(tmp_path)


def test_an_excerpt_that_is_not_where_it_should_be_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "corpora" / "c.md", "line\r\nthe answer")
    reference = {"content": "the answer", "start_index": 6, "end_index": 16}
    row = {"question": "q?", "references": [reference], "corpus": "c"}
    write(tmp_path / "questions.jsonl", json.dumps(row))
    (corpus,) = load_chroma(tmp_path)
    assert corpus.questions[0].references[0].of(corpus.by_name["c"].text) == "the answer"
    write(tmp_path / "corpora" / "c.md", "line\nthe answer")
    with pytest.raises(ValueError, match="without translating line ends"):
        load_chroma(tmp_path)


def test_gutenqa_ends_must_fit(tmp_path: Path) -> None:
    write(tmp_path / "paragraphs.jsonl", '{"text": "A"}\n{"text": "B"}\n{"text": "C"}\n')
    write(tmp_path / "published_chunk_ends.json", '{"ends": [2, 3]}')
    document = load_gutenqa(tmp_path)
    assert [span.of(document.text) for span in document.segments] == ["A\nB\n", "C"]
    write(tmp_path / "published_chunk_ends.json", '{"ends": [2, 2]}')
    with pytest.raises(ValueError, match="rise to 3"):
        load_gutenqa(tmp_path)


def test_the_real_corpora(data: Path) -> None:
    for load, name, count in (
        (load_choi, "choi", 200),
        (load_wiki50, "wiki50", 25),
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
    assert len(load_gutenqa(data / "gutenqa_emma").starts) == 476
