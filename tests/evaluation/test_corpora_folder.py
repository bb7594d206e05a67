from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.text.source import Source
from lumber_core.text.units import sentences
from lumber_evaluation.corpora import load_folder
from lumber_evaluation.corpora.folder import _document
from tests.evaluation.writing import write, write_lines
from tests.making_files import pdf
from tests.profiles import examples
from tests.tiling import check_tiling


def test_files_at_any_depth_are_documents(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path / "b.md", "Two here. More.\r\nEnd.")
    write(tmp_path / "a" / "fox.txt", "One here.")
    write(tmp_path / "notes.log", "Not this.")
    corpus = load_folder(tmp_path)
    assert "left out: 1 log; also='*.log'" in caplog.text
    with_logs = load_folder(tmp_path, also=["*.log"]).documents
    assert [document.name for document in with_logs] == ["a/fox.txt", "b.md", "notes.log"]
    assert corpus.name == tmp_path.name
    assert [document.name for document in corpus.documents] == ["a/fox.txt", "b.md"]
    last = corpus.documents[1]
    assert last.text == "Two here. More.\r\nEnd."
    assert last.units == tuple(span.start for span in sentences(last.text)) == (0, 10, 17)
    assert last.starts == (0,)
    assert not corpus.questions
    for pattern in ("*.log", ["*.log"]):
        (document,) = load_folder(tmp_path, pattern=pattern).documents
        assert document.name == "notes.log"


MARKED = "One. Two.\n==========\r\nThree.\n\n============  \nFour."


def test_section_marks_are_removed_and_offsets_exclude_them(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", MARKED)
    (document,) = load_folder(tmp_path, sections="marks").documents
    assert document.text == "One. Two.\nThree.\n\nFour."
    assert document.starts == (0, 10, 18)
    assert document.units == (0, 5, 10, 18)


HEADED = """Before.

# One
## Deeper
Text of one. More.
```
# a comment, not a heading
```
#hashtag
Two
###
Last.
"""


def test_headings_stay_in_the_text_and_start_sections(tmp_path: Path) -> None:
    write(tmp_path / "a.md", HEADED)
    (document,) = load_folder(tmp_path, sections="headings").documents
    assert document.text == HEADED
    first, second, third = (span.of(HEADED) for span in document.segments)
    assert first == "Before.\n\n"
    assert second.startswith("# One\n## Deeper\nText")
    assert second.endswith("#hashtag\nTwo\n")
    assert third == "###\nLast.\n"


piece = st.sampled_from(
    ["# H\n", "==========\n", "One. Two.\n", "\n", "```\n", "~~~\n", "a", "  ", "\r\n", "===\n"]
)


@examples(100)
@given(pieces=st.lists(piece, max_size=12), sections=st.sampled_from(["headings", "marks", None]))
def test_units_and_sections_always_tile(pieces: list[str], sections) -> None:
    content = "".join(pieces)
    document = _document(Source(content, name="d"), sections, sentences)
    if sections != "marks":
        assert document.text == content
    if document.text:
        assert document.units[0] == document.starts[0] == 0
    assert set(document.starts) <= set(document.units)
    check_tiling(document.segments, len(document.text))
    ends = [*document.units[1:], len(document.text)]
    check_tiling(list(zip(document.units, ends, strict=bool(document.text))), len(document.text))
    if document.is_segmented:
        assert all(segment.of(document.text).strip() for segment in document.segments)


def test_questions_find_their_files(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    write(folder / "a" / "fox.txt", MARKED)
    write(folder / "owl.md", "An owl.")
    reference = {"start_index": 10, "end_index": 16, "content": "Three."}
    rows = [
        {"question": "Three?", "document": "fox", "references": [reference]},
        {"question": "Who?", "document": "owl.md", "must_contain": "owl"},
    ]
    path = write_lines(tmp_path / "questions.jsonl", rows)
    corpus = load_folder(folder, questions=path, sections="marks")
    assert [question.document for question in corpus.questions] == ["a/fox.txt", "owl.md"]
    span = corpus.questions[0].references[0]
    assert span.of(corpus.by_name["a/fox.txt"].text) == "Three."
    with pytest.raises(ValueError, match="are not the excerpt given"):
        load_folder(folder, questions=path)  # with marks, offsets differ
    write_lines(path, [{"question": "Who?", "document": "wolf", "must_contain": "w"}])
    with pytest.raises(ValueError, match=r"no document 'wolf'.*: a/fox\.txt, owl\.md"):
        load_folder(folder, questions=path)


def test_errors_about_a_wrong_folder_or_pattern_state_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="does not exist; expected texts there"):
        load_folder(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"contains no file in a supported format \(text,"):
        load_folder(tmp_path)
    file = write(tmp_path / "a.txt", " \n")
    with pytest.raises(NotADirectoryError, match=r"a\.txt is a file; expected a folder"):
        load_folder(file, pattern="*.txt")
    with pytest.raises(ValueError, match=r"a\.txt has no text"):
        load_folder(file)
    with pytest.raises(ValueError, match=r"the 1 files in .* contain no text"):
        load_folder(tmp_path)


def test_the_file_of_questions_is_not_reported_as_an_unread_text(tmp_path: Path, caplog) -> None:
    write(tmp_path / "b.txt", "The quay lies south.")
    questions = tmp_path / "questions.jsonl"
    write_lines(questions, [{"question": "Where?", "document": "b", "must_contain": "south"}])
    assert load_folder(tmp_path, questions=questions).questions[0].document == "b.txt"
    assert caplog.text == ""


def test_invalid_settings_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "One. Two.")
    with pytest.raises(ValueError, match='sections must be "headings", "marks" or None'):
        load_folder(tmp_path, sections="chapters")
    with pytest.raises(ValueError, match="pattern must be one or more"):
        load_folder(tmp_path, pattern=[])
    with pytest.raises(ValueError, match=r"also has no effect .* make '\*\.log' a pattern, too"):
        load_folder(tmp_path, pattern="*.md", also=["*.log"])
    with pytest.raises(ValueError, match='has a line of "==========" between'):
        load_folder(tmp_path, sections="marks")


def test_how_files_are_read_can_be_set(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "latin.txt").write_bytes(b"A caf\xe9.")
    (tmp_path / "a.pdf").write_bytes(pdf([["The tide turns."] * 40] * 5))
    with pytest.raises(ValueError, match=r"latin\.txt is not utf-8: byte 5 .*; pattern='"):
        load_folder(tmp_path, encoding="utf-8")
    with pytest.raises(ValueError, match=r"a\.pdf unpacks to more than max_unpacked=2,000 bytes"):
        load_folder(tmp_path, max_unpacked=2_000)
    assert load_folder(tmp_path).documents[1].text == "A café."
    assert "latin.txt is not UTF-8: read as" in caplog.text
