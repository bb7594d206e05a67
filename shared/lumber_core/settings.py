"""Declares settings: name, type, default, check and documentation in one place.

The settings of a splitter are a subclass of `Settings`:

    class GreedySettings(ChunkerSettings):
        target_size: TargetSize = None

`takes(GreedySettings)` turns `__init__(self, settings)` into a constructor with one argument for
each setting. Type checkers and editors see the arguments through the decorator's types;
`help()` and `inspect.signature` see them because signature and docstring are written from the
settings. The adapters extend the same classes, and hand their settings on with `from_settings`, so
every value is checked once.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import update_wrapper
from types import MappingProxyType
from typing import Any, ClassVar, Concatenate, ForwardRef, ParamSpec, TypeVar, get_args

from typing_extensions import dataclass_transform

from lumber_core.support.identity import safe_repr

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
        types = cls.__annotations__ = inspect.get_annotations(cls, eval_str=True)
        for name, kind in types.items():
            bare, *more = get_args(kind) or (kind,)
            said = next((each for each in more if isinstance(each, Setting)), None)
            if said is None:
                raise TypeError(
                    f"the setting {name} must be annotated with Annotated[..., Setting(...)]"
                )
            given = vars(cls).get(name, MISSING)
            entry: Field[Any] = given if isinstance(given, Field) else field(default=given)
            entry.metadata = MappingProxyType({Setting: said})
            setattr(cls, name, entry)
            types[name] = bare.__forward_arg__ if isinstance(bare, ForwardRef) else bare
        dataclass(frozen=True, kw_only=True, repr=False)(cls)

    def __post_init__(self) -> None:
        """Check every value; subclasses check combinations."""
        for entry in fields_of(type(self)):
            check = setting_of(entry).check
            if check is not None:
                check(entry.name, getattr(self, entry.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(shown(self, type(self)))})"


def fields_of(settings: type[Settings]) -> tuple[Field[Any], ...]:
    """Return the dataclass fields of a class of settings, one for each setting."""
    return fields(settings)  # type: ignore[arg-type]  # __init_subclass__ makes it a dataclass


def setting_of(entry: Field[Any]) -> Setting:
    """Return the `Setting` of a field."""
    said: Setting = entry.metadata[Setting]
    return said


def signature_of(settings: type[Settings]) -> inspect.Signature:
    """Return the signature of a constructor that takes these settings."""
    return inspect.signature(settings).replace(return_annotation=inspect.Signature.empty)


def shown(settings: Settings, declared: type[Settings], **instead: object) -> list[str]:
    """Return `name=value` for each setting that can change the result.

    Args:
        settings: The settings.
        declared: The class of the settings to show; `settings` may have more.
        **instead: Objects to show instead of the values. One that is not None is shown even if
            the setting has its default.
    """
    values = result_settings(settings, declared)
    texts = []
    for name, parameter in signature_of(declared).parameters.items():
        if name in values:
            value = values[name]
            unset = value is parameter.default and value in (None, ())
            if not unset or instead.get(name) is not None:
                texts.append(f"{name}={safe_repr(instead.get(name, value))}")
    return texts


def result_settings(settings: Settings, declared: type[Settings]) -> dict[str, object]:
    """Return the values of the settings that can change the result, by name.

    Args:
        settings: The settings.
        declared: The class of the settings to return; `settings` may have more.
    """
    return {
        entry.name: getattr(settings, entry.name)
        for entry in fields_of(declared)
        if setting_of(entry).changes_result
    }


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
        from difflib import get_close_matches  # deferred: only this error needs it

        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"its settings are {', '.join(known)}"
        raise TypeError(f"{owner} has no setting {name!r}: {hint}")


@dataclass(frozen=True)
class _Constructor:
    """An `__init__` that documents itself in the class it is defined in."""

    function: Callable[..., None]
    settings: type[Settings]

    def __set_name__(self, owner: type, name: str) -> None:
        setattr(owner, name, self.function)
        document(owner, signature_of(self.settings), _docs(self.settings))


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
    declared: type[Settings] = settings
    signature = signature_of(declared)

    def decorate(function: Callable[[O, S], None]) -> Callable[Concatenate[O, P], None]:
        def construct(self: O, /, *args: P.args, **given: P.kwargs) -> None:
            owner = type(self).__name__
            refuse_unknown(owner, given.keys(), [*signature.parameters], declared.elsewhere)
            try:
                signature.bind(*args, **given)
            except TypeError as error:
                named = f"; name the settings, as in {owner}({[*signature.parameters][-1]}=...)"
                hint = named if "positional" in str(error) else ""
                raise TypeError(f"{owner}: {error}{hint}") from None
            function(self, settings(*args, **given))

        made: Any = update_wrapper(construct, function)
        receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        made.__signature__ = signature.replace(
            parameters=[receiver, *signature.parameters.values()]
        )
        made.__doc__ = "Check the settings; the class documents them."
        made.settings = declared
        constructor: Any = _Constructor(made, declared)
        return constructor  # type: ignore[no-any-return]  # replaced when the class is made

    return decorate


def settings_taken(owner: type, default: type[Settings] | None = None) -> type[Settings]:
    """Return the settings that the constructor of a class takes.

    Args:
        owner: The class.
        default: What to return if its constructor was not made by `takes`.

    Raises:
        TypeError: It was not, and there is no default.
    """
    found: type[Settings] | None = getattr(owner.__init__, "settings", default)  # type: ignore[misc]
    if found is None:
        raise TypeError(f"the constructor of {owner.__name__} is not decorated with takes(...)")
    return found


def from_settings(owner: type[O], settings: Settings, *more: Any) -> O:
    """Return an object of a class, made of settings that are checked already.

    Args:
        owner: A class whose constructor `takes` settings.
        settings: Those settings; a subclass may have more.
        *more: Other arguments of the decorated constructor.
    """
    made = owner.__new__(owner)
    constructor: Any = owner.__init__
    constructor.__wrapped__(made, settings, *more)
    return made


def documented(settings: type[S]) -> type[S]:
    """Make `help` show the types, defaults and documentation of settings that users make."""
    settings.__signature__ = signature_of(settings)  # type: ignore[attr-defined]
    document(settings, signature_of(settings), _docs(settings))
    return settings


def _docs(settings: type[Settings]) -> dict[str, str]:
    return {entry.name: setting_of(entry).python_doc for entry in fields_of(settings)}


def document(owner: type, signature: inspect.Signature, docs: Mapping[str, str]) -> None:
    """Write the section `Args:` into the docstring of a class.

    Args:
        owner: The class.
        signature: Its arguments. A default of `...` is not shown.
        docs: The documentation of each.
    """
    if owner.__doc__ is None:  # python -OO
        return
    lines = ["Args:"]
    for name, parameter in signature.parameters.items():
        unsaid = parameter.default in (inspect.Parameter.empty, ...)
        lines += textwrap.wrap(
            f"{name}: {docs[name]}" + ("" if unsaid else f" Default: {parameter.default!r}."),
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
