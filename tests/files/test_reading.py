import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path

import pytest

from lumber_core.errors import MissingExtraError
from lumber_core.spans import Span
from lumber_files import UnreadableFileError, check_readable, read_bytes, read_file
from tests.making_files import docx, pdf, unzip_parts, zip_parts


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_html_is_read_in_the_encoding_it_declares() -> None:
    page = '<meta charset="iso-8859-2"><p>Łódź płynie</p>'.encode("iso-8859-2")
    file = read_bytes(page, name="a.html", suffix=".html")
    assert file.text.strip() == "Łódź płynie"
    assert (file.kind, file.encoding, file.detected) == ("markdown", "iso-8859-2", False)


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


def test_the_name_decides_the_format_of_bytes_unless_a_suffix_does() -> None:
    page = b"<p>Otters <b>swim</b>.</p>"
    assert read_bytes(page, name="otters.HTML").text == "Otters **swim**.\n"
    assert read_bytes(page, name="otters.html", suffix="").text == page.decode()


def test_a_pdf_has_the_pages_of_its_text(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", pdf([["The first page."], [], ["The third", "page."]]))
    file = read_file(path)
    assert file.text == "The first page.\n\n\f\fThe third page."
    assert file.pages == (0, 18, 19)
    assert file.notices == ("1 of 3 pages without text: 2 (scans need OCR)",)
    assert file.kind == "markdown"
    third = file.text.index("third")
    assert file.pages_of(Span(0, 5)) == (1, 1)
    assert file.pages_of(Span(0, len(file.text))) == (1, 3)
    assert file.pages_of(Span(third, third + 1)) == (3, 3)
    assert read_bytes(b"x", name="x").pages_of(Span(0, 1)) is None


def test_docx_becomes_markdown_with_its_headings(tmp_path: Path) -> None:
    path = write(tmp_path / "a.docx", docx([("Heading1", "Tides"), ("", "They turn.")]))
    file = read_file(path)
    assert file.text == "# Tides\n\nThey turn.\n"
    assert file.kind == "markdown"


@pytest.mark.parametrize(
    ("suffix", "content", "reason"),
    [
        (".pdf", b"%PDF-1.4 and nothing else", "cannot be read as PDF"),
        (".pdf", pdf([[], []]), "scanned pages need OCR"),
        (".docx", b"PK not a zip", "cannot be read as DOCX"),
        (".html", b"<p> </p>", "it has no text"),
    ],
)
def test_errors_name_damaged_and_empty_files(suffix: str, content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableFileError, match=rf"^a{suffix}.*{reason}"):
        read_bytes(content, name=f"a{suffix}", suffix=suffix)


def repack(content: bytes, part_name: str = "word/document.xml") -> bytes:
    """Return a DOCX with compressed parts, and the text in a part with the given name."""
    document = "word/document.xml"
    parts = {
        name.replace(document, part_name): body.replace(document.encode(), part_name.encode())
        for name, body in unzip_parts(content).items()
    }
    return zip_parts(parts | {"word/media/large.png": bytes(9_000_000)})


@pytest.mark.parametrize(
    ("suffix", "content", "size"),
    [
        (".docx", repack(docx([("", "tide " * 100_000)])), 502_000),
        (".docx", repack(docx([("", "tide " * 100_000)]), "word/text.bin"), 502_000),
        (".pdf", pdf([["The tide turns."] * 50] * 80), 60_000),
    ],
    # Without these names, the bytes would be the name; they contain the time and differ in workers.
    ids=["DOCX", "DOCX of odd parts", "PDF"],
)
def test_a_file_that_unpacks_to_more_than_allowed_is_refused(suffix, content, size) -> None:
    small = size * 9 // 10
    with pytest.raises(UnreadableFileError, match=rf"^a.*more than max_unpacked={small:,} bytes"):
        read_bytes(content, name="a", suffix=suffix, max_unpacked=small)
    assert "tide" in read_bytes(content, name="a", suffix=suffix, max_unpacked=2 * size).text


def test_the_size_of_text_files_is_limited(tmp_path: Path) -> None:
    for name in ("a.txt", "a.md", "a.html", "a.log"):
        path = tmp_path / name
        path.write_text("The tide turns.")
        with pytest.raises(UnreadableFileError, match=rf"{name} has more than max_unpacked=14 b"):
            read_file(path, max_unpacked=14)
        assert "tide turns" in read_file(path, max_unpacked=1_000).text


EXTRA = ("charset_normalizer", "lxml", "anydoc", "pypdfium2")


@pytest.mark.parametrize(
    ("suffix", "missing"),
    [
        *((".html", "lxml"), (".XHTML", "lxml"), (".pdf", "pypdfium2")),
        *((".docx", "anydoc"), (".docx", "lxml")),
    ],
)
def test_an_error_about_a_missing_reader_names_the_extra(suffix: str, missing: str, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    raises_missing = pytest.raises(MissingExtraError, match=r"\[documents\]")
    with raises_missing:
        read_bytes(b"<p>Tides", name="a", suffix=suffix)
    with raises_missing:
        check_readable(f"a{suffix}")


def test_an_encoding_is_not_guessed_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    content = "Die Flut käme.".encode("cp1252")
    with pytest.raises(MissingExtraError, match=r"^a.txt is not UTF-8.*\[documents\]"):
        read_bytes(content, name="a.txt")
    assert read_bytes(content, name="a.txt", encoding="cp1252").text == "Die Flut käme."


@pytest.mark.parametrize("suffix", [".txt", ".rst", ".log", ".md", ".markdown"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_text_and_markdown_need_no_extra(suffix: str, encoding: str, monkeypatch) -> None:
    for name in EXTRA:
        monkeypatch.setitem(sys.modules, name, None)
    check_readable(f"a{suffix}")
    file = read_bytes("# Die Flut käme".encode(encoding), name="a", suffix=suffix)
    assert (file.text, file.kind == "markdown") == ("# Die Flut käme", "m" in suffix)


@pytest.mark.parametrize("declared", ["utf-16", "iso-8859-1"])
def test_the_encoding_of_a_page_is_as_in_browsers(declared: str) -> None:
    page = f'<meta charset="{declared}"><p>The “café” is open at noon.</p> '.encode("cp1252")
    file = read_bytes(page, name="a.html", suffix=".html")
    assert file.text.strip() == "The “café” is open at noon."


def docx_with_title(title: str, paragraphs: Sequence[tuple[str, str]]) -> bytes:
    properties = f"<p><dc:title>{escape(title)}</dc:title></p>"
    return zip_parts(unzip_parts(docx(paragraphs)) | {"docProps/core.xml": properties})


@pytest.mark.parametrize(
    ("name", "given", "title"),
    [
        ("a.pdf", "Tides & Moons", "Tides & Moons"),
        ("tides.pdf", "Tides & Moons", "Tides & Moons"),
        ("HARBOUR_2022.pdf", "10-K form", "HARBOUR 2022: 10-K form"),
        ("harbour.pdf", "Microsoft Word - Document1", None),
        ("harbour.pdf", "0001512673-21-000008", None),
    ],
)
def test_files_have_their_titles_as_metadata(name: str, given: str, title: str | None) -> None:
    def title_of(content: bytes, suffix: str) -> str | None:
        return read_bytes(content, name=f"x/{name}", suffix=suffix).metadata.get("title")

    page = f"<title>\n{escape(given)}</title><p>They turn.</p>".encode()
    assert title_of(pdf([["They turn."]], given), ".pdf") == title
    assert title_of(docx_with_title(given, [("", "They turn.")]), ".docx") == title
    assert title_of(page, ".html") == title
    assert title_of(page.replace(b"<p>", b"<h1>Tides</h1><p>"), ".html") is None
    headed = docx_with_title(given, [("Heading1", "Tides"), ("", "They turn.")])
    assert title_of(headed, ".docx") is None


@pytest.mark.parametrize("name", ["a.pdf", "a.md", "a.csv"])
def test_a_git_lfs_pointer_is_not_read_as_text(name: str) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"
    with pytest.raises(UnreadableFileError, match=rf"{name} is not here.*git lfs pull"):
        read_bytes(pointer, name=name)
