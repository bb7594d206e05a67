#!/usr/bin/env bash
# instructor 1.17.0: CitationMixin replaces a model's quote by words of the context that are up to five letters away
# from it, without a message. So a quote that states the contrary becomes a valid citation, and the mistake is hidden.
# Exits 0 while this holds; output: "'Dogs may not enter.' is cited as 'Dogs may enter.'"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  instructor==1.17.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from instructor.dsl.citation import CitationMixin

context = "The pool opens at nine. Dogs may enter."
quote = "Dogs may not enter."
cited = CitationMixin.model_validate({"substring_quotes": [quote]}, context={"context": context})
(found,) = cited.substring_quotes
print(f"{quote!r} is cited as {found!r}")
raise SystemExit(found != "Dogs may enter.")
PYTHON
