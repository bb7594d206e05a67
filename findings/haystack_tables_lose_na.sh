#!/usr/bin/env bash
# Haystack 3.4.1: XLSXToDocument leaves cells empty in which NA, None, null, NaN or n/a is written: the country code of
# Namibia, or what a cat is called. CSVDocumentCleaner and CSVDocumentSplitter do so with CSV that CSVToDocument has
# read in full; the cleaner also drops a row of such cells. pandas, which reads them, takes these for missing values.
# Exits 0 while this holds; output: "CSVDocumentCleaner: 'country,pet\nNL,\n'; XLSXToDocument:
# ',A,B\n1,country,pet\n2,,\n3,NL,\n'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  haystack-ai==3.4.1 pandas==3.1.1 openpyxl==3.1.5 tabulate==0.10.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from haystack import Document
from haystack.components.converters import CSVToDocument, XLSXToDocument
from haystack.components.preprocessors import CSVDocumentCleaner, CSVDocumentSplitter
from haystack.dataclasses import ByteStream
from openpyxl import Workbook

ROWS = [["country", "pet"], ["NA", "None"], ["NL", "null"]]  # Namibia; no pet; a cat with that name
book = Workbook()
for row in ROWS:
    book.active.append(row)
book.save("pets.xlsx")
text = "".join(f"{','.join(row)}\n" for row in ROWS)
[whole] = CSVToDocument().run([ByteStream(text.encode())])["documents"]
read = {
    "CSVToDocument": whole,
    "CSVDocumentCleaner": CSVDocumentCleaner().run([Document(content=text)])["documents"][0],
    "CSVDocumentSplitter": CSVDocumentSplitter().run([Document(content=text)])["documents"][0],
    "XLSXToDocument": XLSXToDocument().run(["pets.xlsx"])["documents"][0],
}
for name, document in read.items():
    print(f"{name}: {document.content!r}")
kept = [
    name
    for name, each in read.items()
    if any(word in each.content for word in ("NA", "None", "null"))
]
raise SystemExit(
    kept != ["CSVToDocument"] or any("NL" not in each.content for each in read.values())
)
PYTHON
