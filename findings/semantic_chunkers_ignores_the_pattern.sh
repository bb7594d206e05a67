#!/usr/bin/env bash
# semantic-chunkers 0.1.1: RegexSplitter takes strings and patterns as delimiters, and cuts by its own pattern for
# sentences whatever pattern is given: "Room 5 | Room 6" stays whole for a pattern of the bar. Behind a string, it puts
# the whole text in the place of each part, so that the text is there three times.
# Exits 0 while this holds; output: ['Room 5 | Room 6'], and 'Pool; gym | sauna; bar' three times.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check semantic-chunkers==0.1.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import regex
from semantic_chunkers.splitters import RegexSplitter

BAR = regex.compile(r"\|")
split = RegexSplitter()
by_pattern = split("Room 5 | Room 6", delimiters=[BAR])
by_both = split("Pool; gym | sauna; bar", delimiters=[";", BAR])
by_string = split("Pool; gym | sauna; bar", delimiters=[";"])
print(by_pattern, by_both, by_string)
raise SystemExit(
    by_pattern != ["Room 5 | Room 6"]
    or by_both != ["Pool; gym | sauna; bar"] * 3
    or by_string != ["Pool;", "gym | sauna;", "bar"]
)
PYTHON
