"""Pages: those of a file joined to one text, and which of them a part of it comes from.

Loaders give one document a page. Joined, a chunk can go on from one page to the next; the offsets
where pages start travel in the metadata of the joined document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from typing import Any

from lumber_core.support.identity import safe_repr
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY
from lumber_core.text.source import NAME_KEYS, Source, Written

SEPARATOR = "\f"
"""Stands between pages: a line break that tells splitters where running titles are."""
PAGE_STARTS = "page_starts"
"""Where a joined document's metadata has the offsets at which pages start, from page 1 on."""
FIRST_PAGE, LAST_PAGE = "page_first", "page_last"
LINE_KEYS = FIRST_LINE, LAST_LINE = "line_first", "line_last"
"""Where the metadata of a chunk has its pages and lines.

Two numbers each, and not a list: Pinecone, LlamaIndex's Chroma store and others refuse lists of
numbers, and a store can filter by range, as in page_first <= 7 <= page_last.
"""

_NUMBER, _PAGE, _LABEL, _TOTAL = "page_number", "page", "page_label", "total_pages"
PAGE_KEYS = (_NUMBER, _PAGE, _LABEL)
SEQUENCE = "seq_num"
_PARTS = {"row": "row", SEQUENCE: "part"}
"""Where loaders have the number of a part of a file, and what readers call it."""
# A larger number is none of a page, but a date, say. Offsets are listed from page 1 on, so that
# this also limits the list.
_MOST = 100_000

Metadata = Mapping[Any, Any]


def join_by_file(
    texts: Sequence[str], metadatas: Sequence[Metadata]
) -> Iterator[tuple[int, tuple[str, dict[Any, Any]] | None]]:
    """Join the pages of each file, judging by the metadata of the documents.

    Documents are pages if they have "page_number", "page" or "page_label", and pages of one file if
    they follow each other with the same "file_path", "file_name" and "source".

    - "page_number" counts from 1. "page" counts from 0 in a file with "total_pages", as in
      LangChain's PDF loaders, or whose first page is 0, otherwise from 1. Numbers ascend within a
      file; a lower number begins another, or if the file has no name the same number, too.
    - Labels stand for numbers if all of a file are numbers that ascend. Otherwise (i, ii, 1 or A-1)
      pages are counted on from the first, which has number 1 unless its label is a number.

    Args:
        texts: The text of each document.
        metadatas: The metadata of each document.

    Yields:
        For each file the number of its first document, and its text, the pages joined by form
        feeds, with the metadata that is equal on all pages, without the page number, and with
        "page_starts". A page that is missing starts where the next one does. None for a document
        that is not a page.

    Raises:
        ValueError: A page number is not a whole number from 0 to 99,999, or two documents that
            follow each other are the same page of a file.
    """
    grouped = groupby(range(len(metadatas)), key=lambda n: _file(metadatas[n], n))
    for (paged, *names), members in grouped:
        first, *others = members
        if not paged:
            yield first, None
            continue
        pages = slice(first, first + 1 + len(others))
        numbers = _numbers(metadatas[pages])
        cuts = [0, *_descents(numbers, names), len(numbers)]
        for begin, end in pairwise(cuts):
            part = slice(first + begin, first + end)
            yield part.start, _joined(texts[part], metadatas[part], numbers[begin:end])


def _joined(
    texts: Sequence[str], metadatas: Sequence[Metadata], numbers: Sequence[int]
) -> tuple[str, dict[Any, Any]]:
    """Return the text and the metadata of a document made of pages with ascending numbers."""
    text, offsets = join_texts(texts)
    starts: list[int] = []
    for number, offset in zip(numbers, offsets, strict=True):
        starts += [offset] * (number - len(starts))
    first, *others = metadatas
    common = {
        key: value
        for key, value in first.items()
        if key not in PAGE_KEYS and all(key in other and other[key] == value for other in others)
    }
    return text, {**common, PAGE_STARTS: starts}


