"""Settings of the LangChain splitters, in addition to the core's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Annotated

from lumber_core.chunking.base import CoreSplitter
from lumber_core.chunking.settings import (
    ChunkerSettings,
    ChunkOverlap,
    add_metadata_setting,
)
from lumber_core.settings import Setting, Settings
from lumber_core.tokens import DEFAULT_TOKENIZER

_SEPARATORS = "chunks end at units: choose these with the setting units"
_SEMANTIC = "no embeddings are compared; BertTextSplitter has the setting threshold"
_ENCODING = "pass tokenizer, or use from_tiktoken_encoder"

# Arguments of LangChain's splitters that have no meaning here.
_ELSEWHERE = {
    "separators": _SEPARATORS,
    "separator": _SEPARATORS,
    "is_separator_regex": _SEPARATORS,
    "sentence_split_regex": 'sentences are found by language; choose units="sentences"',
    "keep_separator": "chunks are slices of the text, so nothing is removed from it",
    "embeddings": "BertTextSplitter comes with its own model and needs no embeddings",
    "buffer_size": _SEMANTIC,
    "breakpoint_threshold_type": _SEMANTIC,
    "breakpoint_threshold_amount": _SEMANTIC,
    "number_of_chunks": "choose a size in tokens: chunk_size, target_size",
    "tokens_per_chunk": "use chunk_size",
    "encoding_name": _ENCODING,
    "model_name": _ENCODING,
    "max_chunk_size": "use chunk_size",
    "headers_to_split_on": "headings of Markdown documents are found without settings and put into "
    'metadata["headings"]',
}


class DocumentSettings(Settings):
    """How spans become documents."""

    elsewhere = _ELSEWHERE

    chunk_overlap: ChunkOverlap = 0
    add_start_index: Annotated[
        bool,
        Setting('Put the chunk\'s offset in characters into `metadata["start_index"]`.'),
    ] = False
    add_metadata: Annotated[
        bool,
        add_metadata_setting("its offsets `start_index` and `end_index`; its `context`; "),
    ] = False
    context: Annotated[
        bool,
        Setting(
            "Put what the document says about a chunk outside of it before the chunk in "
            "`page_content`, so that it is embedded: the title (in the metadata, or else the "
            "single first-level heading of Markdown), the deepest three headings above the chunk, "
            "and on lines of their own the header rows of the table in Markdown, CSV or TSV whose "
            "rows it continues. `start_index` is still the offset of the chunk itself. "
            "`chunk_size` includes the context, which takes at most a quarter of it."
        ),
    ] = False
    stable_ids: Annotated[
        bool,
        Setting(
            "Set each chunk's `id` to a UUID that is the same in every run, so that a vector store "
            "overwrites chunks that are added again. It is computed from the document's `id` (its "
            "metadata if it has none), the offsets, the text and the splitter's identity."
        ),
    ] = False
    strip_whitespace: Annotated[
        bool,
        Setting(
            "Trim white space at both ends of a chunk. Its offset is adjusted; a chunk of only "
            "white space is left out."
        ),
    ] = True
    show_progress: Annotated[
        bool,
        Setting("Show a progress bar on stderr while documents are split.", changes_result=False),
    ] = False


class LengthSettings(DocumentSettings, ChunkerSettings):
    """Settings of all LangChain splitters: LangChain's and the core's.

    A `length_function` is moved to `tokenizer`, so the core's splitter takes them as they are.
    """

    length_function: Annotated[
        Callable[[str], int] | None,
        Setting("Counts tokens: LangChain's name for `tokenizer`."),
    ] = None

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: Both a tokenizer and a length function are given.
        """
        super().__post_init__()
        if self.length_function is None:
            return
        if self.tokenizer != DEFAULT_TOKENIZER:
            raise ValueError("pass either tokenizer or length_function, not both")
        object.__setattr__(self, "tokenizer", self.length_function)
        object.__setattr__(self, "length_function", None)


class SplitterSettings(DocumentSettings):
    """Settings of `SpanTextSplitter`."""

    chunker: CoreSplitter = field(kw_only=False)
