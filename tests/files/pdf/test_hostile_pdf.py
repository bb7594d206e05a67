"""PDFs designed to use up time or memory are refused, and the next file is read."""

import pytest

from lumber_files import UnreadableFileError, read_bytes
from tests.files.pdf.test_pdf import file_of
from tests.making_files import character_map, pdf_page, pdf_stream

SHOW = "BT /F1 12 Tf 72 720 Td (lol) Tj ET "


def with_font(content: str, entries: str, *more: bytes) -> bytes:
    font = f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {entries} >>"
    return pdf_page(content, *more, font=font)


def a_widened_page() -> bytes:
    """A font that makes 250 characters of each, and a page full of them."""
    content = f"BT /F1 12 Tf 72 720 Td ({'a' * 100_000}) Tj ET"
    targets = {f"{code:04x}": "0041" * 250 for code in range(256)}
    return with_font(content, "/ToUnicode 6 0 R", character_map(targets))


def a_form_in_itself() -> bytes:
    itself = "/Resources << /XObject << /X 6 0 R >> >>"
    form = pdf_stream("/X Do " * 9, f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] {itself}")
    return pdf_page("/X Do ", form, resources="/XObject << /X 6 0 R >>")


def a_text_drawn_often() -> bytes:
    """Three hundred lines, in a hundredth of the bytes."""
    lines = (f"BT /F1 12 Tf 9 {9 + 15 * n} Td ({'tide ' * 60}) Tj ET " for n in range(300))
    return pdf_page("".join(lines))


@pytest.mark.parametrize(
    ("make", "most", "reason"),
    [
        (a_text_drawn_often, 10**4, "unpacks to more than max_unpacked=10,000 bytes"),
        (a_form_in_itself, 10**5, "takes more than 1 s of CPU time to read"),
        (a_widened_page, 10**6, "cannot be read: its reader crashed, or needed too much memory"),
        (lambda: pdf_page(SHOW)[:300], 10**6, "cannot be read as PDF: it is damaged, or no PDF"),
        (lambda: b"The tide turns.", 10**6, "cannot be read as PDF: it is damaged, or no PDF"),
    ],
)
def test_exceeding_a_limit_raises_an_error_of_one_sentence(make, most, reason, monkeypatch):
    if "1 s" in reason:
        monkeypatch.setattr("lumber_files.isolation._BASE_CPU_SECONDS", 1)
    content = make()
    assert len(content) < 50_000
    with pytest.raises(UnreadableFileError, match=f"^a {reason}"):
        read_bytes(content, name="a", suffix=".pdf", max_unpacked=most)
    assert "lol" in file_of(pdf_page(SHOW)).text


def test_endless_glyph_names_are_not_read_as_text() -> None:
    content = f"BT /F1 12 Tf ({'a' * 4_000}) Tj ET"
    for name in ("Zz" * 900, "uni" + "0042" * 300):
        encoding = f"/Encoding << /Type /Encoding /Differences [97 /{name}] >>"
        assert len(file_of(with_font(content, encoding)).text) < 5_000


def test_a_page_with_a_broken_font_is_read() -> None:
    for entry in ("/ToUnicode 99 0 R", "/ToUnicode (x)", "/ToUnicode 5 0 R"):
        assert "lol" in file_of(with_font(SHOW, entry)).text
