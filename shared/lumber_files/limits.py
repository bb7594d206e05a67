"""What a file may take to be read, and the error that says that one cannot be read."""

from __future__ import annotations

from lumber_core.errors import LumberError

MAX_UNPACKED = 50_000_000
"""Maximum size in bytes that a file unpacks to, by default.

Books of a thousand pages have a tenth of it.
"""


class UnreadableFileError(LumberError, ValueError):
    """A file is not text in a known encoding or format, is damaged, or contains no text."""


class TooMuchError(Exception):
    """A file exceeds a limit. The message says which, and is read after the file's name."""


def check_unpacked(size: int, most: int) -> None:
    """Raise if a file unpacks to more than the limit.

    Args:
        size: The bytes that it has unpacked to so far.
        most: The limit, `max_unpacked`.

    Raises:
        TooMuchError: It does.
    """
    if size > most:
        raise TooMuchError(
            f"unpacks to more than max_unpacked={most:,} bytes. Raise that limit if you trust the "
            "file"
        )
