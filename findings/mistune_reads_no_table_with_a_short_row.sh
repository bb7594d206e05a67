#!/usr/bin/env bash
# mistune 3.3.4: if one row of a table has a cell less or more than its head, the whole table is a paragraph of bars and
# numbers. GitHub's specification, which the plugin follows, lets rows vary: cells that lack are empty, and more are
# left out.
# Exits 0 while this holds; output: "<p>| Day | Fee | ..." of a table whose last row lacks its fee.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mistune==3.3.4 markdown-it-py==4.0.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import mistune
from markdown_it import MarkdownIt

FULL = "| Day | Fee |\n|-----|-----|\n| Mon | 5 |\n| Tue | 6 |\n"
render = mistune.create_markdown(plugins=["table"])
texts = [FULL, FULL + "| Wed |\n", FULL + "| Wed | 7 | new |\n"]
tables = ["<table>" in render(text) for text in texts]
print(" ".join(render(texts[1]).split()), tables)
other = ["<table>" in MarkdownIt("commonmark").enable("table").render(text) for text in texts]
raise SystemExit(tables != [True, False, False] or not all(other))
PYTHON
