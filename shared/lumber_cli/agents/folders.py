"""The files of folders that are served: listed anew by each call, and no other file is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from rapidfuzz import process

from lumber_cli.file_index import Stamp, stamp_of
from lumber_core.text.unicode import is_encodable, printable, writable
from lumber_files.finding import entries_in, is_written_here
from lumber_files.reading import LISTED, READABLE

_SUGGESTED, _SIMILAR = 3, 60  # names that an error suggests, and how similar they are, to 100


@dataclass(frozen=True)
class ServedFile:
    """A file that may be read.

    Attributes:
        name: Its name for the tools, with forward slashes.
        path: Where it is, resolved.
        stamp: What changes when it does.
    """

    name: str
    path: Path
    stamp: Stamp


@dataclass(frozen=True)
class Listing:
    """The files of the folders at one moment.

    Attributes:
        files: The files by their names, in order.
        left_out: Why others in the folders are not read, by their names.
    """

    files: dict[str, ServedFile] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def file(self, name: str) -> ServedFile:
        """Return a file.

        Raises:
            ValueError: There is none of that name; similar names are suggested.
        """
        found = self.files.get(name)
        if found is None:  # a name with control characters is shown, and may be passed, escaped
            found = next((one for one in self.files.values() if printable(one.name) == name), None)
        if found is not None:
            return found
        shown = printable(writable(name))
        if name in self.left_out:
            raise ValueError(f"{shown} is not read: {self.left_out[name]}")
        raise ValueError(f"there is no file {shown!r}; {self._suggestion(name)}")

    def select(self, patterns: str | Sequence[str] | None) -> list[ServedFile]:
        """Return the files whose names are, or match, one of some patterns; None: all.

        Raises:
            ValueError: None does, or there are no files at all.
        """
        if not self.files:
            raise ValueError(f"there is no file to read yet: the folders have none in {LISTED}")
        if patterns is None:
            return [*self.files.values()]
        wanted = [patterns] if isinstance(patterns, str) else [*patterns]
        if not wanted:
            raise ValueError('no file matches an empty list: pass patterns such as "guides/*.md"')
        # "**/" stands for any folders, and for none.
        wanted += [pattern.replace("**/", "") for pattern in wanted if "**/" in pattern]
        found = [
            file
            for name, file in self.files.items()
            if name in wanted or any(fnmatchcase(name, pattern) for pattern in wanted)
        ]
        if not found:
            shown = " or ".join(repr(printable(writable(pattern))) for pattern in wanted)
            raise ValueError(f"no file matches {shown}; {self._suggestion(wanted[0])}")
        return found

    def _suggestion(self, name: str) -> str:
        near = process.extract(
            name.casefold(),
            {known: known.casefold() for known in self.files},
            limit=_SUGGESTED,
            score_cutoff=_SIMILAR,
        )
        names = [known for *_, known in near] or [*self.files][:_SUGGESTED]
        if not names:
            return "the folders have no file that can be read yet"
        listed = ", ".join(repr(printable(each)) for each in names)
        return f"names are exact and relative to the folder, such as {listed}: status lists them"


class ServedFolders:
    """Some folders, whose files are listed.

    Args:
        given: The folders. Names are relative to a single one; those in several begin with the
            folder, as it was given.
    """

    def __init__(self, given: Sequence[str]) -> None:
        self.given = [*given]
        self.roots = [Path(each).resolve() for each in given]
        alone = len(given) == 1
        self._prefixes = ["" if alone else f"{Path(each).as_posix()}/" for each in given]
        self._pages: dict[tuple[str, Stamp], bool] = {}

    def list_files(self) -> Listing:
        """Return the files that are there now."""
        listing = Listing()
        pages: dict[tuple[str, Stamp], bool] = {}
        for root, prefix in zip(self.roots, self._prefixes, strict=True):
            for entry in entries_in(root):
                path = entry.path
                name = prefix + path.removeprefix(str(root)).lstrip(os.sep).replace(os.sep, "/")
                try:
                    stamp = stamp_of(entry.stat())
                except OSError:  # it has just gone
                    continue
                linked = entry.is_symlink()
                target = Path(os.path.realpath(path) if linked else path)
                suffix = target.suffix.lower()
                if not is_encodable(name):
                    listing.left_out[writable(name)] = "its name is not valid: rename it"
                elif linked and not target.is_relative_to(root):
                    listing.left_out[name] = (
                        "it is a link to a place outside the folder: copy the file into it"
                    )
                elif suffix not in READABLE:
                    listing.left_out[name] = f"files of its kind are not read, only {LISTED}"
                else:
                    key = (path, stamp)
                    if suffix.startswith((".h", ".x")):  # a page is opened once
                        pages[key] = self._pages.get(key) or is_written_here(target)
                    if pages.get(key):
                        listing.left_out[name] = "lumber-splitters made this page of other files"
                    else:
                        listing.files.setdefault(name, ServedFile(name, target, stamp))
        self._pages = pages
        return listing


def names_by_path(files: Iterable[ServedFile]) -> dict[str, str]:
    """Return the names of files by their paths, the first of each."""
    names: dict[str, str] = {}
    for file in files:
        names.setdefault(str(file.path), file.name)
    return names
