"""Settings of the node parsers, beside those of the core."""

from __future__ import annotations

from lumber_core.chunking.settings import AddContext, AddLines, AddPages, ChunkOverlap
from lumber_core.settings import Settings

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
    "embed_model": "BertNodeParser comes with its own model and needs no embeddings",
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
    add_context: AddContext = True
    add_pages: AddPages = False
    add_lines: AddLines = False
