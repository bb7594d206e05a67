"""PDFs that are made to take all time or memory are refused, and the next file is read."""

import pytest

from lumber_files import UnreadableFileError, read_bytes
from tests.making_files import pdf_of, pdf_stream

FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
SHOW = "BT /F1 12 Tf 72 720 Td (lol) Tj ET "
CATALOG = "<< /Type /Catalog /Pages 2 0 R >>"


def page(content: str, *more: str | bytes, font: str = "", forms: str = "") -> bytes:
    """Return a PDF of one page with content; further objects have the numbers from 6 on."""
    fonts = f"/Font << /F1 4 0 R >> /XObject << {forms} >>"
    return pdf_of(
        [
            CATALOG,
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << {fonts} >> "
            "/Contents 5 0 R >>",
            f"{FONT} {font} >>",
            pdf_stream(content),
            *more,
        ]
    )


def form(content: str, inner: str = "") -> bytes:
    resources = f"/Resources << /Font << /F1 4 0 R >> /XObject << {inner} >> >>"
    return pdf_stream(content, f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] {resources}")


def character_map(entries: int, target: str) -> bytes:
    rows = "".join(f"<{code:04x}> <{target}>\n" for code in range(entries))
    return pdf_stream(
        "begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{entries} beginbfchar\n{rows}endbfchar endcmap"
    )


def a_widened_page() -> bytes:
    """A font that makes 250 characters of each, and a page full of them."""
    shown = f"BT /F1 12 Tf 72 720 Td ({'a' * 100_000}) Tj ET"
    return page(shown, character_map(256, "0041" * 250), font="/ToUnicode 6 0 R")


def a_form_in_itself() -> bytes:
    return page("/X Do ", form("/X Do " * 9, "/X 6 0 R"), forms="/X 6 0 R")


def a_text_drawn_often() -> bytes:
    """Two thousand lines, in a hundredth of the bytes."""
    lines = "".join(f"BT /F1 12 Tf 9 {9 + 15 * n} Td ({'tide ' * 20}) Tj ET " for n in range(2_000))
    return page(lines)


@pytest.mark.parametrize(
    ("make", "most", "reason"),
    [
        (a_text_drawn_often, 10**5, "unpacks to more than max_unpacked=100,000 bytes"),
        (a_form_in_itself, 10**5, "takes more than 2 s of CPU time to read"),
        (a_widened_page, 10**6, "cannot be read: its reader crashed, or needed too much memory"),
        (lambda: page(SHOW)[:300], 10**6, "cannot be read as PDF: it is damaged, or no PDF"),
        (lambda: b"The tide turns.", 10**6, "cannot be read as PDF: it is damaged, or no PDF"),
    ],
)
def test_a_limit_that_is_exceeded_is_an_error_of_one_sentence(make, most, reason) -> None:
    content = make()
    assert len(content) < 50_000
    with pytest.raises(UnreadableFileError, match=f"^a {reason}"):
        read_bytes(content, name="a", suffix=".pdf", max_unpacked=most)
    assert "lol" in read_bytes(page(SHOW), name="a", suffix=".pdf").text


def test_glyph_names_without_end_are_no_text() -> None:
    shown = f"BT /F1 12 Tf ({'a' * 4_000}) Tj ET"
    for name in ("Zz" * 900, "uni" + "0042" * 300):
        encoding = f"/Encoding << /Type /Encoding /Differences [97 /{name}] >>"
        text = read_bytes(page(shown, font=encoding), name="a", suffix=".pdf").text
        assert len(text) < 5_000


def test_a_broken_font_is_no_reason_to_refuse_a_page() -> None:
    for font in ("/ToUnicode 99 0 R", "/ToUnicode (x)", "/ToUnicode 4 0 R"):
        assert "lol" in read_bytes(page(SHOW, font=font), name="a", suffix=".pdf").text
