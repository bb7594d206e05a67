#!/usr/bin/env bash
# officeparser 7.8.0 (npm) leaves the first row of a table out of ODT if it is marked as its head, as LibreOffice Writer
# does by default, and pandoc always: the years above the sums are lost, in text, Markdown and CSV. In XLSX it gives
# 45413 for a date, 0.395833 for half past nine, and 1 for TRUE.
# Exits 0 while this holds; output: "Loans,75,80" alone, and "when,at,paid", "45413,0.3958333333333333,1".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check odfpy==1.4.1 openpyxl==3.1.5
cd "$folder"
npm install --silent --no-audit --no-fund officeparser@7.8.0 > log 2>&1 || { cat log; exit 1; }
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from datetime import date, time

from odf.opendocument import OpenDocumentText
from odf.table import Table, TableCell, TableColumn, TableHeaderRows, TableRow
from odf.text import P
from openpyxl import Workbook


def row(*texts):
    cells = TableRow()
    for text in texts:
        cell = TableCell(valuetype="string")
        cell.addElement(P(text=text))
        cells.addElement(cell)
    return cells


document, table, head = OpenDocumentText(), Table(), TableHeaderRows()
head.addElement(row("Item", "2023", "2024"))
for part in (TableColumn(numbercolumnsrepeated=3), head, row("Loans", "75", "80")):
    table.addElement(part)
document.text.addElement(table)
document.save("loans.odt")
book = Workbook()
for cells in (["when", "at", "paid"], [date(2024, 5, 1), time(9, 30), True]):
    book.active.append(cells)
book.save("paid.xlsx")
PYTHON
cat > see.mjs <<'JAVASCRIPT'
import { OfficeParser } from "officeparser";

async function read(name, format) {
  const written = await (await OfficeParser.parseOffice(name)).to(format);
  return (written.value ?? written).trim();
}

const loans = await read("loans.odt", "csv");
const text = await read("loans.odt", "text");
const paid = await read("paid.xlsx", "csv");
console.log(JSON.stringify([loans, text, paid]));
const moved = paid === "when,at,paid\n45413,0.3958333333333333,1";
process.exit(loans === "Loans,75,80" && !text.includes("2024") && moved ? 0 : 1);
JAVASCRIPT
node see.mjs
