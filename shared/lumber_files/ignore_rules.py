"""Decides what is left out of folders: what .gitignore names, and the folders of tools."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from lumber_core.support.extras import load
from lumber_files.readers import EXTRA

_TOOL_FOLDERS = frozenset(
    ("__pycache__", "__pypackages__", "bower_components", "node_modules", "site-packages", "venv")
)
_TOOL_FILES = (
    "pyvenv.cfg",  # of virtual environments of any name
    "conda-meta",
    "CACHEDIR.TAG",  # of caches, as https://bford.info/cachedir/ has it
)


class IgnoreRules:
    """Which files of a folder are left out.

    These are files and folders that a .gitignore names. It may be in the folder, below it, or
    above it within the git repository, unless it names the folder itself. Of several patterns that
    match, the last one of the innermost file decides. Virtual environments, caches and packages of
    JavaScript are left out as well.

    Args:
        folder: The folder. It is never left out itself.
        named: Names of files and folders that are not left out.

    Attributes:
        left_out: Whether anything has been left out.
    """

    def __init__(self, folder: Path, *, named: Collection[str] = ()) -> None:
        self._folder = os.path.abspath(folder)
        self._named = named
        self._specs: dict[str, list[tuple[str, Any]]] = {}
        self.left_out = False
        above = _specs_above(self._folder)
        self._above = [] if _ignores(above, self._folder, True) else above

    def leave_out(self, path: str, is_folder: bool) -> bool:
        """Return whether a file or folder is left out, if its folder is not."""
        path = os.path.abspath(path)
        left_out = os.path.basename(path) not in self._named and (
            (is_folder and _is_tool_folder(path))
            or _ignores(self._specs_of(os.path.dirname(path)), path, is_folder)
        )
        self.left_out |= left_out
        return left_out

    def leave_out_below(self, path: Path) -> bool:
        """Return whether a file is left out, or one of the folders that it is in."""
        whole = os.path.abspath(path)
        folders = [above for above in Path(whole).parents if above.is_relative_to(self._folder)]
        outermost_first = map(str, reversed(folders[:-1]))
        return any(self.leave_out(outer, True) for outer in outermost_first) or (
            bool(folders) and self.leave_out(whole, False)
        )

    def _specs_of(self, folder: str) -> list[tuple[str, Any]]:
        """Return the rules for a folder, each with the folder of its file, innermost last."""
        if folder not in self._specs:
            inside = folder != self._folder
            outer = self._specs_of(os.path.dirname(folder)) if inside else self._above
            self._specs[folder] = [*outer, *_specs_in(folder)]
        return self._specs[folder]


def _specs_above(folder: str) -> list[tuple[str, Any]]:
    """Return the rules of the folders above one in its git repository, if there is one."""
    specs: list[tuple[str, Any]] = []
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return []
        folder = above
        specs = [*_specs_in(folder), *specs]
    return specs


def _specs_in(folder: str) -> list[tuple[str, Any]]:
    """Return the rules of the .gitignore in a folder; none if there is no such file."""
    path = Path(folder, ".gitignore")
    try:
        text = path.read_text("utf-8-sig", "surrogateescape") if path.is_file() else ""
    except OSError:
        return []
    if not text:
        return []
    kind = load("pathspec", package="pathspec", extra=EXTRA).GitIgnoreSpec
    patterns: list[Any] = []
    for line in text.split("\n"):
        with suppress(ValueError):  # git skips invalid patterns, too
            patterns += kind.from_lines([line]).patterns
    return [(folder, kind(patterns))]


def _ignores(specs: list[tuple[str, Any]], path: str, is_folder: bool) -> bool:
    for folder, spec in reversed(specs):
        name = Path(path).relative_to(folder).as_posix()
        include = spec.check_file(f"{name}/" if is_folder else name).include
        if include is not None:
            return bool(include)
    return False


def _is_tool_folder(folder: str) -> bool:
    tool_files = (os.path.join(folder, name) for name in _TOOL_FILES)
    return os.path.basename(folder) in _TOOL_FOLDERS or any(map(os.path.exists, tool_files))
