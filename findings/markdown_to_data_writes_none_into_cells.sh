#!/usr/bin/env bash
# markdown-to-data 2.0.2 writes Markdown back in other words: an empty cell is "None", clause 3 of a list that begins at 3 is
# 1, and an item below it leaves its list. A bar that is escaped divides the cell. Its dictionary has the text below the
# last of two equal headings alone.
# Exits 0 while this holds; output: "| Tue | None |", "1. Third", "- Only with a pass" without its indent, and "Closed."
# alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check markdown-to-data==2.0.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from markdown_to_data import Markdown

TABLE = "| Day | Fee |\n|---|---|\n| Mon | 5 |\n| Tue | |\n"
LIST = "3. Third\n   - Only with a pass\n4. Fourth\n"
HEADINGS = "# Pool\n\nOpen.\n\n# Dogs\n\nNo.\n\n# Pool\n\nClosed.\n"
row = Markdown(TABLE).to_md().splitlines()[-1]
items = [line for line in Markdown(LIST).to_md().splitlines() if line]
sections = Markdown(HEADINGS).md_dict
print(row, items, sections)
changed = row.split() == "| Tue | None |".split()
numbered = items == ["1. Third", "- Only with a pass", "1. Fourth"]
raise SystemExit(not (changed and numbered and "Open." not in str(sections) and "Closed." in str(sections)))
PYTHON
