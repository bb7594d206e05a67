"""Reading files as texts: plain text, Markdown and HTML directly; PDF and DOCX with an extra."""

from lumber_core.files.finding import FoundFiles, NamedPath, files_in, find_files
from lumber_core.files.reading import (
    READABLE,
    TextFile,
    check_encoding,
    check_readable,
    read_bytes,
    read_file,
)

__all__ = [
    "READABLE",
    "FoundFiles",
    "NamedPath",
    "TextFile",
    "check_encoding",
    "check_readable",
    "files_in",
    "find_files",
    "read_bytes",
    "read_file",
]
