"""The settings that several splitters have, each with its check and its documentation."""

from __future__ import annotations

from typing import Annotated

from lumber_core.checks import check_language, check_not_negative, check_positive
from lumber_core.settings import Setting, Settings, optional
from lumber_core.text.units import UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec

DEFAULT_CHUNK_SIZE = 512
"""Maximum tokens that common embedding models read."""
DEFAULT_TARGET_SIZE = 400
"""The matching target: it leaves enough room that sentences rarely have to be cut."""

# Each splitter chooses its own defaults.

ChunkSize = Annotated[
    int | None,
    Setting(
        "Maximum tokens in a chunk, for any text: a hard limit. None: no limit.",
        optional(check_positive),
    ),
]
MinChunkSize = Annotated[
    int | None,
    Setting(
        "Minimum tokens in a chunk: smaller ones are merged with a neighbour that has room. "
        "None: no limit.",
        optional(check_positive),
    ),
]
TargetSize = Annotated[
    int | None,
    Setting(
        "Preferred length of chunks in tokens; at most `chunk_size`. None: in "
        f"proportion to `chunk_size`, {DEFAULT_TARGET_SIZE} for {DEFAULT_CHUNK_SIZE}.",
        optional(check_positive),
    ),
]
ChunkOverlap = Annotated[
    int,
    Setting(
        "Up to this many tokens are repeated from the end of the chunk before: whole units, or "
        "whole sentences of a unit that is longer. Offsets stay exact, and `chunk_size` includes "
        "what is repeated.",
        check_not_negative,
    ),
]
Tokenizer = Annotated[
    TokenCounterSpec,
    Setting(
        'Counts tokens: "estimate" (near what cl100k_base counts, for any text; needs no '
        'vocabulary), "words" (1.2 tokens a word, the published LumberChunker\'s formula), or the '
        "name of a tiktoken encoding or of a model tiktoken knows (extra `tiktoken`).",
        objects="Also a Hugging Face tokenizer, a tiktoken `Encoding`, a function from a string to "
        "a number, or a `TokenCounter`.",
    ),
]
Units = Annotated[
    UnitSpec,
    Setting(
        'What is never cut unless it exceeds `chunk_size`: "paragraphs", "sentences", '
        '"sentences_and_lines" (a mark at the end of a line ends a sentence, too), "markdown" '
        "(paragraphs, list items, tables, code; a heading with the block below it).",
        objects="Also a callable from a text to `(start, end)` offsets.",
    ),
]
Language = Annotated[
    str, Setting('ISO 639 code of the language, such as "en", to find sentences.', check_language)
]
Threads = Annotated[
    int | None,
    Setting(
        "Number of threads for the model. None: all available CPUs.",
        optional(check_positive),
        changes_result=False,
    ),
]


class ChunkerSettings(Settings):
    """Settings that every splitter has."""

    chunk_size: ChunkSize = None
    min_chunk_size: MinChunkSize = None
    tokenizer: Tokenizer = DEFAULT_TOKENIZER
    language: Language = "en"

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: `min_chunk_size` is above `chunk_size`.
        """
        super().__post_init__()
        low, high = self.min_chunk_size, self.chunk_size
        if low is not None and high is not None and low > high:
            raise ValueError(f"min_chunk_size ({low}) must not be above chunk_size ({high})")


class TargetSettings(ChunkerSettings):
    """Settings of splitters with a target size."""

    chunk_size: ChunkSize = DEFAULT_CHUNK_SIZE
    target_size: TargetSize = None

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: `target_size` is above `chunk_size`.
        """
        super().__post_init__()
        target, high = self.target_size, self.chunk_size
        if target is not None and high is not None and target > high:
            raise ValueError(
                f"target_size ({target}) must not be above chunk_size ({high}), the most tokens a "
                "chunk may have: raise chunk_size as well, or pass chunk_size=None for no limit"
            )


def target_of(settings: TargetSettings) -> int:
    """Return the target in tokens: as given, or in proportion to `chunk_size`."""
    if settings.target_size is not None:
        return settings.target_size
    if settings.chunk_size is None:
        return DEFAULT_TARGET_SIZE
    return max(1, settings.chunk_size * DEFAULT_TARGET_SIZE // DEFAULT_CHUNK_SIZE)


def check_overlap(chunk_overlap: int, chunk_size: int | None) -> None:
    """Raise unless an overlap leaves room for the chunk itself.

    Raises:
        ValueError: There is no room.
    """
    if chunk_size is not None and chunk_overlap >= chunk_size:
        raise ValueError(f"chunk_overlap ({chunk_overlap}) must be below chunk_size ({chunk_size})")
