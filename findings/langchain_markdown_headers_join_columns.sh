#!/usr/bin/env bash
# langchain-text-splitters 1.1.3: MarkdownHeaderTextSplitter deletes tabs and no-break spaces and trims each line, in
# code too. "12<tab>34" becomes 1234, "100 000" with a no-break space 100000 or "10 km" 10km, the indentation of Python is
# gone, and an item below another stands beside it.
# Exits 0 while this holds; output: "['1234', 'if wet:', 'stop()', '- boats', '- punts', '10km']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-text-splitters==1.1.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_text_splitters import MarkdownHeaderTextSplitter

TEXT = """# Rules

12\t34

```python
if wet:
    stop()
```

- boats
  - punts

10\u00a0km
"""
(section,) = MarkdownHeaderTextSplitter([("#", "Header 1")]).split_text(TEXT)
lines = [line.rstrip() for line in section.page_content.splitlines() if "```" not in line]
print(lines)
raise SystemExit(lines != ["1234", "if wet:", "stop()", "- boats", "- punts", "10km"])
PYTHON
