#!/usr/bin/env bash
# simplemma 2.0.0 removes the "ne-" that is Czech for "not" from verbs: the lemma of "nesmíte" (you must not) is "smět"
# (may), and "nebezpečný" (dangerous) is "bezpečný" (safe). A search by lemmas takes both for one. Of "neplavat" (not
# swim) it keeps it.
# Exits 0 while this holds; output: ['smět', 'jít', 'vědět', 'bezpečný'] and 'neplavat'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check simplemma==2.0.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from simplemma import lemmatize

lemmas = [lemmatize(word, "cs") for word in ("nesmíte", "nejde", "nevím", "nebezpečný")]
kept = lemmatize("neplavat", "cs")
print(lemmas, kept)
raise SystemExit(lemmas != ["smět", "jít", "vědět", "bezpečný"] or kept != "neplavat")
PYTHON
