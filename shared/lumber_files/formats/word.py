"""Rewrites the XML of Word documents: what anydoc drops or misreads is text that it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lumber_files.formats.markdown_cleanup import set_apart
from lumber_files.formats.package import clean_description, link_targets, parse_xml
from lumber_files.formats.symbol_fonts import show_symbols

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SPACES = {
    "w": W,
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
}
_MOST_STYLES = 20  # that are based on each other; Word allows 10

PART = "\ue0f0"
"""The text in the place of a part that is of another format."""


def rewrite_word(root: Any, name: str, parts: Mapping[str, bytes]) -> list[str]:
    """Rewrite a part of a Word document; return the parts that take the place of each `PART`."""
    _show_text(root)
    _number_by_style(root, parts)
    _show_descriptions(root)
    if "word/styles.xml" not in parts:
        for style in _find(root, "//w:pStyle[starts-with(@w:val, 'Heading')]"):
            level = int(style.get(f"{{{W}}}val")[7:8] or 1) - 1
            _add(style.getparent(), "outlineLvl", str(level))
    for table in _find(root, "//w:tbl"):
        _mark_table(table)
    taken_in = []
    targets = link_targets(parts, name) if _find(root, "//w:altChunk") else {}
    for reference in _find(root, "//w:altChunk"):
        taken_in.append(targets.get(reference.get(f"{{{_RELATION}}}id"), ""))
        reference.getparent().replace(reference, _paragraph(PART))
    return taken_in


def _find(element: Any, path: str) -> Any:
    return element.xpath(path, namespaces=_SPACES)


def _add(parent: Any, tag: str, value: str | None = None, *, first: bool = False) -> Any:
    """Return a new child of an element, with a value."""
    child = parent.makeelement(f"{{{W}}}{tag}", {f"{{{W}}}val": value} if value else {})
    parent.insert(0 if first else len(parent), child)
    return child


def _show_text(root: Any) -> None:
    """Reduce a Word document to the text that a reader sees if all changes are accepted."""
    for control in _find(root, "//w:sdt"):
        for child in _find(control, "w:sdtContent/*"):
            control.addprevious(child)
        control.getparent().remove(control)
    shown = "@w:val=0 or @w:val='false'"
    for hidden in _find(root, f"//w:r[w:rPr/w:vanish[not({shown})]] | //w:tr[w:trPr/w:del]"):
        hidden.getparent().remove(hidden)
    for hyphen in _find(root, "//w:noBreakHyphen"):
        hyphen.tag, hyphen.text = f"{{{W}}}t", "\u2011"
    for ruby in _find(root, "//w:ruby"):  # a reading above a word, as in HTML
        word, reading = ("".join(_find(ruby, f"w:{tag}//w:t/text()")) for tag in ("rubyBase", "rt"))
        ruby.tag, ruby.text, ruby[:] = f"{{{W}}}t", f"{word}({reading})" if reading else word, []
    for symbol in _find(root, "//w:sym"):
        code = chr(int(symbol.get(f"{{{W}}}char") or "fffd", 16))
        symbol.text = show_symbols(code, symbol.get(f"{{{W}}}font", ""))
        symbol.tag = f"{{{W}}}t"
    for text in _find(root, "//w:r[w:rPr/w:rFonts]/w:t"):
        fonts = _find(text, "../w:rPr/w:rFonts/@*[local-name()='ascii' or local-name()='hAnsi']")
        text.text = show_symbols(text.text or "", *fonts)
    for style in _find(root, "//m:r/m:rPr/m:sty[@m:val='p']"):  # of upright letters, not signs
        if not any(map(str.isalpha, _find(style, "string(../../m:t)"))):
            style.getparent().remove(style)
    for paragraph in _find(root, "//w:p[.//w:vertAlign]"):
        before, kind = "", ""
        for text in _find(paragraph, ".//w:t"):
            aligned = _find(text, "string(../w:rPr/w:vertAlign/@w:val)")
            next_kind = "after" if kind in ("sup", "sub") else ""
            kind = {"superscript": "sup", "subscript": "sub"}.get(aligned, next_kind)
            text.text = set_apart(kind, before, text.text or "")
            text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            before = text.text[-1:]


def _mark_table(table: Any) -> None:
    """Take a table of one column apart; mark the header row of others."""
    rows = _find(table, "w:tr")
    if all(len(_find(row, "w:tc")) < 2 for row in rows):
        for block in _find(table, "w:tr/w:tc/*[self::w:p or self::w:tbl]"):
            table.addprevious(block)
        table.getparent().remove(table)
        return
    looks = _find(table, "w:tblPr/w:tblLook")
    if not looks or _find(table, "w:tr/w:trPr/w:tblHeader"):
        return  # anydoc reads the header row, or guesses
    first = looks[0].get(f"{{{W}}}firstRow") or int(looks[0].get(f"{{{W}}}val", "0"), 16) & 0x20
    is_head = first in ("1", "true", "on", 0x20)
    bold = _find(rows[0], "not(w:tc//w:r[w:t][not(w:rPr/w:b)])")
    head = rows[0]
    if not is_head and not bold:
        rows[0].addprevious(head := _add(table, "tr"))
        for _ in _find(rows[0], "w:tc"):
            _add(head, "tc")
    properties = _find(head, "w:trPr") or [_add(head, "trPr", first=True)]
    _add(properties[0], "tblHeader")


def _paragraph(text: str) -> Any:
    from lxml import etree

    paragraph = etree.Element(f"{{{W}}}p")
    _add(_add(paragraph, "r"), "t").text = text
    return paragraph


def _show_descriptions(root: Any) -> None:
    """Move the description of each picture into a paragraph after the one with the picture."""
    for picture in _find(root, "//wp:docPr[@descr] | //pic:cNvPr[@descr] | //*[@alt]"):
        text = clean_description(picture.attrib.pop("descr", "") or picture.attrib.pop("alt", ""))
        paragraphs = _find(picture, "ancestor::w:p[1][not(ancestor::mc:Fallback)]")
        if text and paragraphs and picture.tag != f"{{{_SPACES['pic']}}}cNvPr":
            paragraphs[0].addnext(_paragraph(text))


def _number_by_style(root: Any, parts: Mapping[str, bytes]) -> None:
    """Write the list and level that a paragraph has by its style into the paragraph."""
    styles: dict[str, tuple[str, ...]] = {}  # by name: what it is based on, its list and level
    for style in _find(parse_xml(parts.get("word/styles.xml", b"<x/>")), "//w:style[@w:styleId]"):
        paths = ("w:basedOn", "w:pPr/w:numPr/w:numId", "w:pPr/w:numPr/w:ilvl")
        own = tuple(_find(style, f"string({path}/@w:val)") for path in paths)
        styles[style.get(f"{{{W}}}styleId")] = own
    numbering = parse_xml(parts.get("word/numbering.xml", b"<x/>"))
    named = {
        style.get(f"{{{W}}}val"): style.getparent().get(f"{{{W}}}ilvl")
        for style in _find(numbering, "//w:lvl/w:pStyle")
    }
    for paragraph in _find(root, "//w:p[w:pPr/w:pStyle][not(w:pPr/w:numPr/w:numId)]"):
        properties = paragraph.find(f"{{{W}}}pPr")
        style, number, level = _find(properties, "string(w:pStyle/@w:val)"), "", ""
        for _ in range(_MOST_STYLES):
            level = level or named.get(style, "")
            style, number, own_level = styles.get(style, ("", "", ""))
            level = level or own_level
            if number or not style:
                break
        if number not in ("", "0"):
            listed = _add(properties, "numPr")
            _add(listed, "ilvl", level or "0")
            _add(listed, "numId", number)
