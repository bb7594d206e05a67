#!/usr/bin/env bash
# kreuzberg 4.10.4: a paragraph of DOCX in which a text box is anchored is left out; the words of the box are read. Word
# anchors a box in the paragraph of the cursor, so any paragraph can be lost: the first one of a letter, a clause.
# Exits 0 while this holds; output: "'Boxed'" of "Do not swim." and a box.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  kreuzberg==4.10.4 python-docx==1.2.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import docx
import kreuzberg
from docx.oxml import parse_xml

SPACES = " ".join(
    f'xmlns:{name}="http://schemas.{of}"'
    for name, of in {
        "w": "openxmlformats.org/wordprocessingml/2006/main",
        "mc": "openxmlformats.org/markup-compatibility/2006",
        "wps": "microsoft.com/office/word/2010/wordprocessingShape",
        "wp": "openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "a": "openxmlformats.org/drawingml/2006/main",
    }.items()
)
BOX = "<w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p></w:txbxContent>"
SHAPE = f"""<w:r {SPACES} xmlns:v="urn:schemas-microsoft-com:vml"><mc:AlternateContent>
<mc:Choice Requires="wps"><w:drawing><wp:inline><wp:extent cx="900" cy="900"/>
<wp:docPr id="1" name="Box"/><a:graphic>
<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">
<wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr/><wps:txbx>{BOX}</wps:txbx><wps:bodyPr/></wps:wsp>
</a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>
<mc:Fallback><w:pict><v:shape><v:textbox>{BOX}</v:textbox></v:shape></w:pict></mc:Fallback>
</mc:AlternateContent></w:r>"""

document = docx.Document()
document.add_paragraph("Do not swim.")._p.append(parse_xml(SHAPE))
document.save("a.docx")
text = kreuzberg.extract_file_sync("a.docx").content
print(repr(text.strip()))
raise SystemExit("Boxed" not in text or "swim" in text)
PYTHON
