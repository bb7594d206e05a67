#!/usr/bin/env bash
# mrkdwn_analysis 0.2.3: identify_lists takes the paragraph below a list for an item, and identify_paragraphs has none;
# so does it with a heading underlined with dashes. In a table, which it documents as GitHub's, an escaped bar moves the
# values behind it to the right, and a comment in code between "~~~" is a heading.
# Exits 0 while this holds; output: an item 'Do not dive.', no paragraphs, an item 'Fees', a row of three cells below
# two heads, and the heading 'install'.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mrkdwn_analysis==0.2.3
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from mrkdwn_analysis import MarkdownAnalyzer


def analyzer(text):
    Path("page.md").write_text(text)
    return MarkdownAnalyzer("page.md")


below = analyzer("- Towels\n- Soap\n\nDo not dive.\n")
heading = analyzer("1. Pay.\n\nFees\n----\n\nFive euro.\n")
table = analyzer("| Command | Room |\n|---|---|\n| a \\| b | 2 |\n")
code = analyzer("~~~bash\n# install\nmake\n~~~\n")
items = [item["text"] for item in below.identify_lists()["Unordered list"][0]]
steps = [item["text"] for item in heading.identify_lists()["Ordered list"][0]]
rows = table.identify_tables()["Table"][0]["rows"]
headings = [found["text"] for found in code.identify_headers()["Header"]]
print(items, below.identify_paragraphs(), steps, rows, headings)
raise SystemExit(
    items != ["Towels", "Soap", "Do not dive."]
    or below.identify_paragraphs() != {}
    or steps != ["Pay.", "Fees"]
    or rows != [["a \\", "b", "2"]]
    or headings != ["install"]
)
PYTHON
