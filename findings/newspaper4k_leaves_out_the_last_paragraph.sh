#!/usr/bin/env bash
# newspaper4k 0.9.6 leaves out the last paragraph of an article if a word in it is a link, bold or code, or if it is a
# list: "Call 112 in an emergency" is lost if it has a link, and kept without one.
# Exits 0 while this holds; output: of four pages the end of the one without markup alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  newspaper4k==0.9.6 lxml_html_clean==0.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import newspaper

PAGE = """<html><head><title>Swimming in the river</title></head><body><article><h1>Swimming in the river</h1>
<p>The river is deep below the mill, and many people swim there in summer. The water is cold until June, so that
children should stay near the bank at all times of the year.</p>
<p>The gate is closed at night, and nobody may swim while the sluice is open, because the current is strong and
cannot be seen from the bank.</p>
{}</article></body></html>"""
ENDS = [
    "<p>Never swim alone, and call 112 in an emergency of any kind on the river.</p>",
    "<p>Never swim alone, and call <a href='/112'>112</a> in an emergency of any kind on the river.</p>",
    "<p><b>Never</b> swim alone, and call 112 in an emergency of any kind on the river.</p>",
    "<ul><li>Never swim alone.</li><li>Call 112 in an emergency of any kind on the river.</li></ul>",
]

kept = []
for end in ENDS:
    article = newspaper.Article("http://example.org/river", fetch_images=False)
    article.download(input_html=PAGE.format(end))
    article.parse()
    kept.append("112" in article.text and "gate" in article.text)
print(kept)
raise SystemExit(kept != [True, False, False, False])
PYTHON
