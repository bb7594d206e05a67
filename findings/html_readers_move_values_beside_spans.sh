#!/usr/bin/env bash
# html2text 2025.4.15, markdownify 1.2.3 and inscriptis 2.7.6 move values of a table to other heads. Below a cell that
# spans rows (rowspan) values are one column too far left: the hours 14 to 18 of Monday become a day called 14, from 18.
# After a cell that spans columns (colspan) html2text and inscriptis move values, too: the loans of 2024 are those of
# 2023.
# Exits 0 while this holds; output: "['14', '18']" of three columns, "['Loans', '75', '80']" of four.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  html2text==2025.4.15 markdownify==1.2.3 inscriptis==2.7.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import html2text
import inscriptis
import markdownify

HOURS = """<table><tr><th>Day</th><th>From</th><th>To</th></tr>
<tr><td rowspan="2">Monday</td><td>9</td><td>12</td></tr><tr><td>14</td><td>18</td></tr></table>"""
LOANS = """<table><tr><th>Item</th><th>Note</th><th>2023</th><th>2024</th></tr>
<tr><td colspan="2">Loans</td><td>75</td><td>80</td></tr></table>"""


def rows(text):
    """Return the cells of the last row."""
    return [cell.strip() for cell in text.strip().splitlines()[-1].strip("| ").split("|")]


seen = {
    "html2text": [rows(html2text.html2text(page)) for page in (HOURS, LOANS)],
    "markdownify": [rows(markdownify.markdownify(page)) for page in (HOURS, LOANS)],
    "inscriptis": [
        inscriptis.get_text(page).strip().splitlines()[-1].split() for page in (HOURS, LOANS)
    ],
}
print(seen)
moved = [["14", "18"], ["Loans", "75", "80"]]
raise SystemExit(
    seen
    != {
        "html2text": moved,
        "markdownify": [moved[0], ["Loans", "", "75", "80"]],
        "inscriptis": moved,
    }
)
PYTHON
