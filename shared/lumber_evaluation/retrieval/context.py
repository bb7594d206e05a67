"""What vectors know beside the text of a chunk, as comparisons name it."""

from __future__ import annotations

from typing import Any, Literal, get_args

from lumber_core.identity import safe_repr

ContextPart = Literal["headings", "surroundings"]
"""A part of what the vector of a chunk knows beside its text."""
ALL_CONTEXT: tuple[ContextPart, ...] = get_args(ContextPart)


def check_context(name: str, value: Any) -> None:
    """Raise unless a value is a list of parts of the context.

    Raises:
        TypeError: It is no list.
        ValueError: A part is unknown.
    """
    known = " and ".join(f'"{part}"' for part in ALL_CONTEXT)
    if isinstance(value, str) or not isinstance(value, list | tuple | set | frozenset):
        hint = f': pass ("{value}",)' if value in ALL_CONTEXT else ""
        raise TypeError(f"{name} must be a list with any of {known}, not {safe_repr(value)}{hint}")
    for part in value:
        if part not in ALL_CONTEXT:
            raise ValueError(f"{name} may have {known}, not {safe_repr(part)}")
