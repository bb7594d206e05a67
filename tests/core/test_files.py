"""Reading files: which are found, in what encoding, and what becomes of HTML, PDF and DOCX."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.errors import UnreadableFileError
from lumber_core.files import find_files, read_bytes, read_file
from lumber_core.spans import Span
from tests.making_files import docx, pdf

PAGE = """<!doctype html><html><head><title>Not this</title><style>p {color: red}</style></head>
<body><script>alert("not this")</script><h1>Boats &amp; tides</h1><p>The <a href="/tide">tide</a>
turns.</p><ul><li>one</li><li>two</li></ul>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>"""


def write(path: Path, content: str | bytes = "One. Two.") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_folders_files_and_patterns_are_found_once_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b/z.txt", "b/a.md", "b/c/deep.HTML", "b/data.csv", "b/.hidden/x.txt", "a.log"):
        write(tmp_path / name)
    found = find_files(["b/z.txt", "b", "*.log", "b/*.md"])
    assert [name for name, _ in found.files] == ["b/z.txt", "b/a.md", "b/c/deep.HTML", "a.log"]
    assert [name for name, _ in found.skipped] == ["b/data.csv"]
    named = find_files(["b", "b/data.csv"])
    assert "b/data.csv" in [name for name, _ in named.files]
    assert named.skipped == []


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    path = write(tmp_path / "notes[1].txt")
    assert [found for _, found in find_files([path]).files] == [path]


@pytest.mark.parametrize(
    ("given_path", "reason"),
    [
        ("nowhere", "nowhere does not exist"),
        ("*.txt", "no file matches"),
        ("empty", "contains no file in .txt"),
        ("others", "only 1 others"),
    ],
)
def test_what_finds_nothing_is_an_error(
    given_path: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    write(tmp_path / "others" / "x.bin")
    with pytest.raises(FileNotFoundError, match=reason.replace(".", r"\.").replace("*", r"\*")):
        find_files([given_path])


def test_a_link_in_a_folder_must_not_lead_out_of_it(tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere.txt")
    (tmp_path / "docs").mkdir()
    link = tmp_path / "docs" / "a.txt"
    link.symlink_to(secret)
    with pytest.raises(ValueError, match="outside"):
        find_files([tmp_path / "docs"])
    assert len(find_files([link]).files) == 1


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le-with-mark"]
)
def test_unicode_encodings_are_told_by_their_mark(encoding: str) -> None:
    text = "Die Flut\r\nkäme — früh.\n"
    if encoding == "utf-16-le-with-mark":
        content = ("\ufeff" + text).encode("utf-16-le")
    else:
        content = text.encode(encoding)
    file = read_bytes(content, name="a.txt")
    assert file.text == text
    assert not file.detected


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_utf_8_is_read_back_unchanged(text: str) -> None:
    assert read_bytes(text.encode(), name="a").text == text.removeprefix("\ufeff")


def test_other_encodings_are_detected_and_marked_as_guessed(tmp_path: Path) -> None:
    text = (
        "Les élèves préfèrent les vacances d’été, où ils écoutent la mer à côté des bateaux. " * 9
    )
    path = write(tmp_path / "a.txt", text.encode("cp1252"))
    file = read_file(path)
    assert file.detected
    assert file.text == text
    assert not read_file(path, encoding="cp1252").detected


def test_of_encodings_that_give_the_same_text_the_western_one_is_named() -> None:
    text = "Die Straße war naß. Der Müller schlief. Übermorgen kommt der Bär zurück nach Köln.\n"
    file = read_bytes(text.encode("cp1252"), name="a.txt")
    assert (file.text, file.encoding) == (text, "cp1252")


@pytest.mark.parametrize(
    ("content", "encoding", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe", None, "not text in any known encoding"),
        (b"caf\xe9", "utf-8", r"not utf-8: byte 3 \(0xe9\)"),
        (b"abc", "latin-99", "unknown encoding 'latin-99'"),
        (b"abc", "base64", "unknown encoding 'base64'"),
    ],
)
def test_what_cannot_be_decoded_is_an_error(
    content: bytes, encoding: str | None, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        read_bytes(content, name="a.txt", encoding=encoding)


def test_html_becomes_markdown_without_scripts() -> None:
    file = read_bytes(PAGE.encode(), name="a.html", suffix=".html")
    assert file.markdown
    assert file.text.startswith("# Boats & tides\n")
    assert "The tide\nturns." in file.text or "The tide turns." in file.text
    assert "- one\n- two" in file.text
    assert "| 1 | 2 |" in file.text
    assert "not this" not in file.text.lower()
    assert "color" not in file.text


def test_html_is_read_in_the_encoding_it_declares() -> None:
    page = '<meta charset="iso-8859-2"><p>Łódź płynie</p>'.encode("iso-8859-2")
    file = read_bytes(page, name="a.html", suffix=".html")
    assert file.text.strip() == "Łódź płynie"
    assert (file.encoding, file.detected) == ("iso-8859-2", False)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("page", "text"),
    [
        ('<?xml version="1.0"?>\n<!DOCTYPE html>\n<html><p>Tides</p></html>', "Tides"),
        ('<?xml version="1.0"?><rss><item>Tides</item></rss>', "Tides"),
        ('<p>Tides</p><?xml-stylesheet href="a.css"?>', "Tides"),
        ("https://example.org/tides", "https://example.org/tides"),
        ("tides.html", "tides.html"),
    ],
)
def test_html_is_read_without_declarations_and_without_warnings(page: str, text: str) -> None:
    assert read_bytes(page.encode(), name="a.html", suffix=".html").text.strip() == text


def test_a_pdf_knows_the_pages_of_its_text(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    path = write(tmp_path / "a.pdf", pdf([["The first page."], [], ["The third", "page."]]))
    file = read_file(path)
    assert file.text == "The first page.\f\fThe third\npage."
    assert file.pages == (0, 16, 17)
    third = file.text.index("third")
    assert file.pages_of(Span(0, 5)) == (1, 1)
    assert file.pages_of(Span(0, len(file.text))) == (1, 3)
    assert file.pages_of(Span(third, third + 1)) == (3, 3)
    assert read_bytes(b"x", name="x").pages_of(Span(0, 1)) is None


def test_docx_becomes_markdown_with_its_headings(tmp_path: Path) -> None:
    pytest.importorskip("mammoth")
    path = write(tmp_path / "a.docx", docx([("Heading1", "Tides"), ("", "They turn.")]))
    file = read_file(path)
    assert file.text == "# Tides\n\nThey turn.\n"
    assert file.markdown


@pytest.mark.parametrize(
    ("suffix", "content", "reason"),
    [
        (".pdf", b"%PDF-1.4 and nothing else", "cannot be read as PDF"),
        (".pdf", pdf([[], []]), "scanned pages need OCR"),
        (".docx", b"PK not a zip", "cannot be read as DOCX"),
        (".html", b"<p> </p>", "contains no text"),
    ],
)
def test_damaged_and_empty_files_are_named(suffix: str, content: bytes, reason: str) -> None:
    pytest.importorskip("pypdf")
    pytest.importorskip("mammoth")
    with pytest.raises(UnreadableFileError, match=rf"^a{suffix}.*{reason}"):
        read_bytes(content, name=f"a{suffix}", suffix=suffix)
