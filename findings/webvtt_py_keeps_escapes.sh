#!/usr/bin/env bash
# webvtt-py 0.6.0: the text of a caption keeps the escapes of WebVTT ("&amp;", "&lt;"), joins a ruby to
# its word, and a caption in which two people speak has only the first name.
# Exits 0 while this holds; output: "Ann: 'Salt &amp; fish? 鴎kamome!'" for Ann's question and Bob's answer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  webvtt-py==0.6.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

import webvtt

CAPTIONS = """\
WEBVTT

00:00:00.000 --> 00:00:02.000
<v Ann>Salt &amp; fish?</v> <v Bob><ruby>鴎<rt>kamome</rt></ruby>!</v>
"""
Path("gulls.vtt").write_text(CAPTIONS, encoding="utf-8")
caption = webvtt.read("gulls.vtt")[0]
print(f"{caption.voice}: {caption.text!r}")
raise SystemExit((caption.voice, caption.text) != ("Ann", "Salt &amp; fish? 鴎kamome!"))
PYTHON
