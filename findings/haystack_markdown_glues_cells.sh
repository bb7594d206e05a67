#!/usr/bin/env bash
# Haystack 3.4.1 with mdit-plain 1.0.1: MarkdownToDocument(table_to_single_line=True), which should write a table on one
# line, writes its cells and rows without separators: 1, 2 and 3, 4 are "1234". The numbers of lists are left out with
# and without it, so that "see 9" leads nowhere.
# Exits 0 while this holds; output: "['DogsCats1234', 'Drain it: see 9.', 'Open it.']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  haystack-ai==3.4.1 markdown-it-py==4.3.0 mdit-plain==1.0.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from haystack.components.converters import MarkdownToDocument
from haystack.dataclasses import ByteStream

TEXT = """\
| Dogs | Cats |
| --- | --- |
| 1 | 2 |
| 3 | 4 |

4. Drain it: see 9.

9. Open it.
"""
convert = MarkdownToDocument(table_to_single_line=True, progress_bar=False)
[document] = convert.run([ByteStream(TEXT.encode())])["documents"]
lines = [line for line in document.content.splitlines() if line.strip()]
print(lines)
raise SystemExit(lines != ["DogsCats1234", "Drain it: see 9.", "Open it."])
PYTHON
