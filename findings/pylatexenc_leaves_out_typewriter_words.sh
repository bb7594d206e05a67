#!/usr/bin/env bash
# pylatexenc 2.11: LatexNodes2Text, which makes text of LaTeX, leaves out what is in \texttt, \textsf, \mbox
# or \verb, and keeps what is in \textit. A manual loses the names of its commands and files, and a sentence
# its "not". Macros that it does not know keep their words, so only words of known macros are lost.
# Exits 0 while this holds; output: "Do  run  here." for "Do \mbox{not} run \texttt{rm} here."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pylatexenc==2.11
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pylatexenc.latex2text import LatexNodes2Text

SENTENCES = {
    r"Do \mbox{not} run \texttt{rm} here.": "Do  run  here.",
    r"Use \verb|git add| or \textsf{Save}.": "Use  or .",
    r"Do \textit{not} run \newmacro{rm} here.": "Do not run rm here.",
}
texts = {sentence: LatexNodes2Text().latex_to_text(sentence) for sentence in SENTENCES}
for sentence, text in texts.items():
    print(f"{sentence} -> {text}")
raise SystemExit(texts != SENTENCES)
PYTHON
