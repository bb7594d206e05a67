#!/usr/bin/env bash
# pandoc 3.9 (pypandoc-binary 1.17), docx2python 3.7.1 and firecrawl-anydoc 0.2.4 number two lists of a DOCX that share
# one definition (w:abstractNum) from 1 each. Word and LibreOffice count them together, as for clauses that continue
# after a heading: only w:startOverride begins a new count (ECMA-376 part 1, 17.9.26). "Clause 3" of the text is 1 in
# all three.
# Exits 0 while this holds; output: "Call the miller." is 1 in each.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pypandoc_binary==1.17 docx2python==3.7.1 firecrawl-anydoc==0.2.4 python-docx==1.2.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import re

import anydoc
import docx
import pypandoc
from docx.oxml.ns import qn
from docx2python import docx2python

document = docx.Document()
numbering = document.part.numbering_part.element
style = document.styles["List Number"].element
first = style.find(f".//{qn('w:numId')}").get(qn("w:val"))
definition = numbering.num_having_numId(int(first)).abstractNumId.val
second = numbering.add_num(definition).numId  # another list with the same definition
for text, number in [("Pay the rent.", 0), ("Lock the gate.", 0), ("", 0), ("Call the miller.", second)]:
    paragraph = document.add_paragraph(text or "Repairs", style="List Number" if text else "Heading 1")
    if number:
        properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_ilvl().val = 0
        properties.get_or_add_numId().val = number
document.add_paragraph("See clause 3.")
document.save("clauses.docx")

texts = {
    "pandoc " + str(pypandoc.get_pandoc_version()): pypandoc.convert_file("clauses.docx", "plain"),
    "docx2python": docx2python("clauses.docx").text,
    "anydoc": anydoc.to_markdown("clauses.docx"),
}
numbers = {name: re.search(r"(\d+)\W+Call the miller", text)[1] for name, text in texts.items()}
print(*texts.values(), numbers, sep="\n")
raise SystemExit(set(numbers.values()) != {"1"})
PYTHON
