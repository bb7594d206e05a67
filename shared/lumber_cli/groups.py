"""Groups of options: one parameter of a command that stands for several options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from functools import wraps
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

Command = Callable[..., None]
G = TypeVar("G")


def takes_group(
    name: str,
    options: Sequence[inspect.Parameter],
    make: Callable[[dict[str, Any]], object],
) -> Callable[[Command], Command]:
    """Replace a command's parameter by several options.

    Args:
        name: The parameter.
        options: The options.
        make: Makes the parameter's value of the options' values, by name.
    """

    def decorate(command: Command) -> Command:
        parameters = inspect.signature(command).parameters
        hints = get_type_hints(command, include_extras=True)
        own = [
            parameter.replace(
                annotation=_declared(hints[each]), kind=inspect.Parameter.KEYWORD_ONLY
            )
            for each, parameter in parameters.items()
            if each != name
        ]

        @wraps(command)
        def run(**given: Any) -> None:
            values = {option.name: given.pop(option.name) for option in options}
            command(**{name: make(values)}, **given)

        made = [*options, *own]
        run.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in made}
        del run.__dict__["__wrapped__"]  # or its parameters would be read instead
        return run

    return decorate


def takes_fields(name: str, group: Callable[..., G]) -> Callable[[Command], Command]:
    """Replace a command's parameter by one option for each field of a dataclass.

    Args:
        name: The parameter.
        group: The dataclass; its fields are annotated like parameters of a command.
    """
    hints = get_type_hints(group, include_extras=True)
    options = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)  # type: ignore[arg-type]  # a class is a callable here
    ]
    return takes_group(name, options, lambda values: group(**values))


def _declared(hint: Any) -> Any:
    """Undo the Optional that Python 3.10 puts around hints of parameters that default to None."""
    if get_origin(hint) is Annotated:
        return hint
    return next((each for each in get_args(hint) if get_origin(each) is Annotated), hint)
