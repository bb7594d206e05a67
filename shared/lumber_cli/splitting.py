"""Options for the settings of every splitter, and the splitter that they make.

The options of `split`, `view` and `estimate` are made from the settings classes of `lumber_core`:
a setting that is added there is an option here, with its documentation as help text.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from enum import Enum
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import typer

from lumber_cli.language_models import is_language_model, language_model
from lumber_cli.options import prices_in
from lumber_core import SPLITTERS, BertJudge, LumberChunker, ModelJudge
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.settings import ChunkOverlap, check_overlap
from lumber_core.llms import CallPolicy
from lumber_core.lumber.fallback import local_judge
from lumber_core.settings import Setting, fields_of, setting_of, settings_taken, type_of

Command = Callable[..., None]

SETTINGS: Final = {name: settings_taken(splitter) for name, splitter in SPLITTERS.items()}
"""The settings of each splitter, by its name."""
DEFAULT_METHOD = "bert"
# Given by other options, or not possible on a command line.
_LEFT_OUT = frozenset({"judge", "model", "on_segmentation", "prices"})
# The option --method is the splitter.
_RENAMED = {"method": "lumber_method"}


class _Unset(Enum):
    """The value `none` on the command line, as opposed to an option that is left out."""

    NONE = "none"


@dataclass(frozen=True)
class Splitting:
    """The values of a splitter's options.

    Attributes:
        method: The splitter.
        given: Values of the settings that were given, by name.
        chunk_overlap: Tokens to repeat from the chunk before.
        model: The model that decides.
        key_variable: Environment variable with the model's key.
        requests_per_minute: Limit for the model.
        prices: Prices of the model, as given.
    """

    method: str
    given: Mapping[str, object]
    chunk_overlap: int = 0
    model: str | None = None
    key_variable: str | None = None
    requests_per_minute: float | None = None
    prices: str | None = None

    @property
    def asks_model(self) -> bool:
        """Whether a language model decides."""
        return self.model is not None and is_language_model(self.model)

    def chunker(self) -> Chunker:
        """Make the splitter.

        Raises:
            ValueError: A setting is wrong, or is not one of this splitter.
            MissingExtraError: The language model's package is not installed.
        """
        names = {entry.name for entry in fields_of(SETTINGS[self.method])}
        for name in self.given:
            if name not in names:
                owners = [method for method in SETTINGS if _has(method, name)]
                raise ValueError(
                    f"{_flag(name)} is a setting of {' and '.join(owners)}, not of {self.method}"
                )
        made = self._made(dict(self.given))
        check_overlap(self.chunk_overlap, made.settings.chunk_size)
        return made

    def estimating_chunker(self) -> Chunker:
        """Make the splitter for an estimate: no language model is asked, so none is made.

        Raises:
            ValueError: A setting is wrong, or is not one of this splitter.
        """
        if not self.asks_model:
            return self.chunker()
        given = {name: value for name, value in self.given.items() if name != "store"}
        return replace(
            self, given=given, model=None, key_variable=None, requests_per_minute=None
        ).chunker()

    def _made(self, settings: dict[str, Any]) -> Chunker:
        if self.method == "lumber":
            if self.prices is not None:
                settings["prices"] = prices_in(self.prices)
            return LumberChunker(self._judge(), **settings)
        for flag, value in (
            ("--requests-per-minute", self.requests_per_minute),
            ("--key-variable", self.key_variable),
            ("--prices", self.prices),
        ):
            if value is not None:
                raise ValueError(f"{flag} is for the language model of --method lumber")
        make: Any = SPLITTERS[self.method]
        if self.model is not None:
            settings["model"] = self._weights()
        made: Chunker = make(**settings)
        return made

    def _weights(self) -> str | None:
        """Return the model, if it is one that the splitter runs itself."""
        if not _has(self.method, "model"):
            raise ValueError(f"--model has no effect: {self.method} uses no model")
        if self.asks_model:
            raise ValueError(f"{self.model} is a language model: pass --method lumber")
        return self.model

    def _judge(self) -> Any:
        if self.model is not None and self.asks_model:
            policy = CallPolicy(requests_per_minute=self.requests_per_minute)
            asked = language_model(self.model, key_variable=self.key_variable)
            return ModelJudge(asked, policy=policy)
        for flag, value in (
            ("--requests-per-minute", self.requests_per_minute),
            ("--key-variable", self.key_variable),
            ("--store", self.given.get("store")),
        ):
            if value is not None:
                raise ValueError(
                    f"{flag} needs a language model: pass --model, such as openai:gpt-4o-mini"
                )
        return local_judge() if self.model is None else BertJudge(self.model)


def takes_splitting(command: Command, default: str = DEFAULT_METHOD) -> Command:
    """Replace a command's parameter `splitting` by one option for each setting of a splitter.

    Args:
        command: The command.
        default: The splitter unless --method names another.
    """
    parameters = inspect.signature(command).parameters
    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=_declared(hints[name]))
        for name, parameter in parameters.items()
        if name != "splitting"
    ]
    options = _splitter_options(default)

    @wraps(command)
    def run(**given: Any) -> None:
        values = {option.name: given.pop(option.name) for option in options}
        command(splitting=_splitting(values), **given)

    made = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*own, *options)]
    run.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in made}
    del run.__dict__["__wrapped__"]  # or its parameters would be read instead
    return run


def _declared(hint: Any) -> Any:
    """Undo the Optional that Python 3.10 puts around hints of parameters that default to None."""
    if get_origin(hint) is Annotated:
        return hint
    return next((each for each in get_args(hint) if get_origin(each) is Annotated), hint)


def _splitting(values: dict[str, Any]) -> Splitting:
    """Sort the values of the options into those for the settings and the others."""
    plain = [field.name for field in fields(Splitting) if field.name != "given"]
    others = {name: values.pop(name) for name in plain}
    others["method"] = _value(others["method"])
    back = {option: name for name, option in _RENAMED.items()}
    given = {
        back.get(name, name): _value(value)
        for name, value in values.items()
        if value is not None and value != []
    }
    return Splitting(given=given, **others)


def _value(value: Any) -> Any:
    if value is _Unset.NONE:
        return None
    if isinstance(value, Enum):
        return None if value.value == "none" else value.value
    return value


def _splitter_options(default: str) -> list[inspect.Parameter]:
    """Return the options: the method, its settings, and what a language model needs."""
    entries: dict[str, dict[str, Field[Any]]] = {}
    for method, settings in SETTINGS.items():
        for entry in fields_of(settings):
            if entry.name not in _LEFT_OUT:
                entries.setdefault(entry.name, {})[method] = entry
    flags = [*map(_flag, entries), "--chunk-overlap"]
    overlap = next(each for each in get_args(ChunkOverlap) if isinstance(each, Setting))
    return [
        _parameter(
            "method",
            _choice("method", SETTINGS),
            "The splitter: bert cuts where a small bundled model sees a start, greedy at sentence "
            "ends by length, lumber where a language model (or, without --model, the bundled one) "
            "sees a topic shift.",
            default=default,
        ),
        _parameter(
            "model",
            str | None,
            "The model that decides. For lumber a language model: openai:NAME, gemini:NAME, "
            "ollama:NAME, or the URL of an OpenAI-compatible server, as in "
            'http://127.0.0.1:8000/v1#NAME. For bert: "bundled", a folder written by '
            "`lumber-splitters export` or `train`, or a hub id.",
        ),
        _parameter(
            "key_variable",
            str | None,
            "Environment variable with the language model's API key. Default: the provider's own.",
        ),
        _parameter(
            "requests_per_minute",
            float | None,
            "Maximum calls of the language model per minute. Default: no limit.",
        ),
        _parameter(
            "prices",
            str | None,
            "Prices of a million input and output tokens of the language model, for example "
            "0.15,0.60.",
        ),
        *(_option(name, owners, flags) for name, owners in entries.items()),
        _parameter("chunk_overlap", int, _help(overlap.doc, flags), default=0),
    ]


def _parameter(
    name: str, kind: Any, text: str, *, default: Any = None, **more: Any
) -> inspect.Parameter:
    option = typer.Option(help=text, **more)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, option],
    )


def _option(name: str, owners: Mapping[str, Field[Any]], flags: Sequence[str]) -> inspect.Parameter:
    """Return the option for a setting that some splitters have."""
    texts: dict[str, dict[str, Field[Any]]] = {}
    for method, entry in owners.items():
        texts.setdefault(_help(setting_of(entry).doc, flags), {})[method] = entry
    parts = [
        ("" if len(whose) == len(SETTINGS) else f"({_listed(whose)}) ") + _with_default(text, whose)
        for text, whose in texts.items()
    ]
    kind, more = _kind(name, owners)
    return _parameter(_RENAMED.get(name, name), kind, " ".join(parts), **more)


def _with_default(text: str, whose: Mapping[str, Field[Any]]) -> str:
    """Return the documentation of a setting with its default, which may differ by splitter."""
    defaults: dict[object, list[str]] = {}
    for method, entry in whose.items():
        defaults.setdefault(entry.default, []).append(method)
    if all(default in (None, (), MISSING) for default in defaults):
        return text.replace("None:", "Default:")
    told = [
        f"{default if default is not None else 'none'}"
        + (f" ({_listed(methods)})" if len(defaults) > 1 else "")
        for default, methods in defaults.items()
    ]
    return f"{text.replace('None:', 'none:')} Default: {', '.join(told)}."


def _listed(methods: Iterable[str]) -> str:
    return ", ".join(methods)


def _help(doc: str, flags: Sequence[str]) -> str:
    """Return documentation with the names of settings as options."""

    def named(match: re.Match[str]) -> str:
        flag = _flag(match[1])
        return flag if flag in flags else match[0].strip("`")

    return re.sub(r"`([^`]+)`", named, doc)


def _kind(name: str, owners: Mapping[str, Field[Any]]) -> tuple[Any, dict[str, Any]]:
    """Return the type of an option, and what else typer should know."""
    kinds = {kind for entry in owners.values() for kind in _alternatives(type_of(entry))}
    optional = NoneType in kinds
    words = sorted(kind for kind in kinds if isinstance(kind, str))
    if str in kinds or (words and any(callable(kind) for kind in kinds - {NoneType, *words})):
        return str | None, {"metavar": "|".join(words)} if words else {}
    if words:
        choices = [*words, "none"] if optional else words
        return _choice(name, choices) | None, {}
    if Path in kinds:
        return Path | None, {}
    for number in (int, float):
        if number in kinds:
            return Any, {"parser": _or_none(number) if optional else number, "metavar": "NUMBER"}
    return list[str] | None, {}


def _choice(name: str, choices: Iterable[str]) -> Any:
    """Return the type of an option with some choices."""
    make: Any = Enum  # mypy wants a literal name
    return make(name, {choice.replace("-", "_"): choice for choice in choices}, type=str)


def _or_none(number: type) -> Callable[[str], Any]:
    """Return a parser of a number or of the word none."""

    def parse(text: str) -> Any:
        return _Unset.NONE if text == "none" else number(text)

    parse.__name__ = f"{number.__name__} or none"
    return parse


def _alternatives(kind: Any) -> list[Any]:
    """Return the alternatives of a type, with the strings of literals."""
    if get_origin(kind) in (Union, UnionType):
        return [each for part in get_args(kind) for each in _alternatives(part)]
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [kind]


def _has(method: str, name: str) -> bool:
    return any(entry.name == name for entry in fields_of(SETTINGS[method]))


def _flag(name: str) -> str:
    return f"--{_RENAMED.get(name, name).replace('_', '-')}"
