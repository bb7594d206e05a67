"""Where a text comes from: the name, the part and the headings in the metadata of its loader.

Loaders use different keys for the same fact. Case, spaces and punctuation in keys are ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import filterfalse
from pathlib import PurePath
from typing import Any

Metadata = Mapping[Any, Any]

NAME_KEYS = ("file_path", "file_name", "source")
"""Metadata keys under which most loaders put the name of a document's file."""
TITLE_KEY = "title"
"""Metadata key of a document's title. With the value None, the name of its file is no title."""

PAGE_KEYS = NUMBER, PAGE, LABEL = "page_number", "page", "page_label"
TOTAL = "total_pages"
SEQUENCE = "seq_num"
# Metadata keys of the parts of a file, with the word for the part; some count from 0.
_PARTS = dict.fromkeys(("row", "row_index", "row_number"), "row")
_PARTS |= dict.fromkeys(("sheet_name", "page_name", "sheet"), "sheet")
_PARTS |= {"section_number": "section", SEQUENCE: ""}
_FROM_ZERO = ("row", "row_index")
# The word for a numbered part, by the suffix of its file. For other files it is "part".
_WORDS = {"csv": "row", "tsv": "row", "mbox": "mail", "pst": "mail", "eml": "mail", "msg": "mail"}
_WORDS |= dict.fromkeys(("md", "markdown", "html", "htm", "docx", "rst", "epub"), "section")
# Keys of LangChain's loaders and LlamaIndex's readers, the most reliable first.
_ADDRESSES = (
    *("source", "filepath", "path", "url", "sourceurl", "pageurl", "finalurl", "htmlurl", "weburl"),
    *("uri", "link", "permalink", "loc", "href", "posturl", "articleurl", "documenturl"),
    *("canonicalurl", "sourcefullurl", "videourl", "ogurl", "sourcepath", "fullpath", "blobpath"),
    *("filename", "file", "notename"),
)
_FOLDERS = ("folderpath", "filedirectory", "directory", "dirname", "folder")
_IDS = (
    *("entryid", "documentid", "docid", "fileid", "pageid", "noteid", "messageid", "uid"),
    *("postid", "articleid", "paperid", "videoid", "recordid", "ticketid", "issueid", "taskid"),
    *("uniqueid", "id"),
)
RANDOM = re.compile(r"[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}|[\da-f]{40,}", re.IGNORECASE)
_PAGES = ("page", "pagenumber", "pageno", "pagenum", "pagenr", "slide", "slidenumber")
_TITLES = ("title", "subject", "documenttitle", "doctitle", "pagetitle", "headline")
_LEVEL = re.compile(r"(?:header|heading|head|h|title|level)([1-6])")
_SECTIONS = ("part", "chapter", "section", "sectiontitle", "subsection", "subsubsection")
_SLASH, _LETTER, _MARKS = (re.compile(mark) for mark in (r"[/\\]", r"[^\W\d_]", r"[\W_]+"))
_VALUE_TYPES = (str, int, PurePath, list, tuple)  # of names, titles and headings
_MAX_HEADING_CHARACTERS = 300  # longer values are not headings


@lru_cache(maxsize=1 << 10)  # more keys than loaders use
def _plain(key: object) -> str:
    return _MARKS.sub("", str(key)).casefold()


def _values(metadata: Metadata, keys: Iterable[str]) -> Iterator[Any]:
    """Yield the values under `keys`, in their order; case and punctuation are ignored."""
    items = metadata.items()
    values = {_plain(key): value for key, value in items if isinstance(value, _VALUE_TYPES)}
    yield from (values[key] for key in keys if key in values and str(values[key]).strip())


def file_names(metadata: Metadata) -> list[str]:
    """Return the names of a document's file in its metadata; the first one identifies the file.

    The first is its "source", or else a path or URL, with the folder if there is one. Words without
    folder or suffix come after other names. Numbers and IDs are used only if there is no other.
    """
    values = _values(metadata, _ADDRESSES)
    names = [str(value) for value in values if not isinstance(value, list | tuple)]
    names = [name for name in names if not name.isdecimal()] or names
    if not names:
        return [*filterfalse(RANDOM.fullmatch, map(str, _values(metadata, _IDS)))][:1]
    in_folders = [name for name in names if _SLASH.search(name)]
    first = next((name for name in names if name in in_folders or PurePath(name).suffix), names[0])
    if first not in in_folders:
        longer = [name for name in in_folders if _SLASH.split(name)[-1] == first]
        longer += [f"{str(folder).rstrip('/')}/{first}" for folder in _values(metadata, _FOLDERS)]
        first = [*longer, first][0]
    return [*dict.fromkeys([first, *names])]


def address_of(metadata: Metadata) -> str:
    """Return the name that identifies a document's file; "" if it has none."""
    return next(iter(file_names(metadata)), "")


