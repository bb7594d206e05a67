#!/usr/bin/env bash
# langchain-community 0.4.2: EverNoteLoader(load_single_document=False) keeps the last tag of a note in the metadata, so
# a filter by any other tag finds nothing, and reads "[x] Pay" and "[ ] Call" of a list of tasks (en-todo) alike.
# Exits 0 while this holds; output: "tag y of x and y, text 'Pay\n\nCall'".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 lxml==6.1.3 html2text==2025.4.15
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from langchain_community.document_loaders import EverNoteLoader

NOTE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export3.dtd">
<en-export><note><title>Rent</title><content><![CDATA[<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd">
<en-note><div><en-todo checked="true"/>Pay</div><div><en-todo checked="false"/>Call</div></en-note>
]]></content><tag>x</tag><tag>y</tag></note></en-export>"""
Path("a.enex").write_text(NOTE)
(document,) = EverNoteLoader("a.enex", load_single_document=False).load()
text = document.page_content.strip()
print(f"tag {document.metadata['tag']} of x and y, text {text!r}")
raise SystemExit((document.metadata["tag"], text) != ("y", "Pay\n\nCall"))
PYTHON
