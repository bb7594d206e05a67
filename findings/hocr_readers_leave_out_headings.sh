#!/usr/bin/env bash
# hocr-tools-lib 1.3.0 and hocr-parser 0.0.5 read lines of the class ocr_line alone. Tesseract writes headings as ocr_header,
# captions as ocr_caption and floating text as ocr_textfloat, in the place of ocr_line. The searchable PDF that hocr-pdf
# makes of a page has none of their words, nor has the text of hocr-parser. The reader of archive-hocr-tools has all.
# Exits 0 while this holds; output: "Do not dive" of "Rule 7", "Do not dive", "Depth: 1.2 m" and "Figure 5", with both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  hocr-tools-lib==1.3.0 hocr-parser==0.0.5 archive-hocr-tools==1.1.70 pypdf==6.0.0
cd "$folder"
mkdir pages
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from pathlib import Path

from PIL import Image

LINES = (
    ("ocr_header", "Rule 7"),
    ("ocr_line", "Do not dive"),
    ("ocr_textfloat", "Depth: 1.2 m"),
    ("ocr_caption", "Figure 5"),
)


def write_line(kind, text, top):
    """Return a line as Tesseract writes it."""
    words = (
        f"<span class='ocrx_word' title='bbox {10 + 60 * place} {top} {60 + 60 * place} {top + 20}'>{word}</span>"
        for place, word in enumerate(text.split())
    )
    title = f"bbox 10 {top} 400 {top + 20}; baseline 0 -5"
    return f"<span class='{kind}' title='{title}'>{' '.join(words)}</span>"


lines = "\n".join(write_line(*line, 40 * place) for place, line in enumerate(LINES))
Path("pages/page.hocr").write_text(
    f"""<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title></title></head><body>
<div class='ocr_page' title='bbox 0 0 600 400'><div class='ocr_carea' title='bbox 10 0 400 200'>
<p class='ocr_par' lang='eng' title='bbox 10 0 400 200'>{lines}</p></div></div></body></html>"""
)
Image.new("RGB", (600, 400), "white").save("pages/page.jpg", dpi=(72, 72))
PYTHON
"$folder/venv/bin/hocr-pdf" --savefile page.pdf pages
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from hocr.parse import hocr_page_iterator
from hocr.text import hocr_page_text
from hocr_parser.parser import hocr_to_json
from pypdf import PdfReader

found = hocr_to_json("pages/page.hocr")["responses"][0]["textAnnotations"][1:]
seen = {
    "hocr-pdf": PdfReader("page.pdf").pages[0].extract_text().split(),
    "hocr-parser": [word["description"] for word in found],
    "archive-hocr-tools": hocr_page_text(next(hocr_page_iterator("pages/page.hocr"))).split(),
}
print(seen)
whole = "Rule 7 Do not dive Depth: 1.2 m Figure 5".split()
raise SystemExit([*seen.values()] != [["Do", "not", "dive"], ["Do", "not", "dive"], whole])
PYTHON
