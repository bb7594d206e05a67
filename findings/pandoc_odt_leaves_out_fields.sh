#!/usr/bin/env bash
# pandoc 3.9, as pypandoc_binary 1.17 has it, leaves out the text of most fields in ODT: dates, references to tables,
# names of the document's own, entries and values that were chosen. A contract of LibreOffice "until 1 May 2024,
# see table 3" is "until , see table". Words with a reading above them are gone as well. The number of a caption stays.
# Exits 0 while this holds; output: "Valid until , see table , for , paid by .".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pypandoc_binary==1.17 odfpy==1.4.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import pypandoc
from odf import teletype
from odf.opendocument import OpenDocumentText
from odf.text import Date, P, SequenceRef, TextInput, UserDefined

contract, paragraph = OpenDocumentText(), P(text="Valid until ")
fields = {
    ", see table ": Date(datevalue="2024-05-01", fixed="true", text="1 May 2024"),
    ", for ": SequenceRef(referenceformat="value", refname="refTable0", text="3"),
    ", paid by ": UserDefined(name="Firm", text="Acme"),
    ".": TextInput(description="how", text="cheque"),
}
for after, field in fields.items():
    paragraph.addElement(field)
    paragraph.addText(after)
contract.text.addElement(paragraph)
contract.save("contract.odt")
text = pypandoc.convert_file("contract.odt", "plain").strip()
print(teletype.extractText(paragraph), "->", text)
raise SystemExit(text != "Valid until , see table , for , paid by .")
PYTHON
