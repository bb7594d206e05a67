"""Finds the files of paths, folders and glob patterns, and reads them."""

from __future__ import annotations

import logging
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from glob import has_magic
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from lumber_core.support.wording import with_noun
from lumber_core.text.unicode import printable
from lumber_files.ignore_rules import IgnoreRules
from lumber_files.readers import HTML, PDF, UnreadableFileError
from lumber_files.reading import READABLE, READABLE_KINDS, TextFile, read_bytes, read_file

FilePaths = str | Path | Iterable[str | Path]


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
        files: The files to read, each once, in the order of the paths; those of a folder by name.
        skipped: Files of other types in folders; see `is_read`.
    """

    files: list[NamedPath]
    skipped: list[NamedPath]


_logger = logging.getLogger(__name__)

# The beginnings of files that this package writes: they repeat texts of other files.
_OWN_CHUNKS = re.compile(
    rb'\{"document": "[^"]*", "index": \d+, "start": \d+, "end": \d+, "tokens": '
)
_OWN_REPORT = re.compile(rb'\{\s*"format": "lumber-comparison"')
_OWN_PAGE = re.compile(rb'.*<meta name="generator" content="lumber-splitters', re.DOTALL)
_OWN_FILES = {".jsonl": _OWN_CHUNKS, ".json": _OWN_REPORT, **dict.fromkeys(HTML, _OWN_PAGE)}
_HIDDEN = (".", "~$")  # starts of names of hidden files, and of Office's files for open documents
_HEAD_BYTES = 2000  # bytes of a file that are read to recognise one of our own
_IGNORE_HINT = (
    "; node_modules, virtual environments, caches, and files that a .gitignore names are left out: "
    "name them, or pass no_ignore=True"
)


def is_read(path: PurePath, also: Iterable[str] = ()) -> bool:
    """Return whether a file's suffix is one of `READABLE`, or it matches a pattern of `also`."""
    return path.suffix.lower() in READABLE or any(map(path.match, also))


def count_suffixes(names: Iterable[str]) -> str:
    """Return the number of files of each type, as in "12 png, 4 zip".

    Args:
        names: The names of the files.
    """
    counts = Counter(PurePath(name).suffix.lower().lstrip(".") for name in names)
    return ", ".join(f"{n:,} {kind or 'without suffix'}" for kind, n in counts.most_common())


def find_files(
    paths: Iterable[str | Path], *, no_ignore: bool = False, also: Sequence[str] = ()
) -> FoundFiles:
    """Find files.

    Args:
        paths: Files of any suffix; folders, whose files with a suffix in `READABLE` are taken at
            any depth; and glob patterns such as "docs/**/*.md". Files that this package wrote,
            hidden files and files that `IgnoreRules` ignores are found only if they are named.
        no_ignore: Also find what `IgnoreRules` ignores.
        also: Patterns of files of other types to take from folders, such as "*.log".

    Raises:
        FileNotFoundError: A path does not exist, a pattern matches no file, or a folder has no
            file to read.
        ValueError: A file in a folder is a link to a place outside the folder.
    """
    files: dict[Path, NamedPath] = {}
    skipped: dict[Path, NamedPath] = {}
    for path in map(Path, paths):
        folder, rules = path, None
        if path.is_dir():
            rules = None if no_ignore else IgnoreRules(path)
            errors: dict[str, OSError] = {}
            below = (Path(entry.path) for entry in entries_in(path, errors, rules))
            entries = [entry for entry in below if not is_written_here(entry)]
            chosen = [entry for entry in entries if is_read(entry, also)]
            for name, error in errors.items():
                _logger.warning("%.200s is left out: %s", printable(name), error.strerror or error)
            others = f", only {with_noun(len(entries), 'file')} of other types" if entries else ""
            none = f"{path} contains no file in {READABLE_KINDS}{others}"
            skipped |= {file.absolute(): NamedPath(file.as_posix(), file) for file in entries}
        elif path.exists():
            chosen = [path]
        elif has_magic(str(path)):
            folder, matches = _match_pattern(path)
            rules = None if no_ignore else IgnoreRules(folder, named=path.parts)
            candidates = (file for file in matches if file.is_file() and not is_written_here(file))
            chosen = [file for file in candidates if not (rules and rules.ignores_within(file))]
            none = f"no file matches {str(path)!r}"
        else:
            raise FileNotFoundError(f"{path} does not exist: expected a file or a folder there")
        if not chosen:
            raise FileNotFoundError(none + _IGNORE_HINT * bool(rules and rules.has_ignored))
        if chosen != [path]:
            refuse_links_out(folder, chosen)
        for file in chosen:
            files.setdefault(file.absolute(), NamedPath(file.as_posix(), file))
    other_files = [named for path, named in skipped.items() if path not in files]
    return FoundFiles(list(files.values()), other_files)


