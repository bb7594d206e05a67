"""Refuses settings of other LangChain splitters, and states what to pass instead."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from lumber_core.checks import refuse_unknown

_SEPARATORS = "chunks end at units: choose them with the setting units"
_SEMANTIC = "no embeddings are compared; BertTextSplitter has the setting threshold"
_ENCODING = "pass tokenizer, or use from_tiktoken_encoder"

# Arguments of LangChain's splitters that have no meaning here, with what to pass instead.
_INSTEAD = {
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
    "model": "pass a chat model as llm to LumberTextSplitter",
    "headers_to_split_on": "headings of Markdown documents are found without settings and put into "
    'metadata["headings"]',
}


def refuse_settings(kind: type, unknown: Mapping[str, object]) -> None:
    """Raise a TypeError if a splitter was given settings that it does not have.

    The message names the nearest setting, or what to use instead.
    """
    if unknown:
        *names, _ = inspect.signature(kind).parameters
        refuse_unknown(kind.__name__, unknown, names, _INSTEAD)
