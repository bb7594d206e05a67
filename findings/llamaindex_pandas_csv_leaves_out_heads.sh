#!/usr/bin/env bash
# llama-index-readers-file 0.7.0: PandasCSVReader, and with it SimpleDirectoryReader, which reads .csv with it, leaves
# the names of the columns out of the text, makes 7.0 of the code 007 if another is missing, and "nan" of NA
# (Namibia).
# Exits 0 while this holds; output: "NL, 7.0\nnan, 10.0\nDE, nan".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-readers-file==0.7.0 llama-index-core==0.14.25 pandas==2.3.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from llama_index.core import SimpleDirectoryReader

Path("prefixes.csv").write_text("Country,Prefix\nNL,007\nNA,010\nDE,\n")
(document,) = SimpleDirectoryReader(input_files=["prefixes.csv"]).load_data()
print(repr(document.text))
raise SystemExit(document.text != "NL, 7.0\nnan, 10.0\nDE, nan")
PYTHON
