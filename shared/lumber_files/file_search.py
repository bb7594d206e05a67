"""Finds the files of paths, folders and glob patterns."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from glob import has_magic
from pathlib import Path, PurePath
from typing import NamedTuple

from lumber_core.support.wording import counted
from lumber_files.ignore_rules import IgnoreRules
from lumber_files.readers import HTML, PDF
from lumber_files.reading import LISTED, READABLE


class NamedPath(NamedTuple):
    """A file and the name of its document.

    Attributes:
        name: The path as the user would write it, with forward slashes.
        path: Where the file is.
    """

    name: str
    path: Path


class FoundFiles(NamedTuple):
    """The files that some paths refer to.

    Attributes:
        files: The files to read, each once: in the order of the paths, those of a folder by name.
        skipped: Files in folders that are not read; see `is_read`.
    """

    files: list[NamedPath]
    skipped: list[NamedPath]


# How files begin that this package writes: they repeat the texts that they were made of.
_CHUNKS = re.compile(rb'\{"document": "[^"]*", "index": \d+, "start": \d+, "end": \d+, "tokens": ')
_REPORT = re.compile(rb'\{\s*"format": "lumber-comparison"')
_PAGE = re.compile(rb'.*<meta name="generator" content="lumber-splitters', re.DOTALL)
_WRITTEN = {".jsonl": _CHUNKS, ".json": _REPORT, **dict.fromkeys(HTML, _PAGE)}
_HEAD = 2000  # bytes
_IGNORED = (
    "; what .gitignore names, node_modules, virtual environments and caches are left out: name "
    "them, or pass --no-ignore"
)


def is_read(path: PurePath, also: Iterable[str] = ()) -> bool:
    """Return whether a file of a folder is read.

    Args:
        path: The file.
        also: Patterns such as "*.log".

    Returns:
        True if its suffix is one of `READABLE`, or it matches a pattern.
    """
    return path.suffix.lower() in READABLE or any(map(path.match, also))


def count_suffixes(names: Iterable[str]) -> str:
    """Return how many files there are of each kind, as "12 png, 4 zip".

    Args:
        names: The names of the files.
    """
    counts = Counter(PurePath(name).suffix.lower().lstrip(".") for name in names)
    common = counts.most_common()
    return ", ".join(f"{count:,} {kind or 'without suffix'}" for kind, count in common)


def find_files(
    paths: Iterable[str | Path], *, no_ignore: bool = False, also: Sequence[str] = ()
) -> FoundFiles:
    """Find files.

    Args:
        paths: Files, whatever their suffix; folders, whose files with a suffix in `READABLE` are
            taken, at any depth; and glob patterns such as "docs/**/*.md". Files and
            folders whose name starts with a dot are found only if they are named, and so is what
            this package wrote, and what `IgnoreRules` leaves out.
        no_ignore: Find what `IgnoreRules` leaves out, too.
        also: Patterns of other files that are taken from folders, such as "*.log".

    Raises:
        FileNotFoundError: A path does not exist, a pattern matches no file, or no file in a folder
            is read.
        ValueError: A file in a folder is a link to a place outside the folder.
        MissingExtraError: There is a .gitignore, and the package that reads it is not installed.
    """
    files: dict[Path, NamedPath] = {}
    skipped: dict[Path, NamedPath] = {}
    for given in map(Path, paths):
        if given.is_dir():
            rules = None if no_ignore else IgnoreRules(given)
            entries = (Path(entry.path) for entry in entries_in(given, rules=rules))
            inside = [
                (entry, is_read(entry, also)) for entry in entries if not is_written_here(entry)
            ]
            if not any(readable for _, readable in inside):
                others = f", only {counted(len(inside), 'other')}" if inside else ""
                ignored = _IGNORED if rules is not None and rules.left_out else ""
                raise FileNotFoundError(f"{given} contains no file in {LISTED}{others}{ignored}")
            found = [path for path, readable in inside if readable]
            _refuse_links_out(given, found)
            for path, readable in inside:
                if not readable:
                    skipped.setdefault(path.absolute(), _named(path))
        elif given.exists():
            found = [given]
        elif has_magic(str(given)):
            folder, matches = _matching(given)
            rules = None if no_ignore else IgnoreRules(folder, named=given.parts)
            found = [
                path
                for path in matches
                if path.is_file()
                and not is_written_here(path)
                and not (rules is not None and rules.leave_out_below(path))
            ]
            if not found:
                ignored = _IGNORED if rules is not None and rules.left_out else ""
                raise FileNotFoundError(f"no file matches {str(given)!r}{ignored}")
            _refuse_links_out(folder, found)
        else:
            raise FileNotFoundError(f"{given} does not exist: expected a file or a folder there")
        for path in found:
            files.setdefault(path.absolute(), _named(path))
    left = [named for path, named in skipped.items() if path not in files]
    return FoundFiles(list(files.values()), left)


def entries_in(
    folder: str | Path,
    skipped: dict[str, OSError] | None = None,
    rules: IgnoreRules | None = None,
) -> Iterator[os.DirEntry[str]]:
    """Yield the files of a folder, at any depth, by name; hidden files and folders are left out.

    Links to folders are not followed. What cannot be looked at is left out: folders that cannot be
    opened, and links that lead in circles or through a file.

    Args:
        folder: The folder.
        skipped: Gets the paths of those that cannot be looked at, and why.
        rules: What else is left out.
    """
    skipped = {} if skipped is None else skipped
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        skipped[os.fspath(folder)] = error
        return
    seen = [entry for entry in entries if not entry.name.startswith(".")]
    if rules is not None:
        seen = [entry for entry in seen if not rules.leave_out(entry.path, _is_folder(entry))]
    yield from (entry for entry in seen if _is_file(entry, skipped))
    for entry in seen:
        if _is_folder(entry):
            yield from entries_in(entry.path, skipped, rules)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _is_file(entry: os.DirEntry[str], skipped: dict[str, OSError]) -> bool:
    try:
        return entry.is_file()
    except OSError as error:
        skipped[entry.path] = error
        return False


def file_link(path: str | Path, page: int | None = None) -> str | None:
    """Return a link to a file, as in "file:///docs/report.pdf#page=3".

    Args:
        path: The file.
        page: The page at which viewers open a PDF, from 1; of other files it is left out.

    Returns:
        None if there is no such file, as for what was read from stdin, or the path is relative.
    """
    path = Path(path)
    if not path.is_absolute() or not path.is_file():
        return None
    at_page = page is not None and path.suffix.lower() == PDF
    return path.as_uri() + (f"#page={page}" if at_page else "")


def _matching(pattern: Path) -> tuple[Path, list[Path]]:
    """Return the folder in which a pattern begins, and what matches, by name.

    `**` enters no links, which may lead back to where they are.
    """
    first = next(n for n, part in enumerate(pattern.parts) if has_magic(part))
    folder = Path(*pattern.parts[:first])
    parts = [part if part == "**" else re.sub(r"\*+", "*", part) for part in pattern.parts[first:]]
    if parts[-1] == "**":
        parts.append("*")
    hidden = any(part.startswith(".") for part in parts)
    found = [
        path
        for path in folder.glob("/".join(parts))
        if hidden or not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    return folder, sorted(found)


def is_written_here(path: Path) -> bool:
    """Return whether a file is a page, a report or the chunks that this package wrote."""
    written = _WRITTEN.get(path.suffix.lower())
    if written is None:
        return False
    try:
        with path.open("rb") as file:
            return written.match(file.read(_HEAD)) is not None
    except OSError:  # reading says what is wrong
        return False


def _refuse_links_out(folder: Path, files: Iterable[Path]) -> None:
    # Texts end up in reports, prompts and indexes, so a link must not include files from elsewhere.
    inside = folder.resolve()
    for path in files:
        if not path.resolve().is_relative_to(inside):
            raise ValueError(
                f"{path} is a link to {path.resolve()}, outside {folder}. Copy the file into the "
                "folder, remove the link, or name the file itself"
            )


def _named(path: Path) -> NamedPath:
    return NamedPath(path.as_posix(), path)
