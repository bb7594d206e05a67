"""Serialises and pickles settings, and states what replaces those of LlamaIndex's parsers."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Annotated, Any

from llama_index.core.bridge.pydantic import PlainSerializer
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import BaseComponent
from typing_extensions import Self

from lumber_core.support.identity import digest, identity_of, safe_repr

_SEPARATOR = "nodes end at units: choose them with the setting units"
_SEMANTIC = "no embeddings are compared; BertNodeParser has the setting threshold"

# Arguments of LlamaIndex's parsers that have no meaning here, with what to pass instead.
INSTEAD = {
    "separator": _SEPARATOR,
    "backup_separators": _SEPARATOR,
    "paragraph_separator": 'paragraphs are found by units="paragraphs"',
    "secondary_chunking_regex": "units that are too long are cut at sentences, then words",
    "chunking_tokenizer_fn": "sentences are found by language; units may be a custom function",
    "sentence_splitter": "sentences are found by language; units may be a custom function",
    "keep_whitespaces": "nodes are slices of the text, so nothing is removed from it",
    "embed_model": "splitting needs no embeddings; ContextEmbedding(model) embeds nodes",
    "breakpoint_percentile_threshold": _SEMANTIC,
    "buffer_size": _SEMANTIC,
    "window_size": "choose a size in tokens: chunk_size, target_size",
    "chunk_sizes": "make one parser for each size, for HierarchicalNodeParser(node_parser_map=...)",
    "max_chunk_size": "use chunk_size",
    "model": "pass a language model as llm to LumberNodeParser",
    "chunk_lines": "choose a size in tokens: chunk_size, target_size",
}


def describe(value: Any) -> Any:
    """Return a description of a setting that JSON cannot represent, for cache keys."""
    if value is None or isinstance(value, str):
        return value
    name = getattr(value, "__qualname__", None)
    if name:
        return f"{value.__module__}.{name}"
    if isinstance(value, partial):
        return identity_of(value)
    shown = safe_repr(value)
    # Objects of different state need different cache keys, but a state may contain credentials.
    return shown if shown == repr(value) else f"{shown} {digest(repr(value))[:16]}"


class IntactComponent(BaseComponent):
    """A component of LlamaIndex that stays as it is when it is pickled.

    LlamaIndex deletes what cannot be pickled from the pickle and from the component itself.
    """

    def __getstate__(self) -> dict[str, Any]:
        """Return the state, without handlers and caches that cannot be pickled.

        If another setting cannot be pickled, a TypeError is raised.
        """
        for name in type(self).model_fields:
            if name in ("callback_manager", "embeddings_cache"):
                continue
            try:
                pickle.dumps(getattr(self, name))
            except Exception as error:
                raise TypeError(
                    f"{type(self).__name__} cannot be sent to another process: {name} cannot be "
                    f"pickled ({error}). Functions and classes at the top of a module can be"
                ) from error
        return super(IntactComponent, self._copy_to_pickle()).__getstate__()

    def _copy_to_pickle(self) -> Self:
        """Return a copy without events of former calls, so that all pickles of it are equal."""
        copied, manager = copy.copy(self), CallbackManager([])
        if "callback_manager" in vars(self):
            manager.set_handlers(vars(self)["callback_manager"].handlers)
            vars(copied)["callback_manager"] = manager
        return copied


Named = Annotated[Any, PlainSerializer(describe)]
"""A setting that may be a custom object: serialised as its name, its `repr` or a digest of it."""
