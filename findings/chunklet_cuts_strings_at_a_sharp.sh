#!/usr/bin/env bash
# chunklet-py 3.0.1: CodeChunker.chunk_text(code, include_comments=False) takes a "#" in a string of several lines for a
# comment, with the quotation marks behind it. A template of Markdown loses its headings, and the code is not valid
# Python any more: "unterminated triple-quoted string literal".
# Exits 0 while this holds; output: 'page = """Pool : unterminated triple-quoted string literal (detected at line 2)'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  'chunklet-py[code]==3.0.1'
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import ast

from chunklet import CodeChunker

CODE = 'page = """Pool # 5"""\nlimit = 9\n'
ast.parse(CODE)
(chunk,) = CodeChunker(max_lines=9).chunk_text(CODE, include_comments=False)
try:
    ast.parse(chunk.content)
    error = "none"
except SyntaxError as raised:
    error = raised.msg
print(f"{chunk.content.splitlines()[0]}: {error}")
raise SystemExit("5" in chunk.content or not error.startswith("unterminated"))
PYTHON
