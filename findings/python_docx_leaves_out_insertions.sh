#!/usr/bin/env bash
# python-docx 1.2.0 leaves out words that were inserted while changes were tracked, and those in a content control of a
# form: "You must not swim." with "not" inserted by a reviewer is "You must swim.", and a deposit has no amount. Word
# shows both.
# Exits 0 while this holds; output: "You must swim.", "Deposit: ".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  python-docx==1.2.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import docx
from docx.oxml import parse_xml

SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RUN = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'

document = docx.Document()
rule = document.add_paragraph("You must ")
inserted = RUN.format("not ")
rule._p.append(
    parse_xml(f'<w:ins {SPACE} w:id="1" w:author="Ann" w:date="2026-03-02T10:00:00Z">{inserted}</w:ins>')
)
rule.add_run("swim.")
form = document.add_paragraph("Deposit: ")
control = RUN.format("500 euros")
form._p.append(
    parse_xml(f"<w:sdt {SPACE}><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>{control}</w:sdtContent></w:sdt>")
)
document.save("rules.docx")

texts = [paragraph.text for paragraph in docx.Document("rules.docx").paragraphs]
print(texts)
raise SystemExit(texts != ["You must swim.", "Deposit: "])
PYTHON
