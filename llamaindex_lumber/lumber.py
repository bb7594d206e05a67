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
from llamaindex_lumber.llm import LlamaIndexModel
from llamaindex_lumber.nodes import checked_nodes, source_of_node
from llamaindex_lumber.settings import ParserSettings
from lumber_core.chunking.base import Chunker
from lumber_core.lumber.chunker import LumberChunker
from lumber_core.lumber.estimate import Estimate, Prices
from lumber_core.lumber.fallback import choose_judge
from lumber_core.lumber.settings import AskedSettings
from lumber_core.settings import Setting, from_settings

logger = logging.getLogger(__name__)


def _check_llm(name: str, llm: object) -> None:
    if llm is not None and not isinstance(llm, LLM):
        instead = "for anything else pass judge=, a function from a group to a unit number"
        if isinstance(llm, dict):
            instead = "what a parser is serialised as has no model: pass from_dict(data, llm=...)"
        raise TypeError(
            f"{name} must be a language model of LlamaIndex (LLM), such as OpenAI(model=...), not "
            f"{type(llm).__name__}; {instead}"
        )


class LumberNodeParserSettings(AskedSettings, ParserSettings):
    """Settings of `LumberNodeParser`."""

    llm: Annotated[
        LLM | None,
        Setting(
            "Decides: any LLM of LlamaIndex. Default, if there is no `judge`: the model assigned "
            "to `Settings.llm`. None, or no model assigned: the bundled model decides.",
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
            other: `llm` and `judge`, or `prompt` or `policy` without `llm`.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> def judge(group):  # instead of llm=OpenAI(model="gpt-4o-mini")
        ...     return group.start + 2
        >>> LumberNodeParser(judge=judge).split_text("Ann ran.\n\nShe fell.\n\nBob slept.")
        ['Ann ran.\n\nShe fell.\n\n', 'Bob slept.']
    """

    @field_serializer("llm", check_fields=False)
    def _serialised(self, llm: LLM | None) -> dict[str, str] | None:
        """Return the identity of the model, because its settings may hold credentials."""
        if llm is None:
            return None
        return {"class_name": llm.class_name(), "identity": LlamaIndexModel(llm).identity}

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Return what `repr` shows: the model without its settings, which may hold credentials."""
        model = None if self.llm is None else LlamaIndexModel(self.llm)
        for name, value in super().__repr_args__():
            yield name, model if name == "llm" else value

    def model_post_init(self, context: Any, /) -> None:
        """Take the model from LlamaIndex's `Settings` if none is given, and check the settings."""
        # Settings.llm would make a model of OpenAI if none was assigned.
        assigned: LLM | None = GlobalSettings._llm
        if assigned is not None and self.judge is None and "llm" not in self.model_fields_set:
            logger.info("LumberNodeParser asks Settings.llm (%s)", assigned.class_name())
            self.__dict__["llm"] = assigned
        super().model_post_init(context)

    def estimate(self, documents: Iterable[BaseNode], *, prices: Prices | None = None) -> Estimate:
        """Estimate the cost of splitting documents or nodes, without calling a model.

        Args:
            documents: The documents or nodes.
            prices: What the model costs; by default the setting `prices`.

        Returns:
            Calls, tokens and cost, each as lowest, most likely and highest value; a table if
            printed or displayed by a notebook. See `LumberChunker.estimate`.
        """
        chunker = self._built()
        assert isinstance(chunker, LumberChunker)
        return chunker.estimate(map(source_of_node, checked_nodes(documents)), prices=prices)

    def _make_chunker(self, settings: LumberNodeParserSettings) -> Chunker:
        model = None if settings.llm is None else LlamaIndexModel(settings.llm)
        judge = choose_judge(model, settings.judge, settings.prompt, settings.policy)
        return from_settings(LumberChunker, settings, judge)
