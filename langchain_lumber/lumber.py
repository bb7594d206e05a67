"""LumberChunker for LangChain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any

from langchain_core.documents import Document

from langchain_lumber.base import SpanTextSplitter, checked_documents
from langchain_lumber.settings import LengthSettings
from lumber_core.lumber.chunker import LumberChunker
from lumber_core.lumber.estimate import Estimate, Prices
from lumber_core.lumber.fallback import choose_judge
from lumber_core.lumber.judges import JudgeLike
from lumber_core.lumber.settings import OTHER_JUDGES, AskedSettings
from lumber_core.settings import Setting, from_settings, takes

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


_LANGUAGE_MODELS = "langchain_core.language_models"


class LumberTextSplitterSettings(AskedSettings, LengthSettings):
    """Settings of `LumberTextSplitter`."""

    llm: Annotated[
        "BaseChatModel | JudgeLike | None",  # noqa: UP037 - its module is imported only if needed
        Setting(
            f"Decides: any chat model of LangChain; {OTHER_JUDGES}. None: the bundled model "
            "decides."
        ),
    ] = field(default=None, kw_only=False)


class LumberTextSplitter(SpanTextSplitter):
    r"""Cuts at the topic shifts that a chat model names (LumberChunker, arXiv 2406.17526).

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each
            other, such as `prompt` or `policy` without a language model.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> from langchain_core.language_models import FakeListChatModel
        >>> model = FakeListChatModel(responses=["Answer: ID 2"])  # or ChatOpenAI(...)
        >>> LumberTextSplitter(model).split_text("Ann ran.\n\nShe fell.\n\nBob slept.")
        ['Ann ran.\n\nShe fell.', 'Bob slept.']
    """

    @takes(LumberTextSplitterSettings)
    def __init__(self, settings: LumberTextSplitterSettings) -> None:
        llm: Any = settings.llm
        if any(kind.__module__.startswith(_LANGUAGE_MODELS) for kind in type(llm).__mro__):
            # Deferred: LangChain's language models are slow to import, and splitters without one
            # should not wait for them.
            from langchain_lumber.chat_model import ChatModel

            llm = ChatModel(llm)
        judge = choose_judge(llm, settings.prompt, settings.policy)
        chunker = from_settings(LumberChunker, settings, judge)
        self._set_up(chunker, settings)
        self._lumber = chunker

    def estimate(self, documents: Iterable[Document], *, prices: Prices | None = None) -> Estimate:
        """Estimate the cost of splitting documents, without calling a model.

        Args:
            documents: The documents.
            prices: What the model costs. None: the estimate has no cost.

        Returns:
            Calls, tokens and cost, each as lowest, most likely and highest value; a table if
            printed or displayed by a notebook. See `LumberChunker.estimate`.
        """
        sources = map(self._source_of, checked_documents(documents))
        return self._lumber.estimate(sources, prices=prices)