def is_bare(name: str) -> bool:
    """Return whether a document's name has no folder: files in several folders may have it."""
    return bool(name) and not _SLASH.search(name)


def file_name(metadata: Metadata) -> str:
    """Return the name of a document's file as people read it; "" if it has none."""
    first, *other_names = file_names(metadata) or [""]
    short = [] if str(metadata.get("source")) == first else [_SLASH.split(first)[-1]]
    return next((name for name in short if name in other_names), first)


def with_page(metadata: Metadata) -> Metadata:
    """Return metadata with the page number under one of `PAGE_KEYS`, whatever key it had.

    A whole float, or its text, becomes an int: data frames and vector stores change them.
    """
    if any(key in metadata for key in PAGE_KEYS):
        texts = {key: str(metadata.get(key)).removesuffix(".0") for key in (NUMBER, PAGE, TOTAL)}
        changed = [key for key, text in texts.items() if text.isdecimal() and len(text) < 10]
        return {**metadata, **{key: int(texts[key]) for key in changed}} if changed else metadata
    source = str(metadata.get("source"))
    numbers = [int(value) for value in map(str, _values(metadata, _PAGES)) if value.isdecimal()]
    if source.isdecimal() and source != file_name(metadata):
        numbers.append(int(source))
    return {**metadata, NUMBER: numbers[0]} if numbers else metadata


def document_key(metadata: Metadata) -> str:
    """Return the key of a document and its chunks: the file's key with the page, row or part."""
    file, metadata = file_key(metadata), with_page(metadata)
    keys = [key for key in (*PAGE_KEYS, *_PARTS) if metadata.get(key) is not None]
    return ", ".join([file, *(f"{key}={_whole(metadata[key])}" for key in keys)]) if file else ""


def file_key(metadata: Metadata) -> str:
    """Return the key of the file that a document is or is a part of; "" if it has no name."""
    names = file_names(metadata)
    values = {key: str(metadata.get(key)) for key in NAME_KEYS}
    parts = {key: name for key, name in values.items() if name in names}
    if names and names[0] not in parts.values():
        parts["address"] = names[0]
    return ", ".join(f"{key}={name!r}" for key, name in parts.items())


def part_name(document: str, number: object) -> str:
    """Return the key of a numbered part of a document, in the form of `document_key`."""
    return f"{document}, {SEQUENCE}={number}"


def is_part(metadata: Metadata) -> bool:
    """Return whether a document is a numbered or named part of a file, but not a page."""
    return any(metadata.get(key) is not None for key in _PARTS)


def document_names(documents: Iterable[tuple[Metadata, str]]) -> list[str]:
    """Return the names of documents as people read them, such as "prices.csv, row 7".

    Equal names of different files include the folders. A document without a name is called by its
    ID, or by its title if the ID is random. `documents` are pairs of metadata and ID ("" for none).
    """
    pairs = [*documents]
    files = {(address_of(metadata), file_name(metadata)) for metadata, _ in pairs}
    files_of_name, names = Counter(name for _, name in files), []
    for metadata, identity in pairs:
        name, title = file_name(metadata), given_title(metadata) or ""
        name = address_of(metadata) if files_of_name[name] > 1 else name
        name = name or ("" if RANDOM.fullmatch(identity) and title else identity) or title
        word = _WORDS.get(PurePath(name).suffix.lower()[1:], "part")
        for key, kind in _PARTS.items() if name else ():
            number = _whole(metadata.get(key))
            if type(number) is int:
                number = str(number + (key in _FROM_ZERO))
            name += f", {kind or word} {number}" if number and isinstance(number, str) else ""
        names.append(name)
    return names


def _whole(value: Any) -> Any:
    """Return a whole float as an int: some vector stores turn int into float."""
    return int(value) if type(value) is float and value.is_integer() else value


def given_title(metadata: Metadata) -> str | None:
    """Return the title in a document's metadata, or ""; None if "title" is None."""
    titles = (title for title in _values(metadata, _TITLES) if isinstance(title, str))
    return None if metadata.get(TITLE_KEY, "") is None else next(titles, "")


def foreign_headings(metadata: Metadata) -> tuple[str, ...]:
    """Return the headings above a text that other splitters have put into its metadata.

    LangChain uses "Header 1" or "Section", LlamaIndex "header_path", Docling a list.
    """
    for path in _values(metadata, ("headings", "headerpath")):
        titles = path.split("/") if isinstance(path, str) and path.startswith("/") else path
        if isinstance(titles, list | tuple) and any(titles):
            return tuple(filter(None, map(str, titles)))
    levels = {
        (level[1] if level else str(10 + _SECTIONS.index(_plain(key)))): value
        for key, value in metadata.items()
        if (level := _LEVEL.fullmatch(_plain(key))) or _plain(key) in _SECTIONS
        if isinstance(value, str) and len(value) <= _MAX_HEADING_CHARACTERS
        if _LETTER.search(value)
    }
    return tuple(levels[level] for level in sorted(levels, key=int))
