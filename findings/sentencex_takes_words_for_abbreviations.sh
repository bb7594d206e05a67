#!/usr/bin/env bash
# sentencex 1.0.32: frequent words count as abbreviations, after which no sentence ends: "det" and "hon" (it,
# she) in Swedish, "nem" (no) in Hungarian, "bien" (well) in Spanish, "mai" (never) in Italian, "dat" (that)
# in Dutch. Two sentences come back as one, and no error is raised.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sentencex==1.0.32
"$folder/venv/bin/python" - <<'PYTHON'
from sentencex import segment

TEXTS = {
    "sv": ("Jag vet det. Hon kom.", "Jag vet allt. Hon kom."),
    "hu": ("Azt mondta, nem. Péter elment.", "Azt mondta, igen. Péter elment."),
    "es": ("Todo va bien. María se fue.", "Todo va mal. María se fue."),
    "it": ("Non lo so mai. Roma dorme.", "Non lo so ancora. Roma dorme."),
    "nl": ("Ik weet dat. Piet ook.", "Ik weet alles. Piet ook."),
}
for language, (text, other) in TEXTS.items():
    whole, divided = list(segment(language, text)), list(segment(language, other))
    print(language, whole, "but", divided)
    assert len(whole) == 1 and len(divided) == 2
PYTHON
