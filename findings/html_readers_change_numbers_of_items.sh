#!/usr/bin/env bash
# html2text 2025.4.15, markdownify 1.2.3, inscriptis 2.7.6 and resiliparse 2.0.1 change the numbers of a list
# that begins with <ol start="5"> and has an item with value="9", as laws and contracts have after repealed
# clauses. The first two ignore the value, so clause 9 is "6"; inscriptis ignores the start, so clause 5
# is "1"; resiliparse ignores both. An answer that cites "clause 6" cites one that does not exist.
# Exits 0 while this holds; output: "5 6, 5 6, 1 9, 1 2".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  html2text==2025.4.15 markdownify==1.2.3 inscriptis==2.7.6 resiliparse==2.0.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import re

import html2text
import inscriptis
import markdownify
from resiliparse.extract.html2text import extract_plain_text

PAGE = '<ol start="5"><li>Boats are moored.</li><li value="9">Nets are dried.</li></ol>'
READERS = [
    html2text.html2text,
    markdownify.markdownify,
    inscriptis.get_text,
    lambda page: extract_plain_text(page, preserve_formatting=True),
]


def numbers(text):
    return " ".join(re.findall(r"(\d+)\. (?:Boats|Nets)", text))


seen = [numbers(read(PAGE)) for read in READERS]
print(", ".join(seen))
raise SystemExit(seen != ["5 6", "5 6", "1 9", "1 2"])
PYTHON
