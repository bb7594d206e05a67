#!/usr/bin/env bash
# pptx2md 2.0.6 joins lines of a slide without a space: a line break in a paragraph (Shift+Enter) and the paragraphs
# of a table's cell. "Open 9 to 12" above "14 to 17" is "Open 9 to 1214 to 17", and room 12 above 34 seats is room 1234.
# Exits 0 while this holds; output: "Open 9 to 1214 to 17 on Mondays", "| Room 12 | 1234 seats |".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pptx2md==2.0.6 python-pptx==1.0.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pptx import Presentation
from pptx.util import Inches

deck = Presentation()
slide = deck.slides.add_slide(deck.slide_layouts[1])
slide.shapes.title.text = "The library"
slide.placeholders[1].text_frame.text = "Open 9 to 12\v14 to 17 on Mondays"  # python-pptx writes <a:br/>
slide = deck.slides.add_slide(deck.slide_layouts[5])
slide.shapes.title.text = "The rooms"
table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(6), Inches(2)).table
for n, text in enumerate(("Room", "Size", "Room 12", "12\n34 seats")):
    table.cell(n // 2, n % 2).text = text
deck.save("deck.pptx")
PYTHON
"$folder/venv/bin/pptx2md" deck.pptx -o deck.md > log 2>&1
cat deck.md
grep -q "Open 9 to 1214 to 17 on Mondays" deck.md
grep -q "| Room 12 | 1234 seats |" deck.md
