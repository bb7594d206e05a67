#!/usr/bin/env bash
# ics 0.7.3 and node-ical 0.27.2 (npm) break the path "\\nas\plans" of a calendar's event into a backslash, and
# "as\plans" on a new line: they take the escaped backslash (RFC 5545, 3.3.11) and the "n" behind it for the escape of a
# line end. icalendar 7.3.2 reads the path unchanged.
# Exits 0 while this holds; output: '\\\\\nas\\plans' and 'See C:\\\new, room 5' for both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ics==0.7.3 icalendar==7.3.2
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts node-ical@0.27.2 > log 2>&1 || { cat log; exit 1; }
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from icalendar import Calendar as Right
from ics import Calendar

LINES = [
    "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//example//EN", "BEGIN:VEVENT", "UID:1@example.com",
    "DTSTAMP:20240101T000000Z", "DTSTART:20240510T090000Z", "DTEND:20240510T100000Z",
    "SUMMARY:" + r"\\\\nas\\plans", "DESCRIPTION:" + r"See C:\\new\, room 5", "END:VEVENT",
    "END:VCALENDAR", "",
]
calendar = "\r\n".join(LINES)
Path("calendar.ics").write_text(calendar, newline="")
event = next(iter(Calendar(calendar).events))
right = Right.from_ical(calendar).events[0]
print(repr(event.name), repr(event.description), repr(str(right["SUMMARY"])))
raise SystemExit(
    (event.name, event.description) != ("\\\\\nas\\plans", "See C:\\\new, room 5")
    or (right["SUMMARY"], right["DESCRIPTION"]) != (r"\\nas\plans", r"See C:\new, room 5")
)
PYTHON
cat > see.cjs <<'JAVASCRIPT'
const [event] = Object.values(require("node-ical").sync.parseFile("calendar.ics")).filter(({ type }) => type === "VEVENT");
const seen = JSON.stringify([event.summary, event.description]);
console.log(seen);
process.exit(seen === String.raw`["\\\\\nas\\plans","See C:\\\new, room 5"]` ? 0 : 1);
JAVASCRIPT
node see.cjs
