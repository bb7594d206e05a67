#!/usr/bin/env bash
# markdown-chunker 0.1.3 writes each line of code, the fence above it and each heading twice into its chunks, with
# default settings: "make dose" in a recipe is done twice. Its documentation has it that blocks of code are kept
# intact. It prints a warning of "possible content loss", though nothing is lost.
# Exits 0 while this holds; output: "# Pool" twice, "make dose" twice, "make open" twice, and "Open the valve." once.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check markdown-chunker==0.1.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from markdown_chunker import MarkdownChunkingStrategy

RECIPE = "# Pool\n\nOpen the valve.\n\n```bash\nmake dose\nmake open\n```\n\nThen wait.\n"
chunks = MarkdownChunkingStrategy().chunk_markdown(RECIPE)
lines = "\n".join(chunks).split("\n")
counts = {line: lines.count(line) for line in RECIPE.split("\n") if line}
print(chunks, counts, sep="\n")
once = {"Open the valve.", "```", "Then wait."}
raise SystemExit(counts != {line: 1 if line in once else 2 for line in counts})
PYTHON
