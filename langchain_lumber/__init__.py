"""Text splitters for LangChain that split at topic shifts."""

try:
    import langchain_text_splitters as _  # noqa: F401 - raises now, naming the extra to install
except ImportError as error:
    from lumber_core.errors import MissingExtraError

    raise MissingExtraError("langchain-text-splitters", "langchain") from error

from langchain_lumber.base import SpanTextSplitter
from langchain_lumber.bert import BertTextSplitter
from langchain_lumber.embeddings import LumberEmbeddings
from langchain_lumber.greedy import GreedyTextSplitter
from langchain_lumber.lumber import LumberTextSplitter
from lumber_core import __version__

__all__ = [
    "BertTextSplitter",
    "GreedyTextSplitter",
    "LumberEmbeddings",
    "LumberTextSplitter",
    "SpanTextSplitter",
    "__version__",
]
