"""The page of `ask`: an answer with its quotes, and passages, each in its whole document."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from lumber_cli.html_pages.markdown_styles import StyleRange, find_styles, strip_syntax, styled_rows
from lumber_cli.html_pages.page import html_page, read_part
from lumber_cli.passage_formats import place_parts
from lumber_core.spans import Span
from lumber_core.text.lines.line_starts import read_layout
from lumber_core.text.pages import FIRST_PAGE
from lumber_core.text.source import Source
from lumber_core.text.structured import NESTED
from lumber_core.text.unicode import printable
from lumber_files import file_link
from lumber_retrieval.citing.citations import Citation
from lumber_retrieval.citing.quoted_answers import CitedAnswer
from lumber_retrieval.passages.joining import Passage

# Parts of a text, about a screen each: a browser lays out only visible ones. A part ends with a
# paragraph, or with a line if the paragraph is too long.
_PART = re.compile(r"(?s).{2000}(?:.{0,2000}?(?:\r?\n){2,}|[^\r\n]*[\r\n]*)")
_MAX_EXCERPT_CHARACTERS = 900  # beginning of a passage in the list, which shows a few lines
_GAP = re.compile(r"(?:\r?\n){3,}")
_Atom = str | list[Any]


def answer_page(
    question: str,
    answer: CitedAnswer | None,
    passages: Sequence[Passage],
    documents: Mapping[str, Source],
) -> str:
    """Return the page of an answer.

    Documents are divided into blocks `[kind, atoms, level of a heading or number of a page]`.
    Blocks are divided into *atoms*, wherever a passage, a quote or a style starts or ends. So the
    script needs no offsets, which JavaScript counts differently from Python. An atom is a text, or
    `[text, number of its passage or 0, numbers of its quotes, its styles]`. A table has rows of
    cells of atoms. Markdown syntax is in atoms, too, with a style that hides them.

    The documents are those of the passages and quotes, by name, as a whole. The page links to the
    file whose path the metadata has as "source". Without an answer, it shows the passages alone.
    """
    citations = () if answer is None else answer.citations
    numbers = {name: number for number, name in enumerate(documents)}
    pages = [
        {
            "name": printable(name),
            "blocks": [*_blocks(source, highlights=_Highlights(name, passages, citations))],
        }
        for name, source in documents.items()
    ]
    listed = [
        {
            "document": numbers[passage.document],
            "place": [strip_syntax(part) for part in place_parts(passage)],
            "link": _link(documents[passage.document], passage.metadata.get(FIRST_PAGE)),
            "blocks": _excerpt(documents[passage.document], passage.span),
        }
        for passage in passages
    ]
    quoted = [
        {
            "kind": citation.kind,
            "quote": citation.quote,
            "blocks": _excerpt(documents[citation.document], citation.span)
            if citation.document is not None and citation.span is not None
            else [],
            "document": None if citation.document is None else numbers[citation.document],
            "place": [citation.place] if citation.place else [],
            "link": citation.document and _link(documents[citation.document], citation.page),
        }
        for citation in citations
    ]
    data = {
        "question": question,
        # Models write Markdown.
        "answer": answer and [*_blocks(Source(answer.text, format="markdown"))],
        "citations": quoted,
        "passages": listed,
        "documents": pages,
    }
    # Inside a script element, "<" could end the element.
    safe = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    body = f'{read_part("answer.html")}<script type="application/json" id="data">{safe}</script>'
    return html_page("answer", question, body, read_part("answer.js"))


class _Highlights:
    """The ranges of a document's passages and quotes, with their numbers from 1."""

    def __init__(
        self, name: str, passages: Sequence[Passage], citations: Sequence[Citation]
    ) -> None:
        self._passages = [(n, p.span) for n, p in enumerate(passages, 1) if p.document == name]
        self._quotes = [
            (number, citation.span)
            for number, citation in enumerate(citations, 1)
            if citation.document == name and citation.span is not None
        ]
        spans = [span for _, span in (*self._passages, *self._quotes)]
        self._edges = sorted({edge for span in spans for edge in span})

    def atoms(self, text: str, block: Span, styles: Iterable[StyleRange] = ()) -> list[_Atom]:
        """Return the atoms of a block, or of a cell of a table."""
        changes: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for span, style in styles:
            inner = span.within(block)
            if inner.start < inner.end:
                changes[inner.start].append((style, 1))
                changes[inner.end].append((style, -1))
        inside = {edge for edge in (*self._edges, *changes) if block.start < edge < block.end}
        active: Counter[str] = Counter()
        atoms: list[_Atom] = []
        for ends in pairwise([block.start, *sorted(inside), block.end]):
            for style, change in changes[ends[0]]:
                active[style] += change
            span, active_styles = Span(*ends), [*+active]
            passage = next((n for n, outer in self._passages if _covers(outer, span)), 0)
            quotes = [n for n, outer in self._quotes if _covers(outer, span)]
            is_marked = passage or quotes or active_styles
            content = span.of(text)
            atom = [content, passage, quotes, " ".join(active_styles)]
            atoms.append(atom if is_marked else content)
        return atoms


