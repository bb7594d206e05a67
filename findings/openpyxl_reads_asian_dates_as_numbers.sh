#!/usr/bin/env bash
# openpyxl 3.1.5, which pandas takes for XLSX: a date in one of the formats that Excel in Chinese, Japanese
# and Korean has by number only (27 to 36 and 50 to 58; ISO/IEC 29500-1, 18.8.30) is the number 45352 with the
# format "General". The same day in format 14 is a date, and python-calamine 0.9.1 has dates for both.
# Exits 0 while this holds; output: "format 14: 2024-03-01, format 31: 45352 (General), calamine: 2024-03-01".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  openpyxl==3.1.5 XlsxWriter==3.3.1 python-calamine==0.9.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from datetime import date, datetime
from zipfile import ZipFile

from openpyxl import load_workbook
from python_calamine import CalamineWorkbook
from xlsxwriter import Workbook

with Workbook("days.xlsx") as book:
    sheet = book.add_worksheet()
    for column, number in enumerate((14, 31)):
        sheet.write_datetime(0, column, date(2024, 3, 1), book.add_format({"num_format": number}))
assert 'numFmtId="31"' in ZipFile("days.xlsx").read("xl/styles.xml").decode()

known, asian = load_workbook("days.xlsx").active[1]
others = CalamineWorkbook.from_path("days.xlsx").get_sheet_by_index(0).to_python()[0]
print(f"format 14: {known.value:%Y-%m-%d}, format 31: {asian.value} ({asian.number_format}),", end=" ")
print(f"calamine: {others[1]}")
seen = [known.value, asian.value, asian.is_date, asian.number_format, *others]
day = date(2024, 3, 1)
raise SystemExit(seen != [datetime(2024, 3, 1), 45352, False, "General", day, day])
PYTHON
