#!/usr/bin/env bash
# chunklet-py 3.0.1: DocumentChunker makes "| Day | Fee ||----" of a table's head and the line of dashes below it in
# Markdown, so that no reader sees a table, and "Winter=====" of an underlined heading. Its spans do not match the text:
# they end before the chunk does.
# Exits 0 while this holds; output: chunk '# Pool\nOpen at 8.\n| Day | Fee ||----\n| Mon | 12 |',
# span '# Pool\n\nOpen at 8.\n\n| Da'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  chunklet-py==3.0.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from chunklet import DocumentChunker

TEXT = "# Pool\n\nOpen at 8.\n\n| Day | Fee |\n|-----|-----|\n| Mon | 12 |\n"
(chunk,) = DocumentChunker(lang="en", max_sentences=9).chunk_text(TEXT)
start, end = chunk.metadata["span"]
print(f"chunk {chunk.content!r}, span {TEXT[start:end]!r}")
raise SystemExit("| Day | Fee ||----\n| Mon" not in chunk.content or "Mon" in TEXT[start:end])
PYTHON
