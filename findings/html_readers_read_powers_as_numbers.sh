#!/usr/bin/env bash
# html2text 2025.4.15, markdownify 1.2.3, html-to-markdown 3.21.2 and inscriptis 2.7.6 read 10<sup>6</sup> as 106, and
# one and a half, written with <sup> and <sub>, as 11/2. The number of a note behind 12 makes it 123. pandoc writes
# 10^6^.
# Exits 0 while this holds; output: "Up to 106 eels, 11/2 cups of oil, 123 boats." of all four.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  html2text==2025.4.15 markdownify==1.2.3 html-to-markdown==3.21.2 inscriptis==2.7.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import html2text
import html_to_markdown
import inscriptis
import markdownify

PAGE = (
    "<html><body><p>Up to 10<sup>6</sup> eels, 1<sup>1</sup>/<sub>2</sub> cups of oil, "
    "12<sup>3</sup> boats.</p></body></html>"
)
WRONG = "Up to 106 eels, 11/2 cups of oil, 123 boats."
read = {
    "html2text": html2text.html2text(PAGE),
    "markdownify": markdownify.markdownify(PAGE),
    "html-to-markdown": html_to_markdown.convert(PAGE).content,
    "inscriptis": inscriptis.get_text(PAGE),
}
print(read)
raise SystemExit(any(text.strip() != WRONG for text in read.values()))
PYTHON
