#!/usr/bin/env bash
# llama-index-readers-file 0.7.0: MarkdownReader, and with it ObsidianReader, ends a section only at a heading of a
# level that it has open. So the text between a heading and the first one below it comes under both: "Open." and
# "Never." are below "Pool Dogs". Blank lines and indentation go too, so an item below another is one beside it.
# Exits 0 while this holds; output: ['Pool Dogs\nOpen.\nNever.', 'Pool Cats\nWelcome.\n- indoors\n- outdoors'].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-readers-file==0.7.0 llama-index-core==0.14.25
cd "$folder"
printf '# Pool\n\nOpen.\n\n## Dogs\n\nNever.\n\n## Cats\n\nWelcome.\n\n- indoors\n  - outdoors\n' > pool.md
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.readers.file import MarkdownReader

documents = MarkdownReader().load_data("pool.md")
texts = [document.text.strip() for document in documents]
print(texts)
seen = ["Pool Dogs\nOpen.\nNever.", "Pool Cats\nWelcome.\n- indoors\n- outdoors"]
raise SystemExit(texts != seen)
PYTHON
