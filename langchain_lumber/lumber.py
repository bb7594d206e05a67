"""LumberChunker for LangChain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_lumber.base import SpanTextSplitter, choose_tokenizer
from lumber_core.llms.retry import CallPolicy
from lumber_core.lumber.cache import AnswerStore
from lumber_core.lumber.chunker import LumberChunker, Method
from lumber_core.lumber.estimate import Prices
from lumber_core.lumber.fallback import OnFailure, choose_judge
from lumber_core.lumber.judges import JudgeLike
from lumber_core.lumber.protocol import PromptTemplate
from lumber_core.tokens import TokenCounterSpec
from lumber_core.units import UnitSpec

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class LumberTextSplitter(SpanTextSplitter):
    """Cuts where a chat model says that the content turns (arXiv 2406.17526).

    Args:
        llm: Any chat model of LangChain. Without one, and without `judge`, the bundled
            BERT decides.
        judge: Decides instead of a model: a function or object that takes a group of units and
            returns the number of the one that starts new content, or None.
        prompt: What the model is asked, in place of the default.
        theta: Most tokens shown to the model at once.
        tokenizer: Counts tokens, "words" unless given; see `lumber_core.LumberChunker`.
        length_function: The same under LangChain's name: a function from a string to a number.
        units: What may not be cut: "paragraphs", "sentences", or a callable from a text to
            `(start, end)` offsets.
        method: "paper", or "published" for the rules of the code released with the paper.
        language: ISO 639 code for finding sentences.
        chunk_size: No chunk counts more tokens. None sets no limit.
        min_chunk_size: Smaller chunks join a neighbour that has room. None sets no limit.
        max_concurrency: Most questions in flight at once; see `lumber_core.LumberChunker`. With
            None, asynchronous methods work on 8 documents at once.
        max_extra_calls: Share of a document's calls that walking ahead may waste, about.
        store: A file that keeps every answer, so that none is paid for twice.
        on_failure: "judge_locally", "keep_group" or "raise" where no usable answer comes.
        policy: How often and how fast the model may be asked.
        prices: What the model costs, for `chunker.estimate`.
        add_start_index: Put the chunk's offset in characters into `metadata["start_index"]`.
        strip_whitespace: Trim white space at both ends of a chunk.

    Raises:
        ValueError: A number is out of range, a name is unknown, or both `llm` and `judge` or
            `prompt` or `policy` without `llm` are given.
        TypeError: An argument has the wrong type.
    """

    def __init__(
        self,
        llm: BaseChatModel | None = None,
        *,
        judge: JudgeLike | None = None,
        prompt: PromptTemplate | None = None,
        theta: int = 550,
        tokenizer: TokenCounterSpec | None = None,
        length_function: Callable[[str], int] | None = None,
        units: UnitSpec = "paragraphs",
        method: Method = "paper",
        language: str = "en",
        chunk_size: int | None = None,
        min_chunk_size: int | None = None,
        max_concurrency: int | None = None,
        max_extra_calls: float = 0.05,
        store: AnswerStore | str | Path | None = None,
        on_failure: OnFailure = "judge_locally",
        policy: CallPolicy | None = None,
        prices: Prices | None = None,
        add_start_index: bool = False,
        strip_whitespace: bool = True,
    ) -> None:
        model = None
        if llm is not None:
            # Deferred: LangChain's language models are slow to import, splitters without one
            # should not wait for them.
            from langchain_lumber.chat_model import ChatModel

            model = ChatModel(llm)
        chunker = LumberChunker(
            choose_judge(model, judge, prompt, policy),
            theta=theta,
            tokenizer=choose_tokenizer(tokenizer, length_function, "words"),
            units=units,
            method=method,
            language=language,
            chunk_size=chunk_size,
            min_chunk_size=min_chunk_size,
            max_concurrency=max_concurrency,
            max_extra_calls=max_extra_calls,
            store=store,
            on_failure=on_failure,
            prices=prices,
        )
        super().__init__(
            chunker, add_start_index=add_start_index, strip_whitespace=strip_whitespace
        )
