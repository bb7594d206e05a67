"""Where a text comes from: the name, the part and the headings in the metadata of its loader.

Loaders and readers put the same thing under many keys. Case, spaces and marks in keys do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import PurePath
from typing import Any

Metadata = Mapping[Any, Any]

NAME_KEYS = ("file_path", "file_name", "source")
"""Where the metadata of most loaders has the name of a document's file."""
TITLE_KEY = "title"
"""Where the metadata of a document has its title. None: the name of its file is not a title."""

PAGE_KEYS = NUMBER, PAGE, LABEL = "page_number", "page", "page_label"
SEQUENCE = "seq_num"
# Parts of a file: what loaders call them, with the word for it and what makes them count from 1.
_PARTS = {
    "row": ("row", 1),
    "row_index": ("row", 1),
    "row_number": ("row", 0),
    "sheet_name": ("sheet", 0),
    "page_name": ("sheet", 0),
    "sheet": ("sheet", 0),
    "section_number": ("section", 0),
    SEQUENCE: ("part", 0),
}
# What numbered parts of a file are, by the end of its name.
_WORDS = {
    **dict.fromkeys((".csv", ".tsv"), "row"),
    **dict.fromkeys((".mbox", ".pst", ".eml", ".msg"), "mail"),
    **dict.fromkeys((".md", ".markdown", ".html", ".htm", ".docx", ".rst", ".epub"), "section"),
}
# Keys of LangChain's loaders and LlamaIndex's readers, in the order in which they are believed.
_ADDRESSES = (
    *("source", "filepath", "path", "url", "sourceurl", "pageurl", "finalurl", "htmlurl", "weburl"),
    *("uri", "link", "permalink", "loc", "href", "filename", "file", "notename"),
)
_FOLDERS = ("folderpath", "filedirectory", "directory", "dirname", "folder")
_IDS = ("entryid", "documentid", "docid", "fileid", "pageid", "noteid", "messageid", "uid")
_RANDOM = re.compile(r"[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}|[\da-f]{40,}", re.IGNORECASE)
_OTHER_PAGES = ("page", "pagenumber", "pageno", "pagenum", "pagenr", "slide", "slidenumber")
_TITLES = ("title", "subject", "documenttitle", "doctitle", "pagetitle", "headline")
_LEVEL = re.compile(r"(?:header|heading|head|h|title|level)([1-6])")
_SECTIONS = ("part", "chapter", "section", "sectiontitle", "subsection", "subsubsection")
_SLASH, _HAS_LETTER = re.compile(r"[/\\]"), re.compile(r"[^\W\d_]")
_NOT_IN_KEYS = re.compile(r"[\W_]+")
_LONGEST_HEADING = 300  # characters; longer values are no headings


@lru_cache(maxsize=1 << 10)  # the keys of loaders
def _plain(key: object) -> str:
    return _NOT_IN_KEYS.sub("", str(key)).casefold()


def _values(metadata: Metadata, keys: tuple[str, ...]) -> Iterator[Any]:
    """Yield the values under keys that are written in any way, in the order of the keys."""
    written: dict[str, Any] = {}
    for key, value in metadata.items():
        if value is not None and not (isinstance(value, str) and not value.strip()):
            written.setdefault(_plain(key), value)
    yield from (written[key] for key in keys if key in written)


def is_random(name: str) -> bool:
    """Return whether a name is a UUID or a hash, which tells a reader nothing."""
    return _RANDOM.fullmatch(name) is not None


def names_of(metadata: Metadata) -> list[str]:
    """Return what may name a document's file, first what tells it from all other files.

    That is the first of its names: the "source", or else a path or URL. A longer one that ends
    with it comes before it, and so does any with a folder if it has neither folder nor suffix. A
    number is no name beside others. Without any, an ID names it unless it is random.
    """
    plain = str | int | PurePath
    names = [str(each) for each in _values(metadata, _ADDRESSES) if isinstance(each, plain)]
    names = [name for name in names if not name.isdecimal()] or names
    if not names:
        ids = map(str, _values(metadata, _IDS))
        return [name for name in ids if not is_random(name)][:1]
    in_folders = [name for name in names if _SLASH.search(name)]
    files = [name for name in names if name in in_folders or PurePath(name).suffix]
    first = (files or names)[0]
    if first not in in_folders:
        longer = [name for name in in_folders if _SLASH.split(name)[-1] == first]
        longer += [f"{str(each).rstrip('/')}/{first}" for each in _values(metadata, _FOLDERS)]
        first = [*longer, first][0]
    return [*dict.fromkeys([first, *names])]


def address_of(metadata: Metadata) -> str:
    """Return the name that tells a document's file from all others; "" if it has none."""
    return next(iter(names_of(metadata)), "")


