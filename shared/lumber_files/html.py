"""Reads HTML as Markdown: what a page says, without what leads around it.

The parser is libxml2, through lxml. It closes what a page leaves open as browsers do; given events
instead of a tree, it takes linear time and has no limit of depth, whatever the page. The events
make a small tree of paragraphs, headings, lists, quotes, tables and code, which is tidied up and
becomes Markdown as a chapter of a book does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from lumber_files.markdown import chapter_to_markdown, set_apart

_UNSEEN = frozenset(
    (
        *("script", "style", "template", "noscript", "head", "svg", "img", "iframe", "select"),
        *("nav", "dialog", "textarea", "audio", "video", "object", "canvas"),
    )
)
_BLOCKS = frozenset(
    (
        *("html", "body", "p", "div", "section", "article", "main", "header", "aside", "nav"),
        *("address", "figure", "figcaption", "details", "summary", "form", "fieldset", "legend"),
        *("center", "dl", "dt", "dd", "thead", "tbody", "tfoot", "hgroup", "hr", "button", "label"),
    )
)
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_LISTS = ("ul", "ol")
_CELLS = ("td", "th")
_NESTED = frozenset((*_LISTS, *_CELLS, *("li", "blockquote", "table", "tr", "caption", "footer")))
# These end a heading that a page leaves open; other blocks in a heading are part of it.
_NO_HEADING = frozenset((*_HEADINGS, *_NESTED, "p", "pre", "hr"))
# What nested tags must be in, to be more than their content.
_PLACES = {
    "li": _LISTS,
    "caption": ("table",),
    "tr": ("table",),
    **dict.fromkeys(_CELLS, ("tr",)),
}
_MARKS = {
    **dict.fromkeys(("b", "strong"), "b"),
    **dict.fromkeys(("em", "i"), "i"),
    **dict.fromkeys(("del", "s"), "del"),
    **dict.fromkeys(("code", "kbd", "samp"), "code"),
    "a": "a",
}
# Lists, quotes and tables inside as many others are read as their content: in Markdown, a line
# repeats the marks of all that it is inside, so a hostile page would grow with its depth.
_DEEPEST = 30
_SHORT = 200  # characters of a block that may lead to the pages around
_MOST_SPANNED = 30  # columns or rows of one cell, as a page may ask for any number

# What a text outside items and cells is wrapped in, by what it is inside.
_WRAPPED = {"ul": ("li",), "ol": ("li",), "table": ("tr", "td"), "tr": ("td",)}

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


class _Flattener:
    """Takes the events of an HTML parser; `close` returns the tree of what is shown.

    In it, each text is in a block, a heading, "p" or "pre", and blocks are not in each other.
    """

    def __init__(self) -> None:
        from lxml.etree import TreeBuilder

        self._builder: Any = TreeBuilder()
        self._builder.start("body", {})
        # Of each nested tag that is open: the innermost that is written, and whether it is that.
        self._open: list[tuple[str, bool]] = [("", False)]
        self._marks: Counter[str] = Counter()  # how often each is open, in the order of opening
        self._link: dict[str, str] = {}  # where the open link leads
        self._block = "p"  # what the next text begins
        self._begun = False
        self._wrapped: tuple[str, ...] = ()  # what the block was wrapped in
        self._raised = ""  # "sup" or "sub" before such a text, "after" behind it
        self._last = ""  # character of the block
        self._heads = 0  # open tags of heads of tables
        self._unseen = 0  # open tags, from one that is not shown on

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        in_heading = self._block in _HEADINGS
        if self._unseen or not _is_shown(tag, attributes, in_heading):
            if not self._unseen and tag in _BLOCKS:
                self._end_block()
            self._unseen += 1
        elif tag in ("sup", "sub"):
            self._raised = tag
        elif tag == "br":
            self._break()
        elif tag == "q":
            self.data('"')
        elif tag in _MARKS:
            mark = _MARKS[tag]
            self._marks[mark] += 1
            if self._marks[mark] == 1:
                if mark == "a":
                    self._link = {"rel": attributes.get("rel", "")}
                    self._link["href"] = attributes.get("href", "#")
                self._begin_mark(mark)
            if attributes.get("role") == "doc-noteref":
                self._raised = "sup"
        elif self._block == "pre":
            pass
        elif in_heading and tag not in _NO_HEADING:
            self.data(" " if tag in _BLOCKS else "")
        elif tag in _HEADINGS or tag == "pre":
            self._end_block()
            self._block = tag
        elif tag in _BLOCKS or tag in _NESTED:
            self._end_block()
            self._heads += tag == "thead"
            if tag in _NESTED:
                self._enter(tag, attributes)
            elif tag == "hr":
                self._builder.start("hr", {})
                self._builder.end("hr")

    def end(self, tag: str) -> None:
        """Close an element."""
        if self._unseen:
            self._unseen -= 1
        elif tag in ("sup", "sub"):
            self._raised = "" if self._raised == tag else "after"
        elif tag == "q":
            self.data('"')
        elif tag in _MARKS:
            mark = _MARKS[tag]
            self._marks[mark] -= 1
            if not self._marks[mark]:
                del self._marks[mark]
                self._end_mark(mark)
        elif tag in (_HEADINGS | {"pre"}) or (self._block == "p" and tag in _BLOCKS | _NESTED):
            self._end_block()
            self._heads = max(self._heads - (tag == "thead"), 0)
            if tag in _NESTED and len(self._open) > 1:
                self._leave()

    def data(self, text: str) -> None:
        """Read text."""
        if self._unseen:
            return
        text = _NOT_XML.sub("", text)
        if self._block != "pre":
            text = _SPACE.sub(" ", text)
        if not self._begun:
            if not text.strip() and self._block != "pre":
                return
            self._begin()
        if self._raised and text.strip():
            text = set_apart(self._raised, self._last, text)
            self._raised = ""
        self._last = text[-1:] or self._last
        self._builder.data(text)

    def close(self) -> Any:
        """Return the tree."""
        self._end_block()
        while len(self._open) > 1:
            self._leave()
        self._builder.end("body")
        return self._builder.close()

    def _begin(self) -> None:
        """Begin a block; one between the items of a list, or cells, as another of these."""
        self._wrapped = _WRAPPED.get(self._open[-1][0], ())
        for tag in self._wrapped:
            self._open_nested(tag, {})
        self._builder.start(self._block, {})
        self._begun = True
        for mark in self._marks:
            self._begin_mark(mark)

    def _end_block(self) -> None:
        if self._begun:
            for mark in reversed(self._marks):
                self._end_mark(mark)
            self._builder.end(self._block)
            self._begun = False
            for _ in self._wrapped:
                self._leave()
        self._block, self._last = "p", ""

    def _begin_mark(self, mark: str) -> None:
        if self._begun and self._block != "pre":
            self._builder.start(mark, self._link if mark == "a" else {})

    def _end_mark(self, mark: str) -> None:
        if self._begun and self._block != "pre":
            self._builder.end(mark)

    def _break(self) -> None:
        if self._block == "pre":
            self.data("\n")
        elif self._begun:
            self._builder.start("br", {})
            self._builder.end("br")
            self._last = " "

    def _enter(self, tag: str, attributes: Mapping[str, str]) -> None:
        around = self._open[-1][0]
        if len(self._open) > _DEEPEST or around not in _PLACES.get(tag, (around,)):
            self._open.append((around, False))
            return
        kept = {"start": _number(attributes, "start")} if tag == "ol" else {}
        if tag in _CELLS:
            tag = "th" if self._heads else tag
            spans = {key: _number(attributes, key) for key in ("colspan", "rowspan")}
            kept = {key: min(max(span, 1), _MOST_SPANNED) for key, span in spans.items()}
        self._open_nested(tag, {key: str(number) for key, number in kept.items() if number != 1})

    def _open_nested(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._open.append((tag, True))
        self._builder.start(tag, attributes)

    def _leave(self) -> None:
        tag, is_written = self._open.pop()
        if is_written:
            self._builder.end(tag)


def _is_shown(tag: str, attributes: Mapping[str, str], in_heading: bool) -> bool:
    """Return whether a reader sees an element, or can open it, and comes for it."""
    if tag in _UNSEEN or (not attributes and tag != "button"):
        return tag not in _UNSEEN
    role = attributes.get("role", "")
    if role in ("navigation", "search", "dialog", "alertdialog"):
        return False
    if tag == "button":  # those that open what they name say something
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


def _number(attributes: Mapping[str, str], key: str) -> int:
    """Return the value of an attribute; a page may give anything."""
    value = attributes.get(key, "")
    return int(value) if re.fullmatch(r"[0-9]{1,9}", value) else 1


def _drop_furniture(body: Any) -> None:
    """Remove blocks that lead elsewhere.

    Of those that are links only, these are menus before the first heading, if there is one, those
    of a footer, and ways to the pages around. The line that names the page's program goes as well.
    """
    blocks = list(body.iter("p", *_HEADINGS))
    first = next((n for n, block in enumerate(blocks) if block.tag != "p"), 0)
    for n, block in enumerate(blocks):
        for link in block.iter("a"):
            stays = block.tag == "p" and not link.get("href").startswith("#")
            if not stays and _PERMALINK.fullmatch("".join(link.itertext())):
                link.clear(keep_tail=True)
        if block.tag != "p":
            continue
        text = "".join(block.itertext()).strip()
        links = [link for link in block.iter("a") if link.get("href")]
        linked = sum(len(_WORD.findall("".join(link.itertext()))) for link in links)
        if linked and linked == len(_WORD.findall(text)):
            away = not any(link.get("href").startswith("#") for link in links)
            in_footer = next(block.iterancestors("footer"), None) is not None
            leads = (away and n < first) or in_footer or bool(_WAYS.fullmatch(text))
        elif any(link.get("rel") in ("prev", "next") for link in links):
            leads = len(text) < _SHORT
        else:
            leads = bool(_MADE_WITH.fullmatch(text))
        if leads:
            block.getparent().remove(block)
    for nested in reversed(list(body.iter(*_LISTS, "li", "blockquote", "table", "tr"))):
        if all(len(cell) == 0 for cell in (nested if nested.tag == "tr" else [nested])):
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


def read_page(content: bytes, _most: int) -> str:
    """Return the Markdown of a page in UTF-8."""
    return read_html(content.decode())


def read_html(html: str) -> str:
    """Return the Markdown of a page, without a line break at its end."""
    return chapter_to_markdown(plain_page(html))


def plain_page(html: str) -> str:
    """Return what a page says as a small, well-formed page."""
    from lxml.etree import HTMLParser, strip_tags, tostring

    target: Any = _Flattener()
    parser = HTMLParser(target=target, huge_tree=True, encoding="utf-8")
    parser.feed(html.encode("utf-8", "replace"))
    body = parser.close()
    _drop_furniture(body)
    _arrange_tables(body)
    strip_tags(body, "a", "footer")
    return f'<html xmlns="http://www.w3.org/1999/xhtml">{tostring(body, encoding="unicode")}</html>'
