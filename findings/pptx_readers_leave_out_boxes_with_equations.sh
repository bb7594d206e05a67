#!/usr/bin/env bash
# python-pptx 1.0.2, markitdown 0.1.9 and kreuzberg 4.10.4 leave out a text box of a slide that has an equation, with
# its words: PowerPoint writes such a box as a choice ("mc:AlternateContent", "Requires" "a14") with a picture of it as
# the fallback. They see the title alone, and no warning is given.
# Exits 0 while this holds; output: "Speed", without "Never exceed 30 km/h".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  python-pptx==1.0.2 'markitdown[pptx]==0.1.9' kreuzberg==4.10.4
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import kreuzberg
from lxml import etree
from markitdown import MarkItDown
from pptx import Presentation
from pptx.util import Inches

CHOICE = "http://schemas.openxmlformats.org/markup-compatibility/2006"
A14 = "http://schemas.microsoft.com/office/drawing/2010/main"
EQUATION = f"""<a14:m xmlns:a14="{A14}"><m:oMath
xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>v</m:t></m:r></m:oMath></a14:m>"""

deck = Presentation()
slide = deck.slides.add_slide(deck.slide_layouts[5])
slide.shapes.title.text = "Speed"
box = slide.shapes.add_textbox(0, 0, Inches(5), Inches(1))
box.text_frame.text = "Never exceed 30 km/h: "
box.text_frame.paragraphs[0]._p.append(etree.fromstring(EQUATION))
spaces = {"mc": CHOICE, "a14": A14}
around = etree.SubElement(slide.shapes._spTree, f"{{{CHOICE}}}AlternateContent", nsmap=spaces)
etree.SubElement(around, f"{{{CHOICE}}}Choice", Requires="a14").append(box._element)
etree.SubElement(around, f"{{{CHOICE}}}Fallback")
deck.save("speed.pptx")

shapes = Presentation("speed.pptx").slides[0].shapes
texts = [
    " ".join(shape.text_frame.text for shape in shapes),
    MarkItDown().convert("speed.pptx").text_content,
    kreuzberg.extract_file_sync("speed.pptx").content,
]
print(*map(repr, texts), sep="\n")
raise SystemExit(not all("Speed" in text and "Never" not in text for text in texts))
PYTHON
