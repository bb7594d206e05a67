#!/usr/bin/env bash
# dateparser 1.5.0 reads week 20 of 2023, "2023-W20" in ISO 8601, as day 20 of the current month in 2023, and ignores
# the date in "5 days before 2024-05-10": it returns 5 days before now.
# Exits 0 while this holds; output on 15 March 2024: 20 March 2023, and 10 March 2024.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check dateparser==1.5.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from datetime import date, datetime

from dateparser import parse

settings = {"RELATIVE_BASE": datetime(2024, 3, 15, 12)}
week, before = (parse(text, settings=settings).date() for text in ("2023-W20", "5 days before 2024-05-10"))
print(f"week 20: {week}, which began on {date.fromisocalendar(2023, 20, 1)}; 5 days before 10 May: {before}")
raise SystemExit((week, before) != (date(2023, 3, 20), date(2024, 3, 10)))
PYTHON
