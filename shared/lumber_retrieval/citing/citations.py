"""Citations: the places of quotes in documents.

A quote of a language model counts only if it is found in the documents: character by character, or
aligned with text that differs a little. A citation shows the document's own words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal, NamedTuple
from urllib.parse import quote as percent_encoded

from lumber_core.checks import check_texts
from lumber_core.spans import Span
from lumber_core.support.identity import safe_repr
from lumber_core.support.wording import range_with_noun
from lumber_core.text.captions import is_captions, speech_versions, spoken_text, time_at
from lumber_core.text.origin import PAGE_KEYS, document_key, is_part
from lumber_core.text.pages import count_line_breaks, has_lines, page_label, place_source
from lumber_core.text.source import Source, as_source
from lumber_retrieval.citing.quotable_text import QUOTATION_MARKS, QuotableText
from lumber_retrieval.passages.joining import Passage

UNKNOWN = "UNKNOWN"
"""The reply of a model if the passages do not contain the answer."""
NO_QUOTE = "[?]"
"""Replaces a marker in an answer for which the model gave no quote."""
_IN_URLS = ":/?#[]@!$&'()*+,;=%"  # reserved in RFC 3986, and "%" of encoded characters

CitationKind = Literal["exact", "aligned", "not found"]


@dataclass(frozen=True)
class Citation:
    """The place of a quote in a document.

    Attributes:
        quote: The quote, as it was given.
        kind: "exact": the document contains the quote, except for white space and the form of
            quotation marks. "aligned": the document contains it with small changes, which may
            change its meaning: compare it with `text`. "not found": neither.
        document: Name of the document; None if the quote is not found.
        span: Its place in the text of the document, in characters; None if it is not found.
        similarity: The share of letters and digits that the quote and its place have in common, in
            order, from 0 to 1. Case, accents, hyphens, punctuation and white space do not count, so
            it may be 1 if `kind` is "aligned". 0 if the quote is not found.
        text: The document's own words: the slice of its text, or what is spoken in captions; or "".
        lines: The first and the last line in the text of the document, from 1; None if they are
            unknown, as for chunks without lines in their metadata.
        pages: The first and the last page, from 1; None if the document has no pages.
        time: In captions "00:12:30", or over several cues "00:12:30 to 00:12:41"; else "".
        places: The number of places with the quote; above 1 only if `kind` is "exact". `span` is
            the first, and the quote may be from another.
        file: The file that contains the document; "" if unknown.
        labels: The labels of the first and the last page, "" if they are unknown or equal the
            numbers. If the number of a page in its file is unknown, the page has only labels.
    """

    quote: str
    kind: CitationKind
    document: str | None = None
    span: Span | None = None
    similarity: float = 0.0
    text: str = ""
    lines: tuple[int, int] | None = None
    pages: tuple[int, int] | None = None
    time: str = ""
    places: int = 0
    file: str = ""
    labels: tuple[str, str] = ("", "")

    @property
    def page(self) -> int | None:
        """The page on which the quote begins, from 1; None if the document has no pages."""
        return None if self.pages is None else self.pages[0]

    @property
    def link(self) -> str:
        """A relative URL of the file, at the page of a PDF; "" if the quote is not found."""
        page = "" if self.pages is None else f"#page={self.pages[0]}"
        file = self.file or self.document or ""
        return f"{percent_encoded(file, safe=_IN_URLS if '://' in file else '/')}{page}"

    @property
    def place(self) -> str:
        """Its pages, time or lines, as in "page 3 (labelled 1)" or "lines 3 to 5"; or ""."""
        label = " to ".join(dict.fromkeys(filter(None, self.labels)))
        if self.pages is not None:  # lines of the extracted text are not visible in the file
            return range_with_noun("page", *self.pages) + (label and f" (labelled {label})")
        if label:
            return f"the page labelled {label}"
        if self.time:
            return self.time
        return "" if self.lines is None else range_with_noun("line", *self.lines)

    def __str__(self) -> str:
        """Return its place, as in "report.pdf, page 3", and how it was found."""
        if self.document is None:
            return "not found in the documents"
        parts = [self.document, *filter(None, [self.place])]
        if self.kind == "aligned":
            equal = f"{math.floor(100 * self.similarity)} % of the letters equal"
            parts.append("written differently" if self.similarity == 1 else f"changed ({equal})")
        if self.places > 1:
            parts.append(f"the first of {self.places} places")
        return ", ".join(parts)


class CitedPart(NamedTuple):
    """A document that may be quoted, or a part of a document."""

    document: str  # the name of the document
    source: Source
    start: int = 0  # where the text begins in the document, in characters
    has_lines: bool = True  # whether the first line of `source` in the document is known
    file: str = ""  # the file that contains the document; "" if unknown
    time: str = ""  # the time of the cue in which captions begin; "" for other texts

    @property
    def is_captions(self) -> bool:
        """Whether only what is spoken is quoted."""
        return bool(self.time) or is_captions(self.source.text, self.source.kind)

    @property
    def key(self) -> str:
        """A unique key of the document: its name, and its number if it is a page of a file."""
        pages = {key: self.source.metadata.get(key) for key in PAGE_KEYS}
        return document_key({"source": self.document, **pages})


def cited_part(
    document: str, text: str, metadata: Mapping[Any, Any], start: int | None, file: str = ""
) -> CitedPart:
    """Return a part of a document, with the lines and pages in its metadata.

    The part begins at `start`, in characters; None for a whole document.
    """
    source = place_source(text, metadata)
    lined = not is_part(metadata) and (not start or has_lines(metadata))
    return CitedPart(document, source, start or 0, lined, file)


Texts = Mapping[str, str | Source] | Iterable[Passage | Source | CitedPart]
"""The texts that may be quoted: documents by their names, or passages and documents."""


def cite(quotes: Iterable[str], texts: Texts) -> list[Citation]:
    r"""Find the places of quotes in documents.

    A quote is first searched character by character: white space and the form of quotation marks
    are ignored, and it begins and ends at words. If that fails, it is aligned letter by letter with
    the most similar text, and found if the difference is small. The most similar place is returned;
    of equal places, the first in the order of `texts`: pass passages before their documents.

    A quote with an ellipsis ("..." or "…") that is not in the text itself is found if its
    parts are, in one document, in order and near each other. Its span goes from first to last.

    Args:
        quotes: The quotes, as a model gave them.
        texts: Documents by their names, each a text or a `Source` with its pages; or passages and
            sources with names.

    Returns:
        One citation for each quote, in order.

    Raises:
        TypeError: `quotes` is one string, or an item is not a string.
        ValueError: A source has no name.

    Example:
        >>> texts = {"otters.txt": "Otters live along rivers.\nThey hunt fish at dawn."}
        >>> found, other = cite(["they hunt fish at dusk", "Otters live in trees."], texts)
        >>> found.kind, found.document, found.lines, found.text
        ('aligned', 'otters.txt', (2, 2), 'They hunt fish at dawn')
        >>> other.kind
        'not found'
    """
    quote_list = [*quotes] if not isinstance(quotes, str) else quotes
    check_texts(quote_list)  # refuses a single string, too
    quotable = [
        (part, QuotableText(text))
        for part in _parts(texts)
        for text in (speech_versions(part.source.text) if part.is_captions else [part.source.text])
    ]
    return [_citation(quote, quotable) for quote in quote_list]


def _parts(texts: Texts) -> Iterator[CitedPart]:
    """Yield the parts that may be quoted; errors are those of `cite`."""
    if isinstance(texts, Mapping):
        for name, text in texts.items():
            yield CitedPart(name, as_source(text))
        return
    for text in texts:
        if isinstance(text, CitedPart):
            yield text
        elif isinstance(text, Passage):
            part = cited_part(text.document, text.text, text.metadata, text.span.start)
            yield part._replace(time=text.time)
        elif isinstance(text, Source):
            if not text.name:
                raise ValueError(
                    f"the source that begins with {text.text[:40]!r} has no name: pass documents "
                    'by their names, as in {"report.md": source}'
                )
            yield CitedPart(text.name, text)
        else:
            raise TypeError(
                "texts must be texts by their names, or passages and sources, not "
                f"{safe_repr(text)}"
            )


def _citation(quote: str, quotable: Sequence[tuple[CitedPart, QuotableText]]) -> Citation:
    kind: CitationKind = "exact"
    for variant in dict.fromkeys((quote, quote.strip(QUOTATION_MARKS))):
        matches = [(part, span, 1.0) for part, text in quotable for span in text.exact(variant)]
        if matches:
            break
    else:
        kind = "aligned"
        aligned = [(part, text.align(quote)) for part, text in quotable]
        matches = [
            (part, match.span, match.similarity) for part, match in aligned if match is not None
        ]
    if not matches:
        return Citation(quote, "not found")
    part, span, similarity = max(matches, key=itemgetter(2))
    # A passage and its document have the same place.
    places = {(part.key, span.shift(part.start)) for part, span, _ in matches}
    source = part.source
    place = (part.document, span.shift(part.start), similarity)
    text, time = span.of(source.text), ""
    if part.is_captions:
        text, time = spoken_text(source.text, span), time_at(source.text, *span, part.time)
    first = source.first_line + count_line_breaks(source.text, 0, span.start)
    last = first + count_line_breaks(source.text, *span)
    lines = (first, last) if part.has_lines else None
    pages = source.pages_of(span)
    first_label, last_label = (page_label(source.metadata, page) for page in pages or (0, 0))
    count, labels = len(places) if kind == "exact" else 1, (first_label, last_label)
    return Citation(quote, kind, *place, text, lines, pages, time, count, part.file, labels)
