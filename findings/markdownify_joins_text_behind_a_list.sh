#!/usr/bin/env bash
# markdownify 1.2.3 joins what follows a list inside an item to the last item of that list, without a space: of three old
# boats, five in all, it makes "old: 35 in all". MarkItDown reads HTML and DOCX with it. html2text keeps the lines.
# Exits 0 while this holds; output: "* Boats:", "  + new: 2", "  + old: 35 in all", "* Oars: 12".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  markdownify==1.2.3 html2text==2025.4.15
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import html2text
import markdownify

PAGE = "<ul><li>Boats:<ul><li>new: 2</li><li>old: 3</li></ul>5 in all</li><li>Oars: 12</li></ul>"
seen = markdownify.markdownify(PAGE).strip().splitlines()
other = html2text.html2text(PAGE).strip().splitlines()
print(seen, other, sep="\n")
raise SystemExit(not ("  + old: 35 in all" in seen and "5 in all" in other))
PYTHON
