#!/usr/bin/env bash
# pypdfium2 5.15.2, pypdf 7.1.1 and pdfplumber 0.11.10 read texts in a layer that is switched off, which no viewer
# shows; PyMuPDF 2.0, which made the file, does not read them. PDFium does not draw this text, but returns it.
# Exits 0 while this holds; output: "pypdfium2, pypdf, pdfplumber read the draft; pymupdf does not; PDFium draws none".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pypdfium2==5.15.2 pypdf==7.1.1 pdfplumber==0.11.10 pymupdf==2.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import io

import pdfplumber
import pymupdf
import pypdf
import pypdfium2


def make(draft):
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "The price is 20 dollars.")
    if draft:
        page.insert_text((72, 100), draft, oc=document.add_ocg("Draft", on=False))
    return document.tobytes()


def draw(data):
    return pypdfium2.PdfDocument(data)[0].render().to_pil().tobytes()


DRAFT = "The price is 10 dollars."
data = make(DRAFT)
texts = {
    "pypdfium2": pypdfium2.PdfDocument(data)[0].get_textpage().get_text_bounded(),
    "pypdf": pypdf.PdfReader(io.BytesIO(data)).pages[0].extract_text(),
    "pdfplumber": pdfplumber.open(io.BytesIO(data)).pages[0].extract_text(),
    "pymupdf": pymupdf.open(stream=data)[0].get_text(),
}
read = [name for name, text in texts.items() if DRAFT in text]
drawn = draw(data) != draw(make(""))
print(f"{', '.join(read)} read the draft; PDFium draws {'it' if drawn else 'none'}")
raise SystemExit(read != ["pypdfium2", "pypdf", "pdfplumber"] or drawn)
PYTHON
