"""LumberChunker for LlamaIndex."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from llama_index.core import Settings as GlobalSettings
from llama_index.core.bridge.pydantic import field_serializer
from llama_index.core.llms import LLM
from llama_index.core.schema import BaseNode

from llamaindex_lumber.base import SpanNodeParser, with_settings
from llamaindex_lumber.llm import LlamaIndexModel
from llamaindex_lumber.nodes import checked_nodes, metadata_of, text_of
from llamaindex_lumber.settings import ParserSettings
from lumber_core.lumber.chunker import LumberChunker
from lumber_core.lumber.estimate import Estimate, Prices
from lumber_core.lumber.fallback import choose_judge
from lumber_core.lumber.settings import AskedSettings, LumberSettings
from lumber_core.segmentation import Segmentation
from lumber_core.settings import Setting, values_for

logger = logging.getLogger(__name__)


class LumberNodeParserSettings(AskedSettings, ParserSettings):
    """Settings of `LumberNodeParser`."""

    llm: Annotated[
        LLM | None,
        Setting(
            "Decides: any LLM of LlamaIndex. Default, if there is no `judge`: the model assigned "
            "to `Settings.llm`. None, or no model assigned: the bundled BERT decides."
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

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises the parser."""
        return "LumberNodeParser"

    def model_post_init(self, context: Any, /) -> None:
        """Take the model from LlamaIndex's `Settings` if none is given, and check the settings."""
        # Settings.llm would make a model of OpenAI if none was assigned.
        assigned: LLM | None = GlobalSettings._llm
        if assigned is not None and self.judge is None and "llm" not in self.model_fields_set:
            logger.info("LumberNodeParser asks Settings.llm (%s)", assigned.class_name())
            self.__dict__["llm"] = assigned
        super().model_post_init(context)

    def _node_metadata(self, segmentation: Segmentation) -> Sequence[Mapping[str, str]]:
        if not self.add_verdicts:
            return super()._node_metadata(segmentation)
        return segmentation.verdict_metadata()

    def estimate(self, documents: Iterable[BaseNode], *, prices: Prices | None = None) -> Estimate:
        """Estimate the cost of splitting documents or nodes, without calling a model.

        Args:
            documents: The documents or nodes.
            prices: What the model costs; by default the setting `prices`.

        Returns:
            Calls, tokens and cost, each as lowest, most likely and highest value; a table if
            printed or displayed by a notebook. See `LumberChunker.estimate`.
        """
        nodes = checked_nodes(documents)
        chunker = self._make_chunker()
        markdown = [chunker.reads_as_markdown(metadata_of(node)) for node in nodes]
        return chunker.estimate([text_of(node) for node in nodes], prices=prices, markdown=markdown)

    def _make_chunker(self) -> LumberChunker:
        model = None if self.llm is None else LlamaIndexModel(self.llm)
        return LumberChunker(
            choose_judge(model, self.judge, self.prompt, self.policy),
            **values_for(LumberSettings, self),
        )
