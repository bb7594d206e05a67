"""Reading files as texts, and replacing files whole.

`file_search` finds the files of paths, folders and patterns, without what `ignore_rules` leave out.
`reading` reads one: `encodings` decodes a text, and `isolation` starts a `child_process` that runs
the one of `readers` that knows its format (`pdf`, or one of `formats`). `writing` replaces a file
whole.

Plain text, Markdown in UTF-8, mails and notebooks need no extra package. HTML, PDF, office
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
