#!/usr/bin/env bash
# quotequail 0.5.4 divides the line that Gmail writes above a quote at its last comma: of "On Mon, May 13, 2024 at 9:00 AM Ann
# Lee <ann@example.com> wrote:" the date is "Mon, May 13", and the sender begins with "2024 at 9:00 AM". It knows Apple's
# line, with a comma after the time, and Gmail's in French.
# Exits 0 while this holds; output: "Mon, May 13" from "2024 at 9:00 AM Ann Lee <ann@example.com>".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check quotequail==0.5.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from quotequail import unwrap

ANN = "Ann Lee <ann@example.com>"
LINES = {
    f"On Mon, May 13, 2024 at 9:00 AM {ANN} wrote:": ("Mon, May 13", f"2024 at 9:00 AM {ANN}"),
    f"On May 13, 2024, at 9:00 AM, {ANN} wrote:": ("May 13, 2024, at 9:00 AM", ANN),
    f"Le lun. 13 mai 2024 à 09:00, {ANN} a écrit :": ("lun. 13 mai 2024 à 09:00", ANN),
}
seen = {}
for line in LINES:
    mail = unwrap(f"Yes.\n\n{line}\n> Is it open?\n")
    seen[line] = mail["date"], mail["from"]
    print(*seen[line], sep=" | ")
raise SystemExit(seen != LINES)
PYTHON
