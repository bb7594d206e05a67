"""The page of `ask`: an answer with its quotes, and passages, each in its whole document."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from lumber_cli.page import html_page, read_part
from lumber_cli.passage_formats import whereabouts
from lumber_core.spans import Span
from lumber_core.text.pages import FIRST_PAGE
from lumber_core.text.source import Source
from lumber_core.text.unicode import printable
from lumber_files import file_link
from lumber_retrieval.citations import Citation
from lumber_retrieval.passages import Passage
from lumber_retrieval.quoted_answers import CitedAnswer

# Parts of a text that a browser lays out only when they are seen: about a screen each.
_PART = re.compile(r"(?s).{2000}[^\r\n]*[\r\n]*")
_Atom = str | list[Any]


def answer_page(
    question: str,
    answer: CitedAnswer | None,
    passages: Sequence[Passage],
    documents: Mapping[str, Source],
) -> str:
    """Return the page of an answer, which needs no other file and no network.

    Documents are divided into blocks `[kind, atoms, level of a heading or number of a page]`, and
    these into *atoms*, at every place where a passage or quote starts or ends. So the script needs
    no offsets, which JavaScript counts differently from Python. An atom is a text, or `[text,
    number of its passage or 0, numbers of its quotes]`.

    Args:
        question: The question.
        answer: A model's answer. None: the page shows the passages alone.
        passages: The passages.
        documents: The whole documents of the passages and quotes, by name; if their metadata has
            the path of the file as "source", the page links to it.
    """
    citations = () if answer is None else answer.citations
    numbers = {name: number for number, name in enumerate(documents)}
    shown = [
        {
            "name": printable(name),
            "blocks": [*_blocks(source, _Marks(name, passages, citations))],
        }
        for name, source in documents.items()
    ]
    found = [
        {
            "document": numbers[passage.document],
            "place": whereabouts(passage),
            "link": _link(documents[passage.document], passage.metadata.get(FIRST_PAGE)),
            "text": passage.text,
        }
        for passage in passages
    ]
    quoted = [
        {
            "kind": citation.kind,
            "quote": citation.quote,
            "text": citation.text,
            "document": None if citation.document is None else numbers[citation.document],
            "place": [citation.place] if citation.place else [],
            "link": citation.document and _link(documents[citation.document], citation.page),
        }
        for citation in citations
    ]
    data = {
        "question": question,
        "answer": None if answer is None else answer.text,
        "citations": quoted,
        "passages": found,
        "documents": shown,
    }
    # Inside a script element, "<" could end the element.
    safe = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    body = f'{read_part("answer.html")}<script type="application/json" id="data">{safe}</script>'
    return html_page("answer", question, body, read_part("answer.js"))


class _Marks:
    """The passages and quotes of a document, by their numbers from 1."""

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

    def atoms(self, text: str, block: Span) -> list[_Atom]:
        """Return the atoms of a block."""
        inside = [edge for edge in self._edges if block.start < edge < block.end]
        return [
            self._atom(text, Span(*ends)) for ends in pairwise([block.start, *inside, block.end])
        ]

    def _atom(self, text: str, span: Span) -> _Atom:
        passage = next((n for n, each in self._passages if _covers(each, span)), 0)
        quotes = [n for n, each in self._quotes if _covers(each, span)]
        return [span.of(text), passage, quotes] if passage or quotes else span.of(text)


def _covers(span: Span, inner: Span) -> bool:
    return span.start <= inner.start and inner.end <= span.end


def _blocks(source: Source, marks: _Marks) -> Iterator[list[Any]]:
    """Yield the pages of a document, and its blocks: of Markdown its own, of other texts lines."""
    text, pages = source.text, deque(enumerate(source.pages, 1))
    blocks: list[tuple[int, int, str, list[int]]]
    if source.kind == "markdown":
        blocks = [(block.start, block.end, block.kind, [block.level]) for block in source.blocks]
    else:
        edges = pairwise([*(source.pages or [0]), len(text)])
        blocks = [(start, end, source.kind, []) for start, end in edges]
    for start, end, kind, level in blocks:
        while start < end:
            while pages and pages[0][1] <= start:
                yield ["page", [], pages.popleft()[0]]
            inside = pages and pages[0][1] < end and text[pages[0][1] : end].strip()
            stop = pages[0][1] if inside else end
            for span in _parts(text, start, stop):
                yield [kind, marks.atoms(text, span), *level]
            start = stop
    yield from (["page", [], number] for number, _ in pages)


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield parts of a block, each of which ends with a line."""
    while start < end:
        found = _PART.match(text, start, end)
        stop = end if found is None else found.end()
        yield Span(start, stop)
        start = stop


def _link(source: Source, page: int | None) -> str | None:
    return file_link(str(source.metadata.get("source", "")), page)
