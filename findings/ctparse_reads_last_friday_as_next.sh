#!/usr/bin/env bash
# ctparse 0.3.6 knows "next" and "this", but reads "last Friday" as the Friday to come, and "last month" as the Monday to
# come: it takes "mon" of "month" for the day. "Next month" is a Monday, too. "Two weeks ago" is a duration of two weeks,
# and "2 years 3 months ago" one of three months. "Yesterday" is right.
# Exits 0 while this holds; output of Wednesday, 15 May 2024: 17 May, 20 May, 27 May, "2 weeks", "3 months", and 14 May.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ctparse==0.3.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from datetime import datetime

from ctparse import ctparse

DATES = {
    "last Friday": "2024-05-17",
    "last month": "2024-05-20",
    "next month": "2024-05-27",
    "two weeks ago": "2 weeks",
    "2 years 3 months ago": "3 months",
    "yesterday": "2024-05-14",
}
seen = {text: str(ctparse(text, ts=datetime(2024, 5, 15, 12)).resolution) for text in DATES}
print(seen)
raise SystemExit(any(not seen[text].startswith(date) for text, date in DATES.items()))
PYTHON
