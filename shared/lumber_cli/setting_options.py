"""Options of the command line made from settings, with their documentation as help text."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field
from enum import Enum
from itertools import takewhile
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

from lumber_core.settings import Settings, fields_of, setting_of

_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z0-9\"])")


class _Unset(Enum):
    """The value `none` on the command line, as opposed to an option that is left out."""

    NONE = "none"


class SettingOptions:
    """One option for each setting of some classes of settings.

    Args:
        owners: The classes, by what the help text calls their users.
        panel: Title of the options in the help text.
        main: Names of settings that come first.
        main_panel: Title of these; None: they are among the options without a title.
        own_panels: Whether options of a single owner have a title of their own.
        left_out: Names of settings that have no option.
        renamed: Names of options that differ from those of the settings.
        others: Names of other options, which help texts may mention.
    """

    def __init__(
        self,
        owners: Mapping[str, type[Settings]],
        *,
        panel: str,
        main: Sequence[str] = (),
        main_panel: str | None = None,
        own_panels: bool = False,
        left_out: Iterable[str] = (),
        renamed: Mapping[str, str] | None = None,
        others: Iterable[str] = (),
    ) -> None:
        self._owners = owners
        self._panel = panel
        self._main = main
        self._main_panel = main_panel
        self._own_panels = own_panels
        self._renamed = dict(renamed or {})
        self._entries: dict[str, dict[str, Field[Any]]] = {name: {} for name in main}
        for owner, settings in owners.items():
            for entry in fields_of(settings):
                if entry.name not in left_out:
                    self._entries.setdefault(entry.name, {})[owner] = entry
        self._flags = {*map(self.flag, self._entries), *map(self.flag, others)}

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """The options, as parameters of a command."""
        return [self._option(name, entries) for name, entries in self._entries.items()]

    def flag(self, name: str) -> str:
        """Return the option for a setting."""
        return f"--{self._renamed.get(name, name).replace('_', '-')}"

    def owners_of(self, name: str) -> list[str]:
        """Return whose setting it is."""
        return [*self._entries[name]]

    def taken_from(self, values: dict[str, Any]) -> dict[str, Any]:
        """Take the values of these options out of `values`.

        Returns:
            The values that were given, by name of the setting.
        """
        given = {
            name: value_of(values.pop(self._renamed.get(name, name))) for name in self._entries
        }
        return {
            name: None if value is _Unset.NONE else value
            for name, value in given.items()
            if value is not None and value != []
        }

    def help(self, doc: str) -> str:
        """Return documentation with the names of settings as options."""

        def named(match: re.Match[str]) -> str:
            flag = self.flag(match[1])
            return flag if flag in self._flags else match[0].strip("`")

        return re.sub(r"`([^`]+)`", named, doc)

    def _option(self, name: str, entries: Mapping[str, Field[Any]]) -> inspect.Parameter:
        flag = self.flag(name)
        main = name in self._main
        panel = self._main_panel if main else self._panel
        unnamed = {*self._owners}  # if these have it, the text does not say whose option it is
        if self._own_panels and not main and len(entries) == 1:
            (owner,) = unnamed = {*entries}
            panel = f"{panel} ({owner} only)"
        alike: dict[str, dict[str, list[str]]] = {}  # by the first sentence, then by owner
        for owner, entry in entries.items():
            sentences = _sentences(self.help(setting_of(entry).doc), flag, entry.default)
            alike.setdefault(sentences[0], {})[owner] = sentences
        parts = []
        for group in alike.values():
            together = zip(*group.values(), strict=False)
            shared = [some[0] for some in takewhile(lambda some: len({*some}) == 1, together)]
            rests: dict[str, list[str]] = {}
            for owner, sentences in group.items():
                rests.setdefault(" ".join(sentences[len(shared) :]), []).append(owner)
            parts.append(_of([*group] if {*group} != unnamed else [], " ".join(shared)))
            parts += [_of(whose if len(rests) > 1 else [], rest) for rest, whose in rests.items()]
        text = " ".join(filter(None, parts))
        kind, more = _kind(name, entries)
        return parameter(self._renamed.get(name, name), kind, text, rich_help_panel=panel, **more)


def parameter(
    name: str, kind: Any, text: str, *, default: Any = None, **more: Any
) -> inspect.Parameter:
    """Return an option as the parameter of a command.

    Args:
        name: The parameter's name.
        kind: Its type.
        text: The help text.
        default: Its default; `inspect.Parameter.empty` if it has to be given.
        **more: Other arguments of `typer.Option`.
    """
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, typer.Option(help=text, **more)],
    )


def choice(name: str, choices: Iterable[str]) -> Any:
    """Return the type of an option with some choices."""
    make: Any = Enum  # mypy wants a literal name
    return make(name, {each.replace("-", "_"): each for each in choices}, type=str)


def value_of(value: Any) -> Any:
    """Return the value of an option, of a choice as a string; the choice none counts as given."""
    if isinstance(value, Enum) and value is not _Unset.NONE:
        return _Unset.NONE if value.value == "none" else value.value
    return value


def _sentences(text: str, flag: str, default: object) -> list[str]:
    """Return the first sentence of a setting's documentation, and those about special values.

    Args:
        text: The documentation.
        flag: The option.
        default: The default; the last sentence says what it is.
    """
    first, *others = _SENTENCE_END.split(text)
    special = {"None": "none", "False": f"--no-{flag[2:]}", '"auto"': "auto"}
    none = default in (None, (), MISSING)
    given = "None" if none else '"auto"' if default == "auto" else ""
    made = [first]
    for each in others:
        value, colon, meaning = each.partition(":")
        if colon and value in special:
            made.append(f"{'Default' if value == given else special[value]}:{meaning}")
    if isinstance(default, bool):
        made.append(f"Default: {flag if default else special['False']}.")
    elif not none and not any(each.startswith("Default:") for each in made):
        made.append(f"Default: {default}.")
    return made


def _of(owners: Sequence[str], text: str) -> str:
    """Return a text with the owners that it is about in front."""
    return f"({', '.join(owners)}) {text}" if owners and text else text


def _kind(name: str, entries: Mapping[str, Field[Any]]) -> tuple[Any, dict[str, Any]]:
    """Return the type of an option, and what else typer should know."""
    kinds = {kind for entry in entries.values() for kind in _alternatives(entry.type)}
    words = sorted(kind for kind in kinds if isinstance(kind, str))
    also = [*words, "none"] if NoneType in kinds else words
    for number in (int, float):
        if number in kinds:
            return Any, {"parser": _number_or(number, also), "metavar": "|".join(["NUMBER", *also])}
    if str in kinds or (words and any(callable(kind) for kind in kinds - {NoneType, *words})):
        return str | None, {"metavar": "|".join(words)} if words else {}
    if words:
        return choice(name, also) | None, {}
    plain = next((kind for kind in (Path, bool) if kind in kinds), list[str])
    return plain | None, {}


def _number_or(number: type, words: Sequence[str]) -> Callable[[str], Any]:
    """Return a parser of a number or of one of some words."""

    def parse(text: str) -> Any:
        if text in words:
            return _Unset.NONE if text == "none" else text
        return number(text)

    parse.__name__ = " or ".join([number.__name__, *words])
    return parse


def _alternatives(kind: Any) -> list[Any]:
    """Return the alternatives of a type, with the strings of literals."""
    if get_origin(kind) in (Union, UnionType):
        return [each for part in get_args(kind) for each in _alternatives(part)]
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [kind]
