#!/usr/bin/env bash
# polars 2.1.0 reads a word in a column of numbers of XLSX as null if it stands below the first 1,000 rows, from which
# the kind of the column is taken: that the bridge was closed in row 1,200 is lost without a warning. Among the first
# rows, a word makes the column one of texts.
# Exits 0 while this holds; output: None for "closed: high water" in row 1,200, the word in row 20.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  polars==2.1.0 fastexcel==0.21.0 XlsxWriter==3.3.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import polars
import xlsxwriter


def read_depths(closed: int) -> list:
    with xlsxwriter.Workbook("depths.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["Day", "Depth"])
        for day in range(1, 1301):
            sheet.write_row(day, 0, [day, "closed: high water" if day == closed else day / 10])
    return polars.read_excel("depths.xlsx")["Depth"].to_list()


late, early = read_depths(1200)[1199], read_depths(20)[19]
print(late, early, sep="\n")
raise SystemExit(late is not None or early != "closed: high water")
PYTHON
