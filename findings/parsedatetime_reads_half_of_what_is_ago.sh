#!/usr/bin/env bash
# parsedatetime 2.6 applies "ago" to the last unit alone: "1 hour 30 minutes ago" is half an hour from now, and "2 years 3
# months ago" is in 2026. "Friday, 17 May" is 1 May 2017, "the day after tomorrow" is tomorrow, and "since 2019" is 20:19
# today. Each has the status of a text that was understood. "90 minutes ago" and "17 May" are right.
# Exits 0 while this holds; output of noon on Wednesday, 15 May 2024: 15 May 12:30, 15 February 2026, 1 May 2017, 16
# May, and 15 May 20:19.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check parsedatetime==2.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from datetime import datetime

from parsedatetime import Calendar

DATES = {
    "1 hour 30 minutes ago": "2024-05-15 12:30",
    "2 years 3 months ago": "2026-02-15 12:00",
    "Friday, 17 May": "2017-05-01 12:00",
    "the day after tomorrow": "2024-05-16 09:00",
    "since 2019": "2024-05-15 20:19",
    "90 minutes ago": "2024-05-15 10:30",
    "17 May": "2024-05-17 12:00",
}
seen = {text: Calendar().parseDT(text, datetime(2024, 5, 15, 12)) for text in DATES}
for text, (moment, status) in seen.items():
    print(text, moment, status)
same = all(f"{moment:%Y-%m-%d %H:%M}" == DATES[text] for text, (moment, _) in seen.items())
raise SystemExit(not same or any(status == 0 for _, status in seen.values()))
PYTHON
