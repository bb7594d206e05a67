#!/usr/bin/env bash
# langchain-text-splitters 1.1.3: HTMLHeaderTextSplitter passes over a heading whose words are in a link or
# a span, as generators of documentation and wikis write them. The text below it has the heading above it in
# its metadata, so a filter by heading, or a prompt that shows it, states the wrong section.
# Exits 0 while this holds; output: "'Refunds are paid.' is below 'Sale', 'No refunds.' is below 'Sale'", though
# the second is below "<h2><a href="#vouchers">Vouchers</a></h2>".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-text-splitters==1.1.3 beautifulsoup4==4.15.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from langchain_text_splitters import HTMLHeaderTextSplitter

PAGE = """\
<h2>Sale</h2><p>Refunds are paid.</p>
<h2><a href="#vouchers">Vouchers</a></h2><p>No refunds.</p>"""

splitter = HTMLHeaderTextSplitter([("h2", "heading")], return_each_element=True)
headings = {
    document.page_content: document.metadata["heading"] for document in splitter.split_text(PAGE)
}
below = [headings["Refunds are paid."], headings["No refunds."]]
print("'Refunds are paid.' is below {!r}, 'No refunds.' is below {!r}".format(*below))
raise SystemExit(below != ["Sale", "Sale"])
PYTHON
