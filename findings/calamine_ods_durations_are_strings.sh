#!/usr/bin/env bash
# python-calamine 0.9.1: a duration is a timedelta if the sheet is XLSX, and the string of the file if it
# is ODS, though dates are dates in both. Sums and formats that hold for one fail for the other.
# Exits 0 while this holds; output: "xlsx: 1 day, 6:15:00; ods: PT30H15M00S".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  python-calamine==0.9.1 openpyxl==3.1.5 odfpy==1.4.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from datetime import date, timedelta

from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P
from openpyxl import Workbook
from python_calamine import CalamineWorkbook

book = Workbook()
book.active.append([timedelta(hours=30, minutes=15), date(2026, 5, 1)])
book.active["A1"].number_format = "[h]:mm"
book.save("flight.xlsx")

sheets = OpenDocumentSpreadsheet()
row = TableRow()
for values, shown in (
    ({"valuetype": "time", "timevalue": "PT30H15M00S"}, "30:15"),
    ({"valuetype": "date", "datevalue": "2026-05-01"}, "2026-05-01"),
):
    cell = TableCell(**values)
    cell.addElement(P(text=shown))
    row.addElement(cell)
table = Table(name="Flight")
table.addElement(row)
sheets.spreadsheet.addElement(table)
sheets.save("flight.ods")

rows = []
for name in ("flight.xlsx", "flight.ods"):
    rows.append(CalamineWorkbook.from_path(name).get_sheet_by_index(0).to_python()[0])
print(f"xlsx: {rows[0][0]}; ods: {rows[1][0]}")
day = date(2026, 5, 1)
raise SystemExit(rows != [[timedelta(hours=30, minutes=15), day], ["PT30H15M00S", day]])
PYTHON
