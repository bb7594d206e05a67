#!/usr/bin/env bash
# firecrawl-anydoc 0.2.4 writes the item "1) Dogs" of a DOCX or ODT as "- 1\) Dogs", and indents the items below it by
# the width of that label. CommonMark counts from behind "- ", so the four additional spaces make code: a reader of the
# Markdown finds code in place of a list. The same happens with "(i)" and "Article I"; "1." stays a number.
# Exits 0 while this holds; output: "1. <ul><li>indoors", "1) <pre><code>- indoors</code></pre>".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  firecrawl-anydoc==0.2.4 markdown-it-py==4.3.0 pypandoc_binary==1.17
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import pypandoc
from anydoc import to_markdown
from markdown_it import MarkdownIt


def read(label):
    text = f"{label} Dogs\n\n    - indoors\n"
    pypandoc.convert_text(text, "docx", "markdown+fancy_lists", outputfile="list.docx")
    html = MarkdownIt().render(to_markdown("list.docx")).replace("\n", "")
    return html.partition("<p>")[2].partition("</p>")[2].partition("</li></")[0]


for label in ("1.", "1)"):
    print(label, read(label))
seen = ("<ul><li>indoors", "<pre><code>- indoors</code></pre>")
raise SystemExit((read("1."), read("1)")) != seen)
PYTHON
