"""Node parsers for LlamaIndex that split at topic shifts."""

try:
    import llama_index.core as _  # noqa: F401 - raises now, naming the extra to install
except ImportError as error:
    from lumber_core.errors import MissingExtraError

    raise MissingExtraError("llama-index-core", "llama-index") from error

from llamaindex_lumber.base import SpanNodeParser
from llamaindex_lumber.bert import BertNodeParser
from llamaindex_lumber.chunker import ChunkerNodeParser
from llamaindex_lumber.embedding import LumberEmbedding
from llamaindex_lumber.greedy import GreedyNodeParser
from llamaindex_lumber.lumber import LumberNodeParser
from lumber_core import __version__

__all__ = [
    "BertNodeParser",
    "ChunkerNodeParser",
    "GreedyNodeParser",
    "LumberEmbedding",
    "LumberNodeParser",
    "SpanNodeParser",
    "__version__",
]
