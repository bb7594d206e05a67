#!/usr/bin/env bash
# Markdown 3.11.3 and markdown2 2.5.5 make the heading "C" of "# C#", and "F" of "## F#": a sharp behind a letter is
# taken for the end of the heading, which CommonMark asks to have a space before it. Both take the line "#12 is closed"
# for a heading "12 is closed". Markdown begins lists at 1: clause 5 is 1.
# Exits 0 while this holds; output: "<h1>C</h1>" and "<h2>F</h2>" of both, and clauses without a start.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check Markdown==3.11.3 markdown2==2.5.5 markdown-it-py==4.0.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import markdown
import markdown2
from markdown_it import MarkdownIt

TEXT = "# C#\n\n## F#\n\n#12 is closed\n\n5. Do not dive.\n"
html = [" ".join(convert(TEXT).split()) for convert in (markdown.markdown, markdown2.markdown, MarkdownIt().render)]
print(*html, sep="\n")
heads = ["<h1>C</h1>" in text and "<h2>F</h2>" in text for text in html]
raise SystemExit(
    heads != [True, True, False]
    or "<h1>12 is closed</h1>" not in html[0]
    or 'start="5"' in html[0]
    or 'start="5"' not in html[2]
)
PYTHON
