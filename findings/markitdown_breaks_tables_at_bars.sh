#!/usr/bin/env bash
# markitdown 0.1.9: a bar inside a cell of XLSX or HTML is not escaped, so that the row has one cell more than its
# header: the use of "ls | wc" becomes "wc", and "counts lines" is no cell of the table any more. CSV is right ("ls \|
# wc").
# Exits 0 while this holds; output: "xlsx and html: | ls | wc | counts lines |, csv: | ls \| wc | counts lines |".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  'markitdown[xlsx]==0.1.9' openpyxl==3.1.5
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from markitdown import MarkItDown
from openpyxl import Workbook

book = Workbook()
for row in (["Command", "Use"], ["ls | wc", "counts lines"]):
    book.active.append(row)
book.save("a.xlsx")
Path("a.csv").write_text("Command,Use\nls | wc,counts lines\n")
Path("a.html").write_text(
    "<table><tr><th>Command</th><th>Use</th></tr>"
    "<tr><td>ls | wc</td><td>counts lines</td></tr></table>"
)
xlsx, html, csv = (
    MarkItDown().convert(f"a.{kind}").text_content.splitlines()[-1] for kind in ("xlsx", "html", "csv")
)
print(f"xlsx and html: {xlsx}, csv: {csv}")
wrong, right = "| ls | wc | counts lines |", r"| ls \| wc | counts lines |"
raise SystemExit((xlsx, html, csv) != (wrong, wrong, right))
PYTHON
