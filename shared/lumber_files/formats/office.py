"""Reads office documents and books as Markdown, with anydoc.

anydoc reads them locally. Its client of a hosted service is for scanned PDFs, and is never used. It
receives only the XML of a document, whose size is checked while unpacking. Markup that anydoc drops
or misreads is rewritten first.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from lumber_files.encodings import decode
from lumber_files.formats.binary_office import (
    fill_blocks,
    list_left_out,
    number_cells,
    read_shapes,
    read_sheet_name,
    show_local_dates,
)
from lumber_files.formats.charts import rewrite_chart
from lumber_files.formats.html import plain_page, read_html, read_page
from lumber_files.formats.list_numbers import show_marked_ordinals
from lumber_files.formats.mail import read_mail
from lumber_files.formats.markdown_cleanup import convert_document, show_headings
from lumber_files.formats.open_document import read_open_workbook, rewrite_open_document
from lumber_files.formats.package import (
    SPACES,
    clean_description,
    find,
    is_page_number,
    link_targets,
    parse_xml,
    qualify,
    show_runs,
    zip_parts,
)
from lumber_files.formats.sheet_tables import divide_rows
from lumber_files.formats.sheets import read_drawings, read_workbook
from lumber_files.formats.symbol_fonts import show_symbols
from lumber_files.formats.word import EMPTY, PART, rewrite_word
from lumber_files.readers import check_unpacked

_SLIDE_TITLE = f"""<p:sp xmlns:p="{SPACES["p"]}" xmlns:a="{SPACES["a"]}"><p:nvSpPr>
<p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>
<p:txBody><a:p><a:r><a:t>Slide {{}}</a:t></a:r></a:p></p:txBody></p:sp>"""
# HTML, and email with HTML and pictures (MHTML), which programs save under names of Word and Excel.
_XML = re.compile(rb"[\xef\xbb\xbf\s]*<")
_HTML = re.compile(
    _XML.pattern + rb"(?:\?xml[^<>]*>\s*<)?(?:!doctype html|html|head|body|meta|style|div|table)\b",
    re.IGNORECASE,
)
_MAIL = re.compile(rb"(?:date|from|message-id|mime-version|subject):", re.IGNORECASE)
_TITLE_GIVEN = re.compile(rb"<dc:title[^>]*>([^<]+)</dc:title>")
_RTF_SUPERSCRIPT = re.compile(rb"(\\super(?:\\[a-z]+-?\d*)*\s+)(?=\d)")
_RTF_HIDDEN = re.compile(rb"(?<!\\)\{[^{}]*\\(?:deleted|v)(?![a-z0-9])[^{}]*\}")
_RTF_READING = re.compile(  # a word and its reading, in a field of an equation
    rb"\\\*\\fldinst\s*(?:(\{)\s*)?EQ\b[^(){}]{0,300}\(\\\\s\\\\up[\s\d]{0,9}"
    rb"(?:\(\)|(\([^(){}]{1,300}\)))[,;]([^(){}]{0,300})\)(?(1)\})"
)
_RTF_SYMBOL = re.compile(  # a field of a symbol, without a result
    rb"\\\*\\fldinst\s*(\{[^{}]{0,200})?\bSYMBOL\s+(\d{1,5})\s[^{}\"]{0,50}"
    rb"\"(\w[\w ]{0,30})\"[^{}]{0,100}(?=\}{1,2}\s*\{\\fldrslt\s*\{?(?:\\[a-z]+-?\d*\s?)*\})"
)
_RTF_HEADING = re.compile(rb"\{\\s(\d+)\\[^{}]*heading ([1-6]);\}", re.IGNORECASE)  # its style
_RTF_STYLED = re.compile(rb"\\s(\d+)(?=[\\ \r\n])")  # the style of a paragraph
_RTF_LIST = re.compile(rb"\{\\listoverride\s?\\listid(-?\d+)\\listoverridecount0\\ls(\d+)")
_RTF_ITEM = re.compile(rb"(?<!\\)\\ls(\d+)")
_RTF_HEADER = re.compile(rb"\{\\(?:header|footer)[lrf]?(?![a-z])")  # of pages
# The label of an item in RTF, which the text repeats after the label that anydoc writes.
_RTF_LABEL = re.compile(r"^( *)(?:(-)(?: [·•▪]| \\[*-])|- (\d+)\\?([.)])) ", re.MULTILINE)
_NOTE = re.compile(r"^\[\^\d+\]: ", re.MULTILINE)
_LINK = re.compile(rb"""<a\s[^<>]*href=["'](?:[^"'#]*/)?([^"'#/]+)""")  # the name of a page
_PAGE = re.compile(r"(?!META-INF/).*\.(?:x?html?|svg|xml)", re.IGNORECASE)
_NOT_IN_SPINE = "//*[contains(@media-type, 'html')][not(@properties='nav' or @id=//*/@idref)]"
_SYMBOL_OF_A_FONT = re.compile("[\uf000-\uf0ff]")  # the font may be unknown, as in RTF and DOC
_PAGE_NUMBER = re.compile(r"\n>?\n> \\\*$", re.MULTILINE)  # of the notes of a slide in PPT
_SLIDE_NUMBER = re.compile(r"^## Slide \d+(?: \(hidden slide\))?$", re.MULTILINE)
# Parts with page headers and footers, and XPaths of their lines and of the texts in a line.
_HEADERS = re.compile(
    r"word/(?:header|footer)\d*\.xml|(?:styles|content)\.xml|ppt/slides/slide\d+\.xml"
)
_LINES_OF_HEADERS = "//w:p[not(ancestor::w:p)] | (//style:header | //style:footer)//text:p"
_LINES_OF_HEADERS += "[not(ancestor::office:annotation)] | //presentation:*"
_LINES_OF_HEADERS += "[contains(local-name(), '-decl')][@presentation:name ="
_LINES_OF_HEADERS += "//drawing:page/@*[starts-with(local-name(), 'use-')]] "
_LINES_OF_HEADERS += "| //p:sp[not(*/p:cNvPr/@hidden)][*/*/p:ph[@type='ftr' or @type='dt']]//a:p"
_SHOWN = "(.//w:t/text() | .//a:t/text() | .//text:*/text() | text() | .//w:p | .//w:tab"
_SHOWN += "| .//w:r[.//w:p]/following-sibling::*[1] | .//w:ptab | .//w:br "
_SHOWN += "| .//text:*[not(node())])[not(ancestor::mc:Fallback | ancestor::office:annotation)]"
_TABLE_SIGNS = re.compile(r"^[ |-]+$|(?<!\\)\|", re.MULTILINE)
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")  # namespaces of Strict Open XML
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/"
# Charts of the kinds since Office 2016 are read as other charts, by another namespace.
_NEWER_CHARTS = b'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"'
_CHARTS = b'xmlns:cx="%b"' % SPACES["c"].encode()
_EMBEDDED = (b"<p:oleObj ", b"<o:OLEObject ", b"<oleObject ")  # objects that are shown as pictures
# Parts other than XML that are read: those that another part includes, and those of XLSB.
_READ_BESIDES_XML = re.compile(
    r"(?:\.(?:rtf|docx|docm|dotx|mht|mhtml|eml|txt)|^mimetype"
    r"|^xl/(?:workbook|styles|sharedstrings|worksheets/[^/]+)\.bin)$"
)


def read_document(content: bytes, max_unpacked: int) -> tuple[str, list[str], str]:
    """Return the Markdown, notices and given title of a document of up to `max_unpacked` bytes."""
    from anydoc import MalformedError, format_from_bytes

    kind = format_from_bytes(content)
    if kind is None and content.startswith(b"PK"):
        with suppress(BadZipFile):  # some programs write names with backslashes
            kind = format_from_bytes(content := zip_parts(_unpack(content, max_unpacked)))
    if kind is None:
        kind = format_from_bytes(content := fill_blocks(content, max_unpacked))
    if _HTML.match(content):
        page = decode(content, "it", is_markup=True)
        markdown, _, title = read_page(page.text.encode("utf-8", "replace"), max_unpacked)
        return markdown, [*page.notices], title
    if _MAIL.match(content):
        return read_mail(content, max_unpacked)
    if kind == "pdf" or _XML.match(content):
        raise ValueError(f"it is {'PDF' if kind else 'XML'}, despite its name")
    locked = not content.startswith(b"PK") and "EncryptedPackage".encode("utf-16-le") in content
    if locked or kind is None:
        raise ValueError("it has a password" if locked else "it is damaged, or of another format")
    notices: list[str] = []
    embedded: list[str] = []
    parts: dict[str, bytes] = {}
    if content.startswith(b"PK"):
        parts = _unpack(content, max_unpacked)
        if any(start in xml for xml in parts.values() for start in _EMBEDDED):
            notices.append("embedded objects left out")
        reads = {"xlsx": read_workbook, "ods": read_open_workbook}.get(kind)
        if reads and (workbook := reads(parts)):
            return workbook[0], [*notices, *workbook[1]], _given_title(parts)
        content = _repack(parts, kind, embedded, notices)
    elif kind == "rtf":
        # StarOffice writes \*\cs in place of \cs.
        content = _RTF_HIDDEN.sub(b"", content.replace(rb"\*\cs", rb"\cs"))
        content = _RTF_SUPERSCRIPT.sub(rb"\1^", _RTF_READING.sub(rb"\3\2", content))
        content = _RTF_SYMBOL.sub(_show_rtf_symbol, content)
        # Lists of a definition are counted together, as in Word.
        overrides = _RTF_LIST.findall(content)
        names = dict(overrides)  # one name for each definition
        lists = {name: names[kind] for kind, name in overrides}
        content = _RTF_ITEM.sub(lambda m: rb"\ls%b" % (lists.get(m[1]) or m[1]), content)
        levels = {style: int(level) - 1 for style, level in _RTF_HEADING.findall(content)}
        content = _RTF_STYLED.sub(
            lambda m: rb"%b\outlinelevel%d" % (m[0], levels[m[1]]) if m[1] in levels else m[0],
            content,
        )
    if kind == "xlsx" or not parts:  # a binary format
        notices += list_left_out(b"".join(parts.values()) or content, kind)
    shapes = [text for name in parts if kind == "xlsx" for text in read_drawings(parts, name)]
    if kind == "xlsx" and not parts:
        shapes, content = [*read_shapes(content)], show_local_dates(content)
    try:
        markdown = convert_document(content, kind, divide_rows if kind == "xlsx" else None)
    except MalformedError as error:
        if "FIB" in str(error):  # the first block of a DOC, which has another form before Word 97
            raise ValueError("Word 95 or older wrote it: save it in a newer format") from error
        if not re.search("no (?:slide list|chapter)", str(error)):
            raise
        markdown = ""
    if kind in ("pptx", "odp") and not _SLIDE_NUMBER.sub("", markdown).strip():
        markdown = ""  # slides without any text
    markdown = show_marked_ordinals(_PAGE_NUMBER.sub("", markdown.replace(f" {EMPTY}", "")))
    markdown = _RTF_LABEL.sub(r"\1\2\3\4 ", markdown) if kind == "rtf" else markdown
    for name in embedded:
        text, more = _read_part(name, parts, max_unpacked - sum(map(len, parts.values())))
        before, _, after = markdown.partition(PART)
        if before.rpartition("\n")[2].lstrip(" >").startswith("|"):  # PART is in a cell
            text = " ".join(_TABLE_SIGNS.sub(" ", text).split())
        markdown = f"{before}{text}{after}"
        notices += more
    if kind == "xlsx":
        name = read_sheet_name(parts.get("xl/workbook.bin", content))
        if name and not markdown.startswith("## ") and (markdown or shapes):  # the only sheet
            markdown = f"## {name}\n\n{markdown}".rstrip()
        markdown = "\n\n".join(filter(None, [markdown, *shapes]))
    elif kind != "epub":
        markdown = markdown if kind in ("pptx", "ppt", "odp") else show_headings(markdown)
        lines = []
        if kind == "rtf" and _RTF_HEADER.search(content):  # read as notes, as anydoc omits headers
            notes = _NOTE.split(convert_document(_RTF_HEADER.sub(rb"{\\footnote", content), kind))
            lines = _TABLE_SIGNS.sub(" ", "".join(notes[1:])).split("\n")
        for name in filter(_HEADERS.fullmatch, parts if markdown or kind != "pptx" else ()):
            for line in find(parse_xml(parts[name]), _LINES_OF_HEADERS):
                pieces = [text if isinstance(text, str) else " " for text in find(line, _SHOWN)]
                lines.append("".join(pieces).replace(PART, ""))
        for text in dict.fromkeys(" ".join(line.split()) for line in lines):
            if not is_page_number(text) and text not in markdown:
                markdown = f"{markdown}\n\n{text}".lstrip("\n")
        markdown = _SYMBOL_OF_A_FONT.sub("\ufffd", markdown)
    return markdown, notices, _given_title(parts)


def _show_rtf_symbol(field: re.Match[bytes]) -> bytes:
    """Return the RTF of the symbol of a field."""
    code = show_symbols(chr(int(field[2])), field[3].decode("latin-1")).encode("utf-16-le")
    units = (int.from_bytes(code[n : n + 2], "little", signed=True) for n in range(0, len(code), 2))
    return (field[1] or b"") + b"".join(b"\\u%d?" % unit for unit in units)


def _given_title(parts: Mapping[str, bytes]) -> str:
    """Return the title in the properties of a document, "" without one."""
    kinds = ("docProps/core.xml", "meta.xml", ".opf")  # Office Open XML, OpenDocument, EPUB
    titles = (_TITLE_GIVEN.search(xml) for name, xml in parts.items() if name.endswith(kinds))
    return next((match[1].decode("utf-8", "replace") for match in titles if match), "")


def _read_part(name: str, parts: Mapping[str, bytes], room: int) -> tuple[str, list[str]]:
    """Return the Markdown and notices of a part of another format."""
    suffix = posixpath.splitext(name)[1].lower()
    with suppress(Exception):  # a reader fails, or there is none: the rest is read
        content = parts[name]
        if content.startswith(b"PK") or suffix == ".rtf":
            return read_document(content, room)[:2]
        if suffix in (".mht", ".mhtml", ".eml"):
            return read_mail(content, room)[:2]
        text = decode(content, name, is_markup=True).text
        return (read_html(text) if "<" in text[:1000] else text), []
    return "", [f"the part {posixpath.basename(name)} is not read"]


def _unpack(content: bytes, max_unpacked: int) -> dict[str, bytes]:
    """Return the XML of a package by name, and included texts of other formats."""
    parts: dict[str, bytes] = {}
    size = 0
    with ZipFile(BytesIO(content)) as archive:
        for part in {part.filename: part for part in archive.infolist()}.values():
            # The name of a part does not show whether it is XML or UTF-16.
            with archive.open(part) as file:
                start = file.read(64)
            visible = start.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n")
            is_xml = visible.startswith(b"<") or (not visible and any(start))
            if is_xml or _READ_BESIDES_XML.search(part.filename.lower()):
                # zipfile reads no more than the size that a part declares.
                check_unpacked(size + part.file_size, max_unpacked)
                xml = archive.read(part).replace(_NEWER_CHARTS, _CHARTS)
                xml = xml.replace(b' Requires="cx', b' Needs="cx')  # anydoc then reads this choice
                parts[part.filename.replace("\\", "/")] = _STRICT.sub(_TRANSITIONAL, xml)
                size += part.file_size
    owners = [name.replace("_rels/", "")[:-5] for name in parts if name.endswith(".rels")]
    linked = [link for owner in owners for link in link_targets(parts, owner).values()]
    names = {link.lower(): link for link in linked}  # the case of a part's name may differ
    return {names.get(name.lower(), name): xml for name, xml in parts.items()}


def _repack(parts: dict[str, bytes], kind: str, embedded: list[str], notices: list[str]) -> bytes:
    """Return a package of XML, rewritten for anydoc; append the parts for `PART`, and notices."""
    from lxml import etree

    repacked: dict[str, bytes] = {}
    targets = link_targets(parts, "ppt/presentation.xml")
    ids = find(parse_xml(parts.get("ppt/presentation.xml", b"<x/>")), "//p:sldId/@r:id")
    slides = {targets.get(link): number for number, link in enumerate(ids, start=1)}
    for name, xml in parts.items():
        is_word = kind == "docx" and SPACES["w"].encode() in xml[:10_000]
        if kind == "epub" and _PAGE.fullmatch(name):
            page = decode(xml, posixpath.basename(name), is_markup=True)
            notices += page.notices
            xml = plain_page(page.text).encode()
        elif name.endswith(".opf"):
            xml = xml.replace(
                b"image/svg+xml", b"application/xhtml+xml"
            )  # SVG may be a page of a book
            links = {link for page in parts.values() for link in _LINK.findall(page)}
            for item in find(root := parse_xml(xml), _NOT_IN_SPINE):  # such as notes
                if posixpath.basename(item.get("href", "")).encode() in links:
                    spine = find(root, "//*[local-name()='spine']")[0]
                    etree.SubElement(spine, "itemref", idref=item.get("id"))
            xml = etree.tostring(root)
        elif "/charts/chart" in name:
            xml = rewrite_chart(parse_xml(xml))
        elif is_word or name in slides or name == "content.xml":
            root = parse_xml(xml)
            if is_word:
                included = rewrite_word(root, name, parts)
                if _HEADERS.fullmatch(name):
                    notices += ["parts that page headers include left out"] * bool(included)
                else:
                    embedded += included
            elif name in slides:
                _show_slide(root, slides[name])
            else:
                rewrite_open_document(root, parts)
            xml = etree.tostring(root)
            parts[name] = xml if is_word else parts[name]  # the lines of headers are read later
        elif name.startswith("xl/worksheets/sheet") and name.endswith(".bin"):
            xml = number_cells(xml)
        repacked[name] = show_local_dates(xml) if name == "xl/styles.bin" else xml
    return zip_parts(repacked)


def _show_slide(root: Any, number: int) -> None:
    """Start the section of a slide with its title or number, and a mark if it is hidden."""
    from lxml import etree

    for text in find(root, "//a:r[a:rPr/a:sym]/a:t[text()]"):  # only symbols have the font `a:sym`
        font = find(text, "string(../a:rPr/a:sym/@typeface)")
        text.text = _SYMBOL_OF_A_FONT.sub(lambda m: show_symbols(m[0], font), text.text)  # noqa: B023
    etree.strip_elements(root, qualify("a:hlinkClick"))  # anydoc shows the target of an empty one
    show_runs(root, "a", "a:latin/@typeface", "@baseline")
    for hidden in find(root, "//*[*/p:cNvPr[@hidden='1' or @hidden='true']]"):
        hidden.getparent().remove(hidden)
    for picture in find(root, "//p:cNvPr[@descr or @title]"):
        picture.set("descr", clean_description(picture.get("descr"), picture.get("title")))
    titles = "p:sp[.//p:ph[@type='title' or @type='ctrTitle']][normalize-space(p:txBody)]"
    for shapes in find(root, "//p:cSld/p:spTree"):
        titled = find(shapes, titles)
        shapes.insert(2, titled[0] if titled else etree.fromstring(_SLIDE_TITLE.format(number)))
        if root.get("show") in ("0", "false"):
            find(shapes[2], ".//a:t")[-1].text += " (hidden slide)"
