#!/usr/bin/env bash
# pysrt 1.1.2: text_without_tags of a caption takes all between "<" and ">" for a tag. SubRip has no escapes, so a lesson
# that shows "If x < 5 and y > 7, stop." has the words "If x  7, stop.": another condition, and no error. `text` has them.
# Exits 0 while this holds; output: "If x  7, stop." and "Bold".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pysrt==1.1.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import pysrt

CAPTIONS = """1
00:00:01,000 --> 00:00:03,000
If x < 5 and y > 7, stop.

2
00:00:04,000 --> 00:00:06,000
<b>Bold</b>
"""
read = pysrt.from_string(CAPTIONS)
seen = [caption.text_without_tags for caption in read]
print(*map(repr, seen))
assert read[0].text == "If x < 5 and y > 7, stop."
raise SystemExit(seen != ["If x  7, stop.", "Bold"])
PYTHON
