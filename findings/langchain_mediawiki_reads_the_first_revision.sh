#!/usr/bin/env bash
# langchain-community 0.4.2: of a dump with histories, MWDumpLoader reads the first revision of each page, which is the
# oldest: later corrections are not found.
# Exits 0 while this holds; output: "The ferry leaves at eight." of a page that states nine.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-community==0.4.2 mwxml==0.3.8 mwparserfromhell==0.7.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from langchain_community.document_loaders import MWDumpLoader

REVISION = """<revision><id>{id}</id><timestamp>{year}-01-01T00:00:00Z</timestamp>
<contributor><username>Ann</username><id>1</id></contributor><model>wikitext</model>
<format>text/x-wiki</format><text xml:space="preserve">The ferry leaves at {hour}.</text></revision>"""
FIRST, LAST = REVISION.format(id=1, year=2020, hour="eight"), REVISION.format(id=2, year=2024, hour="nine")
Path("wiki.xml").write_text(f"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">
<siteinfo><sitename>Wiki</sitename><namespaces><namespace key="0" /></namespaces></siteinfo>
<page><title>Ferry</title><ns>0</ns><id>1</id>{FIRST}{LAST}</page></mediawiki>""")
(document,) = MWDumpLoader("wiki.xml").load()
print(document.page_content)
raise SystemExit(document.page_content != "The ferry leaves at eight.")
PYTHON
