#!/usr/bin/env bash
# markdown-to-json 2.1.2 leaves out the text of a section that has subsections, the text before the first heading, and a
# section with the same heading as a later one: of "No dogs." and "No cats.", both below "Rules", it keeps the latter. A
# list below a paragraph is Python's repr of it.
# Exits 0 while this holds; output: {"Pool": {"Fees": "Adults pay 5."}} without "Dogs may not swim."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check markdown-to-json==2.1.2
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import markdown_to_json

TEXTS = {
    "# Pool\n\nDogs may not swim.\n\n## Fees\n\nAdults pay 5.\n": {"Pool": {"Fees": "Adults pay 5."}},
    "# Rules\n\nNo dogs.\n\n# Rules\n\nNo cats.\n": {"Rules": "No cats."},
    "Closed in May.\n\n# Lake\n\nOpen.\n": {"Lake": "Open."},
    "# Tasks\n\nBring:\n\n- Keys\n- Coats\n": {"Tasks": "Bring:\n\n['Keys', 'Coats']"},
}
read = {text: markdown_to_json.dictify(text) for text in TEXTS}
print(*map(dict, read.values()), sep="\n")
raise SystemExit(read != TEXTS)
PYTHON
