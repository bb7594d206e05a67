#!/usr/bin/env bash
# csvkit 2.2.0: csvjson, csvsort and others turn the range "1-3" into the date 2001-01-03 if every value of a column is
# a range, and the number 1234 of a name such as 12_34, because agate 1.14.2 reads dates with parsedatetime, and numbers
# as Python writes them. The options for dates and leading zeros do not name this; --no-inference keeps both.
# Exits 0 while this holds; output: [{"boat": "12_34", "crew": "1-3"}] as {"boat": 1234.0, "crew": "2001-01-03"}.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check csvkit==2.2.0 agate==1.14.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
import subprocess
import sys
from pathlib import Path

Path("boats.csv").write_text("boat,crew\n12_34,1-3\n1_000,4-6\n")


def rows(*options):
    command = [Path(sys.executable).with_name("csvjson"), *options, "boats.csv"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


seen, plain = rows(), rows("--no-inference")
print(seen, plain, sep="\n")
right = plain == [{"boat": "12_34", "crew": "1-3"}, {"boat": "1_000", "crew": "4-6"}]
raise SystemExit(seen[0] != {"boat": 1234.0, "crew": "2001-01-03"} or not right)
PYTHON
