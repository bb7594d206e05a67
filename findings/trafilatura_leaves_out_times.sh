#!/usr/bin/env bash
# trafilatura 2.3.1: the text of an article lacks the content of <time>, and lists in the cells of tables; a paragraph
# ends after a quotation in <q>, and a paragraph that mostly consists of links is lost.
# Exits 0 while this holds; output: "['Open from  to .', '| Lent:  | not lent |', 'The rule never swim', 'holds.']".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  trafilatura==2.3.1 lxml_html_clean==0.4.6
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import trafilatura

PROSE = "<p>" + "The harbour house is open to all who come by land or by sea. " * 4 + "</p>"
PAGE = f"""<html><body><article><h1>House</h1>{PROSE}
<p>Open from <time>9:00</time> to <time>17:00</time>.</p>
<table><tr><td>Lent: <ul><li>the dinghy</li><li>the punt</li></ul></td><td>not lent</td></tr></table>
<p>The rule <q>never swim</q> holds.</p>
<p>Do <b>not</b> <a href="/enter">enter</a>, <a href="/ever">ever</a>.</p>
{PROSE}</article></body></html>"""
lines = [
    line.strip()
    for line in trafilatura.extract(PAGE, output_format="markdown").splitlines()
    if line and not line.startswith(("The harbour", "#", "|--"))
]
print(lines)
raise SystemExit(any(word in " ".join(lines) for word in ("9:00", "17:00", "dinghy", "punt", "ever.")))
PYTHON