_NO_HIGHLIGHTS = _Highlights("", (), ())


def _covers(span: Span, inner: Span) -> bool:
    return span.start <= inner.start and inner.end <= span.end


def _excerpt(source: Source, span: Span) -> list[list[Any]]:
    """Return the blocks of the beginning of a passage or quote, for the list."""
    beginning = Span(span.start, min(span.end, span.start + _MAX_EXCERPT_CHARACTERS))
    blocks = [block for block in _blocks(source, beginning) if block[0] != "page"]
    for kind, atoms, *_ in blocks:
        if kind == "text":
            atoms[:] = [a if isinstance(a, list) else _GAP.sub("\n\n", a) for a in atoms]
    return blocks


def _blocks(
    source: Source, within: Span | None = None, highlights: _Highlights = _NO_HIGHLIGHTS
) -> Iterator[list[Any]]:
    """Yield the blocks of a range (its Markdown blocks, or parts of a plain text) and its pages."""
    text, pages = source.text, iter([*enumerate(source.pages, 1)])
    page = next(pages, None)
    for kind, level, span in _pieces(source, within):
        while page is not None and page[1] <= span.start:
            yield ["page", [], page[0]]
            page = next(pages, None)
        if kind == "table":
            rows = [
                [highlights.atoms(text, cell, styles) for cell in cells]
                for cells, styles in styled_rows(text, span)
            ]
            yield [kind, rows]
        elif source.kind == "markdown":
            yield [kind, highlights.atoms(text, span, find_styles(text, kind, span)), level]
        else:
            yield [kind, highlights.atoms(text, span, _wraps(text, span) if kind == "text" else ())]


def _wraps(text: str, part: Span) -> Iterator[StyleRange]:
    """Yield the line breaks inside wrapped prose, which the page shows as spaces."""
    layout = read_layout(part.of(text))
    for number in layout.wrapped:
        end = part.start + layout.starts[number]
        yield StyleRange(Span(end - (2 if text.startswith("\r\n", end - 2) else 1), end), "wrap")


def _pieces(source: Source, within: Span | None) -> Iterator[tuple[str, int, Span]]:
    """Yield kind, level and range of each piece that is shown together; none spans two pages."""
    style = "code" if source.kind in ("csv", *NESTED) else "text"
    full_span = Span(0, len(source.text))
    blocks: list[tuple[str, int, Span]] = [(style, 0, full_span)]
    if source.kind == "markdown":
        blocks = [(b.kind, b.level, Span(b.start, b.end)) for b in source.blocks]
    for kind, level, span in blocks:
        inside = span.within(within or full_span)
        if inside.end <= inside.start:
            continue
        after = bisect_right(source.pages, inside.start)
        before = bisect_left(source.pages, inside.end)
        # White space before a page is not a block of its own.
        pages = [
            page for page in source.pages[after:before] if source.text[page : inside.end].strip()
        ]
        edges = [inside.start, *pages, inside.end]
        for start, end in pairwise(edges):
            while start < end:  # a part ends at the end of a line
                match = _PART.match(source.text, start, end)
                stop = end if match is None else match.end()
                yield kind, level, Span(start, stop)
                start = stop


def _link(source: Source, page: int | None) -> str | None:
    return file_link(str(source.metadata.get("source", "")), page)
