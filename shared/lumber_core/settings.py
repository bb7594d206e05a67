"""Declares settings: name, type, default, check and documentation in one place.

The settings of a splitter are a subclass of `Settings`:

    class GreedySettings(ChunkerSettings):
        target_size: TargetSize = None

`takes(GreedySettings)` turns `__init__(self, settings)` into a constructor with one argument for
each setting. Type checkers and editors see the arguments through the decorator's types;
`help()` and `inspect.signature` see them because signature and docstring are written from the
settings. The adapters extend the same classes.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from typing import (
    Annotated,
    Any,
    ClassVar,
    Concatenate,
    ForwardRef,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
)

from typing_extensions import dataclass_transform

from lumber_core.identity import safe_repr

O = TypeVar("O")  # noqa: E741 - the object under construction
S = TypeVar("S", bound="Settings")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Setting:
    """What a setting has in addition to its name, type and default.

    Attributes:
        doc: Its documentation, without the default. It is the help of command line options, too.
        check: Raises if a value is wrong; gets the setting's name and the value.
        changes_result: Whether the chunks may depend on it. Such settings are part of `repr`,
            of serialised parsers and of cache keys.
        objects: Which objects are accepted besides; documented in Python only.
    """

    doc: str
    check: Callable[[str, Any], object] | None = None
    changes_result: bool = True
    objects: str = ""

    @property
    def python_doc(self) -> str:
        """The documentation in Python."""
        return " ".join(filter(None, [self.doc, self.objects]))


def optional(check: Callable[[str, Any], object]) -> Callable[[str, Any], None]:
    """Return `check` for a setting that may also be None."""

    def checked(name: str, value: Any) -> None:
        if value is not None:
            check(name, value)

    return checked


def one_of(*choices: object) -> Callable[[str, object], None]:
    """Return a check that a value is one of `choices`."""
    listed = " or ".join('"' + c + '"' if isinstance(c, str) else repr(c) for c in choices)

    def checked(name: str, value: object) -> None:
        if value not in choices:
            raise ValueError(f"{name} must be {listed}, not {safe_repr(value)}")

    return checked


def share(name: str, value: Any) -> None:
    """Raise unless a value is a number from 0 to 1.

    Raises:
        ValueError: The value is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a share from 0 to 1, not {safe_repr(value)}")


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class Settings:
    """Base of the settings of a splitter: a frozen dataclass whose fields are checked.

    Fields are annotated with `Annotated[type, Setting(...)]` and given by keyword; one defined by
    `dataclasses.field(kw_only=False)` may be given by position.
    """

    elsewhere: ClassVar[Mapping[str, str]] = {}
    """Arguments of other libraries' splitters, and what to use instead."""

    def __init_subclass__(cls) -> None:
        cls.__annotations__ = inspect.get_annotations(cls, eval_str=True)
        dataclass(frozen=True, kw_only=True, repr=False)(cls)
        for entry in fields_of(cls):
            setting_of(entry)  # raises if one is not documented

    def __post_init__(self) -> None:
        """Check every value; subclasses check combinations."""
        for entry in fields_of(type(self)):
            check = setting_of(entry).check
            if check is not None:
                check(entry.name, getattr(self, entry.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(shown(self))})"


def fields_of(settings: type[Settings]) -> tuple[Field[Any], ...]:
    """Return the dataclass fields of a class of settings, one for each setting."""
    return fields(settings)  # type: ignore[arg-type]  # __init_subclass__ makes it a dataclass


def signature_of(settings: type[Settings]) -> inspect.Signature:
    """Return the signature of a constructor that takes these settings."""
    parameters = [
        inspect.Parameter(
            entry.name,
            inspect.Parameter.KEYWORD_ONLY
            if entry.kw_only is True
            else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if entry.default is MISSING else entry.default,
            annotation=type_of(entry),
        )
        for entry in fields_of(settings)
    ]
    return inspect.Signature(sorted(parameters, key=lambda parameter: parameter.kind))


def values_for(settings: type[Settings], source: object, **changed: Any) -> dict[str, Any]:
    """Return the settings that an object has as attributes, with some replaced.

    Args:
        settings: The class of settings.
        source: Settings, or anything else with attributes of these names; those it lacks are left
            out.
        **changed: Values that replace the object's.
    """
    names = [entry.name for entry in fields_of(settings) if hasattr(source, entry.name)]
    return {**{name: getattr(source, name) for name in names}, **changed}


def shown(settings: Settings, **instead: object) -> list[str]:
    """Return `name=value` for each setting that can change the result.

    Args:
        settings: The settings.
        **instead: Objects to show instead of the values. One that is not None is shown even if
            the setting has its default.
    """
    declared = {entry.name: setting_of(entry) for entry in fields_of(type(settings))}
    texts = []
    for name, parameter in signature_of(type(settings)).parameters.items():
        value = getattr(settings, name)
        unset = value is parameter.default and value in (None, ()) and instead.get(name) is None
        if declared[name].changes_result and not unset:
            texts.append(f"{name}={safe_repr(instead.get(name, value))}")
    return texts


def result_settings(settings: Settings) -> dict[str, object]:
    """Return the values of the settings that can change the result, by name."""
    return {
        entry.name: getattr(settings, entry.name)
        for entry in fields_of(type(settings))
        if setting_of(entry).changes_result
    }


