"""The settings that several splitters have, each with its check and its documentation."""

from __future__ import annotations

from math import ceil
from typing import Annotated, Any, Literal

from lumber_core.checks import check_language, check_not_negative, check_positive
from lumber_core.settings import Setting, Settings, optional
from lumber_core.text.units import UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec

DEFAULT_CHUNK_SIZE = 512
"""Maximum tokens that common embedding models read."""
DEFAULT_TARGET_SIZE = 400
"""The matching target: it leaves enough room that sentences rarely have to be cut."""


def _check_chunk_size(name: str, size: Any) -> None:
    if size is None or size == "auto":
        return
    if isinstance(size, str):
        raise TypeError(
            f'{name} must be a whole number, not str: pass a number, "auto", or None for no limit'
        )
    check_positive(name, size)


def chunk_size_setting(auto: str) -> Setting:
    """Return the setting `chunk_size` of a splitter.

    Args:
        auto: What "auto" means for it.
    """
    return Setting(
        f'Maximum tokens in a chunk, for any text: a hard limit. None: no limit. "auto": {auto}.',
        _check_chunk_size,
    )


AutoSize = int | Literal["auto"] | None
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
AddContext = Annotated[
    bool,
    Setting(
        'Put what the document says about a chunk outside of it into `metadata["context"]`: its '
        "title (in the metadata, or else the single first-level heading of Markdown), the deepest "
        "three headings above the chunk, and on lines of their own the header rows of the table in "
        "Markdown, CSV or TSV whose rows it continues."
    ),
]
AddPages = Annotated[
    bool,
    Setting(
        'Put the first and the last page of a chunk, counted from 1, into `metadata["page_first"]` '
        'and `metadata["page_last"]`: of the documents of `join_pages`, which have them anyway, of '
        "a loader's pages, and of texts whose pages end with form feeds. Two numbers, because "
        "many vector stores refuse lists of numbers."
    ),
]
AddLines = Annotated[
    bool,
    Setting(
        "Put the lines of a chunk's first and last visible character, counted from 1, into "
        '`metadata["line_first"]` and `metadata["line_last"]`.'
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
MergeSections = Annotated[
    bool,
    Setting(
        "Whether a chunk of Markdown may hold the text of several sections. False: every heading "
        "starts a chunk, also if the one before stays small; headings without text between them "
        "stay together. Overlap does not reach across a heading either."
    ),
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

    chunk_size: Annotated[AutoSize, chunk_size_setting("set by the other settings")] = "auto"
    min_chunk_size: MinChunkSize = None
    merge_sections: MergeSections = True
    tokenizer: Tokenizer = DEFAULT_TOKENIZER
    language: Language = "en"

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: `min_chunk_size` is above `chunk_size`.
        """
        super().__post_init__()
        low, (high, _) = self.min_chunk_size, self.sizes
        if low is not None and high is not None and low > high:
            unset = " unless given" if self.chunk_size == "auto" else ""
            raise ValueError(
                f"min_chunk_size ({low}) must not be above chunk_size ({high}{unset}): raise "
                "chunk_size as well, or pass chunk_size=None for no limit"
            )

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The hard limit and the target size that these settings give; None: there is none."""
        return (None if self.chunk_size == "auto" else self.chunk_size), None


class TargetSettings(ChunkerSettings):
    """Settings of splitters with a target size."""

    chunk_size: Annotated[
        AutoSize,
        chunk_size_setting(
            f"{DEFAULT_CHUNK_SIZE}, or more for a `target_size` above {DEFAULT_TARGET_SIZE}"
        ),
    ] = "auto"
    target_size: TargetSize = None

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: `target_size` is above `chunk_size`.
        """
        super().__post_init__()
        target, (high, _) = self.target_size, self.sizes
        if target is not None and high is not None and target > high:
            raise ValueError(
                f"target_size ({target}) must not be above chunk_size ({high}), the most tokens a "
                "chunk may have: raise chunk_size as well, or leave it out for one that fits"
            )

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The hard limit, None for no limit, and the target size that these settings give."""
        high, target = self.chunk_size, self.target_size
        if high == "auto":
            room = ceil((target or 0) * DEFAULT_CHUNK_SIZE / DEFAULT_TARGET_SIZE)
            high = max(DEFAULT_CHUNK_SIZE, room)
        if target is None:
            share = DEFAULT_TARGET_SIZE / DEFAULT_CHUNK_SIZE
            target = max(1, int((high or DEFAULT_CHUNK_SIZE) * share))
        return high, target


def check_overlap(chunk_overlap: int, chunk_size: int | None) -> None:
    """Raise unless an overlap leaves room for the chunk itself.

    Raises:
        ValueError: There is no room.
    """
    if chunk_size is not None and chunk_overlap >= chunk_size:
        raise ValueError(f"chunk_overlap ({chunk_overlap}) must be below chunk_size ({chunk_size})")
