#!/usr/bin/env bash
# mammoth 1.13.0, and markitdown 0.1.9 with it, number a list of a DOCX from 1 again behind a paragraph, where Word goes
# on: clause 3, which the text below names, is clause 1. kreuzberg 4.10.4 has no numbers at all. pandoc keeps them.
# Exits 0 while this holds; output: "1. Call the miller." and "See clause 3."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  mammoth==1.13.0 'markitdown[docx]==0.1.9' kreuzberg==4.10.4 python-docx==1.2.0 pypandoc_binary==1.17
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import docx
import kreuzberg
import mammoth
import pypandoc
from markitdown import MarkItDown

document = docx.Document()
for text in ("Pay the rent.", "Lock the gate.", "", "Call the miller."):
    document.add_paragraph(text or "Fees are in the annex.", style="List Number" if text else None)
document.add_paragraph("See clause 3.")
document.save("clauses.docx")

with open("clauses.docx", "rb") as file:
    html = mammoth.convert_to_html(file).value
markdown = MarkItDown().convert("clauses.docx").text_content
plain = kreuzberg.extract_file_sync("clauses.docx").content
right = pypandoc.convert_file("clauses.docx", "gfm")
print(html, markdown, plain, right, sep="\n\n")
wrong = "<ol><li>Call the miller.</li></ol>" in html and "1. Call the miller." in markdown
wrong &= "3." not in plain.replace("clause 3.", "")
raise SystemExit(not wrong or "3.  Call the miller." not in right)
PYTHON
