"""Parses a page into a small tree of its visible content, with few kinds of elements.

The parser is libxml2, through lxml: it closes open elements as browsers do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lumber_files.formats.list_numbers import LIST_FORMS
from lumber_files.formats.symbol_fonts import show_symbols

HEADING_TAGS = frozenset(f"h{level}" for level in range(1, 7))
LIST_TAGS = ("ul", "ol")
NESTED_TAGS = (*LIST_TAGS, "li", "blockquote", "table", "tr", "td", "th", "caption", "footer")
GROUP_TAGS = (
    *("p", "div", "section", "article", "main", "header", "aside", "nav"),
    *("address", "figure", "figcaption", "details", "summary", "form", "fieldset", "legend"),
    *("center", "dl", "dt", "dd", "hgroup", "button", "label"),
)
"""The names of elements that only contain text or other blocks."""
BLOCK_TAGS = frozenset(
    ("body", *GROUP_TAGS, *HEADING_TAGS, *NESTED_TAGS, "pre", "hr", "thead", "tbody", "tfoot")
)
_INLINE_TAGS = {
    *("b", "strong", "i", "em", "s", "del", "code", "kbd", "samp", "a", "br", "sup", "sub", "q"),
    *("rt", "svg", "switch", "foreignobject"),
}
_UNSEEN_TAGS = {
    *("script", "style", "template", "noscript", "head", "img", "iframe", "select"),
    *("nav", "dialog", "textarea", "audio", "video", "object", "canvas", "rp"),
}
_TAGS_OF_ROLES = {"row": "tr", "cell": "td", "gridcell": "td", "columnheader": "th"}
_TAGS_OF_ROLES |= {"rowheader": "th"} | dict.fromkeys(("table", "grid", "treegrid"), "table")
_TEXTS_OF_PICTURES = ("text", "tspan", "textpath", "a", "g", "switch", "foreignobject")  # in SVG
_TEX = ("math", "semantics", "annotation")  # the elements of a formula in TeX
_CDATA_MARK = re.compile(r"%\s*(?:<!\[CDATA\[|\]\]>)")  # kramdown puts these marks around TeX
_MATH_PREFIX = re.compile("^(?:m|mml):")
_MATH_TAG = re.compile("m[a-z]+|semantics|annotation|none")
_FONT = re.compile(r"(?:^|;)\s*font(?:-family)?\s*:\s*[\"']?([^;,\"']*)", re.IGNORECASE)
_LIST_LEVEL = re.compile(r"\blst-kix\S*-(\d)\b")  # a class of lists in pages of Google Docs
_RAISED = re.compile(r"vertical-align\s*:\s*super", re.IGNORECASE)
_RAISED_CLASSES = {"sup", "super", "superscript"}
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:([^;]*)", re.IGNORECASE)
_NUMERIC_ATTRIBUTES = ("start", "value", "colspan", "rowspan")
_SMALL_NUMBER = re.compile("[0-9]{1,4}")
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\xad")
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_COOKIES = re.compile(r"cookie|consent|gdpr|onetrust", re.IGNORECASE)
_BANNER = re.compile(r"banner|notice|bar\b|popup|modal|overlay|consent|onetrust", re.IGNORECASE)
_TASKS = {"checkbox-on", "checkbox-off", "data-inline-task-id"}  # tasks of Notion and Confluence
# Deeper elements are replaced by their content: some pages close no element, and a line of Markdown
# repeats the marks of all lists and quotes around it. Anydoc reads at most 256 levels, and adds a
# level for text in a list or table.
_MAX_ELEMENT_DEPTH = 120


def parse_page(html: str) -> Any:
    """Return the body of a page; an empty "nav" replaces a hidden block."""
    from lxml.etree import HTMLParser, strip_elements

    target: Any = _PageTarget()
    parser = HTMLParser(target=target, huge_tree=True, encoding="utf-8")
    parser.feed(html.encode("utf-8", "replace"))
    body = parser.close()
    strip_elements(body, "script", with_tail=False)
    for unseen in [*body.iter("nav")]:
        unseen.clear(keep_tail=True)
    return body


class _PageTarget:
    """The target of an HTML parser. `close` returns the tree, with few names of elements.

    Hidden blocks are named "nav", and hidden texts "script".
    """

    def __init__(self) -> None:
        from lxml.etree import TreeBuilder

        self._builder: Any = TreeBuilder()
        self._builder.start("body", {})
        # The name and font of each open element, and whether it is in SVG, or in a formula.
        self._open = [("", "", False, False)]

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        role = attributes.get("role", "")
        tag = tag if tag in _UNSEEN_TAGS else _TAGS_OF_ROLES.get(role, tag)
        kind = f"{role} {attributes.get('epub:type')}"
        around = [name for name, *_ in self._open[-2:]]
        _, font, in_picture, in_math = self._open[-1]
        in_math = in_math or _MATH_PREFIX.sub("", tag) == "math"
        names = {*attributes, *attributes.get("class", "").split()}
        is_task = not names.isdisjoint(_TASKS) or (
            attributes.get("type") in ("checkbox", "radio")
            and not {"li", "td"}.isdisjoint(around)
            and (around == ["li", "label"] or not names.isdisjoint(("checked", "disabled")))
        )
        formula = attributes.get("alt", "") if names & {"latex", "tex"} else ""  # as in WordPress
        is_block = tag in BLOCK_TAGS and not (is_task and tag == "div")
        if in_math:
            tag = _MATH_PREFIX.sub("", tag)
            tag = tag if _MATH_TAG.fullmatch(tag) else "script" if "-xml" in tag else "span"
        # MathJax 2 gives an ID to a script whose formula is shown before it.
        elif formula or ("math/tex" in attributes.get("type", "") and "id" not in attributes):
            tag, attributes = "tex", {"encoding": "application/x-tex"}
        elif "pagebreak" in kind or ("note" not in kind and not self._is_shown(tag, attributes)):
            tag = "nav" if is_block else "script"
        elif not is_block:
            tag = "p" if tag == "text" else tag if tag in _INLINE_TAGS else "span"  # "text" of SVG
            raised = names & _RAISED_CLASSES or _RAISED.search(attributes.get("style", ""))
            tag = "sup" if tag == "span" and raised else tag
            tag = "note" if "noteref" in kind else tag
        fonts = (*_FONT.findall(attributes.get("style", ""))[::-1], attributes.get("face"), font)
        nearest_font = next(filter(None, fonts), "").strip()
        # A `foreignobject` contains a page.
        in_picture = (in_picture or tag == "svg") and tag != "foreignobject"
        self._open.append((tag, nearest_font, in_picture, in_math))
        if "classifier" in names:  # docutils classifies a term
            self._builder.data(" : ")
        elif in_picture and "x" in attributes:  # the next line of a label
            self._builder.data(" ")
        if len(self._open) <= _MAX_ELEMENT_DEPTH:
            kept = {
                key: _NOT_XML.sub("", value)
                for key, value in attributes.items()
                if key in ("href", "encoding", "reversed", "linethickness")
                or (key == "id" and "note" in kind)
                or (key in _NUMERIC_ATTRIBUTES and _SMALL_NUMBER.fullmatch(value))
            }
            if level := _LIST_LEVEL.search(attributes.get("class", "")):
                kept["level"] = level[1]
            style = " ".join(_LIST_STYLE.findall(attributes.get("style", ""))).lower()
            # docutils names the form in a class: "loweralpha".
            named = re.findall(r"\b(lower|upper)(alpha|roman)\b", attributes.get("class", ""))
            forms = (attributes.get("type", ""), *map("-".join, named), *style.split())
            for form in forms if tag == "ol" else ():
                kept |= {"type": form} if form in LIST_FORMS else {}
            for name in _TEX if tag == "tex" else (tag,):
                self._builder.start(name, kept)
        self._builder.data(_NOT_XML.sub("", formula))
        if is_task:
            self._builder.data("☑ " if names & {"checked", "checkbox-on"} else "☐ ")

    def end(self, _tag: str) -> None:
        """Close an element."""
        if len(self._open) <= _MAX_ELEMENT_DEPTH:
            for name in _TEX[::-1] if self._open[-1][0] == "tex" else (self._open[-1][0],):
                self._builder.end(name)
        self._open.pop()

    def _is_shown(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """Return whether an element is content that is visible or can be opened."""
        if tag in _UNSEEN_TAGS or (self._open[-1][2] and tag not in _TEXTS_OF_PICTURES):
            return False
        role = attributes.get("role", "")
        if role in ("navigation", "search", "dialog", "alertdialog"):
            return False
        # Links beside headings of Wikipedia, and formulas before MathJax shows them.
        if re.search("mw-editsection|MathJax_Preview", attributes.get("class", "")):
            return False
        if tag == "button":  # kept if it opens the element that it names
            in_heading = any(name in HEADING_TAGS for name, *_ in self._open)
            return in_heading or role == "tab" or "aria-expanded" in attributes
        style = attributes.get("style", "")
        is_hidden = (
            # pandoc hides captions that are descriptions of the picture, too.
            (attributes.get("aria-hidden") == "true" and tag != "figcaption")
            or attributes.get("hidden", "until-found") != "until-found"
            # Wikipedia hides its formulas behind pictures of them.
            or (_INVISIBLE.search(style) and "mathml" not in attributes.get("class", ""))
        )
        if is_hidden and role != "tabpanel":
            return False
        if tag not in ("div", "aside", "form", "p"):
            return True
        names = " ".join(attributes.get(key, "") for key in ("id", "class", "aria-label"))
        return not (_COOKIES.search(names) and _BANNER.search(names))

    def data(self, text: str) -> None:
        """Read text."""
        text = _CDATA_MARK.sub("", text) if self._open[-1][0] == "tex" else text
        self._builder.data(show_symbols(_NOT_XML.sub("", text), self._open[-1][1]))

    def close(self) -> Any:
        """Return the tree."""
        self._builder.end("body")
        return self._builder.close()
