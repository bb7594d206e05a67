"""The title of a document: its own, or else the name of its file as words.

A chunk rarely states which of several reports it comes from. Each name is judged alone, so a
document's title does not depend on other documents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote

from lumber_core.text.markdown import CONTEXT_KEY, HEADING_SEPARATOR
from lumber_core.text.origin import foreign_headings, given_title

_HOST = re.compile(r"\w{2,}://[^/]*")
_MESSAGE = re.compile(r"(?:^|[\s/_-])p?\d{10}(?:\.\d+|\d{6})?$")  # Slack's names end with the time
_SUFFIX = re.compile(r"(?<=.)\.[A-Za-z]\w{0,4}$", re.ASCII)
_FILE = re.compile(
    r"\.(?:docx?|fm|html?|indd|md|odt|pdf|pptx?|qxd|rtf|tex|txt|xlsx?)$", re.IGNORECASE
)
_PRINTER_PREFIX = re.compile(r"^Microsoft (?:Office )?\w+ - ")  # prefix that printer drivers add
_RANDOM_PART = re.compile(  # a UUID, a hash, a name of Python's tempfile
    r"(?i)(?<![^\W_])(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"
    r"|(?=[\da-f]*\d)(?=\d*[a-f])[\da-f]{8,}|tmp\w{5,8})(?![^\W_])"
)
_WORD_SEPARATORS = re.compile(r"[\s_+]+|(?<!\d)[-.]+|[-.]+(?!\d)")  # dates and versions stay whole
_SPACES = re.compile(r"[\s_]+")
_HUMP = re.compile(r"(?<=[a-z]{2})(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z])|(?<=[a-z]{4})(?=\d)")
_LETTERS = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"(?:[A-Za-z]{0,3}[\d\W])+[A-Za-z]{0,2}")  # "2022", "10K", "d001", "2023Q4"
_LONG_NUMBER = re.compile(r"\d{6}")
_YEAR = re.compile(r"(?:19|20)\d\d")
# Words that are not a title alone: words without a meaning, file names that stand for their folder,
# and kinds of documents, whose subject the name of the folder may state.
_WORDS_OF_KINDS = {
    "nothing": (
        "attachment clipboard content contents copy data dataset datasets default desktop doc "
        "docs document documento documentos documents dokument dokumente download downloads "
        "dsc dscn dump export exports file files html image images img input misc new noname "
        "output page pages pdf pdfs photo photos pic picture pictures powerpoint presentation "
        "pxl result results sample scan scanned scans screenshot slide src stdin temp test "
        "text tmp txt unbenannt unknown unnamed untitled upload uploads word"
    ),
    "folder": "index readme",
    "weak": (
        "about appendix article book changelog chapter draft faq final guide intro "
        "introduction invoice license main manual minutes note notes overview paper part "
        "report section summary transcript volume"
    ),
}
_KINDS = {word: kind for kind, words in _WORDS_OF_KINDS.items() for word in words.split()}


def document_title(
    metadata: Mapping[Any, Any],
    file_title: str,
    headings: Sequence[str] = (),
    *,
    has_title: bool = False,
    has_headings: bool = False,
) -> str:
    """Return the title of a document, "" if it has none.

    Args:
        metadata: Its metadata; "title", or else "subject", takes precedence. In the metadata of a
            chunk, "headings" are those above its start, and "context" shows whether the name of
            the file is the title.
        file_title: The result of `name_as_title` for its file.
        headings: Its first-level headings, or its title. A single heading is the title.
        has_title: Whether it begins with a title of another kind, so that no name is needed.
        has_headings: Whether its format has headings. If so, a context that begins with none of the
            headings above a chunk begins with the title.
    """
    given, context = given_title(metadata), metadata.get(CONTEXT_KEY)
    if given and (title := own_title(given)):
        return title
    above = re.split(f"{HEADING_SEPARATOR}|\n", context)[0] if isinstance(context, str) else ""
    path = metadata.get("headings")
    titles = path.split(HEADING_SEPARATOR) if isinstance(path, str) else None
    inherited = has_headings and titles is not None and above not in titles
    if above and (above == file_title or (inherited and above[0] not in "|<")):
        return above
    if titles is not None:
        return titles[0]
    if headings_above := foreign_headings(metadata):
        return headings_above[0]
    if len(headings) == 1:
        return headings[0]
    return "" if has_title or given is None or isinstance(context, str) else file_title


def own_title(given: str) -> str:
    """Return the title in a file's properties, "" if it is not descriptive.

    Programs write "Microsoft Word - Document1", a number or the name of another file there.
    """
    title = _PRINTER_PREFIX.sub("", " ".join(given.split()))
    if _FILE.search(title) or ("_" in title and " " not in title):
        return name_as_title(title)
    kinds = {*map(_kind, words_of_name(title))}
    has_no_meaning = kinds <= {"code", "nothing", "folder"} and (
        kinds != {"code"} or _LONG_NUMBER.search(title)
    )
    return "" if has_no_meaning or not kinds else title


def title_of_file(given: str, path: str) -> str:
    """Return the title in a file's properties as `own_title`, after the file's name if needed.

    The name is needed if the title lacks some of its words, such as a company's name.
    """
    title = own_title(given)
    name = name_beside(title, path)
    return f"{name}: {title}" if title and name else title


def name_beside(title: str, path: str) -> str:
    """Return the name of a file as words, "" if a title has its names and years already."""
    words = _words_of_file(path)
    names = {word.casefold() for word in words if _kind(word) == "name"}
    adds = bool(names.difference(map(str.casefold, words_of_name(title))))
    adds |= bool(names) and any(year not in title for year in filter(_YEAR.fullmatch, words))
    return " ".join(words) if adds else ""


def title_after_rename(title: str, before: str, path: str) -> str:
    """Return the new title of a file that was renamed from `before` to `path`."""
    name = " ".join(_words_of_file(before))
    if title == name:
        return name_as_title(path)
    return title_of_file(title.removeprefix(f"{name}: "), path)


def _words_of_file(path: str) -> list[str]:
    return words_of_name(_SUFFIX.sub("", PurePath(path).name))


@lru_cache(maxsize=1 << 10)  # all chunks of a file have its name
def name_as_title(path: str) -> str:
    """Return the name of a file, from its path or URL, as words; "" if it is not descriptive.

    The name of the folder comes before words such as "report", "2022" and "index".
    """
    if _MESSAGE.search(path):
        return ""
    if _HOST.match(path):
        path = unquote(re.split("[?#]", _HOST.sub("", path))[0])
    *folders, name = [part for part in re.split(r"[/\\]+", path) if part.strip(" .")] or [""]
    words = words_of_name(_SUFFIX.sub("", name))
    kinds = {*map(_kind, words)}
    if "name" in kinds:
        return " ".join(words)
    if not words or "nothing" in kinds or (kinds == {"code"} and _LONG_NUMBER.search(name)):
        return ""
    folder = words_of_name(folders[-1]) if folders else []
    kinds_of_folder = {*map(_kind, folder)}
    if kinds_of_folder & {"name", "weak"} or "nothing" not in kinds_of_folder:
        words = [*folder, *(() if "folder" in kinds else words)]
    kinds = {*map(_kind, words)}
    descriptive = "name" in kinds or (len(kinds) > 1 and "weak" in kinds)
    if kinds == {"code"} and len(words) > 1:
        descriptive = any(map(_LETTERS.search, words))
    return " ".join(words) if descriptive else ""


def words_of_name(name: str) -> list[str]:
    """Return the words of a name without random parts, such as hashes.

    Words are divided at spaces; without spaces, at dashes and dots; without these, at capitals.
    """
    name = _RANDOM_PART.sub(" ", name).strip()
    if _SPACES.search(name.replace("_", "")):
        return [*filter(None, _SPACES.split(name))]
    words = [*filter(None, _WORD_SEPARATORS.split(name))]
    return _HUMP.split(name) if len(words) == 1 else words


def _kind(word: str) -> str:
    """Return the kind of a word: "name", "code", "nothing", "folder" or "weak"."""
    letters = max(_LETTERS.findall(word.casefold()), key=len, default="")
    if _CODE.fullmatch(word) or (len(letters) < 2 and letters.isascii()):
        return "code"
    return _KINDS.get(letters, "name")
