#!/usr/bin/env bash
# langchain-community 0.4.2, kreuzberg 4.10.4: both join the paragraphs of a page that a browser has saved as MHTML
# without anything between them: "Room 5" above "6 beds" is "Room 56 beds". LangChain's MHTMLLoader does so with cells
# of tables and items, too.
# Exits 0 while this holds; output: "Room 56 beds by MHTMLLoader, Room 56 beds by kreuzberg".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 beautifulsoup4==4.15.0 lxml==6.1.3 kreuzberg==4.10.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

import kreuzberg
from langchain_community.document_loaders import MHTMLLoader

PAGE = """From: <Saved by Blink>
Snapshot-Content-Location: https://inn.example/
Subject: Inn
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="----page"

------page
Content-Type: text/html; charset=utf-8
Content-Location: https://inn.example/

<html><head><title>Inn</title></head><body><p>Room 5</p><p>6 beds</p></body></html>
------page--
"""
Path("a.mhtml").write_bytes(PAGE.replace("\n", "\r\n").encode())
(document,) = MHTMLLoader("a.mhtml").load()
texts = document.page_content, kreuzberg.extract_file_sync("a.mhtml").content
seen = ["Room 56 beds" if "Room 56 beds" in text else text for text in texts]
print("{} by MHTMLLoader, {} by kreuzberg".format(*seen))
raise SystemExit(seen != ["Room 56 beds"] * 2)
PYTHON
