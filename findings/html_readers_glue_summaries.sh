#!/usr/bin/env bash
# html2text 2025.4.15, markdownify 1.2.3, inscriptis 2.7.6, resiliparse 2.0.1, mdka 3.3.0 and turndown 7.2.5 (npm) take
# <summary> and <legend> for words of a line, and glue them to the text below. Of a page that was minified, as by a site
# generator, "Children under 5" above "6 euro" is "Children under 56 euro", and "Room 5" above "6 beds" "Room 56 beds".
# node-html-markdown 2.0.0 (npm) does so even if a line end is between them. With <p> around the text, those in Python are
# right.
# Exits 0 while this holds; output: "Children under 56 euro" with all seven, "Room 56 beds" with the five in Python.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  html2text==2025.4.15 markdownify==1.2.3 inscriptis==2.7.6 resiliparse==2.0.1 mdka==3.3.0
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts turndown@7.2.5 node-html-markdown@2.0.0 > log 2>&1 \
  || { cat log; exit 1; }
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import html2text
import inscriptis
import markdownify
import mdka
from resiliparse.extract import html2text as resiliparse

PAGES = (
    "<details><summary>Children under 5</summary>6 euro</details>",
    "<fieldset><legend>Room 5</legend>6 beds</fieldset>",
)
readers = {
    "html2text": html2text.html2text,
    "inscriptis": inscriptis.get_text,
    "markdownify": markdownify.markdownify,
    "mdka": mdka.html_to_markdown,
    "resiliparse": resiliparse.extract_plain_text,
}
seen = {name: [read(page).strip() for page in PAGES] for name, read in readers.items()}
print(seen)
raise SystemExit(any(texts != ["Children under 56 euro", "Room 56 beds"] for texts in seen.values()))
PYTHON
cat > see.cjs <<'JAVASCRIPT'
const { NodeHtmlMarkdown } = require("node-html-markdown");
const Turndown = require("turndown");

const minified = "<details><summary>Children under 5</summary>6 euro</details>";
const written = "<details>\n<summary>Children under 5</summary>\n6 euro\n</details>";
const seen = [
  new Turndown().turndown(minified),
  NodeHtmlMarkdown.translate(minified),
  NodeHtmlMarkdown.translate(written),
];
console.log(seen);
process.exit(seen.every((text) => text === "Children under 56 euro") ? 0 : 1);
JAVASCRIPT
node see.cjs