def read_files(
    paths: FilePaths, *, encoding: str | None, leave_out: bool, option: str, fs: Any = None
) -> Iterator[tuple[Path, TextFile]]:
    """Read the files of paths, folders and patterns in turn; notices are logged as warnings.

    Args:
        paths: See `find_files`, whose errors are raised.
        encoding: See `read_file`, whose errors are raised.
        leave_out: Whether a file that cannot be read is left out, with a warning.
        option: The setting of the caller that leaves such files out, for the error.
        fs: The file system of fsspec with the only file in `paths`. None: Python's.
    """
    files = [NamedPath(str(paths), Path(str(paths)))]
    if fs is None:
        files = find_files([paths] if isinstance(paths, str | Path) else paths).files
    for name, path in files:
        try:
            if fs is None:
                file = read_file(path, name=name, encoding=encoding)
            else:
                file = read_bytes(fs.cat_file(name), name=name, encoding=encoding)
        except UnreadableFileError as error:
            if not leave_out:
                raise UnreadableFileError(f"{error} ({option} leaves such files out)") from error
            _logger.warning("left out: %s", error)
            continue
        for notice in file.notices:
            _logger.warning("%s: %s", name, notice)
        yield path, file


def entries_in(
    folder: str | Path, errors: dict[str, OSError] | None = None, rules: IgnoreRules | None = None
) -> Iterator[os.DirEntry[str]]:
    """Yield the files of a folder, at any depth, by name; hidden files and folders are left out.

    Links to folders are not followed. Folders that cannot be opened or whose path is too long for
    the system are left out, and so are links that lead in circles or through a file. `errors`
    receives the error of each path.
    """
    errors = {} if errors is None else errors
    waiting = [os.fspath(folder)]  # no recursion: folders may be nested by thousands
    while waiting:
        current = waiting.pop()
        try:
            with os.scandir(current) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            errors[current] = error
            continue
        folders = {entry.path for entry in entries if entry.is_dir(follow_symlinks=False)}
        visible = [
            entry
            for entry in entries
            if not entry.name.startswith(_HIDDEN)
            and not (rules and rules.ignores(entry.path, entry.path in folders))
        ]
        for entry in visible:
            try:
                is_file = entry.is_file()
            except OSError as error:
                errors[entry.path], is_file = error, False
            if is_file:
                yield entry
        waiting += [entry.path for entry in reversed(visible) if entry.path in folders]


def file_link(path: str | Path, page: int | None = None) -> str | None:
    """Return a link to a file, as in "file:///docs/report.pdf#page=3".

    Args:
        path: The file.
        page: The page at which viewers open a PDF, from 1. Ignored for other files.

    Returns:
        None if the path is relative or no such file exists, as for text from stdin.
    """
    path = Path(path)
    if not path.is_absolute() or not path.is_file():
        return None
    at_page = page is not None and path.suffix.lower() == PDF
    return path.as_uri() + (f"#page={page}" if at_page else "")


def _match_pattern(pattern: Path) -> tuple[Path, list[Path]]:
    """Return the folder in which a pattern starts, and the paths that match, by name.

    `**` follows no links: they may lead in circles.
    """
    first = next(n for n, part in enumerate(pattern.parts) if has_magic(part))
    folder = Path(*pattern.parts[:first])
    parts = [part if part == "**" else re.sub(r"\*+", "*", part) for part in pattern.parts[first:]]
    if parts[-1] == "**":
        parts.append("*")
    explicit = any(part.startswith(_HIDDEN) for part in parts)
    matches = [
        path
        for path in folder.glob("/".join(parts))
        if explicit or not any(part.startswith(_HIDDEN) for part in path.relative_to(folder).parts)
    ]
    return folder, sorted(matches)


def is_written_here(path: Path) -> bool:
    """Return whether this package wrote a file: a page, a report or chunks."""
    pattern = _OWN_FILES.get(path.suffix.lower())
    with suppress(OSError):  # reading it states the reason
        if pattern is not None:
            with path.open("rb") as file:
                return pattern.match(file.read(_HEAD_BYTES)) is not None
    return False


def refuse_links_out(folder: Path, files: Iterable[Path]) -> None:
    """Raise a ValueError if a file of a folder is a link to a place outside it."""
    # Texts end up in reports, prompts and indexes: a link must not add files from elsewhere.
    inside = folder.resolve()
    for path in files:
        if not path.resolve().is_relative_to(inside):
            raise ValueError(
                f"{path} is a link to {path.resolve()}, outside {folder}. Copy the file into the "
                "folder, remove the link, or name the file itself"
            )
