"""Lone surrogates: halves of characters that Python strings may hold but UTF-8 cannot."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def is_encodable(text: str) -> bool:
    """Tell whether a text has a form in UTF-8, as everything outside Python needs."""
    return text.isascii() or _SURROGATE.search(text) is None


def encodable(text: str) -> str:
    """Return `text` with each lone surrogate replaced by U+FFFD; all offsets stay the same."""
    return _SURROGATE.sub("\ufffd", text)
