"""Decodes texts: by byte order mark, as UTF-8, as declared, or in the most likely encoding."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import NamedTuple

from lumber_core.support.extras import require
from lumber_core.support.wording import with_noun
from lumber_files.readers import EXTRA, UnreadableFileError

_BYTE_ORDER_MARKS = {  # longest first: UTF-32's mark starts with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_WESTERN = "cp1252"
_LIKELY_ENCODINGS = (  # common on the web; rare encodings would win on short texts
    *("utf_16_le", "utf_16_be", "utf_32_le", "utf_32_be"),
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("iso8859_2", "iso8859_5", "iso8859_7", "iso8859_15", "koi8_r", "koi8_u", "cp866", "cp874"),
    *("cp932", "euc_jp", "cp949", "gb18030", "big5", "mac_roman"),
)
BROWSER_ENCODINGS = {
    "iso8859-1": _WESTERN,
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}
"""What browsers use for declared encodings, by Python's name (WHATWG Encoding Standard, 4.2)."""
_MAX_NOISE = 0.02  # differences up to this between charset-normalizer's measures are noise
_SAMPLED_BYTES = 4096  # searched for zeros, which show UTF-16 or UTF-32 even in valid UTF-8
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
# The declaration of an encoding in HTML or XML. Browsers search 1,024 bytes, but comments may push
# it further down. A declaration that can be read in single bytes rules out UTF-16 and UTF-32.
_DECLARED_WITHIN = 4096
_DECLARATION = re.compile(
    rb"""<(?:meta\b[^>]*?\bcharset|\?xml\b[^>]*?\bencoding)\s*=\s*["']?\s*"""
    rb"(?!utf[-_]?(?:16|32)|ucs)([\w.:-]+)",
    re.IGNORECASE,
)


class DecodedText(NamedTuple):
    """A decoded text without a byte order mark, and its faults, a sentence each."""

    text: str
    encoding: str | None
    detected: bool = False
    notices: tuple[str, ...] = ()


def check_encoding(encoding: str) -> None:
    """Raise a ValueError unless Python has a text encoding of that name.

    Args:
        encoding: The name, such as "utf-8".

    Raises:
        ValueError: Python has no such encoding.
    """
    try:
        "".encode(encoding)
    except LookupError:  # unknown, or no text encoding, such as "base64"
        raise ValueError(
            f"unknown encoding {encoding!r}: expected a name that Python knows, such as 'utf-8', "
            "'cp1252' or 'latin-1'"
        ) from None


def decode(
    content: bytes, name: str, encoding: str | None = None, *, is_markup: bool = False
) -> DecodedText:
    """Decode a text.

    Without `encoding`, the encoding is that of the byte order mark; else UTF-8 if all bytes are
    valid; else the encoding that HTML or XML declares, if `is_markup`; else UTF-8 if only a few
    bytes are damaged; else the most likely encoding.

    Raises:
        UnreadableFileError: The bytes are not text in that encoding, or in any encoding.
        MissingExtraError: The encoding must be detected, and charset-normalizer is not installed.
        ValueError: Python knows no such encoding.
    """
    if encoding is not None:
        return DecodedText(_decode_undamaged(content, name, encoding), encoding)
    for mark, marked_encoding in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return _decode_damaged(content, marked_encoding)
    may_be_wide = content.count(0, 0, _SAMPLED_BYTES) > 1
    text = content.decode("utf-8", "replace")
    damaged = _count_damaged(content, text)
    if not damaged and not may_be_wide:
        return DecodedText(text, "utf-8")
    for declared in map(bytes.decode, _DECLARATION.findall(content[:_DECLARED_WITHIN])[:is_markup]):
        with suppress(ValueError, LookupError):  # pages may declare a wrong encoding
            browser_encoding = BROWSER_ENCODINGS.get(codecs.lookup(declared).name, declared)
            return DecodedText(_decode_undamaged(content, name, browser_encoding), browser_encoding)
    # In text of another encoding, at most a third of the bytes beyond ASCII are valid by chance.
    if not may_be_wide and len(_BEYOND_ASCII.findall(text)) >= 2 * damaged:
        return _decode_damaged(content, "utf-8")
    # The last letter in UTF-16 may lack a byte.
    even_content = content[: len(content) // 2 * 2] if may_be_wide else content
    return _decode_damaged(content, _detect(even_content, name), detected=True)


def _decode_damaged(content: bytes, encoding: str, *, detected: bool = False) -> DecodedText:
    """Return a text with U+FFFD for damaged bytes, and a notice about them."""
    text = content.decode(encoding, "replace").removeprefix("\ufeff")
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].decode(encoding, "replace").count("\n") + 1
        places = with_noun(_count_damaged(content, text), "place")
        notice = f"damaged {encoding}: U+FFFD replaces bytes in {places}, first in line {line}"
        return DecodedText(text, encoding, detected, (notice,))
    return DecodedText(text, encoding, detected)


def _count_damaged(content: bytes, text: str) -> int:
    """Return the number of places that could not be decoded."""
    return text.count("\ufffd") - content.count("\ufffd".encode())


def _detect(content: bytes, name: str) -> str:
    """Return the most likely encoding of a text."""
    why = f"{name} is not UTF-8. Name its encoding, or let it be detected: "
    require("charset_normalizer", package="charset-normalizer", extra=EXTRA, why=why)
    from charset_normalizer import from_bytes  # deferred: most texts are UTF-8

    matches = from_bytes(content, cp_isolation=list(_LIKELY_ENCODINGS))
    best = matches.best()
    if best is None:
        raise UnreadableFileError(
            f"{name} is neither text in a known encoding nor a document in a supported format. "
            "Save it as text or PDF (an email as .eml)"
        )
    # Among equally good encodings, charset-normalizer prefers the first by name, such as cp1250.
    for match in matches:
        likely = (
            match.chaos <= best.chaos + _MAX_NOISE
            and match.coherence >= best.coherence - _MAX_NOISE
        )
        if likely and _WESTERN in match.could_be_from_charset:
            return _WESTERN
    return best.encoding


def _decode_undamaged(content: bytes, name: str, encoding: str) -> str:
    check_encoding(encoding)
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(
            f"{name} is not {encoding}: byte {error.start} ({error.object[error.start]:#04x}) "
            f"cannot be read ({error.reason}). Save it as UTF-8, or name its encoding"
        ) from error
