#!/usr/bin/env bash
# xlsx 0.18.5 (npm, SheetJS) writes XLSB with short records for all cells beside another, which name no column: the
# cell is one to the right. [MS-XLSB] does not list these records (12 to 18); SheetJS's notes on the format do, Aspose
# can write them, and LibreOffice and SheetJS read them. python-calamine 0.9.1 (an engine of pandas and polars) and
# firecrawl-anydoc 0.2.4 read the first column alone, pyxlsb 1.0.10 reads nothing, and none raises an error. The XLSX
# of the sheet is right.
# Exits 0 while this holds; output: [["Room"], ["Hall"]] by calamine, "| Hall |" by anydoc, and None eight times by
# pyxlsb.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  python-calamine==0.9.1 firecrawl-anydoc==0.2.4 pyxlsb==1.0.10
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts xlsx@0.18.5 > log 2>&1 || { cat log; exit 1; }
cat > write.cjs <<'JAVASCRIPT'
const XLSX = require("xlsx");

const rows = [["Room", "Seats", "Open", "Fee"], ["Hall", 120, true, 2.5]];
const book = XLSX.utils.book_new();
XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet(rows), "Rooms");
for (const kind of ["xlsb", "xlsx"]) {
  XLSX.writeFile(book, "rooms." + kind);
  const read = XLSX.utils.sheet_to_json(XLSX.readFile("rooms." + kind).Sheets.Rooms, { header: 1 });
  if (JSON.stringify(read) !== JSON.stringify(rows)) process.exit(1);
}
JAVASCRIPT
node write.cjs
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from anydoc import to_markdown
from python_calamine import CalamineWorkbook
from pyxlsb import open_workbook

ROWS = [["Room", "Seats", "Open", "Fee"], ["Hall", 120.0, True, 2.5]]


def read(kind):
    """Return the rows by calamine, and the last line by anydoc."""
    rows = CalamineWorkbook.from_path(f"rooms.{kind}").get_sheet_by_index(0).to_python()
    return rows, to_markdown(f"rooms.{kind}").strip().split("\n")[-1]


with open_workbook("rooms.xlsb") as book:
    cells = [cell.v for row in book.get_sheet(1).rows() for cell in row]
print(read("xlsb"), read("xlsx"), cells, sep="\n")
same = read("xlsb") == ([["Room"], ["Hall"]], "| Hall |") and cells == [None] * 8
raise SystemExit(not same or read("xlsx") != (ROWS, "| Hall | 120 | TRUE | 2.5 |"))
PYTHON
