#!/usr/bin/env bash
# simple-alto-parser 0.0.22 leaves a word that is hyphenated at the end of a line in two halves: "No swim-" above "ming
# here." is "No swim ming here.", also as a whole block. ALTO can state the word "swimming" (SUBS_CONTENT) and the hyphen
# (HYP), as here; the parser reads neither, so that no search finds the word.
# Exits 0 while this holds; output: "No swim" and "ming here." by lines, "No swim  ming here." by blocks.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check simple-alto-parser==0.0.22
cd "$folder"
mkdir pages
cat > pages/page.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout>
<Page ID="p" PHYSICAL_IMG_NR="1" WIDTH="600" HEIGHT="400">
<PrintSpace HPOS="0" VPOS="0" WIDTH="600" HEIGHT="400">
<TextBlock ID="b" HPOS="1" VPOS="1" WIDTH="90" HEIGHT="20">
<TextLine ID="l1" HPOS="1" VPOS="1" WIDTH="90" HEIGHT="9">
<String CONTENT="No" HPOS="1" VPOS="1" WIDTH="20" HEIGHT="9"/><SP/>
<String CONTENT="swim" SUBS_TYPE="HypPart1" SUBS_CONTENT="swimming" HPOS="30" VPOS="1" WIDTH="50" HEIGHT="9"/>
<HYP CONTENT="-" HPOS="81" VPOS="1" WIDTH="5"/></TextLine>
<TextLine ID="l2" HPOS="1" VPOS="11" WIDTH="90" HEIGHT="9">
<String CONTENT="ming" SUBS_TYPE="HypPart2" SUBS_CONTENT="swimming" HPOS="1" VPOS="11" WIDTH="40" HEIGHT="9"/><SP/>
<String CONTENT="here." HPOS="50" VPOS="11" WIDTH="40" HEIGHT="9"/></TextLine>
</TextBlock></PrintSpace></Page></Layout></alto>
XML
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import logging

from simple_alto_parser import AltoFileParser


def texts(kind):
    """Return the text of each line or block."""
    parser = AltoFileParser("pages", {"line_type": kind, "logging": {"level": logging.ERROR}})
    parser.parse()
    return [part.get_text() for page in parser.get_alto_files() for part in page.file_elements]


lines, blocks = texts("TextLine"), texts("TextBlock")
print(lines, blocks)
raise SystemExit(lines != ["No swim", "ming here."] or blocks[0].split() != "No swim ming here.".split())
PYTHON
