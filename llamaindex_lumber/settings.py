"""Settings of the node parsers, beside those of the core."""

from __future__ import annotations

from typing import Annotated

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
    "embed_model": "splitting needs no embeddings; ContextEmbedding(model) embeds nodes",
    "breakpoint_percentile_threshold": _SEMANTIC,
    "buffer_size": _SEMANTIC,
    "window_size": "choose a size in tokens: chunk_size, target_size",
    "chunk_sizes": "make one parser for each size, for HierarchicalNodeParser(node_parser_map=...)",
    "max_chunk_size": "use chunk_size",
    "chunk_lines": "choose a size in tokens: chunk_size, target_size",
}


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
