"""Reads files as texts, and replaces files atomically.

`file_search` finds the files of paths, folders and patterns, except files that `ignore_rules`
ignore. `reading` reads a file: `encodings` decodes a text, and `isolation` starts a `child_process`
that runs the reader for its format, which `readers` names (`pdf`, or one of `formats`). `writing`
replaces a file in one step.

Plain text, Markdown in UTF-8, emails and notebooks need no extra package. HTML, PDF, office
documents, books and the detection of other encodings need `lumber-splitters[documents]`.
"""

from lumber_files.encodings import check_encoding
from lumber_files.file_search import FoundFiles, NamedPath, count_suffixes, file_link, find_files
from lumber_files.readers import MAX_UNPACKED, UnreadableFileError, check_readable
from lumber_files.reading import READABLE, TextFile, read_bytes, read_file
from lumber_files.writing import check_output, replacing

__all__ = [
    "MAX_UNPACKED",
    "READABLE",
    "FoundFiles",
    "NamedPath",
    "TextFile",
    "UnreadableFileError",
    "check_encoding",
    "check_output",
    "check_readable",
    "count_suffixes",
    "file_link",
    "find_files",
    "read_bytes",
    "read_file",
    "replacing",
]
