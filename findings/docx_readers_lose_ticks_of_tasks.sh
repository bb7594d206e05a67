#!/usr/bin/env bash
# mammoth 1.13.0 and docx2python 3.7.1 lose the ticks of a list of tasks that pandoc wrote as DOCX: "[x] Pay the rent"
# and "[ ] Cancel the lease" become items that look alike, so that done and open tasks cannot be distinguished. pandoc
# writes the ticks as the bullets of two lists, and reads them back.
# Exits 0 while this holds; output: "Pay the rent", "Cancel the lease" without ticks from both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  mammoth==1.13.0 docx2python==3.7.1 pypandoc_binary==1.17
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import mammoth
import pypandoc
from docx2python import docx2python

TASKS = "- [x] Pay the rent\n- [ ] Cancel the lease\n"
pypandoc.convert_text(TASKS, "docx", "gfm", outputfile="tasks.docx")
back = pypandoc.convert_file("tasks.docx", "gfm")
with open("tasks.docx", "rb") as file:
    html = mammoth.convert_to_html(file).value
with docx2python("tasks.docx") as opened:
    text = opened.text
print(html, text, back, sep="\n")
alike = html == "<ul><li>Pay the rent</li><li>Cancel the lease</li></ul>"
alike &= text.split() == "-- Pay the rent -- Cancel the lease".split()
raise SystemExit(not alike or back != TASKS)
PYTHON
