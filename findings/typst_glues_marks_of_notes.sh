#!/usr/bin/env bash
# typst 0.15.2 draws the marks of notes with the raised digits of its font, which the PDF maps to plain digits on the
# line: "13" with the note 1 is "131" to pypdfium2 5.15.2, pypdf 7.1.1, pdfplumber 0.11.10 and PyMuPDF 2.0.
# Exits 0 while this holds; output: "all of pypdfium2, pypdf, pdfplumber, pymupdf read 'Boats sold: 131'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  typst==0.15.2 pypdfium2==5.15.2 pypdf==7.1.1 pdfplumber==0.11.10 pymupdf==2.0
cd "$folder"
echo 'Boats sold: 13#footnote[In May.]' > note.typ
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import io

import pdfplumber
import pymupdf
import pypdf
import pypdfium2
import typst

data = typst.compile("note.typ")
texts = {
    "pypdfium2": pypdfium2.PdfDocument(data)[0].get_textpage().get_text_bounded(),
    "pypdf": pypdf.PdfReader(io.BytesIO(data)).pages[0].extract_text(),
    "pdfplumber": pdfplumber.open(io.BytesIO(data)).pages[0].extract_text(),
    "pymupdf": pymupdf.open(stream=data)[0].get_text(),
}
glued = [name for name, text in texts.items() if "Boats sold: 131" in text]
print(f"{'all' if len(glued) == len(texts) else 'some'} of {', '.join(glued)} read 'Boats sold: 131'")
raise SystemExit(len(glued) != len(texts))
PYTHON
