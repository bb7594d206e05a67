#!/usr/bin/env bash
# whisper-vtt2srt 0.1.2 takes every line of digits in WebVTT for the number of a caption: "Room" above "42" is "Room", and a
# caption "1984" has no text. A comment (NOTE) and the name of a caption, which WebVTT allows, become speech of the caption
# above. All of its cleaning is off here.
# Exits 0 while this holds; output: "Room", nothing, and "Open now." with "NOTE ask Ann" and "last one" below.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check whisper-vtt2srt==0.1.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from dataclasses import fields

from whisper_vtt2srt import CleaningOptions, Pipeline

VTT = """WEBVTT

00:00:01.000 --> 00:00:02.000
Room
42

00:00:03.000 --> 00:00:04.000
1984

00:00:05.000 --> 00:00:06.000
Open now.

NOTE ask Ann

last one
00:00:07.000 --> 00:00:08.000
Bye.
"""
off = {field.name: False for field in fields(CleaningOptions) if field.type in (bool, "bool")}
written = Pipeline(CleaningOptions(**off)).convert(VTT)
texts = [caption.partition("-->")[2].split("\n")[1:] for caption in written.strip().split("\n\n")]
print(texts)
raise SystemExit(texts != [["Room"], [], ["Open now.", "NOTE ask Ann", "last one"], ["Bye."]])
PYTHON
