"""Makes small office files, books and PDFs, so that the repository needs no binary files."""

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from struct import pack
from typing import Any
from xml.sax.saxutils import escape

_WORD = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
_PACKAGE = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
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


def pdf(pages: Sequence[Sequence[str]], title: str = "") -> bytes:
    """Return a PDF with the given lines of ASCII text on each page, or a black box, and a title."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    kids = []
    for lines in pages:
        content = " T* ".join(f"({line.replace('(', '[').replace(')', ']')}) Tj" for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {content} ET" if lines else "9 9 99 99 re f"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R"
            f" >> >> /Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append(f"<< /Title ({title}) >>")
    return pdf_of(objects, f"/Info {len(objects)} 0 R")


def pdf_of(objects: Sequence[str | bytes], more: str = "") -> bytes:
    """Return a PDF of these objects, the catalog first; `more` goes into the trailer."""
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        raw = body.encode("ascii") if isinstance(body, str) else body
        out += b"%d 0 obj\n%b\nendobj\n" % (number, raw)
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode("ascii")
    out += b"".join(f"{place:010} 00000 n \n".encode("ascii") for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {more} >>\n".encode("ascii")
    return bytes(out + f"startxref\n{start}\n%%EOF\n".encode("ascii"))


def pdf_page(
    content: str,
    *more: str | bytes,
    font: str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    resources: str = "",
    entries: str = "",
    catalog: str = "",
) -> bytes:
    """Return a PDF of one page with a font F1; further objects have the numbers from 6 on."""
    return pdf_of(
        [
            f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R {entries} "
            f"/Resources << /Font << /F1 5 0 R >> {resources} >> >>",
            pdf_stream(content),
            font,
            *more,
        ]
    )


def character_map(targets: Mapping[str, str]) -> bytes:
    """Return a map from codes of a font to text, both in hexadecimal digits."""
    rows = "".join(f"<{code}> <{target}>\n" for code, target in targets.items())
    digits = len(next(iter(targets), "00"))
    return pdf_stream(
        f"begincmap 1 begincodespacerange <{'0' * digits}> <{'f' * digits}> endcodespacerange\n"
        f"{len(targets)} beginbfchar\n{rows}endbfchar endcmap"
    )


def pdf_stream(content: str, entries: str = "") -> bytes:
    """Return a compressed stream, with further entries in its dictionary."""
    packed = zlib.compress(content.encode("ascii"))
    head = f"<< /Length {len(packed)} /Filter /FlateDecode {entries} >>\nstream\n"
    return head.encode("ascii") + packed + b"\nendstream"


def docx(paragraphs: Sequence[tuple[str, str]]) -> bytes:
    """Return a DOCX with paragraphs, each a style ("" or "Heading1") and a text."""
    return word(
        "".join(
            f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{escape(text)}</w:t></w:r>'
            "</w:p>"
            for style, text in paragraphs
        ),
        styles="".join(
            f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/>'
            "</w:style>"
            for n in (1, 2, 3)
        ),
    )


def word(body: str, **parts: str) -> bytes:
    """Return a DOCX with this body, and further parts such as "styles"."""
    relations = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{name}" Target="{name}.xml"/>' for name in parts
    )
    further = {
        f"word/{name}.xml": f"<w:{name} {_WORD}>{content}</w:{name}>"
        for name, content in parts.items()
    }
    return zip_parts(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": _RELATIONS,
            "word/document.xml": f"<w:document {_WORD}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": f"<Relationships {_PACKAGE}>{relations}"
            "</Relationships>",
            **further,
        }
    )


def zip_parts(parts: Mapping[str, str | bytes]) -> bytes:
    """Return an archive with the given contents by name; the bytes do not depend on the time.

    Names of tests may contain it, and must be equal in all processes that run tests.
    """
    archive_bytes = io.BytesIO()
    with zipfile.ZipFile(archive_bytes, "w") as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return archive_bytes.getvalue()


def epub(*chapters: str) -> bytes:
    """Return a book of chapters, each the body of a page; the archive has them in reverse order."""
    numbers = range(len(chapters))
    items = "".join(
        f'<item id="c{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in numbers
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    pages = {
        f"{n}.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{chapters[n]}</body></html>'
        for n in reversed(numbers)
    }
    return zip_parts(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:'
            'container"><rootfiles><rootfile full-path="book.opf" '
            'media-type="application/oebps-package+xml"/></rootfiles></container>',
            **pages,
            "book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/>'
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
        }
    )


def odf(kind: str, body: str, styles: str = "") -> bytes:
    """Return an ODF file of a kind, "text" or "spreadsheet", with the XML of its styles."""
    namespaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "table", "style")
    )
    return zip_parts(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {namespaces}>{styles}<office:body>"
            f"<office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
        }
    )


def workbook(*sheets: tuple[str, str]) -> bytes:
    """Return an XLSX of sheets, each a name and the XML of its rows."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet_list = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="s{n}"/>' for n, (name, _) in enumerate(sheets, 1)
    )
    main_part = (
        f'<workbook xmlns="{main}" xmlns:r="{_OFFICE}"><sheets>{sheet_list}</sheets></workbook>'
    )
    start = f'<worksheet xmlns="{main}"><sheetData>'
    parts = [f"{start}{rows}</sheetData></worksheet>" for _, rows in sheets]
    kinds = ("spreadsheetml.sheet", "worksheet")
    return _package("xl/workbook", main_part, "xl/sheet", parts, kinds)


