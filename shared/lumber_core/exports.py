"""Names that a package loads when they are first used, so that importing it costs little."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def load_on_first_use(
    package: str, names: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package.

    The package names its exports for type checkers as well: in `__all__`, and in imports under
    `TYPE_CHECKING`.

    Args:
        package: Its name.
        names: The modules that define its exports, and the exports of each.
    """
    modules = {name: module for module, exports in names.items() for name in exports}

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)  # the next use finds it there
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return load, listed
