#!/usr/bin/env bash
# langchain-community 0.4.2: ChatGPTLoader leaves out the last conversation of an export unless num_logs=0 is passed,
# for its default of -1 is the end of a slice. An export of one conversation gives no document. In the others, answers
# that were generated anew stand beside those that replaced them.
# Exits 0 while this holds; output: "['One']" of the conversations One and Two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
from pathlib import Path

from langchain_community.document_loaders.chatgpt import ChatGPTLoader


def conversation(title):
    message = {
        "author": {"role": "user"},
        "content": {"content_type": "text", "parts": ["When is high tide?"]},
        "create_time": 1700000000.0,
    }
    node = {"id": "a", "message": message, "parent": None, "children": []}
    return {"title": title, "mapping": {"a": node}, "current_node": "a"}


Path("a.json").write_text(json.dumps([conversation("One"), conversation("Two")]))
titles = [one.page_content.split(" - ")[0] for one in ChatGPTLoader("a.json").load()]
print(titles)
raise SystemExit(titles != ["One"])
PYTHON