def setting_of(entry: Field[Any]) -> Setting:
    """Return the `Setting` of a field."""
    if get_origin(entry.type) is Annotated:
        for metadata in get_args(entry.type)[1:]:
            if isinstance(metadata, Setting):
                return metadata
    raise TypeError(f"the setting {entry.name} must be annotated with Annotated[..., Setting(...)]")


def type_of(entry: Field[Any]) -> Any:
    """Return the type of a setting; as a string if it is annotated as one."""
    bare = get_args(entry.type)[0]
    return bare.__forward_arg__ if isinstance(bare, ForwardRef) else bare


def refuse_unknown(
    owner: str, names: Iterable[str], known: Sequence[str], elsewhere: Mapping[str, str]
) -> None:
    """Raise if one of `names` is unknown.

    Args:
        owner: Name of the class that was called.
        names: The names given.
        known: The valid names.
        elsewhere: Names from other libraries, each with what to use instead.

    Raises:
        TypeError: A name is unknown; the message says what to use instead, or the closest name.
    """
    for name in (name for name in names if name not in known):
        if name in elsewhere:
            raise TypeError(f"{owner} has no setting {name!r}: {elsewhere[name]}")
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"its settings are {', '.join(known)}"
        raise TypeError(f"{owner} has no setting {name!r}: {hint}")


_TAKEN = "__settings__"  # attribute of a constructor made by `takes`


class _Constructor:
    """An `__init__` that documents itself in the class it is defined in."""

    def __init__(self, function: Callable[..., None], settings: type[Settings]) -> None:
        self._function = function
        self._settings = settings

    def __set_name__(self, owner: type, name: str) -> None:
        setattr(owner, name, self._function)
        document(owner, _arguments(self._settings))


def takes(
    settings: Callable[P, S],
) -> Callable[[Callable[[O, S], None]], Callable[Concatenate[O, P], None]]:
    """Make `__init__(self, settings)` a constructor that takes each setting as an argument.

    Args:
        settings: A subclass of `Settings`.

    Returns:
        A decorator for `__init__`. The class's docstring gets a section `Args:`.
    """
    assert isinstance(settings, type)
    made: type[Settings] = settings
    signature = signature_of(made)

    def decorate(function: Callable[[O, S], None]) -> Callable[Concatenate[O, P], None]:
        def construct(self: O, /, *args: P.args, **given: P.kwargs) -> None:
            owner = type(self).__name__
            refuse_unknown(owner, given.keys(), [*signature.parameters], made.elsewhere)
            try:
                signature.bind(*args, **given)
            except TypeError as error:
                named = f"; name the settings, as in {owner}({[*signature.parameters][-1]}=...)"
                hint = named if "positional" in str(error) else ""
                raise TypeError(f"{owner}: {error}{hint}") from None
            function(self, settings(*args, **given))

        receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        construct.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[receiver, *signature.parameters.values()]
        )
        construct.__name__ = function.__name__
        construct.__qualname__ = function.__qualname__
        construct.__module__ = function.__module__
        construct.__dict__[_TAKEN] = made
        construct.__doc__ = "Check the settings; the class documents them."
        constructor: Any = _Constructor(construct, made)
        return constructor  # type: ignore[no-any-return]  # replaced when the class is made

    return decorate


def settings_taken(owner: type) -> type[Settings]:
    """Return the settings that the constructor of a class takes, if `takes` has made it.

    Raises:
        TypeError: It was made otherwise.
    """
    found = getattr(owner.__init__, _TAKEN, None)  # type: ignore[misc]  # it is only looked at
    if found is None:
        raise TypeError(f"the constructor of {owner.__name__} is not decorated with takes(...)")
    settings: type[Settings] = found
    return settings


def documented(settings: type[S]) -> type[S]:
    """Make `help` show the types, defaults and documentation of settings that users make."""
    settings.__signature__ = signature_of(settings)  # type: ignore[attr-defined]
    document(settings, _arguments(settings))
    return settings


def _arguments(settings: type[Settings]) -> list[tuple[str, str, object]]:
    """Return name, documentation and default of each setting, those by position first."""
    docs = {entry.name: setting_of(entry).python_doc for entry in fields_of(settings)}
    parameters = signature_of(settings).parameters
    return [(name, docs[name], parameter.default) for name, parameter in parameters.items()]


def document(owner: type, arguments: Iterable[tuple[str, str, object]]) -> None:
    """Write the section `Args:` into the docstring of a class.

    Args:
        owner: The class.
        arguments: Name, documentation and default of each; `inspect.Parameter.empty` for none.
    """
    if owner.__doc__ is None:  # python -OO
        return
    lines = ["Args:"]
    for name, text, default in arguments:
        given = "" if default is inspect.Parameter.empty else f" Default: {default!r}."
        lines += textwrap.wrap(
            f"{name}: {text}{given}",
            width=96,
            initial_indent=" " * 4,
            subsequent_indent=" " * 8,
            break_on_hyphens=False,
        )
    doc = inspect.cleandoc(owner.__doc__)
    places = [doc.find(f"\n{section}:\n") for section in ("Raises", "Example")]
    place = min((found for found in places if found >= 0), default=len(doc))
    before, after = doc[:place].rstrip("\n"), doc[place:].lstrip("\n")
    owner.__doc__ = "\n\n".join(filter(None, [before, "\n".join(lines), after])) + "\n"
