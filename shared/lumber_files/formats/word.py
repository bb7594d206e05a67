"""Rewrites the XML of Word documents, so that anydoc reads text it would drop or misread."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from functools import cache, lru_cache
from typing import Any

from lumber_files.formats.list_numbers import mark_ordinal
from lumber_files.formats.package import (
    clean_description,
    find,
    find_linked,
    link_targets,
    parse_xml,
    qualify,
    show_runs,
)
from lumber_files.formats.symbol_fonts import show_symbols

# Properties that a style may give: list and level, hidden text or superscripts, a symbol font.
_GIVEN = "w:pPr/w:numPr/* | w:rPr/*[self::w:vanish or self::w:vertAlign or @w:ascii='Symbol'"
_GIVEN += " or contains(@w:ascii, 'dings')]"  # Wingdings, Webdings
_IS_ON = "[not(@w:val=0 or @w:val='false')]"
_UNSEEN = f"//w:r[w:rPr/w:vanish{_IS_ON}] | //w:tc[w:tcPr/w:cellDel]"
# Word states only whether the mark at the end of a row is hidden. A row with such a mark is hidden
# if all its text is.
_UNSEEN += "| //w:tr[w:trPr/w:del or (w:trPr/w:hidden"
_UNSEEN += f" and not(.//w:t[not(../w:rPr/w:vanish{_IS_ON})]))]"
# Paragraphs that continue in the next: their mark is deleted, or they are a drop cap.
_GOES_ON = "//w:p[w:pPr/w:rPr[w:del or w:moveFrom] or w:pPr/w:framePr/@w:dropCap[.!='none']]"
# Formats with letters, with a text instead of a number, or with a tick of pandoc's task lists.
_SHOWN_BY_TEXT = "//w:lvl[not(w:isLgl) and w:lvlText/@w:val != '']/w:numFmt[@w:val='none' or "
_SHOWN_BY_TEXT += (
    "@w:val='lowerLetter' or @w:val='upperLetter' or ../w:lvlText[@w:val='☐' or @w:val='☒']]"
)
# In an equation, a word with its reading above it, or a character in a circle.
_OVERSTRIKE = re.compile(
    r"\\o[^()]*\((?:\\s\\up[\s\d]*\(([^()]*)\)|.)\s*[,;]([^()]*)\)", re.IGNORECASE
)
_SYMBOL = re.compile(r'(\d{1,5})\s+\\f\s+"?([^"\\]+)')  # the code and font in a field SYMBOL
_FORMATTING = re.compile(r'\\\*\s*(?:"[^"]*"|\S+)')

PART = "\ue0f0"
"""The text that replaces a part of another format."""
EMPTY = "\ue0f1"
"""The text of a numbered cell that has no text."""


def rewrite_word(root: Any, name: str, parts: Mapping[str, bytes]) -> list[str]:
    """Rewrite a part of a Word document; return the part that replaces each `PART`."""
    main = find_linked(parts, "", "officeDocument")
    styles, numbering = (
        parts.get(find_linked(parts, main, kind), b"<x/>") for kind in ("styles", "numbering")
    )
    _apply_styles(root, _read_styles(styles, numbering))
    _join_lists(root, numbering)
    _show_fields(root)
    _mark_numbers(root)
    _show_text(root)
    for cell in find(root, "//w:tc/w:p[w:pPr/w:numPr][not(normalize-space())]"):
        cell.append(_make_paragraph(root, EMPTY)[0])
    _show_descriptions(root)
    for drawn in reversed(find(root, "//w:p//a:p[normalize-space()]")):  # on a canvas
        paragraph = find(drawn, "ancestor::w:p[1]")[0]
        paragraph.addnext(_make_paragraph(root, "".join(drawn.itertext(qualify("a:t")))))
    for table in find(root, "//w:tbl"):
        _mark_table(table)
    references, targets = find(root, "//w:altChunk"), link_targets(parts, name)
    for reference in references:
        reference.getparent().replace(reference, _make_paragraph(root, PART))
    return [
        targets.get(reference.get(qualify("r:id")), "without a target") for reference in references
    ]


def _add(parent: Any, tag: str, value: str | None = None, *, first: bool = False) -> Any:
    """Return a new child of an element, with a value."""
    child = parent.makeelement(qualify(f"w:{tag}"), {qualify("w:val"): value} if value else {})
    parent.insert(0 if first else len(parent), child)
    return child


def _make_paragraph(root: Any, text: str) -> Any:
    paragraph = root.makeelement(qualify("w:p"))
    _add(_add(paragraph, "r"), "t").text = text
    return paragraph


@lru_cache(maxsize=1)  # all parts of a document have the same styles
def _read_styles(styles: bytes, numbering: bytes) -> dict[str, Any]:
    """Return the styles of a document by their IDs, with the levels of lists that they have."""
    by_id = {
        style.get(qualify("w:styleId")): style for style in find(parse_xml(styles), "//w:style")
    }
    for level in find(parse_xml(numbering), "//w:lvl[w:pStyle]"):
        if (style := by_id.get(find(level, "string(w:pStyle/@w:val)"))) is not None:
            listed = _add(_add(style, "pPr", first=True), "numPr")
            _add(listed, "ilvl", level.get(qualify("w:ilvl")))
    return by_id


def _apply_styles(root: Any, styles: Mapping[str, Any]) -> None:
    """Copy properties of styles into paragraphs and runs; see `_GIVEN`."""
    number = qualify("w:numId")

    @cache
    def properties_of(name: str) -> dict[str, Any]:
        """Return the properties of a style and of those that it is based on, by their tags."""
        properties, chain = dict[str, Any](), [styles.get(name)]
        while chain[-1] is not None and len(chain) < 20:  # Word allows 10
            for element in find(chain[-1], _GIVEN):
                properties.setdefault(element.tag, element)
            chain.append(styles.get(find(chain[-1], "string(w:basedOn/@w:val)")))
        return properties

    # The run's own style takes precedence.
    for style in [*root.iter(qualify("w:rStyle")), *root.iter(qualify("w:pStyle"))]:
        for tag, element in properties_of(style.get(qualify("w:val"))).items():
            in_list = tag in (number, qualify("w:ilvl"))
            kind, key = ("numPr", number) if in_list else ("rPr", tag)
            holder = style.getparent()
            for place in [holder] if in_list else holder.getparent().iter(qualify("w:r")):
                properties = find(place, f"w:{kind}") or [_add(place, kind, first=not in_list)]
                if properties[0].find(key) is None:
                    properties[0].append(deepcopy(element))


def _join_lists(root: Any, numbering: bytes) -> None:
    """Give one number to the lists of a definition, up to a list that starts anew.

    Word counts them together; anydoc counts each by itself.
    """
    lists = find(parse_xml(numbering), "//w:num[not(w:lvlOverride/w:lvl)]")
    definitions = {number.get(qualify("w:numId")): number for number in lists}
    joined, begun = dict[str, str](), set[str]()
    for listed in find(root, "//w:p/w:pPr/w:numPr/w:numId"):
        number = listed.get(qualify("w:val"))
        if (definition := definitions.get(number)) is not None:
            kind = find(definition, "string(w:abstractNumId/@w:val)")
            is_new = number not in begun and find(definition, "boolean(w:lvlOverride)")
            joined[kind] = number if is_new else joined.get(kind, number)
            begun.add(number)
            listed.set(qualify("w:val"), joined[kind])


def _show_fields(root: Any) -> None:
    """Write the displayed text of fields without a stored result after them."""
    entry = "string(w:ffData/w:ddList/w:listEntry[1 + sum(../w:result/@w:val)]/@w:val)"
    fields: list[list[str]] = []  # of each open field: the chosen entry, instruction and result
    for part in root.iter(*map(qualify, ("w:fldChar", "w:instrText", "w:t"))):
        kind = part.get(qualify("w:fldCharType"))
        if kind == "begin":
            fields.append([find(part, entry), ""])
        elif fields and kind == "end":
            chosen, instruction, *result = fields.pop()
            if not "".join(result) and (text := chosen or _show_field(instruction.strip())):
                part.addnext(shown := root.makeelement(qualify("w:t")))
                shown.text = text
        elif fields:  # at the separator, the result begins
            fields[-1] += [""] * (kind == "separate")
            fields[-1][-1] += part.text or ""


def _show_field(instruction: str) -> str:
    """Return the text of a field by its instruction, "" if it is of another kind."""
    name, _, rest = _FORMATTING.sub("", instruction).partition(" ")
    if name.upper() == "SYMBOL" and (symbol := _SYMBOL.match(rest)):
        return show_symbols(chr(int(symbol[1])), symbol[2].strip())
    prompt = rest.strip().partition(" ")[2].strip()  # after the name of a macro
    shown = {"EQ": rest.strip(), "MACROBUTTON": prompt, "GOTOBUTTON": prompt}.get(name.upper(), "")
    return _OVERSTRIKE.sub(lambda m: m[2] + f"({m[1]})" * bool(m[1]), shown)


def _mark_numbers(root: Any) -> None:
    """Mark the numbers of lists and headings whose format anydoc does not know."""
    for newer in find(root, "//w:lvl/*/*/w:numFmt[@w:format]"):
        newer.getparent().getparent().addnext(newer)
    for listed in find(root, "//*[w:lvl]"):
        marks: dict[str, str] = {}
        zeros: dict[str, str] = {}
        for level in find(listed, "w:lvl"):
            form = find(level, "string(w:numFmt/@w:format | w:numFmt[not(@w:format)]/@w:val)")
            number = f"%{int(level.get(qualify('w:ilvl'), 0)) + 1}"
            marks[number] = "" if form == "none" else mark_ordinal(number, form)
            zeros |= {number: marks[number]} if form == "decimalZero" else {}
        for label in find(listed, "w:lvl/w:lvlText/@w:val/.."):
            # In legal numbering, Word shows digits: "Section 1.01" below "Article I".
            shown = zeros if find(label, "boolean(../w:isLgl)") else marks
            parts = re.split(r"(%\d)", label.get(qualify("w:val")))
            label.set(qualify("w:val"), "".join(shown.get(part, part) for part in parts))
    for form in find(root, _SHOWN_BY_TEXT):
        form.set(qualify("w:val"), "decimal")


def _show_text(root: Any) -> None:
    """Reduce a Word document to its visible text after all changes are accepted."""
    from lxml.etree import strip_tags

    for box in find(root, "//w:ffData/w:checkBox"):
        state = "(w:checked | w:default[not(../w:checked)])[not(@w:val='0' or @w:val='false')]"
        run = _make_paragraph(root, "☑" if find(box, state) else "☐")[0]
        find(box, "ancestor::w:r[1]")[0].addprevious(run)
    # anydoc shows the target of a link around a space or a picture.
    strip_tags(root, *map(qualify, ("w:hyperlink", "w:sdt", "w:sdtContent", "w:customXml")))
    for unseen in find(root, _UNSEEN):
        unseen.getparent().remove(unseen)
    for start in find(root, _GOES_ON):
        for rest in find(start, "following-sibling::*[self::w:p or self::w:tbl][1][self::w:p]"):
            rest[len(find(rest, "w:pPr")) : 0] = find(start, "*[not(self::w:pPr)]")
            start.getparent().remove(start)
    show_runs(root, "w", "w:rFonts/@w:ascii|w:rFonts/@w:hAnsi", "(w:vertAlign|w:position)/@w:val")
    for element in find(root, "//w:noBreakHyphen | //w:ruby | //w:sym"):
        if element.tag == qualify("w:ruby"):  # a reading above a word, as in HTML
            pair = (find(element, f"{part}//w:t/text()") for part in ("w:rubyBase", "w:rt"))
            word, reading = map("".join, pair)
            text = f"{word}({reading})" if reading else word
        elif code := element.get(qualify("w:char")):
            text = show_symbols(chr(int(code, 16)), element.get(qualify("w:font"), ""))
        else:
            text = "\u2011"
        element.tag, element.text, element[:] = qualify("w:t"), text, []
    for embedded in find(root, "//w:object"):  # the name of the object is shown
        embedded.addnext(space := _add(embedded, "t"))
        space.text = " "
    for style in find(root, "//m:r/m:rPr/m:sty[@m:val='p']"):  # only letters are upright, not signs
        if not any(map(str.isalpha, find(style, "string(../../m:t)"))):
            style.getparent().remove(style)


def _mark_table(table: Any) -> None:
    """Dissolve a table of one column or one filled cell; mark the header row of other tables."""
    rows = find(table, "w:tr")
    filled = "w:tc[normalize-space()]" if len(rows) == 1 else "w:tc"
    if all(len(find(row, filled)) < 2 for row in rows):
        for block in find(table, "w:tr/w:tc/*[not(self::w:tcPr)]"):
            table.addprevious(block)
        table.getparent().remove(table)
        return
    looks = find(table, "w:tblPr/w:tblLook")
    if not looks or find(table, "w:tr/w:trPr/w:tblHeader"):
        return  # anydoc reads the header row, or guesses
    bits = int(looks[0].get(qualify("w:val"), "0"), 16)
    is_head = looks[0].get(qualify("w:firstRow"), str(bits >> 5 & 1)) in ("1", "true", "on")
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
    for picture in find(root, "//*[@alt or @string or local-name()='docPr']"):
        descriptions = [picture.attrib.pop(name, "") for name in ("descr", "alt", "title")]
        inner = find(picture, "following-sibling::*//@descr")
        text = picture.get("string") or clean_description(*descriptions, *inner)
        paragraphs = find(picture, "ancestor::w:p[1][not(ancestor::*[local-name()='Fallback'])]")
        if text and paragraphs:
            paragraphs[0].addnext(_make_paragraph(root, text))
