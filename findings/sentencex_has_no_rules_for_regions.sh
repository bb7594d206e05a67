#!/usr/bin/env bash
# sentencex 1.0.32: a language with a region ("de-AT") has no rules, and no error is raised: "3. Mai" is
# cut. French "M. Dupont" is cut at the start of a text, and kept after another word.
# Exits 0 while this holds; output: "de: 1, de-AT: 2, fr at the start: 2, fr later: 1 sentences", each
# for one sentence.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  sentencex==1.0.32
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from sentencex import segment

counts = [
    len(list(segment(language, text)))
    for language, text in (
        ("de", "Am 3. Mai kam er."),
        ("de-AT", "Am 3. Mai kam er."),
        ("fr", "M. Dupont dort."),
        ("fr", "Ici M. Dupont dort."),
    )
]
print("de: {}, de-AT: {}, fr at the start: {}, fr later: {} sentences".format(*counts))
raise SystemExit(counts != [1, 2, 2, 1])
PYTHON
