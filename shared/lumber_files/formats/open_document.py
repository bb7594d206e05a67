"""Reads OpenDocument: rewrites the XML that anydoc drops or misreads, and reads workbooks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from lumber_files.formats.list_numbers import label_item
from lumber_files.formats.markdown_cleanup import mark_script
from lumber_files.formats.package import clean_description, find, parse_xml, qualify
from lumber_files.formats.sheet_tables import MAX_COLUMNS, SheetCells, list_notices, write_cells
from lumber_files.formats.symbol_fonts import show_symbols

_REFERENCE = re.compile(r"\[\.?([^\]:]*)(:?)\.?([^\]]*)\]")  # such as "[.B2:.B3]"
_SHEETS = "//office:spreadsheet/table:table"
_DRAWN_ON_SHEET = ".//drawing:*/text:p | .//drawing:*/table:table"
_DRAWN_ON_SHEET += " | .//drawing:frame/*[local-name()='desc']"
_VALUE_OF_CELL = "@office:*[local-name()!='value-type' and local-name()!='currency']"
_CELLS = (qualify("table:table-cell"), qualify("table:covered-table-cell"))
_MAX_CELL_COPIES = 1_000_000  # repetitions of cells in a sheet; hostile files have more
_MAX_LEVEL = 10  # levels of a list in OpenDocument
_DRAWN = "//drawing:*[text:p][not(self::drawing:text-box)][ancestor::text:p]"
# The text of a control of a form, after its tick or empty box.
_VALUE = "concat(substring('☑ ☐ ', 1 + 2 * not(@form:*[.='checked' or .='true']), 2 * "
_VALUE += "boolean(self::form:checkbox | self::form:radio)), @form:current-value, @form:label,"
_VALUE += "form:option[@form:current-selected='true']/@form:label, ' ')"
# The tick, empty box or chosen entry of a field that Word wrote.
_FIELD = "concat(substring('☐☑', 1 + boolean(*[@*='true']), @*[contains(., 'CHECKBOX')] != ''), *"
_FIELD += "[@*='Dropdown_ListEntry'][1 + sum(../*[@*='Dropdown_Selected']/@*[local-name()='value'])"
_FIELD += "]/@*[local-name()='value'])"
_UNNUMBERED = "//style:style[@style:list-style-name='']/@style:name"
_UNSEEN = "//office:annotation | //text:section[@text:display='none']"
_UNSEEN += " | //presentation:notes//text:page-number | //text:script"
_UNSEEN += " | //text:hidden-text[@text:is-hidden='true']"
_UNSEEN += " | //text:p[text:hidden-paragraph/@text:is-hidden='true']"
# In a chart: gaps between values, and the parts of a category, which follow the whole category.
_UNSEEN_IN_CHART = ".//table:table-cell[text:p='NaN'] | .//table:table-cell/text:list"


def rewrite_open_document(root: Any, parts: Mapping[str, bytes]) -> None:
    """Rewrite the content of a document."""
    from lxml.etree import strip_tags

    named_styles = parse_xml(parts.get("styles.xml", b"<x/>"))
    unnumbered = {name for part in (root, named_styles) for name in find(part, _UNNUMBERED)}
    for heading in root.iter(qualify("text:h")):
        if heading.get(qualify("text:style-name")) in unnumbered:
            heading.set(qualify("text:is-list-header"), "true")
    strip_tags(root, *map(qualify, ("text:numbered-paragraph", "text:a")))
    for unseen in find(root, _UNSEEN):
        unseen.clear(keep_tail=True)
    for reading in find(root, "//text:ruby-text[normalize-space()]"):  # above a word, as in HTML
        reading.text, reading[:] = f"({''.join(reading.itertext())})", []
    _show_spans(root, named_styles)
    for frame in find(root, "//drawing:frame[drawing:image]"):
        for described in (*frame.iterfind("{*}title"), *frame.iterfind("{*}desc")):
            text = clean_description(described.text or "")
            described.text = text if not (paragraph := find(frame, "ancestor::text:p[1]")) else ""
            if paragraph and text:
                paragraph[0].addnext(_make(root, "text:p", text))
    for embedded in find(root, "//drawing:frame/drawing:object"):  # an object is another document
        folder = find(embedded, "string(@*[local-name()='href'])").removeprefix("./")
        content = parse_xml(parts.get(f"{folder}/content.xml", b"<x/>"))
        blocks = find(content, "//table:table[@table:name='local-table']")  # only charts have one
        for unseen in (part for table in blocks for part in find(table, _UNSEEN_IN_CHART)):
            unseen.clear()
        blocks[:0] = find(content, "//*[local-name()='title']/text:p") if blocks else ()
        blocks = blocks or find(content, f"//office:text/* | {_SHEETS} | //drawing:page//text:p")
        if paragraph := find(embedded, "ancestor::text:p[1]"):
            for block in reversed(blocks):
                paragraph[0].addnext(block)
        elif blocks:
            embedded.getparent()[:] = [_make(root, "drawing:text-box", "", *blocks)]
    for index in find(root, "//text:table-index | //text:object-index | //text:user-index"):
        index.tag = qualify("text:illustration-index")
    # Shapes on a page.
    for shape in find(root, "//office:text/drawing:* | //text:section/drawing:*"):
        shape.addprevious(paragraph := _make(root, "text:p"))
        paragraph.append(shape)
    forms = {form.get(qualify("form:id")): form for form in find(root, "//form:*[@form:id]")}
    for control in find(root, "//drawing:control"):
        form = forms.get(control.get(qualify("drawing:control")), control)
        control.tag, control.text = qualify("text:span"), find(form, _VALUE)
    for field in find(root, "//*[local-name()='fieldmark']"):
        field.tag, field.text = qualify("text:span"), find(field, _FIELD)
    for shape in find(root, _DRAWN):  # the text of a shape is not part of the paragraph
        shape[:] = [_make(shape, "drawing:text-box", "", *shape)]
        shape.tag = qualify("drawing:frame")
    _number_headings(root, named_styles)
    _nest_lists(root)
    _title_slides(root)


def _show_spans(root: Any, named_styles: Any) -> None:
    """Empty hidden spans, separate superscripts and write the symbols of other spans."""
    styles: dict[str, dict[str, str]] = {}
    families = {}
    for part in (named_styles, root):  # a style comes after its base
        for style in find(part, "//style:style"):
            based_on = styles.get(style.get(qualify("style:parent-style-name"), ""), {})
            pairs = [
                pair
                for properties in find(style, "style:text-properties")
                for pair in properties.items()
            ]
            styles[find(style, "string(@style:name)")] = {**based_on, **dict(pairs)}
        for face in find(part, "//style:font-face"):
            family = find(face, "string(@*[local-name()='font-family'])")
            families[face.get(qualify("style:name"))] = family.strip("'")
    looks = "text:style-name text:display style:font-name style:text-position"
    name, display, font_name, position = map(qualify, looks.split())
    tags = [*map(qualify, ("text:span", "text:p", "text:h"))]
    for span in [*root.iter(*tags)]:
        style = styles.get(span.get(name), {})
        if style.get(display) == "none":
            span.clear(keep_tail=True)
        font = style.get(font_name, "")
        span.text = show_symbols(span.text or "", families.get(font, font))
        if span.tag == tags[0] and re.match("super|[1-9]", style.get(position, "")):
            span.text = mark_script("sup", "x", span.text)


def _make(root: Any, name: str, text: str = "", *children: Any) -> Any:
    element = root.makeelement(qualify(name))
    element.text, element[:] = text, children
    return element


def _number_headings(root: Any, named_styles: Any) -> None:
    """Dissolve lists with styles of headings; each text begins with its number."""
    levels = {
        find(level, "concat(../@style:name, ' ', @text:level)"): level
        for styles in (named_styles, root)
        for level in find(styles, "//text:list-level-style-number")
    }
    lists = "//text:list[not(ancestor::text:list)]"
    counts = {name: [0] * _MAX_LEVEL for name in find(root, f"{lists}[.//text:h]/@text:style-name")}
    for outer in find(root, lists):
        style = outer.get(qualify("text:style-name"))
        numbers = counts.get(style, [])
        for block in find(outer, ".//text:list-item/*[not(self::text:list)]") if numbers else ():
            depth = len(find(block, "ancestor::text:list"))
            above = [max(1, number) for number in numbers[: depth - 1]]  # a missing level is 1
            numbers[:] = [*above, numbers[depth - 1] + 1, *[0] * (_MAX_LEVEL - depth)]
            forms_by_level = [levels.get(f"{style} {level}", {}) for level in range(1, depth + 1)]
            first = depth - int(forms_by_level[-1].get(qualify("text:display-levels"), 1))
            forms = (level.get(qualify("style:num-format"), "") for level in forms_by_level[first:])
            label = ".".join(map(label_item, numbers[first:depth], forms))
            ends = [
                forms_by_level[-1].get(qualify(f"style:num-{end}fix"), "") for end in ("pre", "suf")
            ]
            block.text = f"{label.join(ends)} {block.text or ''}".lstrip()
            outer.addprevious(block)
        if numbers:
            outer.getparent().remove(outer)


def _nest_lists(root: Any) -> None:
    """Move a list at the start of an item, which then has no label, into the item before."""
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
            joined.extend(outer)  # the numbers of the list continue
            outer.getparent().remove(outer)


def _title_slides(root: Any) -> None:
    """Start the section of a slide with its title or number, and a mark if it is hidden."""
    from lxml.etree import strip_tags

    hidden_styles = find(root, "//style:style[*/@presentation:visibility='hidden']/@style:name")
    for number, page in enumerate(find(root, "//office:presentation/drawing:page"), start=1):
        box = _make(page, "drawing:text-box", "", _make(page, "text:p", f"Slide {number}"))
        frames = find(page, "drawing:frame[@presentation:class='title'][normalize-space(.)]")
        frame = frames[0] if frames else _make(page, "drawing:frame", "", box)
        strip_tags(frame, *map(qualify, ("text:list", "text:list-item")))
        frame.set(qualify("presentation:class"), "title")
        page.insert(0, frame)
        if find(page, "string(@drawing:style-name)") in hidden_styles:
            paragraph = find(frame, ".//text:p[normalize-space(.)]")[-1]
            paragraph.append(_make(page, "text:span", " (hidden slide)"))


def read_open_workbook(parts: Mapping[str, bytes]) -> tuple[str, list[str]] | None:
    """Return the Markdown of a workbook, and notices about omitted content."""
    if "content.xml" not in parts:  # the file may have a password
        return None
    rewrite_open_document(root := parse_xml(parts["content.xml"]), parts)
    for space in root.iter(*map(qualify, ("text:s", "text:tab", "text:line-break"))):
        space.text = " "
    hidden_styles = find(root, "//style:style[*/@table:display='false']/@style:name")
    counts: Counter[str] = Counter()
    blocks = []
    for sheet in find(root, _SHEETS):
        if sheet.get(qualify("table:style-name")) in hidden_styles:
            counts["sheet"] += 1
            continue
        shown = [*write_cells(_read_cells(sheet, counts), counts)]
        for drawn in find(sheet, _DRAWN_ON_SHEET):  # shapes on a sheet follow its rows
            is_table = drawn.tag == qualify("table:table")
            tables = write_cells(_read_cells(drawn, counts), counts) if is_table else ()
            shown += tables or ["".join(drawn.itertext())]
        heading = f"## {sheet.get(qualify('table:name'), 'Sheet')}"
        blocks += [heading, *filter(None, shown)] if any(shown) else []
    return "\n\n".join(blocks), list_notices(counts)


def _read_cells(table: Any, counts: Counter[str]) -> SheetCells:
    """Return the displayed cells of a sheet, and count formulas without a value."""
    grid = SheetCells()
    number = column = copies = 0
    for element in table.iter(*map(qualify, ("table:table-column", "table:table-row"))):
        if next(element.iterancestors(qualify("table:table"))) is not table:
            continue  # the text belongs to a shape on the sheet
        is_hidden = element.get(qualify("table:visibility"), "visible") != "visible"
        if element.tag == qualify("table:table-column"):
            first, column = column + 1, column + _count(element, "columns-repeated")
            grid.hidden_columns |= {*range(first, column + 1)[: MAX_COLUMNS * is_hidden]}
            continue
        first, number, place = number + 1, number + _count(element, "rows-repeated"), 0
        cells: dict[int, str] = {}
        for cell in element.iterchildren(*_CELLS):
            left, place = place + 1, place + _count(cell, "columns-repeated")
            if cell.tag == _CELLS[0] and (text := _show_cell(cell, counts)):
                copies += (place + 1 - left) * (number + 1 - first) - 1
                if copies > _MAX_CELL_COPIES:
                    raise ValueError("it has too many cells")
                cells |= dict.fromkeys(range(left, place + 1), text)
                below, right = _count(cell, "rows-spanned") - 1, _count(cell, "columns-spanned") - 1
                rows = range(first, number + 1) if below or right else ()
                grid.merged += [(n, left, n + below, left + right) for n in rows]
        if cells:
            grid.cells |= {n: dict(cells) for n in range(first, number + 1)}
            grid.hidden_rows |= {*range(first, number + 1)} if is_hidden else set()
    return grid


def _count(element: Any, name: str) -> int:
    return int(element.get(qualify(f"table:number-{name}"), 1))


def _show_cell(cell: Any, counts: Counter[str]) -> str:
    """Return the text of a cell, or its formula if no value is stored."""
    paragraphs = cell.findall(qualify("text:p"))
    shown = " ".join("".join(paragraph.itertext()) for paragraph in paragraphs)
    if not shown.strip() and cell.attrib:
        values = find(cell, _VALUE_OF_CELL)
        formula = cell.get(qualify("table:formula"), "").partition("=")[2]
        if formula and not (values or paragraphs):
            counts["formula"] += 1
            values = ["=" + _REFERENCE.sub(r"\1\2\3", formula)]
        shown = "".join(values[:1])
    return " ".join(shown.split()).replace("|", "\\|")
