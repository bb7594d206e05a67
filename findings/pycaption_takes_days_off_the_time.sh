#!/usr/bin/env bash
# pycaption 2.3.14 writes captions of the second day of a recording with times of the first: 25:00:01
# becomes 01:00:01 in WebVTT and SubRip, whichever of both was read. Hours beyond 23 are valid in both
# formats; a stream or a camera that runs for days has them, and a link to the time leads elsewhere.
# Exits 0 while this holds; output: "01:00:01.000 --> 01:00:03.000, 01:00:01,000 --> 01:00:03,000".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pycaption==2.3.14
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pycaption import SRTReader, SRTWriter, WebVTTReader, WebVTTWriter

TIMES = "25:00:01{0}000 --> 25:00:03{0}000\nThe tide turns."
WEBVTT, SUBRIP = "WEBVTT\n\n" + TIMES.format("."), "1\n" + TIMES.format(",")


def time(text):
    return next(line for line in text.splitlines() if "-->" in line)


read = WebVTTReader().read(WEBVTT)
assert read.get_captions("en-US")[0].start == 90_001_000_000  # microseconds: read right
seen = [time(WebVTTWriter().write(read)), time(SRTWriter().write(SRTReader().read(SUBRIP)))]
print(", ".join(seen))
expected = ["01:00:01.000 --> 01:00:03.000", "01:00:01,000 --> 01:00:03,000"]
raise SystemExit(seen != expected)
PYTHON
