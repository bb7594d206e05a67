#!/usr/bin/env bash
# llama-index-readers-file 0.7.0: IPYNBReader leaves out everything before the first cell of code: the
# title of a notebook and its introduction. A notebook of texts alone gives no document, and no error.
# Exits 0 while this holds; output: "['high = 9 # After.'], []".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  llama-index-readers-file==0.7.0 llama-index-core==0.14.25 nbconvert==7.17.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import json
from pathlib import Path

from llama_index.readers.file import IPYNBReader

TEXT = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Tide\nHigh at nine."}
CODE = {"cell_type": "code", "id": "b", "execution_count": 1, "outputs": [], "source": "high = 9"}
LAST = {"cell_type": "markdown", "id": "c", "metadata": {}, "source": "After."}
PYTHON = {
    "kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"},
    "language_info": {"name": "python", "file_extension": ".py", "nbconvert_exporter": "python"},
}


def read(*cells):
    cells = [{"metadata": {}, **cell} for cell in cells]
    notebook = {"cells": cells, "metadata": PYTHON, "nbformat": 4, "nbformat_minor": 5}
    Path("a.ipynb").write_text(json.dumps(notebook))
    return [" ".join(one.text.split()) for one in IPYNBReader().load_data(Path("a.ipynb"))]


seen = [read(TEXT, CODE, LAST), read(TEXT)]
print("{}, {}".format(*seen))
raise SystemExit(seen != [["high = 9 # After."], []])
PYTHON
