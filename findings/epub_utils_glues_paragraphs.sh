#!/usr/bin/env bash
# epub-utils 0.1.0a1 glues the paragraphs, items and cells of a chapter in its plain text, if the file has no line ends
# between the tags, as many programs write EPUBs: "Room 5" above "6 beds" is "Room 56 beds", and the cells 1 and 2 are "12".
# With a line end between the tags, the line that <br/> begins is still glued to the one above.
# Exits 0 while this holds; output: "Room 56 beds12" and "Room 56 beds".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check epub-utils==0.1.0a1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from zipfile import ZipFile

from epub_utils import Document

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier>
<dc:title>Inn</dc:title><dc:language>en</dc:language></metadata><manifest>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""
CHAPTERS = {
    "a": "<h2>Room 5</h2><p>6 beds</p><table><tr><td>1</td><td>2</td></tr></table>",
    "b": "<p>Room 5<br/>6 beds</p>",
}
with ZipFile("book.epub", "w") as book:
    book.writestr("mimetype", "application/epub+zip")
    book.writestr("META-INF/container.xml", CONTAINER)
    book.writestr("book.opf", PACKAGE)
    for name, body in CHAPTERS.items():
        page = f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{body}</body></html>'
        book.writestr(f"{name}.xhtml", page)
document = Document("book.epub")
texts = [document.find_content_by_id(name).to_plain() for name in CHAPTERS]
print(texts)
raise SystemExit(texts != ["Room 56 beds12", "Room 56 beds"])
PYTHON
