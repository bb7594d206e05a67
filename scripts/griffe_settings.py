"""Shows settings in the API reference.

Classes whose arguments come from `lumber_core.settings` get their signature and the section `Args:`
when they are created, so both are read from the imported class instead of the source.
"""

from __future__ import annotations

import inspect
from typing import Any

import griffe


class DocumentedSettings(griffe.Extension):
    """Takes signatures and docstrings of such classes from the imported object."""

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Replace the docstring, and the signature of a constructor that settings define."""
        constructor = cls.members.get("__init__")
        takes = isinstance(constructor, griffe.Function) and any(
            decorator.callable_path.endswith("takes") for decorator in constructor.decorators
        )
        documented = any(d.callable_path.endswith("documented") for d in cls.decorators)
        # _Base: pydantic models
        if not takes and not documented and "_Base" not in map(str, cls.bases):
            return
        imported = griffe.dynamic_import(cls.path)
        if cls.docstring is not None:
            cls.docstring.value = inspect.getdoc(imported) or ""
        if not isinstance(constructor, griffe.Function):
            return
        constructor.docstring = None
        constructor.parameters = griffe.Parameters(
            griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword),
            *(
                griffe.Parameter(
                    name,
                    kind=griffe.ParameterKind(parameter.kind.description),
                    annotation=_shown(parameter.annotation),
                    default=(
                        None
                        if parameter.default is inspect.Parameter.empty
                        else repr(parameter.default)
                    ),
                )
                for name, parameter in inspect.signature(imported).parameters.items()
            ),
        )


def _shown(annotation: object) -> str | None:
    if annotation is inspect.Parameter.empty:
        return None
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
