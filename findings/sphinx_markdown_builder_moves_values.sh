#!/usr/bin/env bash
# sphinx-markdown-builder 0.6.11, which makes Markdown of documentation: below a cell that spans rows, the values of
# the next row move one column to the left, to another head; 10^6 is 10<sub>6</sub>; clause 5 of a list is 1; and
# options of a command and captions of figures are left out. Sphinx' own text and HTML have them all.
# Exits 0 while this holds.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  sphinx-markdown-builder==0.6.11 Sphinx==9.0.4
cd "$folder"
cat > conf.py <<'CONF'
extensions = ["sphinx_markdown_builder"]
CONF
cat > index.rst <<'RST'
Pumps
=====

It moves 10\ :sup:`6` litres.

5. Boats are moored.

+--------+------+-----+
| Region | Last | Now |
+========+======+=====+
| North  | 12   | 13  |
|        +------+-----+
|        | 15   | 16  |
+--------+------+-----+

-a, --all    Show closed pumps.

.. figure:: pump.png

   The pump of 1850.
RST
: > pump.png
"$folder/venv/bin/sphinx-build" -q -b markdown . out 2> log
"$folder/venv/bin/sphinx-build" -q -b text . out 2>> log
"$folder/venv/bin/python" - <<'PYTHON'
from pathlib import Path

markdown, text = (" ".join(Path("out/index" + suffix).read_text().split()) for suffix in (".md", ".txt"))
print(markdown)
seen = ("| 15 | 16 | |", "10<sub>6</sub>", "1. Boats")
lost = ("Show closed pumps", "The pump of 1850")
kept = ("10^6", "5. Boats", *lost)
raise SystemExit(not all(part in markdown for part in seen) or any(part in markdown for part in lost)
                 or not all(part in text for part in kept))
PYTHON
