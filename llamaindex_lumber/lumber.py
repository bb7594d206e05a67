"""LumberChunker for LlamaIndex."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any

from llama_index.core import Settings as GlobalSettings
from llama_index.core.bridge.pydantic import Field, field_serializer
from llama_index.core.llms import LLM
from llama_index.core.schema import BaseNode

from llamaindex_lumber.fields import Named, describe
from llamaindex_lumber.llm import LlamaIndexModel
from llamaindex_lumber.nodes import check_nodes, source_of_node
from llamaindex_lumber.span_node_parser import SpanNodeParser
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.size_settings import ChunkSize
from lumber_core.lumber.cost_estimate import Estimate, Prices
from lumber_core.lumber.fallback import OnFailure, choose_judge
from lumber_core.lumber.lumber_chunker import THETA, LumberChunker, Method
from lumber_core.tokens import DEFAULT_TOKENIZER

logger = logging.getLogger(__name__)


class LumberNodeParser(SpanNodeParser):
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

    llm: Named = None
    """Names topic shifts: any LLM of LlamaIndex, a model of `lumber_core.llms`, or a function or
    object that takes a group of units and returns the number of the unit that starts new content or
    None; with the method `window`, a list of all such units. Default: the model assigned to
    `Settings.llm`. None, or no model assigned: the bundled classifier decides."""

    prompt: Named = None
    """The prompt, a `PromptTemplate`. None: the prompt of this library."""

    policy: Named = Field(default=None, exclude=True)
    """Retries and rate limits for the model. None: the defaults of `CallPolicy`."""

    theta: int = THETA
    """Maximum tokens in a group; the paper finds 550 best (section 4), counted as 1.2 per word,
    which is about 600 tokens of a real tokenizer. With the method `window` it is only the
    maximum of a chunk."""

    chunk_size: ChunkSize = "auto"
    """Maximum tokens in a chunk, for any text: a hard limit. "auto": `theta`. None: no limit."""

    min_chunk_size: int | None = None
    """Minimum tokens in a chunk: smaller ones are merged with a neighbour that has room. None: no
    limit."""

    units: Named = "paragraphs"
    """Units that the judge names, cut only if they exceed the limit: "paragraphs", "sentences",
    "sentences_and_lines", "markdown", or a callable from a text to `(start, end)` offsets."""

    method: Method = "paper"
    """How the judge is asked: "paper" for one start at a time, a call for each chunk; "window" for
    all starts of a long window at once, about a tenth of the calls, with sizes chosen as in
    Bert."""

    target_size: int | None = None
    """With the method `window`: preferred length of chunks in tokens. None: 78 % of the maximum."""

    on_failure: OnFailure = "judge_locally"
    """What to do after a refusal, an unreadable answer, or if the model cannot be reached:
    "judge_locally" lets the bundled classifier decide, "keep_group" ends the chunk with the group
    and cuts a window by layout and sizes, "raise" raises. In any case the verdict states what
    happened."""

    max_concurrency: int | None = Field(default=None, exclude=True)
    """Maximum number of questions in flight, over all texts of a call. With fewer texts than that,
    questions about later parts of the texts are asked in advance; with the method `paper` this
    takes about a tenth more calls. The chunks are the same. The judge is called from several
    threads or tasks, and not in the order of the text. None: one at a time; asynchronous methods
    work on 8 texts at once."""

    store: Named = Field(default=None, exclude=True)
    """A file that caches every answer, so that none is paid for twice. To share answers between
    machines: a `BaseStore` of LangChain or a `BaseKVStore` of LlamaIndex (Redis and others), or a
    function that returns one, which allows pickling. A custom judge needs an attribute `identity`
    for a store. None: answers are not kept."""

    on_segmentation: Named = Field(default=None, exclude=True)
    """Called as soon as a text is split, with the number of the text (from 0), the text, and its
    segmentation, which has failures and usage. Two texts of one list are never reported at once;
    asynchronous methods call it in a thread. An error that it raises ends the splitting."""

    merge_sections: bool = True
    """Whether a chunk of Markdown may hold the text of several sections."""

    tokenizer: Named = DEFAULT_TOKENIZER
    """Counts tokens; see `Chunker`."""

    language: str = "en"
    """ISO 639 code of the language, such as "en", to find sentences."""

    @field_serializer("llm")
    def _serialise(self, llm: Any) -> Any:
        """Return the identity of the model, because its settings may hold credentials."""
        if not isinstance(llm, LLM):
            return describe(llm)
        return {"class_name": llm.class_name(), "identity": LlamaIndexModel(llm).identity}

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Return what `repr` shows: the model without its settings, which may hold credentials."""
        for name, value in super().__repr_args__():
            if name == "llm" and isinstance(self.llm, LLM):
                value = LlamaIndexModel(self.llm)
            yield name, value

    def model_post_init(self, context: Any, /) -> None:
        """Take the model from LlamaIndex's `Settings` if none is given, and check the settings."""
        # `Settings.llm` would create a model of OpenAI if none was assigned.
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
        return chunker.estimate(map(source_of_node, check_nodes(documents)), prices=prices)

    def _make_chunker(self) -> Chunker:
        llm = self.llm
        if isinstance(llm, dict):
            raise TypeError(
                "llm must be a language model of LlamaIndex (LLM), such as OpenAI(model=...), or "
                "another judge, not dict; a serialised parser has no model: pass "
                "from_dict(data, llm=...)"
            )
        if isinstance(llm, LLM):
            llm = LlamaIndexModel(llm)
        return self._build(LumberChunker, judge=choose_judge(llm, self.prompt, self.policy))
