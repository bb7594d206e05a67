"""Lone surrogates: halves of characters, which Python strings can hold but UTF-8 cannot."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def is_encodable(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8."""
    return text.isascii() or _SURROGATE.search(text) is None


def encodable(text: str) -> str:
    """Return `text` with each lone surrogate replaced by U+FFFD; offsets stay the same.

    Unlike `str.encode` with "replace", which writes a question mark and so could end a sentence.
    """
    return _SURROGATE.sub("\ufffd", text)
