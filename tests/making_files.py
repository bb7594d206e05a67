"""Makes small PDF and DOCX files, so that no binary file lies in the repository."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence
from xml.sax.saxutils import escape

_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPES = """<?xml version="1.0"?><Types
xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml"
ContentType="application/xml"/><Default Extension="rels"
ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override
PartName="/word/document.xml" ContentType=
"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
_RELATIONS = """<?xml version="1.0"?><Relationships
xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type=
"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
Target="word/document.xml"/></Relationships>"""


def pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """Return a PDF with the given lines of ASCII text on each page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    kids = []
    for lines in pages:
        shown = " T* ".join(f"({line.replace('(', '[').replace(')', ']')}) Tj" for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET" if lines else ""
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R"
            f" >> >> /Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    return pdf_of(objects)


def pdf_of(objects: Sequence[str | bytes]) -> bytes:
    """Return a PDF that consists of these objects, the first of which is the catalog."""
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        raw = body.encode("ascii") if isinstance(body, str) else body
        out += b"%d 0 obj\n%b\nendobj\n" % (number, raw)
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode("ascii")
    out += b"".join(f"{place:010} 00000 n \n".encode("ascii") for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n".encode("ascii")
    return bytes(out + f"startxref\n{start}\n%%EOF\n".encode("ascii"))


def pdf_stream(content: str, entries: str = "") -> bytes:
    """Return a compressed stream, with further entries in its dictionary."""
    packed = zlib.compress(content.encode("ascii"))
    head = f"<< /Length {len(packed)} /Filter /FlateDecode {entries} >>\nstream\n"
    return head.encode("ascii") + packed + b"\nendstream"


def docx(paragraphs: Sequence[tuple[str, str]]) -> bytes:
    """Return a DOCX with paragraphs, each a style ("" or "Heading1") and a text."""
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELATIONS)
        archive.writestr(
            "word/document.xml",
            f'<?xml version="1.0"?><w:document {_WORD}><w:body>{body}</w:body></w:document>',
        )
    return made.getvalue()
