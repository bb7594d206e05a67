"""Reads office documents and books as Markdown, with anydoc.

anydoc reads them locally. Its client of a hosted service is for scanned PDFs, and is never used.
It receives the XML of a document only, whose size is checked while unpacking. Markup that anydoc
drops or misreads is rewritten first.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from io import BytesIO
from typing import Any
from zipfile import ZipFile, ZipInfo

from lumber_files.formats.html import plain_page
from lumber_files.formats.markdown_cleanup import convert_document, set_apart
from lumber_files.formats.sheets import divide_sheets, find_workbook, read_workbook
from lumber_files.limits import check_unpacked

_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_TITLE = f"""<p:sp xmlns:p="{_P}" xmlns:a="{_A}"><p:nvSpPr><p:cNvPr id="0" name=""/><p:cNvSpPr/>
<p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr/>
<p:txBody><a:p><a:r><a:t>Slide {{}}</a:t></a:r></a:p></p:txBody></p:sp>"""
_ODF = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

_RTF_RAISED = re.compile(rb"(\\super(?:\\[a-z]+-?\d*)*\s+)(?=\d)")
_RTF_HIDDEN = re.compile(rb"(?<!\\)\{[^{}]*\\(?:deleted|v)(?![a-z0-9])[^{}]*\}")
_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")


def read_document(content: bytes, max_unpacked: int) -> tuple[str, list[str]]:
    """Return the Markdown of a document, and notices of what it does not contain.

    Args:
        content: The file.
        max_unpacked: Maximum size in bytes of its unpacked XML.

    Raises:
        ValueError: Its content is of another format, damaged, encrypted, or exceeds a limit.
        TooMuchError: It unpacks to more than `max_unpacked`.
    """
    from anydoc import format_from_bytes

    kind = format_from_bytes(content)
    if kind == "pdf" or content[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise ValueError(f"it is {'PDF' if kind else 'HTML or XML'}, whatever its name says")
    if kind is None:
        encrypted = "EncryptedPackage".encode("utf-16-le") in content
        raise ValueError("it has a password" if encrypted else "it is damaged, or no such file")
    notices: list[str] = []
    if content.startswith(b"PK"):
        parts = _unpack(content, max_unpacked)
        if kind == "xlsx" and (workbook := find_workbook(parts)):
            return read_workbook(parts, workbook)
        content = _repack(parts, kind)
    elif kind == "rtf":
        content = _RTF_RAISED.sub(rb"\1^", _RTF_HIDDEN.sub(b"", content))
    markdown = convert_document(content, kind)
    return divide_sheets(markdown) if kind in ("xlsx", "ods") else markdown, notices


def _unpack(content: bytes, max_unpacked: int) -> dict[str, bytes]:
    """Return the XML of a package by name."""
    parts: dict[str, bytes] = {}
    size = 0
    with ZipFile(BytesIO(content)) as archive:
        for part in {part.filename: part for part in archive.infolist()}.values():
            if part.filename == "mimetype" or _may_be_xml(archive, part):
                # zipfile reads no more than the size that a part declares.
                check_unpacked(size + part.file_size, max_unpacked)
                parts[part.filename] = archive.read(part)
                size += len(parts[part.filename])
    return parts


def _repack(parts: Mapping[str, bytes], kind: str) -> bytes:
    """Return a package of XML, rewritten for anydoc."""
    repacked = BytesIO()
    with ZipFile(repacked, "w") as target:
        for name, xml in parts.items():
            target.writestr(name, _prepare_xml(xml, kind, name, parts))
    return repacked.getvalue()


def _may_be_xml(archive: ZipFile, part: ZipInfo) -> bool:
    """Return whether a part may be XML by its first bytes: a name does not show it."""
    with archive.open(part) as file:
        start = file.read(64)
    visible = start.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n")  # also in UTF-16
    return visible.startswith(b"<") or (not visible and any(start))


def _prepare_xml(xml: bytes, kind: str, name: str, names: Container[str]) -> bytes:
    """Return the XML of a part, with markup that anydoc ignores written in a form that it reads."""
    from lxml import etree

    if kind == "epub" and name.endswith(("html", "htm")):
        return plain_page(xml.decode("utf-8", "replace")).encode()
    is_word = kind == "docx" and _W.encode() in xml[:10_000]
    slide = _SLIDE.match(name)
    if not (is_word or slide or name == "content.xml"):
        return xml
    root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False))
    if is_word:
        _show_word_text(root)
        _mark_word_structure(root, has_styles="word/styles.xml" in names)
    elif slide:
        _show_slide(root, slide[1])
    else:
        _show_open_document(root)
    rewritten: bytes = etree.tostring(root)
    return rewritten


def _find(element: Any, path: str) -> Any:
    return element.xpath(path, namespaces={"w": _W})


def _show_word_text(root: Any) -> None:
    """Reduce a Word document to the text that a reader sees if all changes are accepted."""
    for control in _find(root, "//w:sdt"):
        for child in _find(control, "w:sdtContent/*"):
            control.addprevious(child)
        control.getparent().remove(control)
    for hidden in _find(
        root, "//w:r[w:rPr/w:vanish[not(@w:val=0 or @w:val='false')]] | //w:tr[w:trPr/w:del]"
    ):
        hidden.getparent().remove(hidden)
    for hyphen in _find(root, "//w:noBreakHyphen"):
        hyphen.tag, hyphen.text = f"{{{_W}}}t", "\u2011"
    for paragraph in _find(root, "//w:p[.//w:vertAlign]"):
        before, kind = "", ""
        for text in _find(paragraph, ".//w:t"):
            aligned = _find(text, "string(../w:rPr/w:vertAlign/@w:val)")
            next_kind = "after" if kind in ("sup", "sub") else ""
            kind = {"superscript": "sup", "subscript": "sub"}.get(aligned, next_kind)
            text.text = set_apart(kind, before, text.text or "")
            text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            before = text.text[-1:]


def _mark_word_structure(root: Any, *, has_styles: bool) -> None:
    """Mark the headings of a Word document without styles, and the header rows of its tables."""
    from lxml import etree

    for level in () if has_styles else range(6):
        for style in _find(root, f"//w:pStyle[@w:val='Heading{level + 1}']"):
            outline = etree.SubElement(style.getparent(), f"{{{_W}}}outlineLvl")
            outline.set(f"{{{_W}}}val", str(level))
    for table in _find(root, "//w:tbl"):
        _mark_table(table)


def _mark_table(table: Any) -> None:
    """Take a table of one column apart; mark the header row of others."""
    from lxml import etree

    rows = _find(table, "w:tr")
    if all(len(_find(row, "w:tc")) < 2 for row in rows):
        for block in _find(table, "w:tr/w:tc/*[self::w:p or self::w:tbl]"):
            table.addprevious(block)
        table.getparent().remove(table)
        return
    looks = _find(table, "w:tblPr/w:tblLook")
    if not looks or _find(table, "w:tr/w:trPr/w:tblHeader"):
        return  # anydoc reads the header row, or guesses
    first = looks[0].get(f"{{{_W}}}firstRow") or int(looks[0].get(f"{{{_W}}}val", "0"), 16) & 0x20
    is_head = first in ("1", "true", "on", 0x20)
    bold = _find(rows[0], "not(w:tc//w:r[w:t][not(w:rPr/w:b)])")
    head = rows[0]
    if not is_head and not bold:
        head = table.makeelement(head.tag)
        head.extend([table.makeelement(cell.tag) for cell in _find(rows[0], "w:tc")])
        rows[0].addprevious(head)
    properties = head.find(f"{{{_W}}}trPr")
    if properties is None:
        properties = table.makeelement(f"{{{_W}}}trPr")
        head.insert(0, properties)
    etree.SubElement(properties, f"{{{_W}}}tblHeader")


def _show_slide(root: Any, number: str) -> None:
    """Start a slide, which is a section, with its title or number."""
    from lxml import etree

    spaces = {"p": _P, "a": _A}
    for text in root.xpath("//a:r[a:rPr/@baseline > 0]/a:t", namespaces=spaces):
        text.text = set_apart("sup", "x", text.text or "")
    titles = "p:sp[.//p:ph[@type='title' or @type='ctrTitle']][normalize-space(p:txBody)]"
    for shapes in root.xpath("//p:cSld/p:spTree", namespaces=spaces):
        titled = shapes.xpath(titles, namespaces=spaces)
        shapes.insert(2, titled[0] if titled else etree.fromstring(_TITLE.format(number)))


def _show_open_document(root: Any) -> None:
    """Remove comments and hidden text from an ODF document, and set raised numbers apart."""
    from lxml import etree

    spaces = {name: _ODF.format(name) for name in ("office", "style", "text")}
    etree.strip_elements(root, f"{{{spaces['office']}}}annotation", with_tail=False)
    styles = "//style:style[style:text-properties[{}]]/@style:name"
    raised, hidden = (
        set(root.xpath(styles.format(condition), namespaces=spaces))
        for condition in ("starts-with(@style:text-position, 'super')", "@text:display='none'")
    )
    for span in root.xpath("//text:span[text()]", namespaces=spaces):
        style = span.get(f"{{{spaces['text']}}}style-name")
        if style in hidden:
            span.clear(keep_tail=True)
        elif style in raised:
            span.text = set_apart("sup", "x", span.text)
