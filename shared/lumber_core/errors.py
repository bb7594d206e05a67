"""The errors of this library.

Bad arguments raise `ValueError` or `TypeError`; the classes here are for errors that a caller may
want to catch by name.
"""

from __future__ import annotations


class LumberError(Exception):
    """Base of the errors that this library defines; catches all of them."""


class MissingExtraError(LumberError, ImportError):
    """An optional dependency is not installed. The message names the extra that installs it."""

    def __init__(self, package: str, extra: str, why: str = "") -> None:
        super().__init__(
            f"{why}{package} is not installed. Install it with: "
            f"pip install '.[{extra}]' in a clone of lumber-splitters"
        )
        self.package = package
        self.extra = extra
        self._why = why

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        # Worker processes pickle the error to send it to their parent.
        return type(self), (self.package, self.extra, self._why)


class TokenizerDataError(LumberError):
    """A tokenizer's vocabulary is not on this machine and cannot be downloaded."""


class StoreError(LumberError):
    """An index or a store of answers cannot be read or written. Stored data are unchanged."""


class ModelSettingsError(LumberError):
    """A model rejects the key, its name or the settings: retrying will not help."""


class ModelUnavailableError(LumberError):
    """A model gave no answer in any of the allowed attempts."""


class JudgementError(LumberError):
    """A judge gave no usable answer, and `on_failure` is "raise"."""


class ChunkSizeError(LumberError):
    """A single character has more tokens than `chunk_size` allows."""


class BadReplyError(LumberError, ConnectionError):
    """A model's server sent a malformed reply: cut short, not JSON, or without an answer.

    Like other connection errors it is usually transient, so it is retried.
    """


class WeightsError(LumberError, ValueError):
    """A model's weights are missing, damaged or belong to another kind of model."""
