"""Reading files as texts, and replacing files whole.

Plain text and Markdown in UTF-8 need no extra. HTML, PDF, DOCX and the detection of other encodings
need the extra `documents`.
"""

from lumber_files.finding import FoundFiles, NamedPath, file_link, find_files
from lumber_files.limits import MAX_UNPACKED, UnreadableFileError
from lumber_files.reading import (
    READABLE,
    TextFile,
    check_encoding,
    check_readable,
    read_bytes,
    read_file,
)
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
    "file_link",
    "find_files",
    "read_bytes",
    "read_file",
    "replacing",
]
