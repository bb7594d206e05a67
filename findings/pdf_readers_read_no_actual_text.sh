#!/usr/bin/env bash
# A PDF can state the text of a group of glyphs (ActualText), as Typst 0.15.2 does for letters that a font draws in
# parts: Thai and Hindi. pypdf 7.1.1 and pdfplumber 0.11.10 ignore it, repeat letters and read control characters or
# "(cid:2)", so that no search finds the word. PyMuPDF 2.0 and pypdfium2 5.15.2 read the right word.
# Exits 0 while this holds; output: "pypdf 'น้ำ\x02\x03\x04', pdfplumber 'น้ำ(cid:3)(cid:2)(cid:4)', the others 'น้ำ'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  typst==0.15.2 fontpkg-noto-sans-thai==2.2 pypdfium2==5.15.2 pypdf==7.1.1 pdfplumber==0.11.10 pymupdf==2.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import io
from pathlib import Path

import fontpkg_noto_sans_thai
import pdfplumber
import pymupdf
import pypdf
import pypdfium2
import typst

WORD = "น้ำ"  # water
Path("water.typ").write_text(f'#set text(font: "Noto Sans Thai")\n{WORD}\n', encoding="utf-8")
font = Path(fontpkg_noto_sans_thai.__file__).parent / "files"
data = typst.compile("water.typ", font_paths=[str(font)])
with pymupdf.open(stream=data) as document:
    assert b"/ActualText" in document[0].read_contents()
    others = {document[0].get_text().strip()}
others.add(pypdfium2.PdfDocument(data)[0].get_textpage().get_text_bounded().strip())
plumbed = pdfplumber.open(io.BytesIO(data)).pages[0].extract_text().strip()
read = pypdf.PdfReader(io.BytesIO(data)).pages[0].extract_text().strip()
print(f"pypdf {read!r}, pdfplumber {plumbed!r}, the others {', '.join(map(repr, others))}")
raise SystemExit(others != {WORD} or "\x02" not in read or "(cid:" not in plumbed)
PYTHON