def with_page(metadata: Metadata) -> Metadata:
    """Return metadata that have the number of a page, if there is one, under a key of `PAGE_KEYS`.

    Readers may put it under "source" or under a key that is written in another way.
    """
    if any(key in metadata for key in PAGE_KEYS):
        return metadata
    source = next(_values(metadata, ("source",)), None)
    found = [
        *_values(metadata, _OTHER_PAGES),
        *([source] if str(source) != file_name(metadata) else []),
    ]
    number = str(found[0]) if found else ""
    return {**metadata, NUMBER: int(number)} if number.isdecimal() else metadata


def document_key(metadata: Metadata) -> str:
    """Return the key of a document: that of its file, and its page, row or part.

    The chunks of a document have the same key. "" if the file has no name.
    """
    file, metadata = file_key(metadata), with_page(metadata)
    numbers = ((key, metadata.get(key)) for key in (*PAGE_KEYS, *_PARTS))
    parts = (f"{key}={as_whole_number(value)}" for key, value in numbers if value is not None)
    return ", ".join([file, *parts]) if file else ""


def file_key(metadata: Metadata) -> str:
    """Return the key of the file that a document is or is a part of; "" if it has no name."""
    names = names_of(metadata)
    keys = {key: str(metadata.get(key)) for key in NAME_KEYS}
    known = {key: name for key, name in keys.items() if name in names}
    known |= {} if not names or names[0] in known.values() else {"address": names[0]}
    return ", ".join(f"{key}={name!r}" for key, name in known.items())


def part_name(document: str, number: object) -> str:
    """Return the key of a part of a document, as `document_key` returns it."""
    return f"{document}, {SEQUENCE}={number}"


def is_part(metadata: Metadata) -> bool:
    """Return whether a document is a numbered or named part of a file, but not a page."""
    return any(metadata.get(key) is not None for key in _PARTS)


def document_names(documents: Iterable[tuple[Metadata, str]]) -> list[str]:
    """Return the names of documents for readers, such as "prices.csv, row 7".

    One is named by its "source", or else by the name of its file, with its folder if others have
    the same name, and by the row or part that it is. Without any, by its ID, or if that is random
    by its title.

    Args:
        documents: The metadata of each, and its ID, "" if it has none.
    """
    known = [(metadata, file_name(metadata), identity) for metadata, identity in documents]
    alike = Counter(name for _, name in {(address_of(one), name) for one, name, _ in known})
    return [
        _name_of(metadata, address_of(metadata) if alike[name] > 1 else name, identity)
        for metadata, name, identity in known
    ]


def _name_of(metadata: Metadata, name: str, identity: str) -> str:
    if not name:
        name = (is_random(identity) and given_title(metadata)) or identity
        name = name or given_title(metadata) or ""
    parts = [name]
    for key, (word, first) in _PARTS.items() if name else ():
        number = as_whole_number(metadata.get(key))
        if type(number) is int:
            word = _WORDS.get(PurePath(name).suffix.lower(), word) if key == SEQUENCE else word
            parts.append(f"{word} {number + first}")
        elif number and isinstance(number, str):
            parts.append(f"{word} {number}")
    return ", ".join(parts)


def file_name(metadata: Metadata) -> str:
    """Return the name of a document's file for readers; "" if it has none."""
    first, *others = names_of(metadata) or [""]
    if str(metadata.get("source")) == first:
        return first
    return next((name for name in others if name == _SLASH.split(first)[-1]), first)


def as_whole_number(value: Any) -> Any:
    """Return a float as the whole number that it was: some vector stores return floats."""
    return int(value) if type(value) is float and value.is_integer() else value


def given_title(metadata: Metadata) -> str | None:
    """Return the title in a document's metadata; "" if there is none.

    None: "title" is None, because the name of its file is not a title either.
    """
    if TITLE_KEY in metadata and metadata[TITLE_KEY] is None:
        return None
    return next((each for each in _values(metadata, _TITLES) if isinstance(each, str)), "")


def foreign_headings(metadata: Metadata) -> tuple[str, ...]:
    """Return the headings above a text that splitters and parsers of others have cut out.

    LangChain's have them under "Header 1" and further levels, however these are called, or under
    words such as "Section"; LlamaIndex's under "header_path", and Docling's in a list.
    """
    levels: dict[object, Any] = {}
    for key, value in metadata.items():
        plain = _plain(key)
        level = _LEVEL.fullmatch(plain)
        if level or plain in _SECTIONS:
            levels[(0, level[1]) if level else (1, _SECTIONS.index(plain))] = value
    for path in _values(metadata, ("headings", "headerpath")):
        if isinstance(path, list | tuple):
            return tuple(filter(None, map(str, path)))
        if _plain(path) and isinstance(path, str) and path[0] == path[-1] == "/":
            return tuple(filter(None, path.split("/")))
    return tuple(
        value
        for _, value in sorted(levels.items())
        if isinstance(value, str) and _HAS_LETTER.search(value) and len(value) <= _LONGEST_HEADING
    )
