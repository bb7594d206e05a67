#!/usr/bin/env bash
# docx2md 1.0.5 leaves out the text of content controls in a line, as Word's templates have them for names and sums, and
# the results of simple fields, such as dates: "The rent of" for "The rent of 900 pounds". Tabs are left out, too, so that
# room 12 with 34 seats is "1234 seats". docx2txt reads all three.
# Exits 0 while this holds; output: "The rent of is due on .", "Room 1234 seats".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  docx2md==1.0.5 python-docx==1.2.0 docx2txt==0.9
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

RUN = "<w:r><w:t xml:space='preserve'>{}</w:t></w:r>"
CONTROL = f"<w:sdt><w:sdtContent>{RUN.format('900 pounds')}</w:sdtContent></w:sdt>"
FIELD = f"<w:fldSimple w:instr=' DOCPROPERTY Due '>{RUN.format('1 May')}</w:fldSimple>"
PARAGRAPHS = (
    f"{RUN.format('The rent of ')}{CONTROL}{RUN.format(' is due on ')}{FIELD}{RUN.format('.')}",
    "<w:r><w:t>Room 12</w:t><w:tab/><w:t>34 seats</w:t></w:r>",
)
document = docx.Document()
for content in PARAGRAPHS:
    paragraph = parse_xml(f"<w:p {nsdecls('w')}>{content}</w:p>")
    document.element.body.insert(len(document.element.body) - 1, paragraph)
document.save("lease.docx")
PYTHON
"$folder/venv/bin/docx2md" lease.docx lease.md >/dev/null
"$folder/venv/bin/python" - <<'PYTHON'
import docx2txt

with open("lease.md") as file:
    lines = [" ".join(line.split()) for line in file if line.strip()]
words = docx2txt.process("lease.docx").split()
print(lines, words)
kept = " ".join(words) == "The rent of 900 pounds is due on 1 May. Room 12 34 seats"
raise SystemExit(not kept or lines != ["The rent of is due on .", "Room 1234 seats"])
PYTHON
