#!/usr/bin/env bash
# llama-index-core 0.14.25: MarkdownNodeParser recognises code only between ```. In code between ~~~, or between four
# backticks with three inside, a comment "# " is a heading: the code is cut in two there, and the path of the sections
# below names the comment in place of their chapter.
# Exits 0 while this holds; output: "['/', '/Guide/', '/', '/stop the clock/']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core import Document
from llama_index.core.node_parser import MarkdownNodeParser

TEXT = """# Guide

## Winding

~~~
# stop the clock
halt
~~~

## Oil

Monthly.
"""
nodes = MarkdownNodeParser().get_nodes_from_documents([Document(text=TEXT)])
paths = [node.metadata["header_path"] for node in nodes]
print(paths)
raise SystemExit(paths != ["/", "/Guide/", "/", "/stop the clock/"])
PYTHON