def join_texts(pages: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """Return the text of pages, joined by form feeds, and the offset where each page starts."""
    lengths = (len(page) + len(SEPARATOR) for page in pages[:-1])
    starts = tuple(accumulate(lengths, initial=0)) if pages else ()
    return SEPARATOR.join(pages), starts


def place_source(text: str, metadata: Metadata, *, written: Written | None = None) -> Source:
    """Return a document as a source whose pages and lines are those of its file.

    They are known of a document of `join_pages`; of a page that was not joined; of a chunk with
    its pages and lines in the metadata; and of a text whose pages end with form feeds.

    Args:
        text: The text.
        metadata: Its metadata.
        written: See `Source`.

    Raises:
        ValueError: The metadata has page starts of another text.
    """
    return Source(
        text,
        metadata=metadata,
        written=written,
        pages=_starts(text, metadata),
        first_line=_first_line(text, metadata),
    )


def document_key(metadata: Metadata) -> str:
    """Return what tells a document from others: the name of its file, and its page, row or part.

    The chunks of a document have it in their metadata, too. "" if the file has no name.
    """
    names = [f"{key}={str(metadata[key])!r}" for key in NAME_KEYS if metadata.get(key)]
    if not names:
        return ""
    known = ((key, metadata.get(key)) for key in (*PAGE_KEYS, *_PARTS))
    return ", ".join(
        [*names, *(f"{key}={_whole(value)}" for key, value in known if value is not None)]
    )


def part_name(document: str, number: object) -> str:
    """Return the name of a part of a document, as `document_key` has it."""
    return f"{document}, {SEQUENCE}={number}"


def file_name(metadata: Metadata) -> str:
    """Return the name of a document's file as readers know it; "" if it has none."""
    return next((str(metadata[key]) for key in reversed(NAME_KEYS) if metadata.get(key)), "")


def document_name(metadata: Metadata) -> str:
    """Return the name of a document as readers know it, as in "prices.csv, row 7".

    That is the name of its file, and its row or part if it is one; "" if it has none.
    """
    name = file_name(metadata)
    known = {word: _whole(metadata.get(key)) for key, word in _PARTS.items()}
    numbers = [f"{word} {value}" for word, value in known.items() if type(value) is int]
    return ", ".join([name, *numbers]) if name else ""


def counts_from_zero(metadata: Metadata) -> bool | None:
    """Return whether a document is a page of a file that counts its pages from 0.

    None: another page of the file may show it. As in `join_by_file`, "page" counts from 0 in a file
    that has a page 0, or knows its number of pages.
    """
    page = metadata.get(_PAGE)
    known = _NUMBER in metadata or _range(metadata, FIRST_PAGE, LAST_PAGE)
    if known or not _is_page(metadata) or type(page) is not int:
        return False
    return True if page == 0 or _TOTAL in metadata else None


def parts_of(metadata: Metadata) -> int | None:
    """Return how many documents a file has: 1, or if it is a page, as many as that knows.

    None: it is not known, as of rows.
    """
    if any(metadata.get(key) is not None for key in _PARTS):
        return None
    if not _is_page(metadata):
        return 1
    total = metadata.get(_TOTAL)
    return total if type(total) is int and total > 0 else None


def has_pages(metadata: Metadata) -> bool:
    """Return whether chunks say their pages unasked: their document was joined, or says its own."""
    return PAGE_STARTS in metadata or _range(metadata, FIRST_PAGE, LAST_PAGE) is not None


def has_lines(metadata: Metadata) -> bool:
    """Return whether chunks say their lines unasked: the document says its own."""
    return _range(metadata, FIRST_LINE, LAST_LINE) is not None


def common_metadata(metadata: Metadata, *, context: bool = False) -> dict[Any, Any]:
    """Return the metadata that a document's chunks have in common.

    Args:
        metadata: The document's; it may be a chunk itself.
        context: Whether each chunk gets a context of its own.
    """
    own = {PAGE_STARTS, INSIDE_KEY, *([CONTEXT_KEY] if context else [])}
    return {key: value for key, value in metadata.items() if key not in own}


def count_line_breaks(text: str, start: int, end: int) -> int:
    """Return the number of line breaks in a range of a text: LF, CR LF or CR."""
    breaks = text.count("\n", start, end)
    returns = text.count("\r", start, end)
    return breaks + returns - text.count("\r\n", start, end) if returns else breaks


def _file(metadata: Metadata, number: int) -> tuple[Any, ...]:
    """Return what consecutive pages of a file have in common, and no other document has."""
    if not _is_page(metadata):
        return (False, number)
    return (True, *(metadata.get(key) for key in NAME_KEYS))


def _whole(value: Any) -> Any:
    """Return a number as the metadata had it: some vector stores return floats."""
    return int(value) if type(value) is float and value.is_integer() else value


def _is_page(metadata: Metadata) -> bool:
    return PAGE_STARTS not in metadata and any(key in metadata for key in PAGE_KEYS)


def _numbers(pages: Sequence[Metadata]) -> Sequence[int]:
    """Return the numbers of the pages of a file, from 1."""
    if all(_NUMBER in page for page in pages):
        return [_checked(page, _NUMBER) for page in pages]
    if all(_PAGE in page for page in pages):
        numbers = [_checked(page, _PAGE) for page in pages]
        from_zero = _TOTAL in pages[0] or 0 in numbers
        return [number + from_zero for number in numbers]
    numbers = [_label_number(page) for page in pages]
    if all(low < high for low, high in pairwise([0, *numbers])):
        return numbers
    first = numbers[0] or 1
    return range(first, first + len(pages))


def _label_number(page: Metadata) -> int:
    """Return the number that a page has as its label, 0 if it has none."""
    label = str(page.get(_LABEL, ""))
    return int(label) if label.isdecimal() and int(label) < _MOST else 0


def _checked(page: Metadata, key: str) -> int:
    """Return a page number.

    Raises:
        ValueError: It is none.
    """
    value = page[key]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MOST:
        raise ValueError(
            f'"{key}" in the metadata must be a page number, a whole number from 0 to '
            f"{_MOST - 1:,}, not {safe_repr(value)}: call what is no number page_label"
        )
    return value


def _descents(numbers: Sequence[int], names: Sequence[Any]) -> Iterator[int]:
    """Yield which pages do not ascend.

    Raises:
        ValueError: A page of a file that has a name follows itself.
    """
    for place, (before, number) in enumerate(pairwise(numbers), start=1):
        name = next(filter(None, names), None)
        if before == number and name is not None:
            raise ValueError(
                f"two documents are page {number} of {name}: join_pages takes the pages of a "
                "loader, one document a page, each once and before they are split"
            )
        if number <= before:
            yield place


def _starts(text: str, metadata: Metadata) -> tuple[int, ...]:
    """Return where pages start in a text, from page 1 on; empty if it is not known."""
    if PAGE_STARTS in metadata:
        return _checked_starts(text, metadata[PAGE_STARTS])
    known = _range(metadata, FIRST_PAGE, LAST_PAGE)
    if known is not None:
        first, last = known
        body = text.strip()  # the pages of a chunk are those of its visible characters
        feeds = _after_feeds(body, len(text) - len(text.lstrip()))
        # With more or fewer form feeds, pages are missing or have form feeds of their own.
        return (*[0] * first, *feeds) if len(feeds) == last - first < _MOST > first else ()
    if _is_page(metadata):
        return (0,) * _number_alone(metadata)
    feeds = _after_feeds(text)
    return (0, *feeds) if feeds else ()


def _number_alone(page: Metadata) -> int:
    """Return the number of a page that was not joined, 0 if it is not known."""
    if _NUMBER in page or _PAGE in page:
        try:
            return _numbers([page])[0]
        except ValueError:
            return 0  # only join_pages needs a number
    return _label_number(page)


def _checked_starts(text: str, starts: Any) -> tuple[int, ...]:
    """Return the page starts in a document's metadata.

    Raises:
        ValueError: They are not those of the text.
    """
    if (
        isinstance(starts, Sequence)
        and all(isinstance(start, int) and 0 <= start <= len(text) for start in starts)
        and all(low <= high for low, high in pairwise(starts))
        and all(text[start - 1] == SEPARATOR for start in starts if start)
    ):
        return tuple(starts)
    raise ValueError(
        f'"{PAGE_STARTS}" in the metadata does not fit the text, whose pages would start after '
        "form feeds: change the text of pages before join_pages, and split what it returns first "
        "with a splitter of this library; or remove the key"
    )


def _after_feeds(text: str, offset: int = 0) -> list[int]:
    """Return the offsets just past each form feed, counted from `offset`."""
    lengths = (len(page) + len(SEPARATOR) for page in text.split(SEPARATOR)[:-1])
    return list(accumulate(lengths, initial=offset))[1:]


def _first_line(text: str, metadata: Metadata) -> int:
    """Return the line on which a text begins, from 1."""
    known = _range(metadata, FIRST_LINE, LAST_LINE)
    if known is None:
        return 1
    margin = text[: len(text) - len(text.lstrip())]
    return max(1, known[0] - count_line_breaks(margin, 0, len(margin)))


def _range(metadata: Metadata, first: str, last: str) -> tuple[int, int] | None:
    low, high = metadata.get(first), metadata.get(last)
    if type(low) is int and type(high) is int and 0 < low <= high:
        return low, high
    return None
