#!/usr/bin/env bash
# A word with ruby (its reading above it) in a DOCX file: python-docx 1.2.0 and mammoth 1.13.0 leave out
# the reading and the word; docx2txt 0.9 writes the reading in front of the word, without a mark.
# Exits 0 while this holds; output: "before after", twice, and "before かもめ鴎after".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  python-docx==1.2.0 mammoth==1.13.0 docx2txt==0.9
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import docx
import docx2txt
import mammoth
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

RUBY = f"""<w:r {nsdecls("w")}><w:ruby>
<w:rubyPr><w:rubyAlign w:val="center"/><w:hps w:val="10"/><w:hpsRaise w:val="18"/>
<w:hpsBaseText w:val="21"/><w:lid w:val="ja-JP"/></w:rubyPr>
<w:rt><w:r><w:t>かもめ</w:t></w:r></w:rt>
<w:rubyBase><w:r><w:t>鴎</w:t></w:r></w:rubyBase>
</w:ruby></w:r>"""
document = docx.Document()
paragraph = document.add_paragraph("before ")
paragraph._p.append(parse_xml(RUBY))
paragraph.add_run("after")
document.save("gull.docx")

with open("gull.docx", "rb") as file:
    mammoth_text = mammoth.extract_raw_text(file).value.strip()
texts = [docx.Document("gull.docx").paragraphs[0].text, mammoth_text]
texts.append(docx2txt.process("gull.docx").strip())
print(texts)
raise SystemExit(texts != ["before after", "before after", "before かもめ鴎after"])
PYTHON
