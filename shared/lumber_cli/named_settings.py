"""Settings by name, as `--set NAME=VALUE` gives them, and the classes that take them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar

import typer

T = TypeVar("T")
_LITERALS = {"none": None, "true": True, "false": False}
# Settings with options of their own, or impossible on a command line.
_NOT_SETTABLE = frozenset({"model", "judge", "base_url", "api_key", "client", "on_segmentation"})

SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other setting, by its name in Python, as in --set attempts=3; may be repeated.",
    ),
]


def value_of(text: str) -> object:
    """Parse a literal of Python, or none, true or false in lower case; return any other text."""
    try:
        return _LITERALS[text] if text in _LITERALS else ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def settings_in(pairs: Iterable[str] | None) -> dict[str, object]:
    """Parse settings of the form NAME=VALUE."""
    settings = {}
    for pair in pairs or ():
        name, sign, text = pair.partition("=")
        if not sign:
            raise ValueError(f"--set takes NAME=VALUE, not {pair!r}")
        settings[name.strip().replace("-", "_")] = value_of(text.strip())
    return settings


def make_with(kind: Callable[..., T], /, *arguments: object, **settings: object) -> T:
    """Make an instance of a class; a setting of a wrong type raises a ValueError, too."""
    try:
        return kind(*arguments, **settings)
    except TypeError as error:
        raise ValueError(str(error)) from None


def names_of(kind: Callable[..., object]) -> list[str]:
    """Return the names of the settings of a class that --set can give."""
    return [name for name in inspect.signature(kind).parameters if name not in _NOT_SETTABLE]


def divide_settings(
    given: Mapping[str, object], *kinds: Callable[..., object]
) -> list[dict[str, Any]]:
    """Divide settings between classes; a setting may belong to several."""
    names_by_kind = [names_of(kind) for kind in kinds]
    for name in given:
        if not any(name in names for names in names_by_kind):
            all_names = [name for names in names_by_kind for name in names]
            close = get_close_matches(name, all_names, 1)
            listed = f"the settings are {', '.join(sorted({*all_names}))}"
            hint = f"did you mean {close[0]}?" if close else listed
            raise ValueError(f"there is no setting {name!r} here: {hint}")
    return [{name: given[name] for name in given if name in names} for names in names_by_kind]
