"""What all readers share: a limit, the extra that they need, and the errors of files."""

from __future__ import annotations

from lumber_core.errors import LumberError

EXTRA = "documents"
"""The extra with the packages that read other formats than plain text."""
MAX_UNPACKED = 50_000_000
"""Maximum size in bytes that a file unpacks to; books of a thousand pages take a tenth of it."""


class UnreadableFileError(LumberError, ValueError):
    """A file is not text in a known encoding or format, is damaged, or contains no text."""


class TooMuchError(Exception):
    """A file exceeds a limit. The message follows the name of the file in a sentence."""


def check_unpacked(size: int, max_unpacked: int) -> None:
    """Raise TooMuchError if a file has unpacked to more bytes than the limit."""
    if size > max_unpacked:
        raise TooMuchError(
            f"unpacks to more than max_unpacked={max_unpacked:,} bytes. Raise that limit if "
            "you trust the file"
        )
