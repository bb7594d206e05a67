"""Wikipedia's own dumps: the articles of an XML export, with the sections of all levels.

The text is what Wiki-727K keeps of an article: sentences of the prose, without headings, lists,
tables, templates, references and images, and without the sections that only list references and
links.
"""

from __future__ import annotations

import bz2
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING
from xml.etree import ElementTree

from lumber_core.support.extras import load, require
from lumber_core.text.units import sentences
from lumber_evaluation.corpora.files import existing
from lumber_evaluation.documents import Document, document_from_segments

if TYPE_CHECKING:
    from mwparserfromhell.wikicode import Wikicode

_ARTICLES = "0"  # the namespace of articles
# A comment that is not closed reaches to the end of the page.
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADING = re.compile(
    r"^(?P<marks>={2,6})[ \t]*(?P<title>.+?)[ \t]*(?P=marks)[ \t]*$", re.MULTILINE
)
_LISTS = re.compile(r"^[*#:;].*\n?", re.MULTILINE)
_NOT_PROSE = frozenset(
    {
        "gallery",
        "imagemap",
        "math",
        "pre",
        "ref",
        "references",
        "source",
        "syntaxhighlight",
        "table",
        "timeline",
    }
)
_MEDIA = re.compile(r"\s*(file|image|media|category|[a-z]{2,3}(-[a-z]+)?)\s*:", re.IGNORECASE)
# Of a parser and of a decompressor; an unknown encoding is a LookupError or a ValueError.
_UNREADABLE = (ElementTree.ParseError, OSError, EOFError, LookupError, ValueError)
_APPENDICES = frozenset(
    {
        "bibliography",
        "citations",
        "external links",
        "footnotes",
        "further reading",
        "gallery",
        "notes",
        "notes and references",
        "references",
        "see also",
        "sources",
        "works cited",
    }
)


def iter_wiki_dump(path: str | Path) -> Iterator[Document]:
    """Read the articles of a Wikipedia dump, one at a time.

    Args:
        path: An XML export of MediaWiki, as dumps of Wikipedia are, also compressed by bzip2.

    Yields:
        The articles that have a sentence, in the order of the file. Units are their sentences; a
        segment starts at each section, of any level, that has a sentence of its own. Redirects and
        pages that are no articles are left out.

    Raises:
        FileNotFoundError: There is no such file (raised at once).
        MissingExtraError: mwparserfromhell is not installed (raised at once).
        ValueError: The file is no such export (raised when the wrong part is reached).
    """
    file = existing(Path(path), "a dump of Wikipedia")
    require("mwparserfromhell", package="mwparserfromhell", extra="evaluation")
    return _articles(file)


def _articles(file: Path) -> Iterator[Document]:
    found = False
    with _opened(file) as stream:
        for title, wikitext in _pages(stream, file):
            found = True
            document = _document(title, wikitext)
            if document.text:
                yield document
    if not found:
        raise ValueError(f"{file} has no articles; expected an XML export of MediaWiki")


def _opened(file: Path) -> IO[bytes]:
    return bz2.open(file, "rb") if file.suffix == ".bz2" else file.open("rb")


def _pages(stream: IO[bytes], file: Path) -> Iterator[tuple[str, str]]:
    """Read titles and wikitexts of the articles of an export."""
    try:
        events = ElementTree.iterparse(stream, events=("start", "end"))
        _, root = next(events)
        for event, element in events:
            if event == "start" or _tag(element) != "page":
                continue
            values = {_tag(child): child for child in element.iter()}
            text = values.get("text")
            is_article = "redirect" not in values and values["ns"].text == _ARTICLES
            if is_article and text is not None and text.text:
                yield values["title"].text or "", text.text
            root.clear()  # the pages so far
    except _UNREADABLE as error:
        raise ValueError(
            f"{file} is no XML export of MediaWiki, or only the beginning of one: {error!r}"
        ) from error


def _tag(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _document(title: str, wikitext: str) -> Document:
    segments: list[list[str]] = []
    appendix = 0  # level of the appendix that a section belongs to; 0 for none
    for level, heading, body in _sections(wikitext):
        if not appendix or level <= appendix:
            appendix = level if heading.casefold() in _APPENDICES else 0
        if not appendix:
            prose = _prose(body)
            segments.append([span.of(prose).replace("\n", " ") for span in sentences(prose)])
    return document_from_segments(segments, name=title, source="wikipedia")


def _sections(wikitext: str) -> Iterator[tuple[int, str, str]]:
    """Divide wikitext at its headings, into levels, headings and bodies.

    The parser would take a heading after a tag that is never closed for a part of that tag.
    """
    level, heading, begin = 1, "", 0
    wikitext = _COMMENT.sub("", wikitext)
    for found in _HEADING.finditer(wikitext):
        yield level, heading, wikitext[begin : found.start()]
        level, heading, begin = len(found["marks"]), found["title"], found.end()
    yield level, heading, wikitext[begin:]


def _prose(wikitext: str) -> str:
    """Return the running text of a section."""
    parser = load("mwparserfromhell", package="mwparserfromhell", extra="evaluation")
    kinds = parser.nodes
    code: Wikicode = parser.parse(wikitext)
    for node in code.filter(recursive=True):
        unwanted = (
            isinstance(node, (kinds.Template, kinds.Argument))
            or (isinstance(node, kinds.Tag) and str(node.tag).lower() in _NOT_PROSE)
            or (isinstance(node, kinds.Wikilink) and _MEDIA.match(str(node.title)))
        )
        if unwanted:
            with suppress(ValueError):  # inside a node that is removed already
                code.remove(node)
    text = parser.parse(_LISTS.sub("", str(code))).strip_code()
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n\n".join(line for line in lines if line)
