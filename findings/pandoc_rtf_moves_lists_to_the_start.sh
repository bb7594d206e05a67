#!/usr/bin/env bash
# pandoc 3.9, as pypandoc_binary 1.17 has it, moves a list that stands before a table in RTF to the beginning of the
# document: "Pets may not stay on:" is followed by the prices, and the days stand below no sentence. It does so
# since lists before tables are no longer read as part of the table. LibreOffice reads the file in order.
# Exits 0 while this holds; output: "Mondays | Fridays | Pets may stay all year. | Pets may not stay on: | Adult 12".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  pypandoc_binary==1.17
cd "$folder"
cat > house.rtf <<'RTF'
{\rtf1\ansi\deff0{\fonttbl{\f0 Times;}{\f1 Symbol;}}
{\*\listtable{\list\listtemplateid1{\listlevel\levelnfc23\leveljc0\levelstartat1\levelfollow0{\leveltext \'01\u8226 ?;}{\levelnumbers;}\fi-360\li720}\listid1}}
{\listoverridetable{\listoverride\listid1\listoverridecount0\ls1}}
\pard Pets may stay all year.\par
\pard Pets may not stay on:\par
\pard\ls1\ilvl0\fi-360\li720{\listtext\'95\tab}Mondays\par
{\listtext\'95\tab}Fridays\par
\trowd\cellx3000\cellx6000\pard\intbl Adult\cell 12\cell\row
\pard End.\par
}
RTF
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import re

import pypandoc

text = pypandoc.convert_file("house.rtf", "plain")
lines = [" ".join(re.findall(r"[\w.:]+", line)) for line in text.splitlines()]
seen = " | ".join(filter(None, lines))
print(pypandoc.get_pandoc_version(), seen)
start = "Mondays | Fridays | Pets may stay all year. | Pets may not stay on: | Adult 12"
raise SystemExit(not seen.startswith(start))
PYTHON
