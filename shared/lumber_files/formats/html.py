"""Reads HTML as Markdown: the content of a page, without its navigation.

The parser is libxml2, through lxml: it closes open elements as browsers do. Its tree is reduced to
paragraphs, headings, lists, quotes, tables and code, and converted like a chapter of a book.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from lumber_files.formats.list_numbers import LIST_FORMS, label_item
from lumber_files.formats.markdown_cleanup import MAX_REPEATED_CELLS, convert_document, set_apart
from lumber_files.formats.symbol_fonts import show_symbols

_UNSEEN_TAGS = {
    *("script", "style", "template", "noscript", "head", "img", "iframe", "select"),
    *("nav", "dialog", "textarea", "audio", "video", "object", "canvas", "rp"),
}
# A book of one chapter, which anydoc reads.
_BOOK = {
    "META-INF/container.xml": '<c><rootfiles><rootfile full-path="b"/></rootfiles></c>',
    "b": "<p><manifest><item id='a' href='p'/></manifest><spine><itemref idref='a'/></spine></p>",
}
_HEADING_TAGS = frozenset(f"h{level}" for level in range(1, 7))
_LIST_TAGS = ("ul", "ol")
_NESTED_TAGS = (*_LIST_TAGS, "li", "blockquote", "table", "tr", "td", "th", "caption", "footer")
# These contain text or other blocks, and mean nothing else.
_GROUP_TAGS = (
    *("p", "div", "section", "article", "main", "header", "aside", "nav"),
    *("address", "figure", "figcaption", "details", "summary", "form", "fieldset", "legend"),
    *("center", "dl", "dt", "dd", "hgroup", "button", "label"),
)
_BLOCK_TAGS = frozenset(
    ("body", *_GROUP_TAGS, *_HEADING_TAGS, *_NESTED_TAGS, "pre", "hr", "thead", "tbody", "tfoot")
)
# The children that these may have. Any other content is wrapped in the first.
_CHILD_TAGS = {**dict.fromkeys(_LIST_TAGS, ("li",)), "table": ("caption", "tr"), "tr": ("td", "th")}
_INLINE_TAGS = {
    tag: tag for tag in ("b", "i", "del", "code", "a", "br", "sup", "sub", "rt", "q", "svg")
}
_INLINE_TAGS |= {"strong": "b", "em": "i", "s": "del", "kbd": "code", "samp": "code", "text": "p"}
_INLINE_TAGS |= {"switch": "switch", "foreignobject": "foreignobject"}
_TEXTS_OF_PICTURES = ("text", "tspan", "textpath", "a", "g", "switch", "foreignobject")  # in SVG
_FONT = re.compile(r"(?:^|;)\s*font(?:-family)?\s*:\s*[\"']?([^;,\"']*)", re.IGNORECASE)
_NUMERIC_ATTRIBUTES = ("start", "value", "colspan", "rowspan")
_SMALL_NUMBER = re.compile("[0-9]{1,3}")
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:([^;]*)", re.IGNORECASE)
# Deeper elements are replaced by their content: some pages close nothing, and a line of Markdown
# repeats the marks of all lists and quotes around it.
_MAX_DEPTH = 120  # anydoc reads 256, and text in a list or table has an element of its own
# Characters of a cell with lists or other blocks. Longer ones are in tables for layout; the second
# is for a table with a header row.
_LONGEST_CELL = (200, 1000)
_MATH_PREFIX = re.compile("^(?:m|mml):")
_MATH_TAG = re.compile("m[a-z]+|semantics|annotation|none")
_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_NOTE_MARK = re.compile(r"\d{1,3}|[a-z]|[ivxlc]+|[*†‡§‖]+")
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\xad")
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_COOKIES = re.compile(r"cookie|consent|gdpr|onetrust", re.IGNORECASE)
_BANNER = re.compile(r"banner|notice|bar\b|popup|modal|overlay|consent|onetrust", re.IGNORECASE)
_PERMALINK = re.compile(  # to a heading, or back from a note
    "[\\s\u200b]*(?:[¶§#🔗]|[↩↑]\ufe0e?\\d*|link|permalink)?[\\s\u200b]*", re.IGNORECASE
)
_NAVIGATION = re.compile(  # texts of blocks of links that lead around the site
    r"\W*(?:prev(?:ious)?|next|older|newer|skip to|back to top|edit (?:this page|on)|improve this"
    r"|(?:view|show) (?:page )?source)\b.{0,80}|(?:[←→«»]|<<).{0,80}|.{0,80}(?:[←→«»]|>>)"
    r"|up|top|home|index|contents",
    re.IGNORECASE,
)


class _TreeTarget:
    """The target of an HTML parser. `close` returns the tree, with few names of elements.

    A block that is not shown is named "nav", and a text that is not shown "script".
    """

    def __init__(self) -> None:
        from lxml.etree import TreeBuilder

        self._builder: Any = TreeBuilder()
        self._builder.start("body", {})
        # The name and font of each open element, and whether it is in SVG, or in a formula.
        self._open = [("", "", False, False)]

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        kind = f"{attributes.get('role')} {attributes.get('epub:type')}"
        around = [name for name, *_ in self._open[-2:]]
        _, font, in_picture, in_math = self._open[-1]
        holds_page = tag == "foreignobject"  # in SVG
        in_math = in_math or _MATH_PREFIX.sub("", tag) == "math"
        is_block = tag in _BLOCK_TAGS
        box = attributes.get("type") == "checkbox" and "li" in around
        if box and ("disabled" in attributes or around[-1] == "label"):  # of a list of tasks
            self._builder.data("☑ " if "checked" in attributes else "☐ ")
        if in_math:
            tag = _MATH_PREFIX.sub("", tag)
            tag = tag if _MATH_TAG.fullmatch(tag) else "script" if "-xml" in tag else "span"
        elif "pagebreak" in kind or ("note" not in kind and not self._is_shown(tag, attributes)):
            tag = "nav" if is_block else "script"
        elif not is_block:
            tag = "note" if "noteref" in kind else _INLINE_TAGS.get(tag, "span")
        fonts = (*_FONT.findall(attributes.get("style", ""))[::-1], attributes.get("face"), font)
        own = next(filter(None, fonts), "").strip()
        self._open.append((tag, own, (in_picture or tag == "svg") and not holds_page, in_math))
        if "classifier" in attributes.get("class", "").split():  # of a term of docutils
            self._builder.data(" : ")
        if len(self._open) <= _MAX_DEPTH:
            kept = {
                key: _NOT_XML.sub("", value)
                for key, value in attributes.items()
                if key in ("href", "encoding")
                or (key == "id" and "note" in kind)
                or (key in _NUMERIC_ATTRIBUTES and _SMALL_NUMBER.fullmatch(value))
                or (key == "reversed" and tag == "ol")
            }
            style = " ".join(_LIST_STYLE.findall(attributes.get("style", ""))).lower()
            # docutils names the form in a class: "loweralpha".
            named = re.findall(r"\b(lower|upper)(alpha|roman)\b", attributes.get("class", ""))
            forms = (attributes.get("type", ""), *map("-".join, named), *style.split())
            for form in forms if tag == "ol" else ():
                kept |= {"type": form} if form in LIST_FORMS else {}
            self._builder.start(tag, kept)

    def end(self, _tag: str) -> None:
        """Close an element."""
        if len(self._open) <= _MAX_DEPTH:
            self._builder.end(self._open[-1][0])
        self._open.pop()

    def _is_shown(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """Return whether an element is visible, or can be opened, and is content."""
        if tag in _UNSEEN_TAGS or (self._open[-1][2] and tag not in _TEXTS_OF_PICTURES):
            return False
        role = attributes.get("role", "")
        if role in ("navigation", "search", "dialog", "alertdialog"):
            return False
        if tag == "button":  # kept if it opens what it names
            in_heading = any(name in _HEADING_TAGS for name, *_ in self._open)
            return in_heading or role == "tab" or "aria-expanded" in attributes
        style = attributes.get("style", "")
        hidden = (
            # pandoc hides captions that are descriptions of the picture, too.
            (attributes.get("aria-hidden") == "true" and tag != "figcaption")
            or attributes.get("hidden", "until-found") != "until-found"
            # Wikipedia hides its formulas behind pictures of them.
            or (_INVISIBLE.search(style) and "mathml" not in attributes.get("class", ""))
        )
        if hidden and role != "tabpanel":
            return False
        if tag not in ("div", "aside", "form", "p"):
            return True
        names = " ".join(attributes.get(key, "") for key in ("id", "class", "aria-label"))
        return not (_COOKIES.search(names) and _BANNER.search(names))

    def data(self, text: str) -> None:
        """Read text."""
        self._builder.data(show_symbols(_NOT_XML.sub("", text), self._open[-1][1]))

    def close(self) -> Any:
        """Return the tree."""
        self._builder.end("body")
        return self._builder.close()


def read_page(content: bytes, _max_unpacked: int) -> tuple[str, list[str], str]:
    """Return the Markdown of a page in UTF-8, no notices, and its title."""
    html = content.decode()
    return read_html(html), [], "".join(_TITLE.findall(html)[:1])


def read_html(html: str) -> str:
    """Return the Markdown of a page, without a line break at its end."""
    book = BytesIO()
    with ZipFile(book, "w") as archive:
        for name, part in (*_BOOK.items(), ("p", plain_page(html))):
            archive.writestr(name, part)
    return convert_document(book.getvalue(), "epub")


def plain_page(html: str) -> str:
    """Return the content of a page as a small, well-formed page."""
    from lxml.etree import HTMLParser, strip_elements, strip_tags, tostring

    target: Any = _TreeTarget()
    parser = HTMLParser(target=target, huge_tree=True, encoding="utf-8")
    parser.feed(html.encode("utf-8", "replace"))
    body = parser.close()
    strip_elements(body, "script", with_tail=False)
    _simplify(body)
    _set_raised_apart(body)
    _wrap_text(body)
    _number_items(body)
    strip_tags(body, "span", "sup", "sub", "note", *_GROUP_TAGS[1:])
    _drop_navigation(body)
    _arrange_tables(body)
    strip_tags(body, "a", "footer", "div")
    return f'<html xmlns="http://www.w3.org/1999/xhtml">{tostring(body, encoding="unicode")}</html>'


def _simplify(body: Any) -> None:
    """Reduce code and headings to text, and empty what is not shown."""
    from lxml.etree import strip_tags

    for foot in [*body.iter("tfoot")]:  # it may stand before the rows
        foot.getparent().append(foot)
    rows_below: dict[Any, int] = {}
    for section in {row.getparent() for row in body.iter("tr")}:
        count = 0
        for row in reversed(section):
            rows_below[row] = count
            count += row.tag == "tr"
    for cell in body.xpath("//*[@rowspan]"):  # it ends with its section; 0 means there
        rows = rows_below.get(cell.getparent(), 0) + 1
        cell.set("rowspan", str(min(int(cell.get("rowspan")) or rows, rows)))
    for choice in body.xpath("//switch[foreignobject]"):  # of forms of a text in SVG
        choice[1:] = []
    strip_tags(body, "thead", "tbody", "tfoot", "svg", "switch", "foreignobject")
    for heading in body.iter(*_HEADING_TAGS):
        for block in heading.iterdescendants(*_GROUP_TAGS):
            block.tag, block.text = "span", f" {block.text or ''}"
    for unseen in [*body.iter("nav")]:
        unseen.clear(keep_tail=True)
    for reading in [*body.iter("rt")]:  # above a word; in parentheses, as browsers without ruby do
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


def _set_raised_apart(body: Any) -> None:
    """Set raised and lowered numbers apart from those beside them."""
    from lxml.etree import iterwalk

    kind = last = ""  # of the next text, and the character before it
    for event, element in iterwalk(body, ("start", "end")):
        if element.tag in _BLOCK_TAGS or element.tag == "br":
            kind = last = ""
        elif element.tag in ("sup", "sub", "note"):
            kind = element.tag if event == "start" else "after"
        place = "text" if event == "start" else "tail"
        text = getattr(element, place) or ""
        if kind and text.strip():
            text, kind = set_apart(kind, last, text), ""
        setattr(element, place, text)
        last = text[-1:] or last


def _wrap_text(body: Any) -> None:
    """Wrap all text in blocks without others: paragraphs, items, cells, headings and code."""
    for block in body.iter(*_BLOCK_TAGS):
        for around in block.iterancestors():
            if around.tag in _BLOCK_TAGS:
                break
            around.tag = "div"
    for block in [*body.iter("body", *_GROUP_TAGS, *_NESTED_TAGS)]:
        block.tag = "div" if block.tag == "p" else block.tag
        parts = _CHILD_TAGS.get(block.tag)
        inside, kind = [*block], parts[0] if parts else "p"
        block.insert(0, wrapper := block.makeelement(kind))
        wrapper.text, block.text = block.text, None
        for child in inside:
            own = {child.tag, *(part.tag for part in child if child.tag in _GROUP_TAGS)}
            if child.tag not in _BLOCK_TAGS or (parts and own.isdisjoint(parts)):
                before = wrapper.getprevious() if child.tag in _LIST_TAGS else None
                (wrapper if before is None else before).append(child)  # a sublist joins the item
                continue
            child.addnext(wrapper := block.makeelement(kind))
            wrapper.text, child.tail = child.tail, None
        for child in block[::2]:
            if _is_empty(child):
                block.remove(child)


def _number_items(body: Any) -> None:
    """Write the letters of items, and begin a new list at a number that does not follow."""
    for numbered in [*body.iter("ol")]:
        items, form = numbered.findall("li"), numbered.get("type")
        step = 1 if numbered.get("reversed") is None else -1
        number = int(numbered.get("start", len(items) if step < 0 else 1))
        numbered.set("start", str(number))
        for item in items:
            given = int(item.get("value", number))
            if form:
                numbered.tag = "ul"
                for first in [*item.iter("p", *_LIST_TAGS)][: form != "none"]:
                    if first.tag == "p":
                        first.text = f"{label_item(given, form)}. {first.text or ''}"
            elif given != number or (step < 0 and item is not items[0]):
                numbered.addnext(rest := numbered.makeelement("ol", start=str(given)))
                rest.extend([item, *item.itersiblings()])
                numbered = rest
            number = given + step


def _is_empty(element: Any) -> bool:
    return len(element) == 0 and not (element.text or "").strip()


def _drop_navigation(body: Any) -> None:
    """Remove blocks that lead elsewhere.

    Blocks of links alone are removed before the first heading, in a footer, and if they lead to the
    previous or next page. Without a heading, none is before it.
    """
    blocks = list(body.iter("p", *_HEADING_TAGS))
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
    for nested in reversed(list(body.iter(*_LIST_TAGS, "li", "blockquote", "table", "tr"))):
        if all(map(_is_empty, nested if nested.tag == "tr" else [nested])):
            nested.getparent().remove(nested)


def _arrange_tables(body: Any) -> None:
    """Take layout tables apart, and mark the header row of other tables."""
    from lxml.etree import strip_attributes

    for table in list(body.iter("table")):
        if next(table.iterancestors("table"), None) is not None:
            continue  # the cell that it is in becomes a line
        rows = table.findall("tr")
        columns = max((sum(int(cell.get("colspan", 1)) for cell in row) for row in rows), default=0)
        has_header = columns > 1 and _names_columns(rows[0])
        if columns < 2 or _is_layout(table, has_header=has_header):
            for part in table.xpath("self::* | tr | tr/* | caption"):
                part.tag = "div"
            continue
        for cell in rows[0]:
            cell.tag = "th" if has_header else "td"
        spans = [int(c.get("colspan", 1)) * int(c.get("rowspan", 1)) for row in rows for c in row]
        if sum(spans) > len(spans) + MAX_REPEATED_CELLS:
            strip_attributes(table, "colspan", "rowspan")


def _is_layout(table: Any, *, has_header: bool) -> bool:
    """Return whether a table only arranges the page: its cells have sections, or much text."""
    rich = [cell for cell in table.iterfind("tr/*") if any(part.tag != "p" for part in cell)]
    if any(len("".join(cell.itertext())) > _LONGEST_CELL[has_header] for cell in rich):
        return True
    sections = [c for c in rich if len(c) > 1 and any(part.tag in _HEADING_TAGS for part in c)]
    is_data = len(table.findall("tr")) > 1 and len(sections) < 2 and table.find(".//pre") is None
    return bool(rich) and not (has_header or is_data)


def _names_columns(row: Any) -> bool:
    """Return whether all cells with content are marked as headers, bold or headings."""
    marked = [
        cell.tag == "th"
        or [part.tag for part in cell.xpath("p/node()[self::*]")] == ["b"]
        or (len(cell) == 1 and cell[0].tag in _HEADING_TAGS)
        for cell in row
        if len(cell)
    ]
    return bool(marked) and all(marked)
