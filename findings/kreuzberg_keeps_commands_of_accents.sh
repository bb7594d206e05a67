#!/usr/bin/env bash
# kreuzberg 4.10.4: accents that are written as commands in LaTeX, as in most sources from before UTF-8, stay
# commands, so that there is no word "Café" or "Müller" and no search finds them.
# Exits 0 while this holds; output: The Caf\’e of M\"uller is na\"ive.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  kreuzberg==4.10.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

import kreuzberg

Path("a.tex").write_text(
    "\\documentclass{article}\n\\begin{document}\n"
    "\\section{Inn}\nThe Caf\\'e of M\\\"uller is na\\\"ive.\n\\end{document}\n"
)
text = kreuzberg.extract_file_sync("a.tex").content
print(text.strip().splitlines()[-1])
found = [word for word in ("Café", "Müller", "naïve") if word in text]
raise SystemExit(bool(found) or "The Caf" not in text)
PYTHON
