"""Optional packages: checked early, imported late."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from lumber_core.errors import MissingExtraError


def require(module: str, *, package: str, extra: str, why: str = "") -> None:
    """Raise a MissingExtraError unless a module is installed, without importing it.

    `package` is its name for pip, `extra` installs it, and `why` begins the message.
    """
    try:
        installed = find_spec(module) is not None
    except (ImportError, ValueError):
        installed = False
    if not installed:
        raise MissingExtraError(package, extra, why)


def load(module: str, *, package: str, extra: str) -> Any:
    """Import a module that an extra installs; see `require`."""
    require(module, package=package, extra=extra)
    return import_module(module)
