#!/usr/bin/env bash
# chonkie 1.7.0: TableChunker repeats the header of an HTML table in each chunk only if a <tbody> follows
# it. A row of <th> without that, as browsers and most pages write tables, is treated as an ordinary row:
# only the first chunk has it, and "Wed, pike" has no column names.
# Exits 0 while this holds; output: "with tbody [True, True], without [True, False]".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  chonkie==1.7.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from chonkie import TableChunker

HEAD = "<tr><th>Day</th><th>Fish</th></tr>"
ROWS = "".join(
    f"<tr><td>{day}</td><td>{fish}</td></tr>"
    for day, fish in (("Mon", "cod"), ("Tue", "eel"), ("Wed", "pike"), ("Thu", "carp"))
)


def heads(table):
    chunks = TableChunker(tokenizer="row", chunk_size=3)(f"<table>{table}</table>")
    return ["Day" in chunk.text for chunk in chunks]


seen = [heads(f"<thead>{HEAD}</thead><tbody>{ROWS}</tbody>"), heads(HEAD + ROWS)]
print("with tbody {}, without {}".format(*seen))
raise SystemExit(seen != [[True, True], [True, False]])
PYTHON
