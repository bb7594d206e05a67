#!/usr/bin/env bash
# pdfminer.six 20260107, which LangChain's PDFMinerLoader uses, changes the order of words of one justified paragraph in
# a narrow column, as newspapers and leaflets have: if a line is stretched, its words are taken for columns and read
# from top to bottom. "The international organization of responsible" is "recommends The international organization of
# transportation responsible". There is no second column; pypdf reads the words in order.
# Exits 0 while this holds; output: "recommends The international organization of transportation responsible companies".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pdfminer.six==20260107 pypdf==7.1.1 reportlab==5.1.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pdfminer.high_level import extract_text
from pypdf import PdfReader
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Paragraph, SimpleDocTemplate

TEXT = (
    "The international organization of responsible transportation companies recommends that "
    "drivers of extraordinarily heavy vehicles never overtake agricultural machinery on "
    "mountainous passages."
)
style = ParagraphStyle("column", fontName="Times-Roman", fontSize=11, leading=13, alignment=TA_JUSTIFY)
leaflet = SimpleDocTemplate("leaflet.pdf", pagesize=A4, leftMargin=60, rightMargin=A4[0] - 220)
leaflet.build([Paragraph(TEXT, style)])

words = extract_text("leaflet.pdf").split()
print(" ".join(words))
in_order = PdfReader("leaflet.pdf").pages[0].extract_text().split() == TEXT.split()
start = "recommends The international organization of transportation responsible companies"
raise SystemExit(not in_order or words[:8] != start.split())
PYTHON
