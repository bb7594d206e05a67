#!/usr/bin/env bash
# odfdo 3.27.3: get_formatted_text writes a heading and the paragraph below it on one line, without a space: "Room 12"
# above "34 seats" is "Room 1234 seats". to_markdown keeps them apart.
# Exits 0 while this holds; output: "Room 1234 seats".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check odfdo==3.27.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import re

from odfdo import Document, Header, Paragraph

document = Document("text")
document.body.clear()
for part in (Header(1, "Room 12"), Paragraph("34 seats"), Paragraph("Open at nine.")):
    document.body.append(part)
text, markdown = document.get_formatted_text(), document.to_markdown()
print(repr(text), repr(markdown))
raise SystemExit(not (text.startswith("Room 1234 seats") and re.search(r"Room 12\n+34 seats", markdown)))
PYTHON
