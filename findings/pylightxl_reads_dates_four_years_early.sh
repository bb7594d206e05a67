#!/usr/bin/env bash
# pylightxl 1.61 ignores that a workbook counts days from 1904, as those of Excel for the Mac do: a contract that ends on
# 29 February 2024 ends on 28 February 2020. openpyxl and calamine read the date that Excel shows.
# Exits 0 while this holds; output: "pylightxl: 2020/02/28, calamine: 2024-02-29".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pylightxl==1.61 python-calamine==0.9.1 openpyxl==3.1.5 XlsxWriter==3.2.9
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import datetime

import openpyxl
import pylightxl
import python_calamine
import xlsxwriter

END = datetime.date(2024, 2, 29)
with xlsxwriter.Workbook("contract.xlsx", {"date_1904": True}) as book:
    form = book.add_format({"num_format": "yyyy-mm-dd"})
    book.add_worksheet("Ends").write_datetime("A1", END, form)

light = pylightxl.readxl("contract.xlsx").ws("Ends").address("A1")
workbook = python_calamine.CalamineWorkbook.from_path("contract.xlsx")
calamine = workbook.get_sheet_by_name("Ends").to_python()[0][0]
opened = openpyxl.load_workbook("contract.xlsx")["Ends"]["A1"].value.date()
print(f"pylightxl: {light}, calamine: {calamine}, openpyxl: {opened}")
raise SystemExit((light, calamine, opened) != ("2020/02/28", END, END))
PYTHON
