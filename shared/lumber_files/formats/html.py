"""Reads HTML as Markdown: what a page says, without what leads around it.

The parser is libxml2, through lxml, which closes what a page leaves open as browsers do. Its tree
is brought to paragraphs, headings, lists, quotes, tables and code, without what no reader comes
for, and becomes Markdown as a chapter of a book does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lumber_files.formats.markdown_cleanup import chapter_to_markdown, set_apart

_UNSEEN = frozenset(
    (
        *("script", "style", "template", "noscript", "head", "svg", "img", "iframe", "select"),
        *("nav", "dialog", "textarea", "audio", "video", "object", "canvas"),
    )
)
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_LISTS = ("ul", "ol")
_NESTED = (*_LISTS, "li", "blockquote", "table", "tr", "td", "th", "caption", "footer")
# These only hold text, or other blocks.
_GROUPS = (
    *("p", "div", "section", "article", "main", "header", "aside", "nav"),
    *("address", "figure", "figcaption", "details", "summary", "form", "fieldset", "legend"),
    *("center", "dl", "dt", "dd", "hgroup", "button", "label"),
)
_BLOCKS = frozenset(
    ("body", *_GROUPS, *_HEADINGS, *_NESTED, "pre", "hr", "thead", "tbody", "tfoot")
)
# What these consist of; text or others between them become the first.
_PARTS = {
    **dict.fromkeys(_LISTS, ("li",)),
    "table": ("caption", "tr"),
    "tr": ("td", "th"),
}
_MARKS = {tag: tag for tag in ("b", "i", "del", "code", "a", "br", "sup", "sub")}
_MARKS |= {"strong": "b", "em": "i", "s": "del", "kbd": "code", "samp": "code"}
_NUMBERED, _NUMBER = ("start", "colspan", "rowspan"), re.compile("[0-9]{1,3}")
# Elements inside as many others are read as their content: some pages close nothing, and in
# Markdown a line repeats the marks of all lists and quotes that it is in.
_DEEPEST = 200
_SHORT = 200  # characters of a block that may lead to the pages around
_SPACE = re.compile(r"[ \t\r\n\f]+")
_WORD = re.compile(r"\w")
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\xad")
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_COOKIES = re.compile(r"cookie|consent|gdpr|onetrust", re.IGNORECASE)
_BANNER = re.compile(r"banner|notice|bar\b|popup|modal|overlay|consent|onetrust", re.IGNORECASE)
_PERMALINK = re.compile(  # to a heading, or back from a note
    "[\\s\u200b]*(?:[¶§#🔗]|[↩↑]\ufe0e?\\d*|link|permalink)?[\\s\u200b]*", re.IGNORECASE
)
_WAYS = re.compile(  # what blocks that are links say, if they lead around the site
    r"\W*(?:prev(?:ious)?|next|older|newer|skip to|back to top|edit (?:this page|on)|improve this"
    r"|(?:view|show) (?:page )?source)\b.{0,80}|(?:[←→«»]|<<).{0,80}|.{0,80}(?:[←→«»]|>>)"
    r"|up|top|home|index|contents",
    re.IGNORECASE,
)
_MADE_WITH = re.compile(
    r"(?:proudly )?(?:built|made|powered|generated|created|hosted|published) (?:with|by|using|on)\b"
    r".{0,60}\b(?:sphinx|mkdocs|docusaurus|hugo|jekyll|gatsby|wordpress|read the docs|gitbook|hexo"
    r"|eleventy|vitepress|mdbook|doxygen|pelican|ghost|next\.js|github pages)\b.{0,80}",
    re.IGNORECASE,
)


class _Parsed:
    """Takes the events of an HTML parser; `close` returns the tree of what may be shown.

    Elements have few names: "nav" is a block and "script" a text that no reader comes for.
    """

    def __init__(self) -> None:
        from lxml.etree import TreeBuilder

        self._builder: Any = TreeBuilder()
        self._builder.start("body", {})
        self._open: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        is_block = tag in _BLOCKS
        if not self._is_shown(tag, attributes):
            tag = "nav" if is_block else "script"
        elif not is_block:
            is_note = attributes.get("role") == "doc-noteref"
            tag = "sup" if is_note else _MARKS.get(tag, "span")
        self._open.append(tag)
        if len(self._open) < _DEEPEST:
            kept = {
                key: _NOT_XML.sub("", said)
                for key, said in attributes.items()
                if key in ("href", "rel") or (key in _NUMBERED and _NUMBER.fullmatch(said))
            }
            self._builder.start(tag, kept)

    def end(self, _tag: str) -> None:
        """Close an element."""
        if len(self._open) < _DEEPEST:
            self._builder.end(self._open[-1])
        self._open.pop()

    def _is_shown(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """Return whether a reader sees an element, or can open it, and comes for it."""
        if tag in _UNSEEN:
            return False
        role = attributes.get("role", "")
        if role in ("navigation", "search", "dialog", "alertdialog"):
            return False
        if tag == "button":  # those that open what they name say something
            in_heading = not _HEADINGS.isdisjoint(self._open)
            return in_heading or role == "tab" or "aria-expanded" in attributes
        hidden = (
            attributes.get("aria-hidden") == "true"
            or attributes.get("hidden", "until-found") != "until-found"
            or _INVISIBLE.search(attributes.get("style", ""))
        )
        if hidden and role != "tabpanel":
            return False
        if tag not in ("div", "aside", "form", "p"):
            return True
        named = " ".join(attributes.get(key, "") for key in ("id", "class", "aria-label"))
        return not (_COOKIES.search(named) and _BANNER.search(named))

    def data(self, text: str) -> None:
        """Read text."""
        self._builder.data(_NOT_XML.sub("", text))

    def close(self) -> Any:
        """Return the tree."""
        self._builder.end("body")
        return self._builder.close()


def read_page(content: bytes, _most: int) -> str:
    """Return the Markdown of a page in UTF-8."""
    return read_html(content.decode())


def read_html(html: str) -> str:
    """Return the Markdown of a page, without a line break at its end."""
    return chapter_to_markdown(plain_page(html))


def plain_page(html: str) -> str:
    """Return what a page says as a small, well-formed page."""
    from lxml.etree import HTMLParser, strip_elements, strip_tags, tostring

    target: Any = _Parsed()
    parser = HTMLParser(target=target, huge_tree=True, encoding="utf-8")
    parser.feed(html.encode("utf-8", "replace"))
    body = parser.close()
    strip_elements(body, "script", with_tail=False)
    strip_tags(body, "html", "body")
    _simplify(body)
    _raise(body)
    _wrap(body)
    strip_tags(body, "span", "sup", "sub", *_GROUPS[1:])
    _drop_furniture(body)
    _arrange_tables(body)
    strip_tags(body, "a", "footer", "div")
    return f'<html xmlns="http://www.w3.org/1999/xhtml">{tostring(body, encoding="unicode")}</html>'


def _simplify(body: Any) -> None:
    """Leave text alone in code and headings, and nothing in what is not shown."""
    from lxml.etree import strip_tags

    for cell in body.iterfind(".//thead//td"):
        cell.tag = "th"
    strip_tags(body, "thead", "tbody", "tfoot")
    for heading in body.iter(*_HEADINGS):
        for block in heading.iterdescendants(*_GROUPS):
            block.tag, block.text = "span", f" {block.text or ''}"
    for unseen in [*body.iter("nav")]:
        unseen.clear(keep_tail=True)
    for code in body.iter("pre"):
        for line_end in code.iter("br"):
            line_end.text = "\n"
        code.text = "".join(code.itertext())
        del code[:]


def _raise(body: Any) -> None:
    """Set raised and lowered numbers apart from those beside them; spaces are one."""
    from lxml.etree import iterwalk

    kind = last = ""  # of the text that comes, and the character before it
    for event, element in iterwalk(body, ("start", "end")):
        if element.tag in _BLOCKS or element.tag == "br":
            kind = last = ""
        elif element.tag in ("sup", "sub"):
            kind = element.tag if event == "start" else "after"
        place = "text" if event == "start" else "tail"
        text = getattr(element, place) or ""
        if element.tag != "pre" or event == "end":
            text = _SPACE.sub(" ", text)
        if kind and text.strip():
            text, kind = set_apart(kind, last, text), ""
        setattr(element, place, text)
        last = text[-1:] or last


def _wrap(body: Any) -> None:
    """Put all text in blocks without others: paragraphs, items, cells, headings and code."""
    for block in body.iter(*_BLOCKS):
        for around in block.iterancestors():
            if around.tag in _BLOCKS:
                break
            around.tag = "div"
    for block in [*body.iter("body", *_GROUPS, *_NESTED)]:
        if block.tag in _GROUPS and not any(child.tag in _BLOCKS for child in block):
            block.tag = "p"
            continue
        block.tag = "div" if block.tag == "p" else block.tag
        parts = _PARTS.get(block.tag)
        inside, kind = [*block], parts[0] if parts else "p"
        block.insert(0, wrapper := block.makeelement(kind))
        wrapper.text, block.text = block.text, None
        for child in inside:
            own = {child.tag, *(each.tag for each in child if child.tag in _GROUPS)}
            if child.tag not in _BLOCKS or (parts and own.isdisjoint(parts)):
                before = wrapper.getprevious() if child.tag in _LISTS else None
                (wrapper if before is None else before).append(child)  # a list in one, of the item
                continue
            child.addnext(wrapper := block.makeelement(kind))
            wrapper.text, child.tail = child.tail, None
        for child in block[::2]:
            if _is_empty(child):
                block.remove(child)


def _is_empty(element: Any) -> bool:
    return len(element) == 0 and not (element.text or "").strip()


def _drop_furniture(body: Any) -> None:
    """Remove blocks that lead elsewhere.

    Of those that are links only, these are menus before the first heading, if there is one, those
    of a footer, and ways to the pages around. The line that names the page's program goes as well.
    """
    blocks = list(body.iter("p", *_HEADINGS))
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
        linked = sum(len(_WORD.findall("".join(link.itertext()))) for link in links)
        if linked and linked == len(_WORD.findall(text)):
            away = not any(link.get("href", "#").startswith("#") for link in links)
            in_footer = next(block.iterancestors("footer"), None) is not None
            leads = (away and n < first) or in_footer or bool(_WAYS.fullmatch(text))
        elif any(link.get("rel") in ("prev", "next") for link in links):
            leads = len(text) < _SHORT
        else:
            leads = bool(_MADE_WITH.fullmatch(text))
        if leads or not text:
            block.getparent().remove(block)
    for nested in reversed(list(body.iter(*_LISTS, "li", "blockquote", "table", "tr"))):
        if all(map(_is_empty, nested if nested.tag == "tr" else [nested])):
            nested.getparent().remove(nested)


def _arrange_tables(body: Any) -> None:
    """Take apart the tables that only arrange a page; give others a row that names the columns."""
    for table in reversed(list(body.iter("table"))):
        rows = table.findall("tr")
        columns = max((sum(int(cell.get("colspan", 1)) for cell in row) for row in rows), default=0)
        inside = {each.tag for each in table.iterdescendants()}
        named = columns > 1 and _names_columns(rows[0])
        beside_text = {"pre", "blockquote", *_LISTS} if not named else set()
        if columns < 2 or inside & {"table", "div", *_HEADINGS, *beside_text}:
            for part in table.xpath("self::* | tr | tr/* | caption"):
                part.tag = "div"
        elif named:
            for cell in rows[0]:
                cell.tag = "th"
        else:
            rows[0].addprevious(row := table.makeelement("tr"))
            row.extend([table.makeelement("th") for _ in range(columns)])


def _names_columns(row: Any) -> bool:
    """Return whether each cell that says something is marked as a header, or is bold."""
    marked = [
        cell.tag == "th" or [part.tag for part in cell.xpath("p/node()[self::*]")] == ["b"]
        for cell in row
        if len(cell)
    ]
    return bool(marked) and all(marked)
