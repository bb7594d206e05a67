"""Node parsers for LlamaIndex, and retrieval of whole passages."""

try:
    import llama_index.core as _  # noqa: F401 - raises now, naming the extra to install
except ImportError as error:
    from lumber_core.errors import MissingExtraError

    raise MissingExtraError("llama-index-core", "llama-index") from error

from llamaindex_lumber.bert import BertNodeParser
from llamaindex_lumber.chunker_node_parser import ChunkerNodeParser
from llamaindex_lumber.citations import QUOTING_PROMPT, cite, cite_answer
from llamaindex_lumber.context_embeddings import ContextEmbedding
from llamaindex_lumber.embedding import LumberEmbedding
from llamaindex_lumber.files_reader import FilesReader
from llamaindex_lumber.greedy import GreedyNodeParser
from llamaindex_lumber.layout import LayoutNodeParser
from llamaindex_lumber.lumber import LumberNodeParser
from llamaindex_lumber.pages import join_pages
from llamaindex_lumber.passage_joiner import PassageJoiner
from llamaindex_lumber.passage_retriever import PassageRetriever
from llamaindex_lumber.span_node_parser import SpanNodeParser
from lumber_core import __version__

__all__ = [
    "QUOTING_PROMPT",
    "BertNodeParser",
    "ChunkerNodeParser",
    "ContextEmbedding",
    "FilesReader",
    "GreedyNodeParser",
    "LayoutNodeParser",
    "LumberEmbedding",
    "LumberNodeParser",
    "PassageJoiner",
    "PassageRetriever",
    "SpanNodeParser",
    "__version__",
    "cite",
    "cite_answer",
    "join_pages",
]
