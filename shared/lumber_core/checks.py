"""Checks of arguments, made before any work, with errors that say what to do."""

from __future__ import annotations

import math
from collections.abc import Iterable


def check_text(text: object) -> None:
    """Raise unless `text` is a string.

    Raises:
        TypeError: Naming the type that came and what to pass.
    """
    if not isinstance(text, str):
        hint = "; decode it first" if isinstance(text, (bytes, bytearray)) else ""
        raise TypeError(f"text must be a str, not {type(text).__name__}{hint}")


def check_texts(texts: object) -> list[str]:
    """Return `texts` as a list after checking that every one is a string.

    Raises:
        TypeError: For a single string, something not iterable, or an item that is no string.
    """
    if isinstance(texts, str):
        raise TypeError("texts must be a list of str, not one str: pass [text]")
    if not isinstance(texts, Iterable):
        raise TypeError(f"texts must be a list of str, not {type(texts).__name__}")
    checked = list(texts)
    for text in checked:
        check_text(text)
    return checked


def check_positive(name: str, value: object) -> None:
    """Raise unless `value` is a whole number of at least 1.

    Raises:
        TypeError: It is no whole number.
        ValueError: It is below 1.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, not {value}")


def check_number(name: str, value: object) -> None:
    """Raise unless `value` is a finite number.

    Raises:
        TypeError: It is no number.
        ValueError: It is not finite.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, not {value}")
