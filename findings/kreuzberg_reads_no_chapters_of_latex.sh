#!/usr/bin/env bash
# kreuzberg 4.10.4: a file of LaTeX without a document environment, such as a chapter that a book takes in by \input
# or \include, gives an empty text and no error. Of the folder of a thesis, its preamble is read and its chapters are
# not.
# Exits 0 while this holds; output: "chapter '', with \begin{document} 'Open at 8.'".
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

CHAPTER = "\\section{Pool}\nOpen at 8.\n"
BOOK = "\\documentclass{article}\n\\begin{document}\n" + CHAPTER + "\\end{document}\n"
read = []
for name, text in {"chapter.tex": CHAPTER, "book.tex": BOOK}.items():
    Path(name).write_text(text)
    read.append(kreuzberg.extract_file_sync(name).content.strip())
print(f"chapter {read[0]!r}, with \\begin{{document}} {read[1].splitlines()[-1]!r}")
raise SystemExit(read[0] != "" or "Open at 8." not in read[1])
PYTHON
