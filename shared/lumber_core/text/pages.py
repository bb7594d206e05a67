"""Pages: joining the pages of a file into one text, and finding the pages of a part of the text.

Loaders return one document per page. In the joined text, a chunk can continue on the next page. The
metadata of the joined document contain the offsets where pages start.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, groupby, pairwise
from typing import Any

from lumber_core.support.identity import safe_repr
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY
from lumber_core.text.origin import (
    LABEL,
    NUMBER,
    PAGE,
    PAGE_KEYS,
    TOTAL,
    Metadata,
    address_of,
    is_part,
    with_page,
)
from lumber_core.text.source import Forms, Source

SEPARATOR = "\f"
"""Separates pages: a line break that shows splitters where running titles are."""
PAGE_STARTS = "page_starts"
"""Metadata key of a joined document for the offsets at which pages start, from page 1 on."""
FIRST_PAGE, LAST_PAGE = "page_first", "page_last"
LINE_KEYS = FIRST_LINE, LAST_LINE = "line_first", "line_last"
"""Metadata keys of a chunk for its pages and lines.

They are two numbers, not a list, because Pinecone, LlamaIndex's Chroma store and others reject
lists of numbers, and because a store can filter by range, as in page_first <= 7 <= page_last.
"""

PAGE_LABELS = "page_labels"
"""Metadata key of a joined document for the labels of its pages, such as "1=i 2=ii 3=1", if they
are not the page numbers. Pages whose label continues that of the page before are left out."""
_LABEL = re.compile(r"(?<!\S)(\d{1,6})=(\S*)")

# Larger numbers are not page numbers (a date, for example). Offsets are listed from page 1 on, so
# this also limits the list.
_MAX_PAGES = 100_000


def join_by_file(
    texts: Sequence[str], metadatas: Sequence[Metadata]
) -> Iterator[tuple[int, tuple[str, dict[Any, Any]] | None]]:
    """Join the pages of each file, which are recognised by their metadata.

    Documents are pages if they have "page_number", "page", "page_label" or a page number under
    another key. Consecutive pages with the same file name are pages of one file.

    - "page_number" counts from 1. "page" counts from 0 if a page of the file has number 0, or if
      "total_pages" is not the number of any page; otherwise it counts from 1.
    - Numbers ascend within a file. A lower number starts another file. In files without a name,
      an equal number does so, too.
    - Labels are page numbers if all labels of a file are ascending numbers. Otherwise (i, ii, 1 or
      A-1) pages are counted from the first, which has number 1 unless its label is a number.

    Yields:
        For each file, the number of its first document, and its text and metadata. The text is the
        pages joined by form feeds. The metadata are those equal on all pages, without the page
        number, and "page_starts". A page that is missing starts where the next one starts. For a
        document that is not a page, None in place of text and metadata.

    Raises:
        ValueError: A page number is not a whole number from 0 to 99,999, or two documents that
            follow each other are the same page of a file.
    """
    metadatas = [*map(with_page, metadatas)]
    grouped = groupby(range(len(metadatas)), key=lambda n: _file_key(metadatas[n], n))
    for (paged, *names), members in grouped:
        first, *later = members
        if not paged:
            yield first, None
            continue
        pages = slice(first, first + 1 + len(later))
        numbers = _page_numbers(metadatas[pages])
        cuts = [0, *_descents(numbers, names), len(numbers)]
        for begin, end in pairwise(cuts):
            part = slice(first + begin, first + end)
            yield part.start, _join_pages(texts[part], metadatas[part], numbers[begin:end])


def _join_pages(
    texts: Sequence[str], metadatas: Sequence[Metadata], numbers: Sequence[int]
) -> tuple[str, dict[Any, Any]]:
    """Return the text and the metadata of pages with ascending numbers as one document."""
    text, offsets = join_texts(texts)
    starts: list[int] = []
    for number, offset in zip(numbers, offsets, strict=True):
        starts += [offset] * (number - len(starts))
    first, *later = metadatas
    common = {
        key: value
        for key, value in first.items()
        if key not in PAGE_KEYS and all(key in page and page[key] == value for page in later)
    }
    labels = ["".join(str(page.get(LABEL, "")).split()) for page in metadatas]
    if all(labels) and labels != [*map(str, numbers)]:
        runs = zip(numbers, labels, strict=True)
        shifts = [int(la) - n if la.isdecimal() else None for n, la in runs]
        befores = zip(numbers, labels, shifts, [0, *shifts], strict=False)
        starts_at = (
            f"{n}={la}" for n, la, shift, before in befores if shift is None or shift != before
        )
        common[PAGE_LABELS] = " ".join(starts_at)
    return text, {**common, PAGE_STARTS: starts}


def page_label(metadata: Metadata, page: int) -> str:
    """Return the label of a page of a document; "" if it has none, or if it is the number."""
    single = "".join(str(metadata.get(LABEL, "")).split())
    labels = metadata.get(PAGE_LABELS)  # None if a store has no labels for this file
    runs = _LABEL.findall(labels) if isinstance(labels, str) else [(page, single)]
    before = [(int(number), label) for number, label in runs if int(number) <= page]
    number, label = before[-1] if before else (page, "")
    if number != page:
        label = str(int(label) + page - number) if label.isdecimal() else ""
    return "" if label == str(page) else label


def number_pages(metadatas: Sequence[Metadata]) -> list[Metadata]:
    """Return the metadata of documents, with page numbers added if the labels differ from them."""
    numbered, paged = [*metadatas], [*map(with_page, metadatas)]
    for key, members in groupby(range(len(paged)), key=lambda n: _file_key(paged[n], n)):
        run = [*members] if key[0] else []
        pages = [paged[n] for n in run]  # the elements of a page are consecutive
        continues = [
            a.get(LABEL) == b.get(LABEL) and not {NUMBER, PAGE} & {*b} for a, b in pairwise(pages)
        ]
        firsts = [0, *(n for n, is_same in enumerate(continues, start=1) if not is_same)]
        with suppress(ValueError):  # only join_pages needs a number
            numbers = _page_numbers([pages[n] for n in firsts]) if pages else ()
            for n, page in enumerate(pages):
                number = numbers[bisect_right(firsts, n) - 1]
                if number != _single_page_number(page) and page.get(PAGE) != number - 1:
                    added = {FIRST_PAGE: number, LAST_PAGE: number}
                    numbered[run[n]] = {**metadatas[run[n]], **added}
    return numbered


def join_texts(pages: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """Return the text of pages, joined by form feeds, and the offset where each page starts."""
    ends = accumulate(len(page) + len(SEPARATOR) for page in pages)
    return SEPARATOR.join(pages), (0, *ends)[: len(pages)]


def place_source(text: str, metadata: Metadata, *, forms: Forms | None = None) -> Source:
    """Return a document as a source with the page and line numbers of its file.

    They are found for a document of `join_pages`, for a page that was not joined, for a chunk with
    pages and lines in its metadata, and for a text whose pages end with form feeds.

    Raises:
        ValueError: The metadata has page starts of another text.
    """
    margin, lines = len(text) - len(text.lstrip()), _read_range(metadata, FIRST_LINE, LAST_LINE)
    # The lines in the metadata of a chunk are those of its visible text.
    above = count_line_breaks(text, 0, margin) if lines else 0
    line = max(1, lines[0] - above) if lines else 1
    pages = _find_page_starts(text, metadata)
    return Source(text, metadata=metadata, forms=forms, pages=pages, first_line=line)


def counts_from_zero(metadata: Metadata) -> bool | None:
    """Return whether a document is a page of a file that counts its pages from 0.

    None: only another page of the file can show it; see `join_by_file`.
    """
    metadata = with_page(metadata)
    page = metadata.get(PAGE)
    from_one = NUMBER in metadata or _read_range(metadata, FIRST_PAGE, LAST_PAGE)
    if from_one or not _is_page(metadata) or type(page) is not int:
        return False
    return True if page == 0 or metadata.get(TOTAL, page) != page else None


def parts_of(metadata: Metadata) -> int | None:
    """Return how many documents a file has: 1, or for a page its total number of pages.

    None: the metadata does not contain the number, as for rows.
    """
    if is_part(metadata):
        return None
    metadata = with_page(metadata)
    if not _is_page(metadata):
        return 1
    total = metadata.get(TOTAL)
    return total if type(total) is int and total > 0 else None


def has_pages(metadata: Metadata) -> bool:
    """Return whether chunks have pages by default: the document was joined, or has page numbers."""
    return PAGE_STARTS in metadata or _read_range(metadata, FIRST_PAGE, LAST_PAGE) is not None


def has_lines(metadata: Metadata) -> bool:
    """Return whether chunks have lines by default: the document has line numbers."""
    return _read_range(metadata, FIRST_LINE, LAST_LINE) is not None


def count_line_breaks(text: str, start: int, end: int) -> int:
    """Return the number of line breaks in a range of a text: LF, CR LF or CR."""
    breaks = text.count("\n", start, end)
    returns = text.count("\r", start, end)
    return breaks + returns - text.count("\r\n", start, end) if returns else breaks


def common_metadata(metadata: Metadata, *, context: bool = False) -> dict[Any, Any]:
    """Return the metadata that the chunks of a document have in common.

    `context` is whether each chunk gets a context of its own.
    """
    differing = {PAGE_STARTS, INSIDE_KEY, *([CONTEXT_KEY] if context else [])}
    return {key: value for key, value in metadata.items() if key not in differing}


def _file_key(metadata: Metadata, number: int) -> tuple[Any, ...]:
    """Return a key that only consecutive pages of one file have in common."""
    return (True, address_of(metadata)) if _is_page(metadata) else (False, number)


def _is_page(metadata: Metadata) -> bool:
    return PAGE_STARTS not in metadata and any(key in metadata for key in PAGE_KEYS)


def _page_numbers(pages: Sequence[Metadata]) -> Sequence[int]:
    """Return the numbers of the pages of a file, from 1."""
    if all(NUMBER in page for page in pages):
        return [_page_number(page, NUMBER) for page in pages]
    if all(PAGE in page for page in pages):
        numbers = [_page_number(page, PAGE) for page in pages]
        total = pages[0].get(TOTAL, -1)
        from_zero = 0 in numbers or (TOTAL in pages[0] and max(numbers) != total)
        return [number + from_zero for number in numbers]
    numbers = [_label_number(page) for page in pages]
    if all(low < high for low, high in pairwise([0, *numbers])):
        return numbers
    first = numbers[0] or 1
    return range(first, first + len(pages))


def _label_number(page: Metadata) -> int:
    """Return the number in the label of a page, 0 if it has none."""
    label = str(page.get(LABEL, ""))
    return int(label) if label.isdecimal() and int(label) < _MAX_PAGES else 0


def _page_number(page: Metadata, key: str) -> int:
    """Return a page number.

    Raises:
        ValueError: The value is not a page number.
    """
    value = page[key]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MAX_PAGES:
        raise ValueError(
            f'"{key}" in the metadata must be a page number, a whole number from 0 to '
            f'{_MAX_PAGES - 1:,}, not {safe_repr(value)}: use the key "page_label" for other labels'
        )
    return value


def _descents(numbers: Sequence[int], names: Sequence[Any]) -> Iterator[int]:
    """Yield the indices of pages whose number is not above the number before.

    Raises:
        ValueError: Two consecutive pages of a file that has a name have the same number.
    """
    for place, (before, number) in enumerate(pairwise(numbers), start=1):
        name = next(filter(None, names), None)
        if before == number and name is not None:
            raise ValueError(
                f"two documents are page {number} of {name}: join_pages needs one document "
                "for each page, before splitting, and no page twice"
            )
        if number <= before:
            yield place


def _find_page_starts(text: str, metadata: Metadata) -> tuple[int, ...]:
    """Return where pages start in a text, from page 1 on; empty if nothing shows it."""
    if PAGE_STARTS in metadata:
        return _check_page_starts(text, metadata[PAGE_STARTS])
    pages = _read_range(metadata, FIRST_PAGE, LAST_PAGE)
    if pages is not None:
        first, last = pages
        body = text.strip()  # the pages of a chunk are those of its visible characters
        feeds = _offsets_after_feeds(body, len(text) - len(text.lstrip()))
        # Otherwise pages are missing, or contain form feeds themselves.
        return (*[0] * first, *feeds) if len(feeds) == last - first < _MAX_PAGES > first else ()
    metadata = with_page(metadata)
    if _is_page(metadata):
        return (0,) * _single_page_number(metadata)
    return (0, *_offsets_after_feeds(text)) if SEPARATOR in text else ()


def _single_page_number(page: Metadata) -> int:
    """Return the number of a page that was not joined, 0 if it has none."""
    if NUMBER in page or PAGE in page:
        try:
            return _page_numbers([page])[0]
        except ValueError:
            return 0  # only join_pages needs a number
    return _label_number(page)


def _check_page_starts(text: str, starts: Any) -> tuple[int, ...]:
    """Return the page starts in a document's metadata.

    Raises:
        ValueError: They do not fit the text.
    """
    if (
        isinstance(starts, Sequence)
        and all(isinstance(start, int) and 0 <= start <= len(text) for start in starts)
        and all(low <= high for low, high in pairwise(starts))
        and all(text[start - 1] == SEPARATOR for start in starts if start)
    ):
        return tuple(starts)
    raise ValueError(
        f'"{PAGE_STARTS}" in the metadata does not fit the text, in which a form feed is before '
        "each page: the text was changed after join_pages, or split by another splitter. Change "
        "pages before join_pages, or remove this key"
    )


def _offsets_after_feeds(text: str, offset: int = 0) -> list[int]:
    """Return the offsets just past each form feed, counted from `offset`."""
    lengths = (len(page) + len(SEPARATOR) for page in text.split(SEPARATOR)[:-1])
    return list(accumulate(lengths, initial=offset))[1:]


def _read_range(metadata: Metadata, first: str, last: str) -> tuple[int, int] | None:
    low, high = metadata.get(first), metadata.get(last)
    if type(low) is int and type(high) is int and 0 < low <= high:
        return low, high
    return None
