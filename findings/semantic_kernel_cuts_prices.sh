#!/usr/bin/env bash
# semantic-kernel 1.45.0 cuts a long line at full stops, also at that of a price or a time, and has line ends there when
# it makes chunks of the parts: of "Children pay 3.50 euro" a chunk has "Children pay 3." above "50 euro", and a row of
# a table in Markdown ends inside a number. The script loads only the module, because the package installs many others.
# Exits 0 while this holds; output: "3.\n50 euro", "1,234.\n56 euro", "| Mon | 3.\n50 |".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps semantic-kernel==1.45.0
cd "$folder"
cp venv/lib/python3*/site-packages/semantic_kernel/text/text_chunker.py .
"$folder/venv/bin/python" - <<'PYTHON'
import text_chunker

TEXT = (
    "Dogs may not swim in the lake. Children pay 3.50 euro from 9.30 to 12.15 in May and June. "
    "A boat costs 1,234.56 euro for the whole year."
)
TABLE = "# Fees\n\n| Day | Fee |\n|---|---|\n| Mon | 3.50 |\n| Tue | 4.50 |\n"
lines = text_chunker.split_plaintext_lines(TEXT, max_token_per_line=8)
chunks = text_chunker.split_plaintext_paragraph(lines, max_tokens=24)
rows = text_chunker.split_markdown_lines(TABLE, max_token_per_line=10)
tables = text_chunker.split_markdown_paragraph(rows, max_tokens=30)
print(chunks, tables, sep="\n")
cut = "3.\n50 euro" in chunks[0] and any("1,234.\n56 euro" in chunk for chunk in chunks)
raise SystemExit(not cut or "| Mon | 3.\n50 |" not in "\n".join(tables))
PYTHON
