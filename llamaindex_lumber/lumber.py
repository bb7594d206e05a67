"""LumberChunker for LlamaIndex."""

from __future__ import annotations

from llama_index.core.bridge.pydantic import Field, SerializeAsAny
from llama_index.core.llms import LLM

from llamaindex_lumber.base import Named, SpanNodeParser
from llamaindex_lumber.llm import LlamaIndexModel
from lumber_core.chunker import Chunker
from lumber_core.llms.retry import CallPolicy
from lumber_core.lumber.chunker import LumberChunker, Method
from lumber_core.lumber.estimate import Prices
from lumber_core.lumber.fallback import OnFailure, choose_judge
from lumber_core.lumber.protocol import PromptTemplate


class LumberNodeParser(SpanNodeParser):
    """Cuts where a language model says that the content turns (arXiv 2406.17526).

    Raises:
        ValueError: A number is out of range, a name is unknown, or both `llm` and `judge` or
            `prompt` or `policy` without `llm` are given.
        TypeError: A setting has the wrong type.
    """

    llm: SerializeAsAny[LLM] | None = Field(
        default=None,
        description="The model that is asked. Without one, and without judge, the "
        "bundled BERT decides.",
    )
    judge: Named = Field(
        default=None,
        description="Decides instead of a model: takes a group of units and returns the number "
        "of the one that starts new content, or None.",
    )
    prompt: PromptTemplate | None = Field(
        default=None, description="What the model is asked, in place of the default."
    )
    theta: int = Field(default=550, description="Most tokens shown to the model at once.")
    tokenizer: Named = Field(
        default="words", description="Counts tokens; see lumber_core.tokens.token_counter."
    )
    units: Named = Field(
        default="paragraphs",
        description='What may not be cut: "paragraphs", "sentences", or a callable that finds '
        "(start, end) offsets.",
    )
    method: Method = Field(
        default="paper",
        description='"paper", or "published" for the rules of the code released with the paper.',
    )
    on_failure: OnFailure = Field(
        default="judge_locally",
        description='"judge_locally", "keep_group" or "raise" where no usable answer comes.',
    )
    max_concurrency: int | None = Field(
        default=None,
        exclude=True,
        description="Most questions in flight at once; changes nothing of the result. With None, "
        "asynchronous methods work on 8 documents at once.",
    )
    max_extra_calls: float = Field(
        default=0.05,
        exclude=True,
        description="Share of a document's calls that walking ahead may waste, about.",
    )
    store: str | None = Field(
        default=None,
        exclude=True,
        description="A file that keeps every answer, so that none is paid for twice.",
    )
    policy: CallPolicy | None = Field(
        default=None, exclude=True, description="How often and how fast the model may be asked."
    )
    prices: Prices | None = Field(
        default=None, exclude=True, description="What the model costs, for chunker.estimate."
    )

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serialises the parser."""
        return "LumberNodeParser"

    def _make_chunker(self) -> Chunker:
        model = None if self.llm is None else LlamaIndexModel(self.llm)
        return LumberChunker(
            choose_judge(model, self.judge, self.prompt, self.policy),
            theta=self.theta,
            tokenizer=self.tokenizer,
            units=self.units,
            method=self.method,
            language=self.language,
            chunk_size=self.chunk_size,
            min_chunk_size=self.min_chunk_size,
            max_concurrency=self.max_concurrency,
            max_extra_calls=self.max_extra_calls,
            store=self.store,
            on_failure=self.on_failure,
            prices=self.prices,
        )
