"""LumberChunker for LlamaIndex."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from llama_index.core import Settings as GlobalSettings
from llama_index.core.bridge.pydantic import field_serializer
from llama_index.core.llms import LLM
from llama_index.core.schema import BaseNode

from llamaindex_lumber.base import SpanNodeParser, with_settings
from llamaindex_lumber.fields import named
from llamaindex_lumber.llm import LlamaIndexModel
from llamaindex_lumber.nodes import checked_nodes, source_of_node
from llamaindex_lumber.settings import ParserSettings
from lumber_core.chunking.base import Chunker
from lumber_core.lumber.chunker import LumberChunker
from lumber_core.lumber.estimate import Estimate, Prices
from lumber_core.lumber.fallback import choose_judge
from lumber_core.lumber.judges import JudgeLike
from lumber_core.lumber.settings import OTHER_JUDGES, AskedSettings
from lumber_core.settings import Setting, from_settings

logger = logging.getLogger(__name__)


def _check_llm(name: str, llm: object) -> None:
    if isinstance(llm, dict):
        raise TypeError(
            f"{name} must be a language model of LlamaIndex (LLM), such as OpenAI(model=...), or "
            "another judge, not dict; what a parser is serialised as has no model: pass "
            f"from_dict(data, {name}=...)"
        )


class LumberNodeParserSettings(AskedSettings, ParserSettings):
    """Settings of `LumberNodeParser`."""

    llm: Annotated[
        JudgeLike | None,
        Setting(
            f"Decides: any LLM of LlamaIndex; {OTHER_JUDGES}. Default: the model assigned to "
            "`Settings.llm`. None, or no model assigned: the bundled model decides.",
            _check_llm,
        ),
    ] = None


if TYPE_CHECKING:

    class _Base(SpanNodeParser, LumberNodeParserSettings): ...

else:
    _Base = with_settings(LumberNodeParserSettings)


class LumberNodeParser(_Base):
    r"""Cuts at the topic shifts that a language model names (LumberChunker, arXiv 2406.17526).

    Raises:
        ValueError: A number is out of range, a name is unknown, or settings contradict each
            other, such as `prompt` or `policy` without a language model.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> def judge(group):  # instead of OpenAI(model="gpt-4o-mini")
        ...     return group.start + 2
        >>> LumberNodeParser(llm=judge).split_text("Ann ran.\n\nShe fell.\n\nBob slept.")
        ['Ann ran.\n\nShe fell.\n\n', 'Bob slept.']
    """

    @field_serializer("llm", check_fields=False)
    def _serialised(self, llm: Any) -> Any:
        """Return the identity of the model, because its settings may hold credentials."""
        if not isinstance(llm, LLM):
            return named(llm)
        return {"class_name": llm.class_name(), "identity": LlamaIndexModel(llm).identity}

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Return what `repr` shows: the model without its settings, which may hold credentials."""
        for name, value in super().__repr_args__():
            if name == "llm" and isinstance(self.llm, LLM):
                value = LlamaIndexModel(self.llm)
            yield name, value

    def model_post_init(self, context: Any, /) -> None:
        """Take the model from LlamaIndex's `Settings` if none is given, and check the settings."""
        # Settings.llm would make a model of OpenAI if none was assigned.
        assigned: LLM | None = GlobalSettings._llm
        if assigned is not None and "llm" not in self.model_fields_set:
            logger.info("LumberNodeParser asks Settings.llm (%s)", assigned.class_name())
            self.__dict__["llm"] = assigned
        super().model_post_init(context)

    def estimate(self, documents: Iterable[BaseNode], *, prices: Prices | None = None) -> Estimate:
        """Estimate the cost of splitting documents or nodes, without calling a model.

        Args:
            documents: The documents or nodes.
            prices: What the model costs. None: the estimate has no cost.

        Returns:
            Calls, tokens and cost, each as lowest, most likely and highest value; a table if
            printed or displayed by a notebook. See `LumberChunker.estimate`.
        """
        chunker = self.chunker
        assert isinstance(chunker, LumberChunker)
        return chunker.estimate(map(source_of_node, checked_nodes(documents)), prices=prices)

    def _make_chunker(self, settings: LumberNodeParserSettings) -> Chunker:
        llm = settings.llm
        judge = choose_judge(
            LlamaIndexModel(llm) if isinstance(llm, LLM) else llm, settings.prompt, settings.policy
        )
        return from_settings(LumberChunker, settings, judge)
