"""The errors this library raises on purpose.

Bad arguments are `ValueError` or `TypeError`, as everywhere in Python; the classes here are for
what a caller may want to catch by name.
"""


class LumberError(Exception):
    """Root of the errors that only this library raises."""


class MissingExtraError(LumberError, ImportError):
    """An optional dependency is not installed. The message names the extra that brings it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"{package} is not installed. Install it with: pip install 'lumber-splitters[{extra}]'"
        )
        self.package = package
        self.extra = extra


class TokenizerDataError(LumberError):
    """A tokenizer's vocabulary is neither on this machine nor downloadable."""


class StoreError(LumberError):
    """A file of stored answers cannot be used; it is left as it was."""


class ModelSettingsError(LumberError):
    """A model refuses the key, the name or the settings: asking again is vain."""


class ModelUnavailableError(LumberError):
    """A model gave no answer although it was asked as often as allowed."""


class JudgementError(LumberError):
    """A judge gave no usable answer, and `on_failure="raise"` was asked for."""


class TilingError(LumberError):
    """Spans do not cover their text exactly once, in order."""


class ChunkSizeError(LumberError):
    """A single character counts more tokens than `chunk_size` allows."""


class BadReplyError(LumberError, ConnectionError):
    """A model's server replied, but not with a completion: cut short, no JSON, or no answer in it.

    It is passing trouble more often than not, as with other connection errors: ask again.
    """


class WeightsError(LumberError, ValueError):
    """A model's weights are missing, damaged or some other model's."""


class HubError(LumberError, OSError):
    """A dataset cannot be had from a hub. The message says what to do."""
