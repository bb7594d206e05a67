#!/usr/bin/env bash
# llama-index-readers-file 0.7.0 with striprtf 0.0.26: RTFReader gives the words that were deleted with
# changes tracked and those that are hidden, and leaves out footnotes and the text of boxes.
# Exits 0 while this holds; output: "'Pay 5 50 pounds secret.' without ['of silver', 'By June']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-readers-file==0.7.0 llama-index-core==0.14.25 striprtf==0.0.26
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from llama_index.readers.file import RTFReader

Path("a.rtf").write_text(
    r"{\rtf1\ansi Pay {\deleted 5 }50 pounds{\footnote of silver} {\v secret}."
    r"{\shp{\*\shpinst{\shptxt By June\par}}}\par}"
)
(document,) = RTFReader().load_data(Path("a.rtf"))
text = document.text.strip()
print(f"{text!r} without {[words for words in ('of silver', 'By June') if words not in text]}")
raise SystemExit(text != "Pay 5 50 pounds secret.")
PYTHON
