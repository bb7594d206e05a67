"""Text splitters for LangChain, and retrieval of whole passages."""

from importlib import import_module
from typing import TYPE_CHECKING

try:
    import langchain_text_splitters as _  # noqa: F401 - raises now, naming the extra to install
except ImportError as error:
    from lumber_core.errors import MissingExtraError

    raise MissingExtraError("langchain-text-splitters", "langchain") from error

if TYPE_CHECKING:
    from langchain_lumber.bert import BertTextSplitter
    from langchain_lumber.citations import QUOTING_PROMPT, cite, cite_answer, format_passages
    from langchain_lumber.context_embeddings import ContextEmbeddings
    from langchain_lumber.embeddings import LumberEmbeddings
    from langchain_lumber.files_loader import FilesLoader
    from langchain_lumber.greedy import GreedyTextSplitter
    from langchain_lumber.layout import LayoutTextSplitter
    from langchain_lumber.lumber import LumberTextSplitter
    from langchain_lumber.pages import join_pages
    from langchain_lumber.passage_joiner import PassageJoiner
    from langchain_lumber.passage_retriever import PassageRetriever
    from langchain_lumber.span_text_splitter import SpanTextSplitter
    from lumber_core import __version__
else:
    _MODULES = {
        "SpanTextSplitter": "langchain_lumber.span_text_splitter",
        "BertTextSplitter": "langchain_lumber.bert",
        "QUOTING_PROMPT": "langchain_lumber.citations",
        "cite": "langchain_lumber.citations",
        "cite_answer": "langchain_lumber.citations",
        "format_passages": "langchain_lumber.citations",
        "LumberEmbeddings": "langchain_lumber.embeddings",
        "FilesLoader": "langchain_lumber.files_loader",
        "GreedyTextSplitter": "langchain_lumber.greedy",
        "LayoutTextSplitter": "langchain_lumber.layout",
        "LumberTextSplitter": "langchain_lumber.lumber",
        "join_pages": "langchain_lumber.pages",
        "PassageRetriever": "langchain_lumber.passage_retriever",
        "PassageJoiner": "langchain_lumber.passage_joiner",
        "ContextEmbeddings": "langchain_lumber.context_embeddings",
        "__version__": "lumber_core",
    }

    def __getattr__(name: str) -> object:
        # On first use: splitting does not wait for language models, embeddings and numpy.
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES})


__all__ = [
    "QUOTING_PROMPT",
    "BertTextSplitter",
    "ContextEmbeddings",
    "FilesLoader",
    "GreedyTextSplitter",
    "LayoutTextSplitter",
    "LumberEmbeddings",
    "LumberTextSplitter",
    "PassageJoiner",
    "PassageRetriever",
    "SpanTextSplitter",
    "__version__",
    "cite",
    "cite_answer",
    "format_passages",
    "join_pages",
]
