"""Reads documents of offices, and books, as Markdown, with anydoc.

anydoc reads them on this machine. Its client of a hosted service is for scanned PDFs, and is never
asked. It gets the XML of a document only, which is counted as it is unpacked, and where it would
leave something out, or take it for something else, that is said in the XML first.
"""

from __future__ import annotations

import re
from collections.abc import Container
from io import BytesIO
from itertools import groupby
from typing import Any
from zipfile import ZipFile, ZipInfo

from lumber_files.formats.html import plain_page
from lumber_files.formats.markdown_cleanup import convert_document, set_apart
from lumber_files.limits import check_unpacked

_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_TITLE = f"""<p:sp xmlns:p="{_P}" xmlns:a="{_A}"><p:nvSpPr><p:cNvPr id="0" name=""/><p:cNvSpPr/>
<p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr/>
<p:txBody><a:p><a:r><a:t>Slide {{}}</a:t></a:r></a:p></p:txBody></p:sp>"""
_ODF = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

_RAISED_IN_RTF = re.compile(rb"(\\super(?:\\[a-z]+-?\d*)*\s+)(?=\d)")
_UNSEEN_IN_RTF = re.compile(rb"(?<!\\)\{[^{}]*\\(?:deleted|v)(?![a-z0-9])[^{}]*\}")
_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")
_CELL_END = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(r"[-+(]?[$\u20ac\xa3]?(?!(?:19|20)\d\d$)\d")  # years may name columns


def read_document(content: bytes, most: int) -> str:
    """Return the Markdown of a document.

    Args:
        content: The file.
        most: Maximum size in bytes of its XML, unpacked.

    Raises:
        ValueError: Its content is of another format, damaged, encrypted, or exceeds a limit.
        TooMuchError: It unpacks to more than `most`.
    """
    from anydoc import format_from_bytes

    found = format_from_bytes(content)
    if found == "pdf" or content[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise ValueError(f"it is {'PDF' if found else 'HTML or XML'}, whatever its name says")
    if found is None:
        encrypted = "EncryptedPackage".encode("utf-16-le") in content
        raise ValueError("it has a password" if encrypted else "it is damaged, or no such file")
    if content.startswith(b"PK"):
        content = _repack(content, most, found)
    elif found == "rtf":
        content = _RAISED_IN_RTF.sub(rb"\1^", _UNSEEN_IN_RTF.sub(b"", content))
    markdown = convert_document(content, found)
    return _divide_sheets(markdown) if found in ("xlsx", "ods") else markdown


def _repack(content: bytes, most: int, kind: str) -> bytes:
    """Return an archive with the XML of another, as anydoc is to read it."""
    made, size = BytesIO(), 0
    with ZipFile(BytesIO(content)) as archive, ZipFile(made, "w") as kept:
        parts = {part.filename: part for part in archive.infolist()}
        for name, part in parts.items():
            if name == "mimetype" or _may_be_xml(archive, part):
                check_unpacked(size + part.file_size, most)  # no more than it declares is read
                xml = archive.read(part)
                size += len(xml)
                kept.writestr(name, _as_read(xml, kind, name, parts))
    return made.getvalue()


def _may_be_xml(archive: ZipFile, part: ZipInfo) -> bool:
    """Return whether a part may be XML by what it begins with: any part may have the text."""
    with archive.open(part) as file:
        begins = file.read(64)
    said = begins.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n")  # also in UTF-16
    return said.startswith(b"<") or (not said and any(begins))


def _as_read(xml: bytes, kind: str, name: str, names: Container[str]) -> bytes:
    """Return the XML of a part with what a reader sees said in a way that anydoc heeds."""
    from lxml import etree

    if kind == "epub" and name.endswith(("html", "htm")):
        return plain_page(xml.decode("utf-8", "replace")).encode()
    is_word = kind == "docx" and _W.encode() in xml[:10_000]
    slide = _SLIDE.match(name)
    if not (is_word or slide or name == "content.xml"):
        return xml
    root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False))
    if is_word:
        _show_word(root, has_styles="word/styles.xml" in names)
    elif slide:
        _show_slide(root, slide[1])
    else:
        _show_open_document(root)
    shown: bytes = etree.tostring(root)
    return shown


def _show_word(root: Any, *, has_styles: bool) -> None:
    """Show the text of a Word document as it is when its changes are accepted."""
    from lxml import etree

    def find(path: str, element: Any = root) -> Any:
        return element.xpath(path, namespaces={"w": _W})

    for control in find("//w:sdt"):
        for child in find("w:sdtContent/*", control):
            control.addprevious(child)
        control.getparent().remove(control)
    for gone in find(
        "//w:r[w:rPr/w:vanish[not(@w:val=0 or @w:val='false')]] | //w:tr[w:trPr/w:del]"
    ):
        gone.getparent().remove(gone)
    for hyphen in find("//w:noBreakHyphen"):
        hyphen.tag, hyphen.text = f"{{{_W}}}t", "\u2011"
    if not has_styles:
        for level in range(6):
            for style in find(f"//w:pStyle[@w:val='Heading{level + 1}']"):
                outline = etree.SubElement(style.getparent(), f"{{{_W}}}outlineLvl")
                outline.set(f"{{{_W}}}val", str(level))
    for paragraph in find("//w:p[.//w:vertAlign]"):
        before, kind = "", ""
        for text in find(".//w:t", paragraph):
            aligned = find("string(../w:rPr/w:vertAlign/@w:val)", text)
            behind = "after" if kind in ("sup", "sub") else ""
            kind = {"superscript": "sup", "subscript": "sub"}.get(aligned, behind)
            text.text = set_apart(kind, before, text.text or "")
            text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            before = text.text[-1:]
    for table in find("//w:tbl"):
        _show_table(table, find)


