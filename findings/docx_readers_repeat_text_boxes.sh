#!/usr/bin/env bash
# docx2txt 0.9 and docx2python 3.7.1: the words of a text box are read twice, as Word writes them twice: as a shape
# and, for older programs, as a fallback (mc:AlternateContent). Keywords count double, and a passage with a box quotes
# it twice. docx2txt is what LangChain's Docx2txtLoader and LlamaIndex's DocxReader read with.
# Exits 0 while this holds; output: "Boxed: 2 times by docx2txt, 2 times by docx2python".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  docx2txt==0.9 docx2python==3.7.1 python-docx==1.2.0
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import docx
import docx2txt
from docx.oxml import parse_xml
from docx2python import docx2python

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
document.add_paragraph("Before.")._p.append(parse_xml(SHAPE))
document.save("a.docx")
with docx2python("a.docx") as read:
    counts = [text.count("Boxed") for text in (docx2txt.process("a.docx"), read.text)]
print("Boxed: {} times by docx2txt, {} times by docx2python".format(*counts))
raise SystemExit(counts != [2, 2])
PYTHON
