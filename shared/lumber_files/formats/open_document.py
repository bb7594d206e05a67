"""Rewrites the XML of OpenDocument files: what anydoc drops or misreads is text that it reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from lumber_files.formats.list_numbers import label_item
from lumber_files.formats.markdown_cleanup import set_apart
from lumber_files.formats.package import clean_description, find, parse_xml, qualify
from lumber_files.formats.sheets import list_notices
from lumber_files.formats.symbol_fonts import show_symbols

_REFERENCE = re.compile(r"\[\.?([^\]:]*)(:?)\.?([^\]]*)\]")  # such as "[.B2:.B3]"
_SHEETS = "//office:spreadsheet/table:table"
_DEEPEST = 10  # level of a list
_IN_LINE = "//drawing:frame[@text:anchor-type='as-char'][drawing:text-box[count(*)=1]/text:p]"
_DRAWN = "//drawing:*[text:p][not(self::drawing:text-box)][ancestor::text:p]"
# The text of a control of a form, after its tick or empty box.
_VALUE = "concat(substring('☑ ☐ ', 1 + 2 * not(@form:*[.='checked' or .='true']), 2 * "
_VALUE += "boolean(self::form:checkbox | self::form:radio)), @form:current-value, @form:label,"
_VALUE += "form:option[@form:current-selected='true']/@form:label, ' ')"
_UNSEEN = (
    "//office:annotation | //text:section[@text:display='none'] | //presentation:notes//"
    "text:page-number"
)


def rewrite_open_document(root: Any, parts: Mapping[str, bytes]) -> list[str]:
    """Rewrite the content of a document; return notices of what a workbook hides."""
    for unseen in find(root, _UNSEEN):
        unseen.clear(keep_tail=True)
    for reading in find(root, "//text:ruby-text[normalize-space()]"):  # above a word, as in HTML
        reading.text, reading[:] = f"({''.join(reading.itertext())})", []
    named_styles = parse_xml(parts.get("styles.xml", b"<x/>"))
    _show_spans(root, named_styles)
    for frame in find(root, "//drawing:frame[drawing:image]"):
        for described in (*frame.iterfind("{*}title"), *frame.iterfind("{*}desc")):
            text = clean_description(described.text or "")
            described.text = text if not (paragraph := find(frame, "ancestor::text:p[1]")) else ""
            if paragraph and text:
                paragraph[0].addnext(_make(root, "text:p", text))
    for embedded in find(root, "//drawing:frame/drawing:object"):  # a document of its own
        folder = find(embedded, "string(@*[local-name()='href'])").removeprefix("./")
        content = parse_xml(parts.get(f"{folder}/content.xml", b"<x/>"))
        blocks = find(content, "//table:table[@table:name='local-table']")  # of a chart
        blocks[:0] = find(content, "//*[local-name()='title']/text:p") if blocks else ()
        blocks = blocks or find(content, f"//office:text/* | {_SHEETS} | //drawing:page//text:p")
        if paragraph := find(embedded, "ancestor::text:p[1]"):
            for block in reversed(blocks):
                paragraph[0].addnext(block)
        elif blocks:
            embedded.getparent()[:] = [_make(root, "drawing:text-box", "", *blocks)]
    for index in find(root, "//text:table-index | //text:object-index | //text:user-index"):
        index.tag = qualify("text:illustration-index")
    for shape in find(root, "//office:text/drawing:* | //text:section/drawing:*"):  # of a page
        shape.addprevious(paragraph := _make(root, "text:p"))
        paragraph.append(shape)
    forms = {each.get(qualify("form:id")): each for each in find(root, "//form:*[@form:id]")}
    for control in find(root, "//drawing:control"):
        form = forms.get(control.get(qualify("drawing:control")), control)
        control.tag, control.text = qualify("text:span"), find(form, _VALUE)
    for frame in find(root, _IN_LINE):
        paragraph = frame[0][0]
        frame.tag, frame.text, frame[:] = qualify("text:span"), paragraph.text, paragraph
    for shape in find(root, _DRAWN):  # its text may not be taken for words of the paragraph
        shape[:] = [_make(shape, "drawing:text-box", "", *shape)]
        shape.tag = qualify("drawing:frame")
    _number_headings(root, named_styles)
    _nest_lists(root)
    _title_slides(root)
    return _show_workbook(root)


def _show_spans(root: Any, named_styles: Any) -> None:
    """Empty hidden spans, set raised numbers apart and show the symbols of others."""
    styles: dict[str, dict[str, str]] = {}
    families = {}
    for part in (named_styles, root):  # a style comes after that which it is based on
        for style in find(part, "//style:style"):
            based_on = styles.get(style.get(qualify("style:parent-style-name"), ""), {})
            own = [pair for each in find(style, "style:text-properties") for pair in each.items()]
            styles[find(style, "string(@style:name)")] = {**based_on, **dict(own)}
        for face in find(part, "//style:font-face"):
            family = find(face, "string(@*[local-name()='font-family'])")
            families[face.get(qualify("style:name"))] = family.strip("'")
    for span in [*root.iter(*map(qualify, ("text:p", "text:h", "text:span")))]:
        style = styles.get(span.get(qualify("text:style-name")), {})
        if style.get(qualify("text:display")) == "none":
            span.clear(keep_tail=True)
        font = style.get(qualify("style:font-name"), "")
        span.text = show_symbols(span.text or "", families.get(font, font))
        raised = re.match("super|[1-9]", style.get(qualify("style:text-position"), ""))
        if raised and span.tag == qualify("text:span"):
            span.text = set_apart("sup", "x", span.text)


def _make(root: Any, name: str, text: str = "", *children: Any) -> Any:
    element = root.makeelement(qualify(name))
    element.text, element[:] = text, children
    return element


def _number_headings(root: Any, named_styles: Any) -> None:
    """Take lists of the styles of headings apart; each text has the number that it has there."""
    levels = {
        find(level, "concat(../@style:name, ' ', @text:level)"): level
        for styles in (named_styles, root)
        for level in find(styles, "//text:list-level-style-number")
    }
    lists = "//text:list[not(ancestor::text:list)]"
    counts = {name: [0] * _DEEPEST for name in find(root, f"{lists}[.//text:h]/@text:style-name")}
    for outer in find(root, lists):
        style = outer.get(qualify("text:style-name"))
        numbers = counts.get(style, [])
        for block in find(outer, ".//text:list-item/*[not(self::text:list)]") if numbers else ():
            depth = len(find(block, "ancestor::text:list"))
            numbers[depth - 1 :] = [numbers[depth - 1] + 1, *[0] * (_DEEPEST - depth)]
            own = [levels.get(f"{style} {above}", {}) for above in range(1, depth + 1)]
            first = depth - int(own[-1].get(qualify("text:display-levels"), 1))
            forms = (level.get(qualify("style:num-format"), "") for level in own[first:])
            shown = (max(1, number) for number in numbers[first:depth])
            label = ".".join(map(label_item, shown, forms))
            ends = [own[-1].get(qualify(f"style:num-{end}fix"), "") for end in ("pre", "suf")]
            block.text = f"{label.join(ends)} {block.text or ''}".lstrip()
            outer.addprevious(block)
        if numbers:
            outer.getparent().remove(outer)


def _nest_lists(root: Any) -> None:
    """Move lists that start an item, which shows no label, into the item before."""
    last = "(preceding-sibling::* | ../preceding-sibling::*[1]/self::text:list/*)[last()]"
    for item in find(root, "//text:list-item[*[1][self::text:list]]"):
        outer, inner = item.getparent(), item[0]
        if not (before := find(item, last)):
            item.tag = qualify("text:list-header")
            continue
        style = find(inner, "string((ancestor-or-self::*/@text:style-name)[last()])")
        inner.set(qualify("text:style-name"), style)
        sublist = find(before[0], "*[last()][self::text:list]")
        (sublist or before)[0].extend(inner if sublist else [inner])
        before[0].extend(item)
        outer.remove(item)
        joined = before[0].getparent()
        if joined is not outer and (not len(outer) or find(outer, "ancestor::drawing:page")):
            joined.extend(outer)  # its numbers go on
            outer.getparent().remove(outer)


def _title_slides(root: Any) -> None:
    """Start a slide, which is a section, with its title or number, and whether it is hidden."""
    hidden = find(root, "//style:style[*/@presentation:visibility='hidden']/@style:name")
    for number, page in enumerate(find(root, "//office:presentation/drawing:page"), start=1):
        box = _make(page, "drawing:text-box", "", _make(page, "text:p", f"Slide {number}"))
        frames = find(page, "drawing:frame[@presentation:class='title'][normalize-space(.)]")
        frame = frames[0] if frames else _make(page, "drawing:frame", "", box)
        frame.set(qualify("presentation:class"), "title")
        page.insert(0, frame)
        if find(page, "string(@drawing:style-name)") in hidden:
            paragraph = find(frame, ".//text:p[normalize-space(.)]")[-1]
            paragraph.append(_make(page, "text:span", " (hidden slide)"))


def _show_workbook(root: Any) -> list[str]:
    """Show the formulas of a workbook that have no value; return notices of what is hidden."""
    unvalued = "@table:formula and not(@office:*[local-name()!='value-type'] or text:p)"
    for cell in (formulas := find(root, f"//table:table-cell[{unvalued}]")):
        formula = find(cell, "substring-after(@table:formula, '=')")
        cell.append(_make(cell, "text:p", "=" + _REFERENCE.sub(r"\1\2\3", formula)))
    for sheet in find(root, _SHEETS):  # what is drawn on it follows its rows
        for drawn in find(sheet, ".//drawing:*/text:p | .//drawing:*/table:table"):
            cell = _make(sheet, "table:table-cell", "", drawn)
            rows = find(drawn, ".//table:table-row") or [_make(sheet, "table:table-row", "", cell)]
            sheet.extend([_make(sheet, "table:table-row"), *rows])
    unseen = "//style:style[style:table-properties[@table:display='false']]/@style:name"
    sheets = find(root, f"{_SHEETS}[@table:style-name={unseen}]")
    rows = find(root, f"{_SHEETS}//table:table-row[@table:visibility!='visible'][.//text:p]")
    columns = find(root, f"{_SHEETS}//table:table-column[@table:visibility!='visible']")
    counts = Counter(sheet=len(sheets), row=len(rows), column=len(columns), formula=len(formulas))
    return list_notices(counts, "in the text")