def _show_table(table: Any, find: Any) -> None:
    """Take a table of one column apart; tell of others whether the first row is a header."""
    from lxml import etree

    rows = find("w:tr", table)
    if all(len(find("w:tc", row)) < 2 for row in rows):
        for block in find("w:tr/w:tc/*[self::w:p or self::w:tbl]", table):
            table.addprevious(block)
        table.getparent().remove(table)
        return
    looks = find("w:tblPr/w:tblLook", table)
    if not looks or find("w:tr/w:trPr/w:tblHeader", table):
        return  # anydoc knows, or guesses
    first = looks[0].get(f"{{{_W}}}firstRow") or int(looks[0].get(f"{{{_W}}}val", "0"), 16) & 0x20
    is_head = first in ("1", "true", "on", 0x20)
    bold = find("not(w:tc//w:r[w:t][not(w:rPr/w:b)])", rows[0])
    head = rows[0]
    if not is_head and not bold:
        head = table.makeelement(head.tag)
        head.extend([table.makeelement(cell.tag) for cell in find("w:tc", rows[0])])
        rows[0].addprevious(head)
    properties = head.find(f"{{{_W}}}trPr")
    if properties is None:
        properties = table.makeelement(f"{{{_W}}}trPr")
        head.insert(0, properties)
    etree.SubElement(properties, f"{{{_W}}}tblHeader")


def _show_slide(root: Any, number: str) -> None:
    """Begin a slide with its title, or number, as it is a section of its own."""
    from lxml import etree

    spaces = {"p": _P, "a": _A}
    for text in root.xpath("//a:r[a:rPr/@baseline > 0]/a:t", namespaces=spaces):
        text.text = set_apart("sup", "x", text.text or "")
    titles = "p:sp[.//p:ph[@type='title' or @type='ctrTitle']][normalize-space(p:txBody)]"
    for shapes in root.xpath("//p:cSld/p:spTree", namespaces=spaces):
        titled = shapes.xpath(titles, namespaces=spaces)
        shapes.insert(2, titled[0] if titled else etree.fromstring(_TITLE.format(number)))


def _show_open_document(root: Any) -> None:
    """Leave comments out of an ODF document, and set raised numbers apart."""
    from lxml import etree

    spaces = {name: _ODF.format(name) for name in ("office", "style", "text")}
    etree.strip_elements(root, f"{{{spaces['office']}}}annotation", with_tail=False)
    styles = "//style:style[style:text-properties[{}]]/@style:name"
    raised, hidden = (
        set(root.xpath(styles.format(said), namespaces=spaces))
        for said in ("starts-with(@style:text-position, 'super')", "@text:display='none'")
    )
    for span in root.xpath("//text:span[text()]", namespaces=spaces):
        style = span.get(f"{{{spaces['text']}}}style-name")
        if style in hidden:
            span.clear(keep_tail=True)
        elif style in raised:
            span.text = set_apart("sup", "x", span.text)


def _divide_sheets(markdown: str) -> str:
    """Divide sheets at empty rows, and leave out empty columns."""
    blocks: list[str] = []
    for block in markdown.split("\n\n"):
        if not block.startswith("|"):
            blocks.append(block)
            continue
        first, _, *more = block.split("\n")
        head: list[str] = []
        for filled, lines in groupby((first, *more), lambda line: bool(line.strip("| "))):
            if filled:
                rows = [[cell.strip() for cell in _CELL_END.split(line)[1:-1]] for line in lines]
                head = _write_table(rows, head, blocks)
    return "\n\n".join(blocks)


def _write_table(rows: list[list[str]], above: list[str], blocks: list[str]) -> list[str]:
    """Write a table of a sheet, and the lines above it; return its header.

    Args:
        rows: Its cells.
        above: The header of the table above it in the sheet, which holds on if this has none.
        blocks: Where to write it.
    """
    while rows and sum(map(bool, rows[0])) == 1 and (len(rows) == 1 or sum(map(bool, rows[1])) > 1):
        blocks.append(f"**{''.join(rows.pop(0))}**")
    if not rows:
        return above
    columns = [n for n, column in enumerate(zip(*rows, strict=True)) if any(column)]
    first = [rows[0][n] for n in columns]
    if all(first[1:]) and len(rows) > 1 and not any(map(_NUMBER.match, first)):
        above = rows.pop(0)
    elif not above or not all(above[n] for n in columns[1:]):
        above = [""] * len(rows[0])
    lines = [above, ["---"] * len(above), *rows]
    shown = [" | ".join(line[n] for n in columns) for line in lines]
    blocks.append("\n".join(f"| {line} |" for line in shown))
    return above
