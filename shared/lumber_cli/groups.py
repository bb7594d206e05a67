"""Groups of options: one parameter of a command that stands for several options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from functools import wraps
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer

from lumber_cli.panels import HELP_ALL, show_all

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
        def run(**given: Any) -> None:
            values = {option.name: given.pop(option.name) for option in options}
            command(**{name: make(values)}, **given)

        return _taking(
            [*options, *(each for each in _parameters_of(command) if each.name != name)],
            wraps(command)(run),
        )

    return decorate


def takes_help_all(command: Command) -> Command:
    """Give a command the option `--help-all`."""
    option = typer.Option(
        HELP_ALL, callback=show_all, is_eager=True, help="Show all options and exit."
    )

    @wraps(command)
    def run(help_all: bool, **given: Any) -> None:
        del help_all  # its callback has shown the help
        command(**given)

    shown = inspect.Parameter(
        "help_all",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[bool, option],
    )
    return _taking([*_parameters_of(command), shown], run)


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


def _parameters_of(command: Command) -> list[inspect.Parameter]:
    """Return the parameters of a command, as options with their types."""
    hints = get_type_hints(command, include_extras=True)
    return [
        each.replace(annotation=_declared(hints[name]), kind=inspect.Parameter.KEYWORD_ONLY)
        for name, each in inspect.signature(command).parameters.items()
    ]


def _taking(parameters: Sequence[inspect.Parameter], run: Command) -> Command:
    """Declare the parameters of a function that wraps a command."""
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    del run.__dict__["__wrapped__"]  # or its parameters would be read instead
    return run


def _declared(hint: Any) -> Any:
    """Undo the Optional that Python 3.10 puts around hints of parameters that default to None."""
    if get_origin(hint) is Annotated:
        return hint
    return next((each for each in get_args(hint) if get_origin(each) is Annotated), hint)
