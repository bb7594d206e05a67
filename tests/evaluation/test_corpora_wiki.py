"""Wiki-50 and Wiki-727K: sections, levels, lists, the article's fields, one file at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.errors import MissingExtraError
from lumber_core.spans import check_tiling
from lumber_evaluation.corpora import iter_wiki, load_wiki50, wiki_table
from tests.evaluation.writing import write
from tests.profiles import examples

WIKI = (
    "========,1,preface.\nOne.\n***LIST***.\n========,2,History.\n========,3,Early.\nTwo.\nThree.\n"
    "========,2,Now.\nFour.\n"
)


def words(text: str) -> int:
    return len(text.split())


def test_every_level_starts_a_section_unless_levels_are_chosen(tmp_path: Path) -> None:
    write(tmp_path / "123", WIKI)
    write(tmp_path / "README", "not an article")
    (document,) = load_wiki50(tmp_path)
    assert document.text == "One.\nTwo.\nThree.\nFour."
    assert document.starts == (0, 5, 17)
    for levels, starts in (
        ([1], (0,)),
        (range(1, 3), (0, 5, 17)),
        ([3], (0, 5)),
        ([2], (0, 5, 17)),
    ):
        (chosen,) = load_wiki50(tmp_path, levels=levels)
        assert chosen.text == document.text
        assert chosen.starts == starts


def test_lists_are_dropped_or_kept(tmp_path: Path) -> None:
    write(tmp_path / "123", WIKI)
    (document,) = load_wiki50(tmp_path, keep_lists=True)
    assert document.text == "One.\n***LIST***.\nTwo.\nThree.\nFour."
    assert document.units == (0, 5, 17, 22, 29)


@pytest.mark.parametrize("levels", [[], [0], [2, -1]])
def test_levels_that_are_none_are_refused_at_once(levels: Sequence[int], tmp_path: Path) -> None:
    write(tmp_path / "123", WIKI)
    with pytest.raises(ValueError, match=r"levels must be numbers from 1"):
        iter_wiki(tmp_path, levels=levels)


@pytest.mark.parametrize("level", ["two", "", "-1", "٣"])
def test_a_malformed_mark_is_named_with_its_line(level: str, tmp_path: Path) -> None:
    write(tmp_path / "9", f"========,1,preface.\nOne.\n========,{level},Title.\n")
    with pytest.raises(ValueError, match=r"9, line 3: expected '========,LEVEL,TITLE.'"):
        load_wiki50(tmp_path)


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="expected the files of Wiki-50"):
        iter_wiki(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="expected the files of Wiki-50"):
        load_wiki50(tmp_path)
    with pytest.raises(NotADirectoryError, match="expected a folder"):
        load_wiki50(write(tmp_path / "file", WIKI))


def test_the_articles_fields(tmp_path: Path) -> None:
    write(tmp_path / "12" / "123", WIKI.replace("Two.", "Two more words."))
    (article,) = iter_wiki(tmp_path)
    fields = article.fields(tokenizer=words)
    assert fields.name == "12/123"
    assert fields.original == WIKI.replace("Two.", "Two more words.")
    assert fields.text == "One.\nTwo more words.\nThree.\nFour."
    assert fields.start_sentences == (0, 1, 3)
    assert fields.start_tokens == (0, 1, 5)
    assert (fields.tokens, fields.sections) == (6, 3)


def test_fields_as_a_table(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    write(tmp_path / "1", WIKI)
    write(tmp_path / "2", "========,1,preface.\nAlone here.\n")
    table = wiki_table(iter_wiki(tmp_path), tokenizer=words)
    assert list(table.columns) == [
        "name",
        "original",
        "text",
        "start_tokens",
        "start_sentences",
        "tokens",
        "sections",
    ]
    assert list(table["sections"]) == [3, 1]
    assert list(table["tokens"]) == [4, 2]
    assert table["start_tokens"][0] == (0, 1, 3)
    assert len(wiki_table([]).columns) == 7


def test_a_table_without_pandas_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lumber_core.extras.find_spec", lambda _module: None)
    with pytest.raises(MissingExtraError, match=r"pandas.*lumber-splitters\[evaluation\]"):
        wiki_table([])


def test_files_are_read_one_at_a_time(tmp_path: Path) -> None:
    write(tmp_path / "a" / "1", WIKI)
    write(tmp_path / "b" / "1", "========,?,preface.\nBroken.\n")
    articles = iter_wiki(tmp_path)
    assert next(articles).document.name == "a/1"
    with pytest.raises(ValueError, match="expected '========,LEVEL"):
        next(articles)


def test_folders_are_listed_only_when_they_are_reached(tmp_path: Path) -> None:
    write(tmp_path / "a" / "1", WIKI)
    write(tmp_path / "b" / "1", WIKI)
    articles = iter_wiki(tmp_path)
    assert next(articles).document.name == "a/1"
    write(tmp_path / "b" / "2", WIKI)
    assert [article.document.name for article in articles] == ["b/1", "b/2"]


sentence = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\n"), min_size=1
).filter(lambda s: s.strip() and not s.startswith("========,") and s.strip() != "***LIST***.")
section = st.tuples(st.integers(1, 5), st.lists(sentence, max_size=4))


@examples(60)
@given(sections=st.lists(section, min_size=1, max_size=6), levels=st.sets(st.integers(1, 5)))
def test_sentences_and_starts_come_back_exactly(
    sections: list[tuple[int, list[str]]], levels: set[int]
) -> None:
    content = ""
    sentences: list[str] = []
    starts: set[int] = set()
    for number, (level, lines) in enumerate(sections):
        content += f"========,{level},Title {number}.\n" + "".join(f"{line}\n" for line in lines)
        if not levels or level in levels:
            starts.add(len(sentences))
        sentences += [line.strip() for line in lines]
    starts = {start for start in starts | {0} if start < len(sentences)}
    with TemporaryDirectory() as folder:
        write(Path(folder) / "1", content)
        (article,) = iter_wiki(folder, levels=levels or None)
    document = article.document
    assert article.original == content
    assert document.text == "\n".join(sentences)
    ends = [*(unit - 1 for unit in document.units[1:]), len(document.text)]
    assert [
        document.text[a:b] for a, b in zip(document.units, ends, strict=bool(sentences))
    ] == sentences
    assert article.start_sentences == tuple(sorted(starts))
    check_tiling(document.segments, len(document.text))


def test_the_real_articles(data: Path) -> None:
    articles = list(iter_wiki(data / "wiki50"))
    assert len(articles) == 25
    for article in articles:
        document = article.document
        lines = [
            line.strip()
            for line in article.original.split("\n")
            if line.strip() and not line.startswith("====") and line != "***LIST***."
        ]
        assert document.text == "\n".join(lines)
        assert len(document.units) == len(lines)
        check_tiling(document.segments, len(document.text))
        for start, number in zip(document.starts, article.start_sentences, strict=True):
            assert document.text.startswith(lines[number], start)
        fields = article.fields(tokenizer="words")
        assert fields.sections == len(fields.start_tokens) == len(document.starts)
        assert 0 == fields.start_tokens[0] <= fields.start_tokens[-1] < fields.tokens
