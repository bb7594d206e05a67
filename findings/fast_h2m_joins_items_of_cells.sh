#!/usr/bin/env bash
# fast-h2m 0.4.5 joins the items of a list in a cell of a table: "9-12" and "14-18" are "9-1214-18", and the lanes 1 and 2
# "12". A heading is glued to the text below it in a cell: grade 5 above "6 lessons" is "56 lessons". A table with a cell
# that spans rows, and without a header, becomes a list, in which the second Monday has no day.
# Exits 0 while this holds; output: "9-1214-18", "12", "56 lessons", and "- Mon 5", "- 6", "- Tue 7".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check fast-h2m==0.4.5
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import fast_h2m

HOURS = """<table><tr><th>Hours</th><th>Lanes</th><th>Grade</th></tr><tr>
<td><ul><li>9-12</li><li>14-18</li></ul></td><td><ul><li>1</li><li>2</li></ul></td>
<td><h3>5</h3>6 lessons</td></tr></table>"""
DAYS = """<table><tr><td rowspan="2">Mon</td><td>5</td></tr><tr><td>6</td></tr>
<tr><td>Tue</td><td>7</td></tr></table>"""
hours, days = (fast_h2m.convert(page)["content"].strip().splitlines() for page in (HOURS, DAYS))
cells = [cell.strip() for cell in hours[-1].strip("|").split("|")]
print(cells, days)
joined = cells == ["9-1214-18", "12", "56 lessons"]
raise SystemExit(not joined or days != ["- Mon 5", "- 6", "- Tue 7"])
PYTHON
