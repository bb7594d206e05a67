#!/usr/bin/env bash
# pyexcel-ods 0.6.0 leaves out the places that a cell covers, so the values beside it move to the left: below a pier that
# spans two rows, the boat is a pier and its seats are a boat, and beside a "Total" that spans two columns, the sum of seats
# is that of boats. pandas leaves these places empty, as the file does.
# Exits 0 while this holds; output: "pyexcel-ods: ['Gull', 40] ['Total', 70]", "pandas: ['', 'Gull', 40] ['Total', '',
# 70]".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pyexcel-ods==0.6.0 odfpy==1.4.1 pandas==3.1.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import pandas
import pyexcel_ods
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import CoveredTableCell, Table, TableCell, TableRow
from odf.text import P


def cell(value, **spans):
    if value is None:
        return CoveredTableCell()
    kind = "float" if isinstance(value, int) else "string"
    number = {"value": value} if kind == "float" else {}
    shown = TableCell(valuetype=kind, **number, **spans)
    shown.addElement(P(text=str(value)))
    return shown


# As LibreOffice writes merged cells: the first cell states its span, and the others are covered.
ROWS = [
    [cell("Pier"), cell("Boat"), cell("Seats")],
    [cell("South", numberrowsspanned="2", numbercolumnsspanned="1"), cell("Tern"), cell(30)],
    [cell(None), cell("Gull"), cell(40)],
    [cell("Total", numbercolumnsspanned="2", numberrowsspanned="1"), cell(None), cell(70)],
]
book, table = OpenDocumentSpreadsheet(), Table(name="Boats")
for cells in ROWS:
    row = TableRow()
    for each in cells:
        row.addElement(each)
    table.addElement(row)
book.spreadsheet.addElement(table)
book.save("boats.ods")

read = {
    "pyexcel-ods": pyexcel_ods.get_data("boats.ods")["Boats"],
    "pandas": pandas.read_excel("boats.ods", engine="odf", header=None).fillna("").values.tolist(),
}
for name, rows in read.items():
    print(f"{name}: {rows[2]} {rows[3]}")
moved = [["Gull", 40], ["Total", 70]]
kept = [["", "Gull", 40], ["Total", "", 70]]
raise SystemExit([rows[2:] for rows in read.values()] != [moved, kept])
PYTHON
