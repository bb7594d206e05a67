"""PDFs that are made to take all time or memory are read, or refused, within the limits."""

from __future__ import annotations

import time
import tracemalloc
import zlib
from collections.abc import Callable

import pytest

from lumber_files import UnreadableFileError, read_bytes
from tests.making_files import pdf_of, pdf_stream

pytest.importorskip("pypdf")

FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
SHOW = "BT /F1 12 Tf 72 720 Td (lol) Tj ET "
CATALOG = "<< /Type /Catalog /Pages 2 0 R >>"


def page(
    content: str, *more: str | bytes, font: str = "", more_fonts: str = "", forms: str = ""
) -> bytes:
    """Return a PDF of one page with content; further objects have the numbers from 6 on."""
    fonts = f"/Font << /F1 4 0 R {more_fonts} >> /XObject << {forms} >>"
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


def laughs() -> bytes:
    """Forms that draw others ten times, to a depth of ten."""
    inner = [form("/X Do " * 10, f"/X {number} 0 R") for number in range(7, 16)]
    return page("/X Do ", *inner, form(SHOW), forms="/X 6 0 R")


def character_map(entries: int, target: str) -> bytes:
    rows = "".join(f"<{code:04x}> <{target}>\n" for code in range(entries))
    return pdf_stream(
        "begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{entries} beginbfchar\n{rows}endbfchar endcmap"
    )


def pages_with_a_heavy_font(number: int) -> bytes:
    kids = " ".join(["3 0 R"] * number)
    objects = [
        CATALOG,
        f"<< /Type /Pages /Kids [{kids}] /Count {number} >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /Font << /F1 4 0 R >> >> "
        "/Contents 5 0 R >>",
        f"{FONT} /ToUnicode 6 0 R >>",
        pdf_stream(SHOW),
        character_map(60_000, "0041"),
    ]
    return pdf_of(objects)


def a_heavy_font_by_many_names() -> bytes:
    names = "".join(f"/G{number} 6 0 R " for number in range(3_000))
    return page(
        SHOW, f"{FONT} /ToUnicode 7 0 R >>", character_map(60_000, "0041"), more_fonts=names
    )


def widened() -> bytes:
    """A font that makes 250 characters of each, and a page full of them."""
    shown = f"BT /F1 12 Tf 72 720 Td ({'a' * 100_000}) Tj ET"
    return page(shown, character_map(256, "0041" * 250), font="/ToUnicode 6 0 R")


def named(glyph: str) -> bytes:
    """A font whose name of a glyph has many letters, and a page full of that glyph."""
    shown = f"BT /F1 12 Tf ({'a' * 4_000}) Tj ET"
    encoding = f"/Encoding << /Type /Encoding /Differences [97 /{glyph}] >>"
    return page(shown, font=encoding)


@pytest.mark.parametrize(
    ("make", "most", "reason"),
    [
        (lambda: named("Zz" * 900), 10**6, "unpacks to more than"),
        (lambda: named("uni" + "0042" * 300), 10**6, "unpacks to more than"),
        (lambda: page("/X Do " * 400, form(SHOW * 100), forms="/X 6 0 R"), 10**6, "unpacks to"),
        (laughs, 10**7, "draws 5,000 forms on one page"),
        (lambda: pages_with_a_heavy_font(30), 10**5, r"takes more than 0\.6 s to read"),
        (widened, 10**6, "unpacks to more than"),
        (a_heavy_font_by_many_names, 10**6, "takes more than 6 s to read"),
    ],
)
def test_what_pypdf_does_not_bound_is_refused(
    make: Callable[[], bytes], most: int, reason: str
) -> None:
    content = make()
    assert len(content) < 500_000
    begun = time.process_time()
    with pytest.raises(UnreadableFileError, match=f"^a {reason}"):
        read_bytes(content, name="a", suffix=".pdf", max_unpacked=most)
    assert time.process_time() - begun < 60  # it takes two; without bounds, hours


def test_a_form_that_is_drawn_on_every_page_is_read() -> None:
    content = page("/X Do " * 100, form(SHOW), forms="/X 6 0 R")
    assert read_bytes(content, name="a", suffix=".pdf").text.count("lol") == 100
    cycle = page(f"/X Do {SHOW}", form("/X Do " * 9, "/X 6 0 R"), forms="/X 6 0 R")
    assert read_bytes(cycle, name="a", suffix=".pdf").text.count("lol") == 1


def test_a_broken_font_is_no_reason_to_refuse_a_page() -> None:
    for font in ("/ToUnicode 99 0 R", "/ToUnicode (x)", "/ToUnicode 4 0 R"):
        assert "lol" in read_bytes(page(SHOW, font=font), name="a", suffix=".pdf").text


def test_filters_that_multiply_are_bounded() -> None:
    twice = zlib.compress(b"z" * 30_000_000)  # which ASCII85Decode turns into 120 MB
    filters = "/Filter [/FlateDecode /ASCII85Decode]"
    head = f"<< /Length {len(twice)} {filters} >>\nstream\n".encode()
    objects = [
        CATALOG,
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
        head + twice + b"\nendstream",
    ]
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableFileError, match=r"^a cannot be read"):
            read_bytes(pdf_of(objects), name="a", suffix=".pdf")
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()
