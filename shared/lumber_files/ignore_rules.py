"""Decides which files of folders are left out: ignored by git, or in folders of tools."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

_TOOL_FOLDERS = frozenset(
    ("__pycache__", "__pypackages__", "bower_components", "node_modules", "site-packages", "venv")
)
# In virtual environments of any name, and in caches, which https://bford.info/cachedir/ defines.
_TOOL_FILES = ("pyvenv.cfg", "conda-meta", "CACHEDIR.TAG")
# A line of a .gitignore, and the tokens of its pattern, as in git's wildmatch.c.
_LINE = re.compile(rb"(?!#)(?P<back>!?)(?P<pattern>(?:\\.|[^\\])*?)(?P<folder>/?) *", re.DOTALL)
_START = re.compile(rb"[^*?\[\\]*")
_TOKEN = re.compile(
    rb"(?P<folders>(?<![^/])\*{2,}(?:/|\Z))|\*+|\\(?P<escaped>.)"
    rb"|\[(?P<without>[!^]?)(?P<items>(?:\]|(?!\]))(?:\[:\w+:\]|\\.|[^\]\\])*)\]"
    rb"|(?P<invalid>[\[\\])|.",
    re.DOTALL,
)
_ITEM = re.compile(rb"\[:(\w+):\]|\\(.)|(?!-)(.)", re.DOTALL)
_CLASSES = {b"alpha": b"a-zA-Z", b"digit": b"0-9", b"alnum": b"a-zA-Z0-9", b"space": rb"\s"}
_FOLDER = b"\0"  # after the path of a folder, when patterns are compared
# A folder, and patterns of paths that ignore or include: the last match decides.
_Spec = tuple[str, list[tuple[re.Pattern[bytes], bool]]]


class IgnoreRules:
    """Decides which files of a folder are ignored; `has_ignored` is whether any file was.

    The .gitignore files in the folder, its subfolders and its parents up to the root of the git
    repository apply, and the repository's .git/info/exclude. If they ignore the folder itself, only
    the .gitignore files in it and below it apply. Virtual environments, caches and packages of
    JavaScript are ignored, too. Files and folders with a name in `named` are kept.
    """

    def __init__(self, folder: Path, *, named: Collection[str] = ()) -> None:
        self._folder = os.path.abspath(folder)
        self._named = named
        self._specs: dict[str, list[_Spec]] = {}
        self.has_ignored = False
        folders = [self._folder, *map(str, Path(self._folder).parents)]
        tops = (above for above in folders if os.path.exists(os.path.join(above, ".git")))
        self._top = next(tops, self._folder)  # rules in folders above do not apply
        if self._top != self._folder and _ignores(self._specs_of(folders[1]), self._folder, True):
            self._top = self._folder

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Return whether a file or folder is ignored. The folder that it is in must not be."""
        path = os.path.abspath(path)
        name = os.path.basename(path)
        if name in self._named:
            return False
        tool_files = (os.path.join(path, file) for file in _TOOL_FILES)
        is_tool = is_folder and (name in _TOOL_FOLDERS or any(map(os.path.exists, tool_files)))
        ignored = is_tool or _ignores(self._specs_of(os.path.dirname(path)), path, is_folder)
        self.has_ignored |= ignored
        return ignored

    def ignores_within(self, path: Path) -> bool:
        """Return whether a file or one of the folders that it is in is ignored."""
        absolute = Path(os.path.abspath(path))
        folders = [above for above in absolute.parents if above.is_relative_to(self._folder)]
        outermost_first = [*reversed(folders[:-1]), *[absolute][: len(folders)]]
        return any(self.ignores(str(place), place != absolute) for place in outermost_first)

    def _specs_of(self, folder: str) -> list[_Spec]:
        """Return the rules for a folder, each with the folder of its file, innermost last."""
        if folder not in self._specs:
            specs = [*self._specs_of(os.path.dirname(folder))] if folder != self._top else []
            for path in (Path(folder, ".git/info/exclude"), Path(folder, ".gitignore")):
                with suppress(OSError):
                    if path.is_file() and (patterns := [*_patterns_of(path.read_bytes())]):
                        specs.append((folder, patterns))
            self._specs[folder] = specs
        return self._specs[folder]


def _patterns_of(rules: bytes) -> Iterator[tuple[re.Pattern[bytes], bool]]:
    """Yield the patterns of a .gitignore, which match a path itself and nothing below it."""
    for line in rules.removeprefix(codecs.BOM_UTF8).split(b"\n"):
        match = _LINE.fullmatch(line.removesuffix(b"\r"))
        if match and match["pattern"]:
            above = b"" if b"/" in match["pattern"] else b"(?:.*/)?(?!.*/)"
            pattern = match["pattern"].removeprefix(b"/")
            # git compares the text before the first wildcard, and starts a new comparison there.
            start = _START.findall(pattern)[0]
            with suppress(LookupError, re.error):  # git skips invalid patterns, too
                rest = _TOKEN.sub(_translate, pattern[len(start) :])
                end = _FOLDER + b"?" * (not match["folder"])
                regex = re.compile(above + re.escape(start) + rest + end, re.DOTALL)
                yield regex, not match["back"]


def _translate(token: re.Match[bytes]) -> bytes:
    """Return the regular expression of a wildcard or character of a pattern."""
    if token["folders"]:
        return b"(?:.*/)?" if token["folders"].endswith(b"/") else b".*"
    if token["items"]:
        items = _ITEM.sub(
            lambda m: _CLASSES[m[1]] if m[1] else re.escape(m[2] or m[3]), token["items"]
        )
        return b"(?![/\0])[%s%s]" % (b"^" * bool(token["without"]), items)
    if token["invalid"]:
        raise LookupError("it ends within a bracket or an escape")
    wildcard = {b"?": rb"[^/\0]", b"*": rb"[^/\0]*"}.get(token[0][:1])
    return wildcard or re.escape(token["escaped"] or token[0])


def _ignores(specs: list[_Spec], path: str, is_folder: bool) -> bool:
    for folder, patterns in reversed(specs):
        below = Path(path).relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
        for regex, ignores in reversed(patterns):
            if regex.fullmatch(below + _FOLDER * is_folder):
                return ignores
    return False
