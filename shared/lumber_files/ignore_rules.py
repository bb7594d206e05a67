"""Decides what is left out of folders: what .gitignore names, and the folders of tools."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from lumber_core.support.extras import load
from lumber_files.limits import EXTRA

_TOOL_FOLDERS = frozenset(
    ("__pycache__", "__pypackages__", "bower_components", "node_modules", "site-packages", "venv")
)
_TOOL_FILES = (
    "pyvenv.cfg",  # of virtual environments of any name
    "conda-meta",
    "CACHEDIR.TAG",  # of caches, as https://bford.info/cachedir/ has it
)
_FOLDER_END = "(?P<ps_d>/)"  # how pathspec marks the end of a folder that is matched


class _Pattern(NamedTuple):
    """A pattern of a .gitignore."""

    ignores: bool  # False: it takes back
    regex: re.Pattern[str]
    inside: bool  # whether it matches what is in a folder, and not the folder


_Spec = tuple[str, list[_Pattern]]  # a folder, and patterns: the last that matches decides


class IgnoreRules:
    """Which files of a folder are left out.

    These are files and folders that a .gitignore names. It may be in the folder, below it, or
    above it within the git repository, unless it names the folder itself. The repository's
    .git/info/exclude counts as well. Of several patterns, the last match of the innermost file
    decides. Virtual environments, caches and packages of JavaScript are left out as well.

    The folder is never left out itself, and files and folders of the names in `named` are not.
    `left_out` is whether anything has been left out.
    """

    def __init__(self, folder: Path, *, named: Collection[str] = ()) -> None:
        self._folder = os.path.abspath(folder)
        self._named = named
        self._specs: dict[str, list[_Spec]] = {}
        self.left_out = False
        above = _specs_above(self._folder)
        self._above = [] if _ignores(above, self._folder, True) else above

    def leave_out(self, path: str, is_folder: bool) -> bool:
        """Return whether a file or folder is left out, if its folder is not."""
        path = os.path.abspath(path)
        if os.path.basename(path) in self._named:
            return False
        is_tool = is_folder and _is_tool_folder(path)
        left_out = is_tool or _ignores(self._specs_of(os.path.dirname(path)), path, is_folder)
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

    def _specs_of(self, folder: str) -> list[_Spec]:
        """Return the rules for a folder, each with the folder of its file, innermost last."""
        if folder not in self._specs:
            inside = folder != self._folder
            outer = self._specs_of(os.path.dirname(folder)) if inside else self._above
            self._specs[folder] = [*outer, *_specs_in(folder)]
        return self._specs[folder]


def _specs_above(folder: str) -> list[_Spec]:
    """Return the rules of the folders above one in its git repository, if there is one."""
    specs: list[_Spec] = []
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return []
        folder = above
        specs = [*_specs_in(folder), *specs]
    return specs


def _specs_in(folder: str) -> list[_Spec]:
    """Return the rules in a folder: those of the repository that it is the top of, and its own."""
    specs = []
    for name in (".git/info/exclude", ".gitignore"):
        path = Path(folder, name)
        try:
            text = path.read_text("utf-8-sig", "surrogateescape") if path.is_file() else ""
        except OSError:
            continue
        if patterns := [*_patterns_of(text)]:
            specs.append((folder, patterns))
    return specs


def _patterns_of(text: str) -> Iterator[_Pattern]:
    """Yield the patterns of a .gitignore, which match a path itself and nothing below it.

    git decides for each folder on the way to a file, by the last pattern that matches.
    GitIgnoreSpec decides for the file at once, and prefers patterns of files to those of folders.
    """
    kind = load("pathspec", package="pathspec", extra=EXTRA).GitIgnoreSpec
    for line in text.split("\n") if text else ():
        with suppress(ValueError):  # git skips invalid patterns, too
            for pattern in kind.from_lines([line]).patterns:
                if pattern.include is not None:
                    exact = pattern.regex.pattern.replace(_FOLDER_END, f"{_FOLDER_END}\\Z")
                    inside = line.rstrip("\r").endswith("/**")
                    yield _Pattern(bool(pattern.include), re.compile(exact, re.DOTALL), inside)


def _ignores(specs: list[_Spec], path: str, is_folder: bool) -> bool:
    for folder, patterns in reversed(specs):
        name = Path(path).relative_to(folder).as_posix()
        for pattern in reversed(patterns):
            marked = f"{name}/" if is_folder and not pattern.inside else name
            if pattern.regex.search(marked):
                return pattern.ignores
    return False


def _is_tool_folder(folder: str) -> bool:
    tool_files = (os.path.join(folder, name) for name in _TOOL_FILES)
    return os.path.basename(folder) in _TOOL_FOLDERS or any(map(os.path.exists, tool_files))
