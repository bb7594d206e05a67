"""The settings that several splitters have, each with its check and its documentation."""

from __future__ import annotations

from math import ceil
from typing import Annotated, Any, Literal

from lumber_core.checks import check_language, check_not_negative, check_positive
from lumber_core.settings import Setting, Settings, optional
from lumber_core.text.units import UnitName, UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec

DEFAULT_CHUNK_SIZE = 512
"""Maximum tokens that common embedding models read."""
DEFAULT_TARGET_SIZE = 400
"""The matching target: it leaves enough room that sentences rarely have to be cut."""
FITTING_CHUNK_SIZE = 256
"""Fits nearly all embedding models: most read 512 tokens, all-MiniLM-L6-v2 reads 256."""
_TARGET_SHARE = 0.6  # of `chunk_size`: room to choose the best of several cuts
_UNITS_BY_LAYOUT: UnitName = "sentences_and_lines"


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


def add_metadata_setting(more: str = "") -> Setting:
    """Return the setting `add_metadata` of a framework.

    Args:
        more: What its metadata says in addition.
    """
    return Setting(
        f"Put all that is known about a chunk into its metadata: {more}its number in the document "
        "from 0, `chunk_index`; its pages and lines from 1, `page_first`, `page_last`, "
        "`line_first` and `line_last`; and if a judge was asked, how its start was decided: "
        '`verdict` is "shift" if the judge named it, "no_shift" or "single" if a group ended, or '
        'after a failure "outside", "unreadable", "refused" or "unavailable", with '
        "`verdict_reason`."
    )


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


FreeTargetSize = Annotated[
    int | None,
    Setting(
        "Preferred length of chunks in tokens; a heading outweighs a difference in size. None: "
        "60 % of `chunk_size`.",
        optional(check_positive),
    ),
]
"""The target size of splitters that choose among places near it."""


class BestCutSettings(TargetSettings):
    """Settings of splitters that choose all cuts of a text together, by layout and size."""

    chunk_size: Annotated[
        AutoSize,
        chunk_size_setting(f"{FITTING_CHUNK_SIZE}, or in proportion to `target_size`"),
    ] = "auto"
    target_size: FreeTargetSize = None
    units: Annotated[
        UnitSpec,
        Setting(
            'Where chunks may start: at "sentences_and_lines" (also at list items, rows, headings '
            'and lines of code), "sentences", "paragraphs" or "markdown" (paragraphs, list items, '
            "tables, code, a heading with the block below it, and sentences inside prose). "
            "Anywhere else only in what fits in no chunk, or in a sentence of more than "
            "`target_size` tokens.",
            objects="Also a callable from a text to `(start, end)` offsets.",
        ),
    ] = _UNITS_BY_LAYOUT

    @property
    def starts_by_layout(self) -> bool:
        """Whether chunks may start at any sentence, line, paragraph or heading."""
        return self.units == _UNITS_BY_LAYOUT

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The hard limit, None for no limit, and the target size that these settings give."""
        given, target = self.chunk_size, self.target_size
        high = None if isinstance(given, str) else given
        if given == "auto":
            high = FITTING_CHUNK_SIZE if target is None else round(target / _TARGET_SHARE)
        return high, target or max(1, round(_TARGET_SHARE * (high or FITTING_CHUNK_SIZE)))


def check_overlap(chunk_overlap: int, chunk_size: int | None) -> None:
    """Raise unless an overlap leaves room for the chunk itself.

    Raises:
        ValueError: There is no room.
    """
    if chunk_size is not None and chunk_overlap >= chunk_size:
        raise ValueError(f"chunk_overlap ({chunk_overlap}) must be below chunk_size ({chunk_size})")
