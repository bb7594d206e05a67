#!/usr/bin/env bash
# pandas 3.1.1 reads what an ODS shows, not what it stores: a lap of 12 minutes 15 seconds, shown as "12:15", is a
# quarter past twelve, and TRUE is False in a file of a German LibreOffice, which shows "WAHR" (French: "VRAI").
# The XLSX of the same sheet is read right, and so is the ODS by calamine.
# Exits 0 while this holds; output: "odf: 12:15:00 False, calamine: 00:12:15 True".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pandas==3.1.1 odfpy==1.4.1 python-calamine==0.9.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import pandas
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

# As LibreOffice writes them: the value in an attribute, and the text that is shown.
ROWS = [
    [({"valuetype": "string"}, "Lap"), ({"valuetype": "string"}, "Bio")],
    [
        ({"valuetype": "time", "timevalue": "PT00H12M15S"}, "12:15"),
        ({"valuetype": "boolean", "booleanvalue": "true"}, "WAHR"),
    ],
]
book, table = OpenDocumentSpreadsheet(), Table(name="Sheet")
for cells in ROWS:
    row = TableRow()
    for attributes, text in cells:
        cell = TableCell(**attributes)
        cell.addElement(P(text=text))
        row.addElement(cell)
    table.addElement(row)
book.spreadsheet.addElement(table)
book.save("race.ods")

seen = []
for engine in ("odf", "calamine"):
    lap, bio = pandas.read_excel("race.ods", engine=engine).iloc[0]
    seen.append(f"{engine}: {lap} {bio}")
print(", ".join(seen))
raise SystemExit(seen != ["odf: 12:15:00 False", "calamine: 00:12:15 True"])
PYTHON
