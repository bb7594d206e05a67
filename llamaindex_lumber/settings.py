"""Settings of the node parsers, beside those of the core."""

from __future__ import annotations

from typing import Annotated

from llama_index.core.base.embeddings.base import BaseEmbedding

from lumber_core.chunking.settings import ChunkOverlap, add_metadata_setting
from lumber_core.settings import Setting, Settings

_SEPARATOR = "nodes end at units: choose these with the setting units"
_SEMANTIC = "no embeddings are compared; BertNodeParser has the setting threshold"

# Arguments of LlamaIndex's parsers that have no meaning here.
ELSEWHERE = {
    "separator": _SEPARATOR,
    "backup_separators": _SEPARATOR,
    "paragraph_separator": 'paragraphs are found by units="paragraphs"',
    "secondary_chunking_regex": "units that are too long are cut at sentences, then words",
    "chunking_tokenizer_fn": "sentences are found by language; units may be a custom function",
    "sentence_splitter": "sentences are found by language; units may be a custom function",
    "keep_whitespaces": "nodes are slices of the text, so nothing is removed from it",
    "embed_model": "splitting needs no embeddings; embed=model sets those of the nodes",
    "breakpoint_percentile_threshold": _SEMANTIC,
    "buffer_size": _SEMANTIC,
    "window_size": "choose a size in tokens: chunk_size, target_size",
    "chunk_sizes": "make one parser for each size, for HierarchicalNodeParser(node_parser_map=...)",
    "max_chunk_size": "use chunk_size",
    "chunk_lines": "choose a size in tokens: chunk_size, target_size",
}


def check_embed_model(name: str, model: object) -> None:
    """Raise unless a value is an embedding model of LlamaIndex.

    Raises:
        TypeError: It is not.
    """
    if isinstance(model, BaseEmbedding):
        return
    instead = ""
    if isinstance(model, dict):
        instead = f"; what is serialised has no model: pass from_dict(data, {name}=...)"
    raise TypeError(
        f"{name} must be an embedding model of LlamaIndex (BaseEmbedding), such as "
        f"OpenAIEmbedding(), not {type(model).__name__}{instead}"
    )


def _check_embed(name: str, value: object) -> None:
    if not isinstance(value, bool):
        check_embed_model(name, value)


class ParserSettings(Settings):
    """Settings of node parsers, in addition to the core's."""

    chunk_overlap: ChunkOverlap = 0
    add_metadata: Annotated[bool, add_metadata_setting()] = False
    context: Annotated[
        bool,
        Setting(
            'Put what the document says about a node outside of it into `metadata["context"]`, '
            "which is embedded and sent to models: the single first-level heading of Markdown, the "
            "deepest three headings above the node, and on lines of their own the header rows of "
            "the table in Markdown, CSV or TSV whose rows it continues."
        ),
    ] = True
    embed: Annotated[
        bool | BaseEmbedding,
        Setting(
            "Set `node.embedding`: with an embedding model of LlamaIndex, or if True with the "
            "bundled one, `LumberEmbedding`. What is embedded is the text with its metadata, as an "
            "index would, and vectors of its neighbours are added, as by `ContextEmbedding`.",
            _check_embed,
        ),
    ] = False
