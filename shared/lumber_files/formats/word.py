"""Rewrites the XML of Word documents: what anydoc drops or misreads is text that it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lumber_files.formats.package import (
    clean_description,
    find,
    link_targets,
    parse_xml,
    qualify,
    show_runs,
)
from lumber_files.formats.symbol_fonts import show_symbols

_MOST_STYLES = 20  # that are based on each other; Word allows 10

PART = "\ue0f0"
"""The text in the place of a part that is of another format."""


def rewrite_word(root: Any, name: str, parts: Mapping[str, bytes]) -> list[str]:
    """Rewrite a part of a Word document; return the parts that take the place of each `PART`."""
    _show_text(root)
    _number_by_style(root, parts)
    _show_descriptions(root)
    for table in find(root, "//w:tbl"):
        _mark_table(table)
    embedded = []
    references = find(root, "//w:altChunk")
    targets = link_targets(parts, name) if references else {}
    for reference in references:
        embedded.append(targets.get(reference.get(qualify("r:id")), ""))
        reference.getparent().replace(reference, _make_paragraph(root, PART))
    return embedded


def _add(parent: Any, tag: str, value: str | None = None, *, first: bool = False) -> Any:
    """Return a new child of an element, with a value."""
    child = parent.makeelement(qualify(f"w:{tag}"), {qualify("w:val"): value} if value else {})
    parent.insert(0 if first else len(parent), child)
    return child


def _make_paragraph(root: Any, text: str) -> Any:
    paragraph = root.makeelement(qualify("w:p"))
    _add(_add(paragraph, "r"), "t").text = text
    return paragraph


def _show_text(root: Any) -> None:
    """Reduce a Word document to the text that a reader sees if all changes are accepted."""
    from lxml.etree import strip_elements, strip_tags

    strip_elements(root, qualify("w:sdtPr"), qualify("w:sdtEndPr"))
    strip_tags(root, qualify("w:sdt"), qualify("w:sdtContent"))  # controls of a form
    shown = "@w:val=0 or @w:val='false'"
    for hidden in find(root, f"//w:r[w:rPr/w:vanish[not({shown})]] | //w:tr[w:trPr/w:del]"):
        hidden.getparent().remove(hidden)
    show_runs(root, "w", "w:rFonts/@w:ascii | w:rFonts/@w:hAnsi", "w:vertAlign/@w:val")
    for sign in find(root, "//w:noBreakHyphen | //w:ruby | //w:sym"):
        if sign.tag == qualify("w:ruby"):  # a reading above a word, as in HTML
            word, reading = (
                "".join(find(sign, f"{tag}//w:t/text()")) for tag in ("w:rubyBase", "w:rt")
            )
            text = f"{word}({reading})" if reading else word
        elif code := sign.get(qualify("w:char")):
            text = show_symbols(chr(int(code, 16)), sign.get(qualify("w:font"), ""))
        else:
            text = "\u2011"
        sign.tag, sign.text, sign[:] = qualify("w:t"), text, []
    for style in find(root, "//m:r/m:rPr/m:sty[@m:val='p']"):  # of upright letters, not signs
        if not any(map(str.isalpha, find(style, "string(../../m:t)"))):
            style.getparent().remove(style)


def _mark_table(table: Any) -> None:
    """Take a table of one column apart; mark the header row of others."""
    rows = find(table, "w:tr")
    if all(len(find(row, "w:tc")) < 2 for row in rows):
        for block in find(table, "w:tr/w:tc/*[self::w:p or self::w:tbl]"):
            table.addprevious(block)
        table.getparent().remove(table)
        return
    looks = find(table, "w:tblPr/w:tblLook")
    if not looks or find(table, "w:tr/w:trPr/w:tblHeader"):
        return  # anydoc reads the header row, or guesses
    first = (
        looks[0].get(qualify("w:firstRow")) or int(looks[0].get(qualify("w:val"), "0"), 16) & 0x20
    )
    is_head = first in ("1", "true", "on", 0x20)
    bold = find(rows[0], "not(w:tc//w:r[w:t][not(w:rPr/w:b)])")
    head = rows[0]
    if not is_head and not bold:
        rows[0].addprevious(head := _add(table, "tr"))
        for _ in find(rows[0], "w:tc"):
            _add(head, "tc")
    properties = find(head, "w:trPr") or [_add(head, "trPr", first=True)]
    _add(properties[0], "tblHeader")


def _show_descriptions(root: Any) -> None:
    """Move the description of each picture into a paragraph after the one with the picture."""
    for picture in find(root, "//*[@descr] | //*[@alt]"):
        text = clean_description(picture.attrib.pop("descr", "") or picture.attrib.pop("alt", ""))
        paragraphs = find(picture, "ancestor::w:p[1][not(ancestor::*[local-name()='Fallback'])]")
        if text and paragraphs and not picture.tag.endswith("}cNvPr"):  # said by its frame as well
            paragraphs[0].addnext(_make_paragraph(root, text))


def _number_by_style(root: Any, parts: Mapping[str, bytes]) -> None:
    """Write the list and level that a paragraph has by its style into the paragraph."""
    styles, numbering = (
        parse_xml(parts.get(f"word/{name}.xml", b"<x/>")) for name in ("styles", "numbering")
    )
    # What a style is based on, its list and its level there.
    paths = ("w:basedOn/@w:val", "w:pPr/w:numPr/w:numId/@w:val", "w:pPr/w:numPr/w:ilvl/@w:val")
    given = {
        find(style, "string(@w:styleId)"): [find(style, f"string({path})") for path in paths]
        for style in find(styles, "//w:style")
    }
    for named in find(numbering, "//w:lvl/w:pStyle"):
        if own := given.get(named.get(qualify("w:val"))):
            own[2] = named.getparent().get(qualify("w:ilvl"))
    for paragraph in find(root, "//w:p[w:pPr/w:pStyle][not(w:pPr/w:numPr/w:numId)]"):
        properties = paragraph.find(qualify("w:pPr"))
        style, number, level = find(properties, "string(w:pStyle/@w:val)"), "", ""
        for _ in range(_MOST_STYLES):
            style, number, own_level = given.get(style, ("", "", ""))
            level = level or own_level
            if number or not style:
                break
        if number not in ("", "0"):
            listed = _add(properties, "numPr")
            _add(listed, "ilvl", level or "0")
            _add(listed, "numId", number)
