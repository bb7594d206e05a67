#!/usr/bin/env bash
# mwparserfromhell 0.7.2, with which LangChain's MWDumpLoader reads dumps of MediaWiki: strip_code makes "Room 1234
# seats" of two lines with <br> between them, and puts the note behind "from 9" into the sentence: "from 930 minutes
# later on Sundays". Of an image with a caption it keeps "thumb|".
# Exits 0 while this holds; output: "Room 1234 seats", "Open from 930 minutes later on Sundays to 5.", "thumb|The pier".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mwparserfromhell==0.7.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import mwparserfromhell

PAGES = {
    "Room 12<br>34 seats": "Room 1234 seats",
    "Open from 9<ref>30 minutes later on Sundays</ref> to 5.": "Open from 930 minutes later on Sundays to 5.",
    "[[File:Pier.jpg|thumb|The pier]]": "thumb|The pier",
}
seen = [mwparserfromhell.parse(page).strip_code() for page in PAGES]
print(seen)
raise SystemExit(seen != [*PAGES.values()])
PYTHON
