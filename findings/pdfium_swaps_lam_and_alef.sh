#!/usr/bin/env bash
# pypdfium2 5.15.2: PDFium swaps the two letters of the Arabic ligature lam-alef, although the font's map
# states them in the order of writing (PDF by fpdf2 2.8.9, with the font in matplotlib 3.11.2).
# Exits 0 while this holds; output: "ليلا is read as ليال" ("by night"; poppler 22.12 reads the same).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pypdfium2==5.15.2 fpdf2==2.8.9 uharfbuzz==0.57.0 matplotlib==3.11.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

import fpdf
import matplotlib
import pypdfium2

LAM, YEH, ALEF = "\u0644", "\u064a", "\u0627"
word = LAM + YEH + LAM + ALEF
page = fpdf.FPDF()
page.set_compression(False)
page.add_page()
page.add_font("DejaVu", "", Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf")
page.set_font("DejaVu", size=20)
page.set_text_shaping(True)
page.cell(text=word)
data = bytes(page.output())
assert b"<06440627>" in data, "the font's map has no lam and alef in this order"
read = pypdfium2.PdfDocument(data)[0].get_textpage().get_text_bounded()
print(f"{word} is read as {read}")
raise SystemExit(read != LAM + YEH + ALEF + LAM)
PYTHON
