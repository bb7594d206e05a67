#!/usr/bin/env bash
# docstring-parser 0.18.0, which libraries of agents use to describe tools to a model, leaves out the sections "Note:"
# and "Warning:" of a docstring in Google's style when they stand below "Args:". Above it they are part of the
# description.
# Exits 0 while this holds; output: "Not below 18 m" nowhere in what was parsed, and there with the note above.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check docstring-parser==0.18.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from docstring_parser import DocstringStyle, compose, parse

ARGS = "Args:\n    depth (int): Depth in m.\n"
NOTE = "Note:\n    Not below 18 m.\n"
WARNING = "Warning:\n    Never alone.\n"


def see(*sections):
    parsed = parse("Plan a dive.\n\n" + "\n".join(sections), style=DocstringStyle.GOOGLE)
    return compose(parsed) + repr([part.description for part in parsed.meta])


below, above = see(ARGS, NOTE, WARNING), see(NOTE, WARNING, ARGS)
print(f"below: {below!r}\nabove: {above!r}")
lost = "Not below 18 m" not in below and "Never alone" not in below and "Depth in m" in below
raise SystemExit(not (lost and "Not below 18 m" in above and "Never alone" in above))
PYTHON
