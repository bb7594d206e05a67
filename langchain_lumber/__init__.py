"""Text splitters for LangChain, and retrieval of whole passages."""

from typing import TYPE_CHECKING

try:
    import langchain_text_splitters as _  # noqa: F401 - raises now, naming the extra to install
except ImportError as error:
    from lumber_core.errors import MissingExtraError

    raise MissingExtraError("langchain-text-splitters", "langchain") from error

from lumber_core.exports import load_on_first_use

if TYPE_CHECKING:
    from langchain_lumber.base import SpanTextSplitter
    from langchain_lumber.bert import BertTextSplitter
    from langchain_lumber.citations import QUOTING_PROMPT, cite, cite_answer, format_passages
    from langchain_lumber.embeddings import LumberEmbeddings
    from langchain_lumber.greedy import GreedyTextSplitter
    from langchain_lumber.layout import LayoutTextSplitter
    from langchain_lumber.lumber import LumberTextSplitter
    from langchain_lumber.pages import join_pages
    from langchain_lumber.passage_retriever import PassageRetriever
    from langchain_lumber.passages import PassageJoiner
    from langchain_lumber.vectors import ContextEmbeddings
    from lumber_core import __version__
else:
    __getattr__, __dir__ = load_on_first_use(
        __name__,
        {
            "langchain_lumber.base": ["SpanTextSplitter"],
            "langchain_lumber.bert": ["BertTextSplitter"],
            "langchain_lumber.citations": [
                "QUOTING_PROMPT",
                "cite",
                "cite_answer",
                "format_passages",
            ],
            "langchain_lumber.embeddings": ["LumberEmbeddings"],
            "langchain_lumber.greedy": ["GreedyTextSplitter"],
            "langchain_lumber.layout": ["LayoutTextSplitter"],
            "langchain_lumber.lumber": ["LumberTextSplitter"],
            "langchain_lumber.pages": ["join_pages"],
            "langchain_lumber.vectors": ["ContextEmbeddings"],
            "langchain_lumber.passage_retriever": ["PassageRetriever"],
            "langchain_lumber.passages": ["PassageJoiner"],
            "lumber_core": ["__version__"],
        },
    )

__all__ = [
    "QUOTING_PROMPT",
    "BertTextSplitter",
    "ContextEmbeddings",
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
