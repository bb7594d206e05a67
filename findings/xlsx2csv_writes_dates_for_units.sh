#!/usr/bin/env bash
# xlsx2csv 0.8.6, which polars can use, takes letters of a unit in a number's format for those of a date: 5 shown as "5
# days" becomes '0" 04ays"', the fourth of January 1900, and 1,234,567 shown as "1.2M" '0.0,,"02"'. With a condition in
# the format the number is lost as well. openpyxl and calamine read the numbers.
# Exits 0 while this holds; output: '0" 04ays"', '0.0,,"02"', '[>=2]0" pcs";0" pc"'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  xlsx2csv==0.8.6 openpyxl==3.1.5 XlsxWriter==3.3.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import csv
import io

import openpyxl
import xlsxwriter
from xlsx2csv import Xlsx2csv

CELLS = {  # what xlsx2csv gives for a number in a format
    (5, '0" days"'): '0" 04ays"',
    (1_234_567, '0.0,,"M"'): '0.0,,"02"',
    (3, '[>=2]0" pcs";0" pc"'): '[>=2]0" pcs";0" pc"',
}
with xlsxwriter.Workbook("a.xlsx") as book:
    sheet = book.add_worksheet()
    for column, (number, form) in enumerate(CELLS):
        sheet.write(0, column, number, book.add_format({"num_format": form}))

written = io.StringIO()
Xlsx2csv("a.xlsx").convert(written)
[row] = csv.reader(io.StringIO(written.getvalue()))
for (number, form), text in zip(CELLS, row):
    print(f"{number} in {form} is {text}")
numbers = [cell.value for cell in openpyxl.load_workbook("a.xlsx").active[1]]
raise SystemExit(row != [*CELLS.values()] or numbers != [number for number, _ in CELLS])
PYTHON