def slides(*contents: str) -> bytes:
    """Return a PPTX of slides, each the XML of its shapes."""
    drawing = (
        'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
        f'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{_OFFICE}"'
    )
    slide_list = "".join(f'<p:sldId id="{256 + n}" r:id="s{n + 1}"/>' for n in range(len(contents)))
    main_part = f"<p:presentation {drawing}><p:sldIdLst>{slide_list}</p:sldIdLst></p:presentation>"
    start = f"<p:sld {drawing}><p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>"
    parts = [f"{start}{shapes}</p:spTree></p:cSld></p:sld>" for shapes in contents]
    kinds = ("presentationml.presentation", "slide")
    return _package("ppt/presentation", main_part, "ppt/slides/slide", parts, kinds)


def _package(
    path: str, main_part: str, part: str, parts: Sequence[str], kinds: tuple[str, str]
) -> bytes:
    """Return an Office file: the XML of the main part, and the numbered parts that it lists."""
    folder, name = path.split("/")
    numbered = {f"{part}{n}.xml": xml for n, xml in enumerate(parts, start=1)}
    related = "".join(
        f'<Relationship Id="s{n}" Type="{_OFFICE}/{kinds[1]}" Target="{file.partition("/")[2]}"/>'
        for n, file in enumerate(numbered, start=1)
    )
    relations = f"<Relationships {_PACKAGE}>{related}</Relationships>"
    types = _TYPES.replace("word/document", path)
    return zip_parts(
        {
            "[Content_Types].xml": types.replace("wordprocessingml.document", kinds[0]),
            "_rels/.rels": _RELATIONS.replace("word/document", path),
            f"{path}.xml": main_part,
            f"{folder}/_rels/{name}.xml.rels": relations,
            **numbered,
        }
    )


def old_slides(*slides: Sequence[str]) -> bytes:
    """Return a PowerPoint file of before 2007, of slides with a title and further texts."""

    def record(kind: int, body: bytes, *, version: int = 0) -> bytes:
        return pack("<HHI", version, kind, len(body)) + body

    slide_records = b""
    for number, texts in enumerate(slides):
        slide_records += record(0x3F3, pack("<IIiII", number + 2, 0, 1, 256 + number, 0))
        for place, text in enumerate(texts):
            slide_records += record(0xF9F, pack("<I", int(place > 0)))
            slide_records += record(0xFA0, text.encode("utf-16-le"))
    document = record(0x3E9, bytes(40), version=1) + record(0xFF0, slide_records, version=15)
    stream, places = record(0x3E8, document, version=15), [0]
    for _ in slides:
        places.append(len(stream))
        stream += record(0x3EE, record(0x3EF, bytes(24), version=2), version=15)
    directory = len(stream)
    count = len(places)
    stream += record(0x1772, pack(f"<I{count}I", count << 20 | 1, *places))
    edit = len(stream)
    stream += record(0xFF5, pack("<IHBB6I", 0, 0, 0, 3, 0, directory, 1, count + 1, 0, 0))
    user = pack("<IIIHHBBHI", 20, 0xE391C05F, edit, 0, 0x3F4, 3, 0, 0, 0)
    return compound({"Current User": record(0xFF6, user), "PowerPoint Document": stream})


def compound(streams: Mapping[str, bytes], unused: int = 0xFFFFFFFF) -> bytes:
    """Return a compound file of some short streams, as Office wrote before 2007."""
    none, last = 0xFFFFFFFF, 0xFFFFFFFE

    def entry(name: str, kind: int, start: int, size: int, *, child: int, after: int) -> bytes:
        encoded_name = name.encode("utf-16-le") + b"\0\0"
        links = pack("<HBBIII36x", len(encoded_name), kind, 1, none, after, child)
        return encoded_name.ljust(64, b"\0") + links + pack("<IQ", start, size)

    sectors, body = [0xFFFFFFFD, last], b""  # the first two: the sectors' table, the directory
    directory = entry("Root Entry", 5, last, 0, child=1, after=none)
    for number, (name, stream) in enumerate(streams.items(), start=1):
        after = number + 1 if number < len(streams) else none
        directory += entry(name, 2, len(sectors), 4096, child=none, after=after)
        sectors += [*range(len(sectors) + 1, len(sectors) + 8), last]
        body += stream.ljust(4096, b"\0")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + pack("<5H6x", 62, 3, 0xFFFE, 9, 6)
    head += pack("<10I", 0, 1, 1, 0, 4096, last, 0, last, 0, 0)
    table = pack("<128I", *sectors, *[unused] * (128 - len(sectors)))
    return head.ljust(512, b"\xff") + table + directory.ljust(512, b"\0") + body


def unzip_parts(package: bytes) -> dict[str, Any]:
    """Return the contents of an archive by name."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def change_part(package: bytes, name: str, *changes: str) -> bytes:
    """Return a package with replacements in one part; `texts` are old, new, old, new and so on."""
    parts = unzip_parts(package)
    parts[name] = parts[name].decode()
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        parts[name] = parts[name].replace(old, new)
    return zip_parts(parts)


def grid(*rows: str) -> str:
    """Return a table of Markdown, the header first; "|" divides cells."""
    head, *body = (f"| {' | '.join(row.split('|'))} |" for row in rows)
    return "\n".join([head.replace("|   |", "|  |"), "|" + " --- |" * (head.count("|") - 1), *body])
