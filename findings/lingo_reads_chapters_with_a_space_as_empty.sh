#!/usr/bin/env bash
# @lingo-reader/epub-parser 0.4.6 (npm) returns a chapter without text if its file has a space in the name, which EPUB writes
# as "chapter%20two.xhtml": it looks for a file of that very name, prints that there is none, and raises no error. epub2
# 3.0.2 (npm) reads the chapter, but one of two authors.
# Exits 0 while this holds; output: "<p>One</p>" and "" of two chapters, and "Ann Lee" of "Ann Lee" and "Bob Roe".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @lingo-reader/epub-parser@0.4.6 epub2@3.0.2 > log 2>&1 \
  || { cat log; exit 1; }
python3 - <<'PYTHON'
from zipfile import ZipFile

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier>
<dc:title>Inn</dc:title><dc:creator>Ann Lee</dc:creator><dc:creator>Bob Roe</dc:creator>
<dc:language>en</dc:language></metadata><manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>
<item id="b" href="chapter%20two.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""
LINKS = """<nav xmlns:epub="http://www.idpf.org/2007/ops" epub:type="toc"><ol>
<li><a href="one.xhtml">One</a></li><li><a href="chapter%20two.xhtml">Two</a></li></ol></nav>"""
PAGES = {"nav": LINKS, "one": "<p>One</p>", "chapter two": "<p>Two</p>"}
with ZipFile("book.epub", "w") as book:
    book.writestr("mimetype", "application/epub+zip")
    book.writestr("META-INF/container.xml", CONTAINER)
    book.writestr("book.opf", PACKAGE)
    for name, body in PAGES.items():
        page = f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Inn</title></head><body>{body}</body></html>'
        book.writestr(f"{name}.xhtml", page)
PYTHON
cat > see.mjs <<'JAVASCRIPT'
import path from "node:path";
import { initEpubFile } from "@lingo-reader/epub-parser";
import epub2 from "epub2";

const file = path.resolve("book.epub");
const book = await initEpubFile(file, path.resolve("files"));
const chapters = [];
for (const { id } of book.getSpine()) chapters.push((await book.loadChapter(id)).html);
const other = await epub2.EPub.createAsync(file);
const seen = [...chapters, await other.getChapterAsync("b"), other.metadata.creator];
console.log(JSON.stringify(seen));
const expected = ["<p>One</p>", "", "<p>Two</p>", "Ann Lee"];
process.exit(JSON.stringify(seen) === JSON.stringify(expected) ? 0 : 1);
JAVASCRIPT
node see.mjs
