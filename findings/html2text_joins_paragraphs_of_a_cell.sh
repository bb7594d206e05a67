#!/usr/bin/env bash
# html2text 2025.4.15 joins the paragraphs of a table's cell without a space, if the page has none between their tags,
# as mammoth writes a DOCX: the hours "8-11" and "15-18" are "8-1115-18". A bar in a cell ("ps | grep") is not escaped,
# so it begins another column. LangChain's Html2TextTransformer uses html2text.
# Exits 0 while this holds; output: "Monday| 8-1115-18| ps | grep x".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  html2text==2025.4.15 mammoth==1.13.0 python-docx==1.2.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import docx
import html2text
import mammoth

document = docx.Document()
table = document.add_table(1, 3)
for cell, text in zip(table.rows[0].cells, ("Monday", "8-11\n15-18", "ps | grep x")):
    cell.text, *others = text.split("\n")
    for other in others:
        cell.add_paragraph(other)
document.save("hours.docx")
with open("hours.docx", "rb") as file:
    page = mammoth.convert_to_html(file).value
row = html2text.html2text(page).strip()
print(page, row, sep="\n")
raise SystemExit(row.splitlines()[0].strip() != "Monday| 8-1115-18| ps | grep x")
PYTHON
