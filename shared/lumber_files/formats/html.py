"""Reads HTML as Markdown: the content of a page, without its navigation.

The tree of a page is reduced to paragraphs, headings, lists, quotes, tables and code, and converted
like a chapter of a book.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

from lumber_files.formats.list_numbers import label_item
from lumber_files.formats.markdown_cleanup import (
    MAX_REPEATED_CELLS,
    UNSPACED,
    convert_document,
    mark_script,
)
from lumber_files.formats.package import zip_parts
from lumber_files.formats.page_tree import (
    BLOCK_TAGS,
    GROUP_TAGS,
    HEADING_TAGS,
    LIST_TAGS,
    NESTED_TAGS,
    parse_page,
)

# A book of one chapter, which anydoc reads.
_BOOK = {
    "META-INF/container.xml": '<c><rootfiles><rootfile full-path="b"/></rootfiles></c>',
    "b": "<p><manifest><item id='a' href='p'/></manifest><spine><itemref idref='a'/></spine></p>",
}
# The tags of allowed children by the parent's tag; other content is wrapped in the first such tag.
_CHILD_TAGS = {**dict.fromkeys(LIST_TAGS, ("li",)), "table": ("caption", "tr"), "tr": ("td", "th")}
# Maximum characters of a cell with lists or other blocks, without and with a header row in its
# table. Tables with longer cells arrange the layout.
_MAX_CELL_CHARACTERS = (200, 1000)
_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
# CSS Text 3, 4.1.3: a line end between two ideographs or kana is not shown.
_MARKS = "((?:</?(?:b|strong|i|em|s|del|code|kbd|samp)>)*)"
_LINE_END = re.compile(
    r"(<pre(?:\s[^<>]*)?(?<!/)>.*?</pre>)"
    rf"|(?<=[{UNSPACED}]){_MARKS}[ \t\r]*\n[ \t\r\n]*{_MARKS}(?=[{UNSPACED}])",
    re.DOTALL,
)
_NOTE_MARK = re.compile(r"\d{1,3}|[a-z]|[ivxlc]+|[*†‡§‖]+")
_PERMALINK = re.compile(  # the text of a link to a heading, or back from a note
    "[\\s\u200b]*(?:[¶§#🔗]|[↩↑]\ufe0e?\\d*|link|permalink)?[\\s\u200b]*", re.IGNORECASE
)
_NAVIGATION = re.compile(  # texts of navigation links
    r"\W*(?:prev(?:ious)?|next|older|newer|skip to|back to top|edit (?:this page|on)|improve this"
    r"|(?:view|show) (?:page )?source)\b.{0,80}|(?:[←→«»]|<<).{0,80}|.{0,80}(?:[←→«»]|>>)"
    r"|up|top|home|index|contents",
    re.IGNORECASE,
)


def read_page(content: bytes, _max_unpacked: int) -> tuple[str, list[str], str]:
    """Return the Markdown of a page in UTF-8, no notices, and its title."""
    html = content.decode()
    return read_html(html), [], "".join(_TITLE.findall(html)[:1])


def read_html(html: str) -> str:
    """Return the Markdown of a page, without a line break at its end."""
    return convert_document(zip_parts({**_BOOK, "p": plain_page(html)}), "epub")


def plain_page(html: str) -> str:
    """Return the content of a page as a minimal, well-formed page."""
    from lxml.etree import strip_tags, tostring

    body = parse_page(html)
    _simplify(body)
    _mark_scripts(body)
    _wrap_text(body)
    _number_items(body)
    strip_tags(body, "span", "sup", "sub", "note", *GROUP_TAGS[1:])
    _drop_navigation(body)
    _arrange_tables(body)
    strip_tags(body, "a", "footer", "div")
    page = _LINE_END.sub(r"\1\2\3", tostring(body, encoding="unicode"))
    return f'<html xmlns="http://www.w3.org/1999/xhtml">{page}</html>'


def _simplify(body: Any) -> None:
    """Rewrite lists, table sections, headings, ruby, quotes and notes as anydoc reads them."""
    from lxml.etree import strip_tags

    for flat in body.xpath("//*[@level][not(ancestor::*[@level])]"):
        item, above = None, flat.getprevious()
        while above is not None and len(above) and above.get("level", "9") < flat.get("level"):
            item, above = above[-1], next(iter(above[-1][-1:]), None)
        if item is not None:
            item.append(flat)
    for table in [*body.iter("table")]:  # as browsers show it; a caption may be before the rows
        order = {table.find("thead"): -1, **dict.fromkeys(table.findall("tfoot"), 1)}
        table[:] = sorted(table, key=lambda part: order.get(part, 0))
    for section in {row.getparent() for row in body.iter("tr")}:
        for rows, row in enumerate(reversed(section.findall("tr")), start=1):
            # A cell ends with its section; 0 rows mean that end.
            for cell in row.iterfind("*[@rowspan]"):
                cell.set("rowspan", str(min(int(cell.get("rowspan")) or rows, rows)))
    for choice in body.xpath("//switch[foreignobject]"):  # SVG with several forms of one text
        choice[1:] = []
    strip_tags(body, "thead", "tbody", "tfoot", "svg", "switch", "foreignobject")
    for heading in body.iter(*HEADING_TAGS):
        for block in heading.iterdescendants(*GROUP_TAGS):
            block.tag, block.text = "span", f" {block.text or ''}"
    for stack in body.xpath("//mfrac[number(translate(@linethickness, 'empxt%', '')) = 0]"):
        stack.tag = "mtable"  # such as a binomial coefficient, which has no line
        for place, part in enumerate([*stack]):
            row = stack.makeelement("mtr")
            stack[place] = row
            row.append(cell := stack.makeelement("mtd"))
            cell.append(part)
    for reading in [*body.iter("rt")]:  # above a word; in parentheses, as in browsers without ruby
        text = "".join(reading.itertext()).strip()
        reading.clear(keep_tail=True)
        reading.tag, reading.text = "span", f"({text})" if text else None
    for quote in body.iter("q"):
        quote.tag, quote.text = "span", f"“{quote.text or ''}"
        quote.tail = f"”{quote.tail or ''}"
    marks = {}
    for link in body.iter("a", "note"):
        text, target = "".join(link.itertext()).strip(), link.get("href", "").partition("#")[2]
        if target and (link.tag == "note" or _NOTE_MARK.fullmatch(text)):
            link.tag, marks[target] = "note", text
            strip_tags(link, "sup")
            starts_note = not link.xpath("preceding-sibling::node()[normalize-space()]")
            if starts_note and (link.tail or "")[:1].isalnum():
                link.tail = f" {link.tail}"
    for note in body.xpath("//*[@id][not(self::li)]"):
        mark = marks.get(note.attrib.pop("id"))
        if mark and not "".join(note.itertext()).lstrip(" \t\r\n[(").startswith(mark.strip("[()]")):
            first = next((part for part in note.iter() if (part.text or "").strip()), note)
            first.text = f"{mark} {first.text or ''}"
    for line_end in body.iterfind(".//pre//br"):
        line_end.tag, line_end.text = "span", "\n"


def _mark_scripts(body: Any) -> None:
    """Separate superscripts and subscripts from the numbers beside them."""
    from lxml.etree import iterwalk

    kind = last = ""  # the kind of the next text, and the character before it
    for event, element in iterwalk(body, ("start", "end")):
        if element.tag in BLOCK_TAGS or element.tag == "br":
            kind = last = ""
        elif element.tag in ("sup", "sub", "note"):
            kind = element.tag if event == "start" else "after"
        place = "text" if event == "start" else "tail"
        text = getattr(element, place) or ""
        if kind and text.strip():
            text, kind = mark_script(kind, last, text), ""
        setattr(element, place, text)
        last = text[-1:] or last


def _wrap_text(body: Any) -> None:
    """Wrap all text in innermost blocks: paragraphs, items, cells, headings and code."""
    for block in body.iter(*BLOCK_TAGS):
        for around in takewhile(
            lambda element: element.tag not in BLOCK_TAGS, block.iterancestors()
        ):
            around.tag = "div"
    for block in [*body.iter("body", *GROUP_TAGS, *NESTED_TAGS)]:
        block.tag = "div" if block.tag == "p" else block.tag
        parts = _CHILD_TAGS.get(block.tag)
        inside, kind = [*block], parts[0] if parts else "p"
        block.insert(0, wrapper := block.makeelement(kind))
        wrapper.text, block.text = block.text, None
        for child in inside:
            tags = {child.tag, *(part.tag for part in child if child.tag in GROUP_TAGS)}
            if child.tag not in BLOCK_TAGS or (parts and tags.isdisjoint(parts)):
                before = wrapper.getprevious() if child.tag in LIST_TAGS else None
                (wrapper if before is None else before).append(child)  # a sublist joins the item
                continue
            child.addnext(wrapper := block.makeelement(kind))
            wrapper.text, child.tail = child.tail, None
        for child in block[::2]:
            if _is_empty(child):
                block.remove(child)


def _number_items(body: Any) -> None:
    """Write the letters of items; anydoc writes their numbers."""
    for lettered in body.findall(".//ol[@type]"):
        items, form = lettered.findall("li"), lettered.get("type")
        step = 1 if lettered.get("reversed") is None else -1
        number = int(lettered.get("start", len(items) if step < 0 else 1))
        lettered.tag = "ul"
        for item in items:
            number = int(item.get("value", number))
            first = next(item.iter("p", *LIST_TAGS), item)
            if first.tag == "p" and form != "none":
                first.text = f"{label_item(number, form)}. {first.text or ''}"
            number += step


def _is_empty(element: Any) -> bool:
    return len(element) == 0 and not (element.text or "").strip()


def _drop_navigation(body: Any) -> None:
    """Remove blocks of navigation links.

    Blocks that contain only links are removed before the first heading, in a footer, and if they
    lead to the previous or next page. Without headings, the first rule applies to no block.
    """
    blocks = list(body.iter("p", *HEADING_TAGS))
    first = next((n for n, block in enumerate(blocks) if block.tag != "p"), 0)
    for n, block in enumerate(blocks):
        for link in block.iter("a"):
            stays = block.tag == "p" and not link.get("href", "#").startswith("#")
            if not stays and _PERMALINK.fullmatch("".join(link.itertext())):
                link.clear(keep_tail=True)
        text = "".join(block.itertext()).strip()
        if block.tag != "p" and text:
            continue
        links = [link for link in block.iter("a") if link.get("href")]
        linked = sum(len(re.findall(r"\w", "".join(link.itertext()))) for link in links)
        if text and not (linked and linked == len(re.findall(r"\w", text))):
            continue
        away = n < first and not any(link.get("href").startswith("#") for link in links)
        in_footer = next(block.iterancestors("footer"), None) is not None
        if away or in_footer or _NAVIGATION.fullmatch(text) or not text:
            block.getparent().remove(block)
    for nested in reversed(list(body.iter(*LIST_TAGS, "li", "blockquote", "table", "tr"))):
        if all(map(_is_empty, nested if nested.tag == "tr" else [nested])):
            nested.getparent().remove(nested)


def _arrange_tables(body: Any) -> None:
    """Take layout tables apart, and mark the header row of other tables."""
    from lxml.etree import strip_attributes

    for table in list(body.iter("table")):
        if next(table.iterancestors("table"), None) is not None:
            continue  # the cell around it becomes a line
        rows = table.findall("tr")
        columns = max((sum(int(cell.get("colspan", 1)) for cell in row) for row in rows), default=0)
        has_header = columns > 1 and _names_columns(rows[0])
        if columns < 2 or _is_layout(table, has_header=has_header):
            for part in table.xpath("self::* | tr | tr/* | caption"):
                part.tag = "div"
            continue
        # The first cell names its row.
        if not has_header and len(rows[0]) and rows[0][0].tag == "th":
            rows[0].addprevious(head := table.makeelement("tr"))
            head[:] = [head.makeelement("th") for _ in range(columns)]
        for cell in rows[0]:
            cell.tag = "th" if has_header else "td"
        spans = [int(c.get("colspan", 1)) * int(c.get("rowspan", 1)) for row in rows for c in row]
        if sum(spans) > len(spans) + MAX_REPEATED_CELLS:
            strip_attributes(table, "colspan", "rowspan")


def _is_layout(table: Any, *, has_header: bool) -> bool:
    """Return whether a table only arranges the page: its cells have sections, or long text."""
    rich = [cell for cell in table.iterfind("tr/*") if any(part.tag != "p" for part in cell)]
    if any(len("".join(cell.itertext())) > _MAX_CELL_CHARACTERS[has_header] for cell in rich):
        return True
    sections = [c for c in rich if len(c) > 1 and any(part.tag in HEADING_TAGS for part in c)]
    is_data = len(table.findall("tr")) > 1 and len(sections) < 2 and table.find(".//pre") is None
    return bool(rich) and not (has_header or is_data)


def _names_columns(row: Any) -> bool:
    """Return whether all cells with content are marked as headers, bold or headings."""
    marked = [
        cell.tag == "th"
        or [part.tag for part in cell.iterfind("p/*")] in (["b"], ["strong"])
        or (len(cell) == 1 and cell[0].tag in HEADING_TAGS)
        for cell in row
        if len(cell)
    ]
    return bool(marked) and all(marked)
