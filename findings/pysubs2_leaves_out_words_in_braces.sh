#!/usr/bin/env bash
# pysubs2 1.8.1 reads SubRip as if it were Advanced SubStation Alpha: text in braces is a command, and
# "\N" or "\n" a line break. A lecture on programming loses "{name}" and has its folder "C:\new" on two
# lines, in `plaintext` and in the SubRip file that pysubs2 writes of it. SubRip has no such commands, and
# no option reads them as text (keep_unknown_html_tags is about tags).
# Exits 0 while this holds; output: "'Hello  in C:\new' for 'Hello {name} in C:\\new'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pysubs2==1.8.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pysubs2 import SSAFile

TEXT = r"Hello {name} in C:\new"
read = SSAFile.from_string(f"1\n00:00:01,000 --> 00:00:03,000\n{TEXT}\n")
plain, written = read[0].plaintext, read.to_string("srt").split("\n", 2)[2].strip()
print(f"{plain!r} for {TEXT!r}")
raise SystemExit([plain, written] != ["Hello  in C:\new", "Hello  in C:\new"])
PYTHON
