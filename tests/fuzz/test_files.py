"""Files of any content are read as a text, or refused with an error that names them."""

from hypothesis import given
from hypothesis import strategies as st

from lumber_files import READABLE, UnreadableFileError, read_bytes
from tests.making_files import docx, epub, odf, pdf, slides, workbook
from tests.profiles import examples

PIECES = [
    *("<p>", "</p>", "<", ">", "<!--", "-->", "<![CDATA[", "]]>", "<?xml ", "?>", "<!DOCTYPE "),
    *("&#", "<table>", "<tr>", "<td colspan=9>", "<pre>", "<script>", "</script>", "<ol start=x>"),
    "<br/>",
    *('<meta charset="utf-16">', '<meta charset="none">', "&amp;", "\x00", "Ä", "\u2028", "word "),
]
markup = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
WHOLE = {
    ".pdf": pdf([["The first page."], ["The second", "page."]]),
    ".docx": docx([("Heading1", "Tides"), ("", "They turn.")]),
    ".epub": epub("<h1>Tides</h1>", "<p>They turn.</p>"),
    ".odt": odf("text", "<text:p>Tides</text:p>"),
    ".pptx": slides("<p:sp/>"),
    ".xlsx": workbook(("Tides", '<row r="1"><c r="A1"><v>1</v></c></row>')),
    ".rtf": rb"{\rtf1 Tides {\super 2}\par turn}",
    ".eml": b"Subject: Tides\nContent-Type: text/html; charset=x\n\n<p>They turn.",
    ".ipynb": b'{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}',
}


def check(content: bytes, suffix: str) -> None:
    name = f"a{suffix}"
    try:
        file = read_bytes(content, name=name, suffix=suffix)
    except UnreadableFileError as raised:
        error = str(raised)
    else:
        assert (file.name, list(file.pages)) == (name, sorted(file.pages))
        assert all(0 <= start <= len(file.text) for start in file.pages)
        return
    assert name in error


@examples(100)
@given(st.binary(max_size=200), st.sampled_from(READABLE))
def test_any_bytes_are_read_as_text_or_refused(content: bytes, suffix: str) -> None:
    check(content, suffix)


# Beautiful Soup warns of an XML declaration in the middle of a page.
@examples(100)
@given(markup, st.sampled_from(["utf-8", "utf-16", "cp1252"]))
def test_any_markup_is_read_as_text_or_refused(page: str, encoding: str) -> None:
    check(page.encode(encoding, "replace"), ".html")


@examples(60)
@given(st.sampled_from([*WHOLE]), st.data())
def test_damaged_documents_are_read_as_text_or_refused(suffix: str, data: st.DataObject) -> None:
    content = bytearray(WHOLE[suffix])
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    check(bytes(content[: data.draw(st.integers(1, len(content)))]), suffix)
