#!/usr/bin/env bash
# sentencex 1.0.32 never ends a sentence inside a paragraph that begins with "(2)", "(b)", "(iv)" or a bullet, however
# long it is: a law's paragraph comes back as one sentence. It divides the same words after "[2]", "(2a)" or "(100)".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sentencex==1.0.32
"$folder/venv/bin/python" - <<'PYTHON'
from sentencex import segment

PARAGRAPH = "The keeper lights the lamp at dusk. The keeper's deputy rings the bell. " * 20
for mark in ("(2)", "(b)", "(iv)", "\u2022", "\u25aa", "[2]", "(2a)", "(100)", "2)"):
    number = len(list(segment("en", f"{mark} {PARAGRAPH}")))
    print(mark, number)
    assert number == (1 if mark in ("(2)", "(b)", "(iv)", "\u2022", "\u25aa") else 40), mark
PYTHON
