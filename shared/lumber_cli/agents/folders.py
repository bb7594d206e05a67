"""Lists the current files of served folders. The server reads no other file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from rapidfuzz import process

from lumber_cli.file_records import Stamp, stamp_of
from lumber_core.text.unicode import encodable, is_encodable, printable, writable
from lumber_files.file_search import entries_in, is_read, is_written_here
from lumber_files.ignore_rules import IgnoreRules
from lumber_files.reading import READABLE_KINDS

_MAX_SUGGESTIONS, _MIN_SIMILARITY = 3, 60  # of names in an error; the similarity is from 0 to 100
_MAX_COMPARED_CHARACTERS = 1000  # of a name or pattern that is compared: longer names take seconds
_MAX_SHOWN_CHARACTERS = 200  # of a wrong name in an error


@dataclass(frozen=True)
class ServedFile:
    """A file that may be read."""

    name: str  # the name that tools show and accept
    path: Path  # the resolved path
    stamp: Stamp


@dataclass(frozen=True)
class Listing:
    """The files of the folders at one moment."""

    files: dict[str, ServedFile] = field(default_factory=dict)  # files by name, in order
    left_out: dict[str, str] = field(default_factory=dict)  # other files, and why
    errors: list[str] = field(default_factory=list)  # of folders that cannot be listed

    def file(self, name: str) -> ServedFile:
        """Return the file of a name; an error suggests similar names."""
        file = self.files.get(name)
        if file is None:  # the name may be as tools show it, with control characters escaped
            file = next((f for f in self.files.values() if printable(f.name) == name), None)
        if file is not None:
            return file
        if name in self.left_out:
            raise ValueError(f"{printable(writable(name))} is not read: {self.left_out[name]}")
        raise ValueError(f"there is no file {_display_name(name)}; {self._suggestion(name)}")

    def select(self, patterns: str | Sequence[str] | None) -> list[ServedFile]:
        """Return the files whose names match a pattern or are equal to it; None: all."""
        if not self.files:
            why = "; ".join(self.errors) or f"the folders have none in {READABLE_KINDS}"
            raise ValueError(f"there is no file to read yet: {why}")
        if patterns is None:
            return [*self.files.values()]
        globs = [patterns] if isinstance(patterns, str) else [*patterns]
        if not globs:
            raise ValueError('no file matches an empty list: pass patterns such as "guides/*.md"')
        # "**/" also stands for no folder.
        globs += [pattern.replace("**/", "") for pattern in globs if "**/" in pattern]
        short = [pattern for pattern in globs if len(pattern) <= _MAX_COMPARED_CHARACTERS]
        selected = [
            file
            for name, file in self.files.items()
            if name in globs or any(fnmatchcase(name, pattern) for pattern in short)
        ]
        if not selected:
            names = " or ".join(map(_display_name, globs[:_MAX_SUGGESTIONS]))
            raise ValueError(f"no file matches {names}; {self._suggestion(globs[0])}")
        return selected

    def _suggestion(self, name: str) -> str:
        matches = process.extract(
            name.casefold() if len(name) <= _MAX_COMPARED_CHARACTERS else "",
            {candidate: candidate.casefold() for candidate in self.files},
            limit=_MAX_SUGGESTIONS,
            score_cutoff=_MIN_SIMILARITY,
        )
        names = [candidate for *_, candidate in matches] or [*self.files][:_MAX_SUGGESTIONS]
        if not names:
            return "; ".join(["the folders have no file that can be read yet", *self.errors])
        listed = ", ".join(repr(printable(candidate)) for candidate in names)
        hint = f"names are exact and relative to the folder, such as {listed}: status lists them"
        return "; ".join([hint, *self.errors])


class ServedFolders:
    """The folders that are served.

    The names of files are relative to a single folder; if there are several, names begin with the
    folder as given. With `no_ignore`, files that `IgnoreRules` ignores are listed, too, and so are
    files of other types that match a pattern in `also`.
    """

    def __init__(
        self, folders: Sequence[str], *, no_ignore: bool = False, also: Sequence[str] = ()
    ) -> None:
        self._no_ignore = no_ignore
        self._also = also
        self._given = folders
        self.roots = [Path(folder).resolve() for folder in folders]
        alone = len(folders) == 1
        self._prefixes = ["" if alone else f"{Path(folder).as_posix()}/" for folder in folders]

    def list_files(self) -> Listing:
        """Return the files that are there now."""
        listing = Listing()
        for folder, root, prefix in zip(self._given, self.roots, self._prefixes, strict=True):
            errors: dict[str, OSError] = {}
            rules = None if self._no_ignore else IgnoreRules(root)
            for entry in entries_in(root, errors, rules):
                path = entry.path
                name = prefix + _relative(path, root)
                try:
                    stamp = stamp_of(entry.stat())
                except FileNotFoundError:  # just deleted
                    continue
                except OSError as error:
                    errors[path] = error
                    continue
                linked = entry.is_symlink()
                target = Path(os.path.realpath(path) if linked else path)
                if not is_encodable(name):
                    listing.left_out[writable(name)] = "its name is not valid: rename it"
                elif linked and not target.is_relative_to(root):
                    listing.left_out[name] = (
                        "it is a link to a place outside the folder: copy the file into it"
                    )
                elif linked and any(p.startswith(".") for p in target.relative_to(root).parts):
                    listing.left_out[name] = "it is a link to a hidden file"
                elif not is_read(target, self._also):
                    listing.left_out[name] = "files of its type are read only with --also"
                elif _is_ours(target, stamp):
                    listing.left_out[name] = "it was written by lumber-splitters from other files"
                else:
                    listing.files.setdefault(name, ServedFile(name, target, stamp))
            for path, why in errors.items():
                if path == str(root):
                    listing.errors.append(f"the folder {encodable(folder)} {_describe_error(why)}")
                else:
                    reason = f"it cannot be opened: {why.strerror or why}"
                    listing.left_out[writable(prefix + _relative(path, root))] = reason
        return listing


@lru_cache(100_000)
def _is_ours(path: Path, stamp: Stamp) -> bool:
    """Return whether this package wrote a file. The cache opens each version of a file once."""
    del stamp
    return is_written_here(path)


def _display_name(name: str) -> str:
    cut = name[:_MAX_SHOWN_CHARACTERS]
    return repr(printable(writable(cut))) + "…" * (cut != name)


def _relative(path: str, root: Path) -> str:
    return path.removeprefix(str(root)).lstrip(os.sep).replace(os.sep, "/")


def _describe_error(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "does not exist any more: put it back, or restart the server with another one"
    return f"cannot be read: {error.strerror or error}"
