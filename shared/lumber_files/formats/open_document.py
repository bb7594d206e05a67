"""Rewrites the XML of OpenDocument files: what anydoc drops or misreads is text that it reads."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import partial
from typing import Any

from lumber_files.formats.markdown_cleanup import set_apart
from lumber_files.formats.package import clean_description, parse_xml
from lumber_files.formats.sheets import list_notices
from lumber_files.formats.symbol_fonts import show_symbols

_NAMES = ("office", "style", "text", "table", "drawing", "presentation", "svg-compatible")
_SPACES = {name[:12]: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in _NAMES}
_REFERENCE = re.compile(r"\[\.?([^\]:]*)(:?)\.?([^\]]*)\]")  # such as "[.B2:.B3]"
_DEEPEST = 10  # level of a list


def rewrite_open_document(root: Any, parts: Mapping[str, bytes]) -> list[str]:
    """Rewrite the content of a document; return notices of what a workbook hides."""
    from lxml import etree

    find = partial(root.xpath, namespaces=_SPACES)
    etree.strip_elements(root, _name("office:annotation"), with_tail=False)
    for hidden in find(
        "//text:section[@text:display='none'] | //presentation:notes//text:page-number"
    ):
        hidden.clear(keep_tail=True)
    for reading in find("//text:ruby-text[normalize-space()]"):  # above a word, as in HTML
        reading.text, reading[:] = f"({''.join(reading.itertext())})", []
    _show_spans(find)
    for frame in find("//drawing:frame[drawing:image]"):
        texts = [frame.findtext(f"{{*}}{tag}", "") for tag in ("desc", "title")]
        etree.strip_elements(frame, _name("svg-compatib:desc"), _name("svg-compatib:title"))
        for paragraph in frame.xpath("ancestor::text:p[1]", namespaces=_SPACES):
            paragraph.addnext(_make(root, "text:p", clean_description(texts[0] or texts[1])))
    _number_headings(find, [parse_xml(parts.get("styles.xml", b"<x/>")), root])
    _title_slides(find)
    return _show_workbook(find)


def _name(name: str) -> str:
    """Return a name such as "text:p" as lxml writes it."""
    space, _, local = name.partition(":")
    return f"{{{_SPACES[space]}}}{local}"


def _make(root: Any, name: str, text: str = "", *children: Any) -> Any:
    element = root.makeelement(_name(name))
    element.text, element[:] = text, children
    return element


def _show_spans(find: Any) -> None:
    """Empty hidden spans, set raised numbers apart, and show symbols."""
    styles = {
        style.getparent().get(_name("style:name")): style
        for style in find("//style:style/style:text-properties")
    }
    for span in find("//text:span[text()]"):
        style = styles.get(span.get(_name("text:style-name")), {})
        span.text = show_symbols(span.text or "", style.get(_name("style:font-name"), ""))
        if style.get(_name("text:display")) == "none":
            span.clear(keep_tail=True)
        elif style.get(_name("style:text-position"), "").startswith("super"):
            span.text = set_apart("sup", "x", span.text)


def _number_headings(find: Any, roots: list[Any]) -> None:
    """Take headings out of lists, with the numbers that they have there."""
    levels = {
        (level.getparent().get(_name("style:name")), level.get(_name("text:level"))): level
        for root in roots
        for level in root.iterfind(".//{*}list-level-style-number")
    }
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0] * _DEEPEST)
    for heading in find("//text:list//text:h"):
        lists = heading.xpath("ancestor::text:list", namespaces=_SPACES)
        depth, style = len(lists), lists[0].get(_name("text:style-name"), "")
        if len(lists[0].xpath(".//text:h | .//text:p", namespaces=_SPACES)) > 1 or depth > _DEEPEST:
            continue
        numbers, level = counts[style], levels.get((style, str(depth)), {})
        numbers[depth - 1 :] = [numbers[depth - 1] + 1, *[0] * (_DEEPEST - depth)]
        if level.get(_name("style:num-format")) == "1":
            shown = numbers[depth - int(level.get(_name("text:display-levels"), 1)) : depth]
            label = ".".join(map(str, shown)) + level.get(_name("style:num-suffix"), "")
            heading.text = f"{label} {heading.text or ''}"
        lists[0].getparent().replace(lists[0], heading)


def _title_slides(find: Any) -> None:
    """Start a slide, which is a section, with its title or number, and whether it is hidden."""
    hidden = find("//style:style[*/@presentation:visibility='hidden']/@style:name")
    for number, page in enumerate(find("//office:presentation/drawing:page"), start=1):
        title = "drawing:frame[@presentation:class='title'][normalize-space(.)]"
        frames = page.xpath(title, namespaces=_SPACES)
        box = _make(page, "drawing:text-box", "", _make(page, "text:p", f"Slide {number}"))
        frame = frames[0] if frames else _make(page, "drawing:frame", "", box)
        frame.set(_name("presentation:class"), "title")
        page.insert(0, frame)
        if page.get(_name("drawing:style-name")) in hidden:
            paragraph = frame.xpath(".//text:p[normalize-space(.)]", namespaces=_SPACES)[-1]
            paragraph.append(_make(page, "text:span", " (hidden slide)"))


def _show_workbook(find: Any) -> list[str]:
    """Show the formulas of a workbook that have no value; return notices of what is hidden."""
    unvalued = "@table:formula and not(@office:*[local-name()!='value-type'] or text:p)"
    formulas = find(f"//table:table-cell[{unvalued}]")
    for cell in formulas:
        formula = cell.get(_name("table:formula")).partition("=")[2]
        cell.append(_make(cell, "text:p", "=" + _REFERENCE.sub(r"\1\2\3", formula)))
        cell.set(_name("office:value-type"), "string")
    unseen = "//style:style[style:table-properties[@table:display='false']]/@style:name"
    sheets = find(f"//table:table[@table:style-name={unseen}]")
    rows = find("//table:table-row[@table:visibility!='visible'][.//text:p]")
    counts = Counter(sheet=len(sheets), row=len(rows), formula=len(formulas))
    return list_notices(counts, "in the text")
