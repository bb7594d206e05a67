"""LumberChunker for LangChain."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_core.documents import Document
from typing_extensions import Never

from langchain_lumber.span_text_splitter import SpanTextSplitter, check_documents
from lumber_core.chunking.size_settings import ChunkSize
from lumber_core.llms.retry import CallPolicy
from lumber_core.lumber.answer_store import AnswerStore
from lumber_core.lumber.cost_estimate import Estimate, Prices
from lumber_core.lumber.fallback import OnFailure, choose_judge
from lumber_core.lumber.judges import JudgeLike
from lumber_core.lumber.lumber_chunker import THETA, LumberChunker, Method, OnSegmentation
from lumber_core.lumber.prompt import PromptTemplate
from lumber_core.storage.shared_cache import SharedStore
from lumber_core.text.units import UnitSpec
from lumber_core.tokens import DEFAULT_TOKENIZER, TokenCounterSpec

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


# Objects of these modules go to `ChatModel`, which refuses those that are not chat models.
_LANGUAGE_MODELS = ("langchain_core.language_models", "langchain_core.runnables")


class LumberTextSplitter(SpanTextSplitter):
    r"""Cuts at the topic shifts that a chat model names (LumberChunker, arXiv 2406.17526).

    `chunk_overlap`, `add_start_index`, `add_metadata`, `context`, `stable_ids`, `strip_whitespace`
    and `show_progress` are those of `SpanTextSplitter`.

    Args:
        llm: Names topic shifts: any chat model of LangChain, a model of `lumber_core.llms`, or a
            function or object that takes a group of units and returns the number of the unit that
            starts new content or None; with the method `window`, a list of all such units. None:
            the bundled classifier decides.
        prompt: The prompt of the model. None: the prompt of this library.
        policy: Retries and rate limits for the model. None: the defaults of `CallPolicy`.
        theta: Maximum tokens in a group; the paper finds 550 best (section 4), counted as 1.2 per
            word, which is about 600 tokens of a real tokenizer. With the method `window` it is only
            the maximum of a chunk.
        chunk_size: Maximum tokens in a chunk, for any text: a hard limit. "auto": `theta`. None: no
            limit.
        min_chunk_size: Minimum tokens in a chunk: smaller ones are merged with a neighbour that has
            room. None: no limit.
        units: Units that the judge names, cut only if they exceed the limit: "paragraphs",
            "sentences", "sentences_and_lines", "markdown", or a callable from a text to
            `(start, end)` offsets.
        method: How the judge is asked: "paper" for one start at a time, a call for each chunk;
            "window" for all starts of a long window at once, about a tenth of the calls, with sizes
            chosen as in Bert.
        target_size: With the method `window`: preferred length of chunks in tokens. None: 78 % of
            the maximum.
        on_failure: What to do after a refusal, an unreadable answer, or if the model cannot be
            reached: "judge_locally" lets the bundled classifier decide, "keep_group" ends the chunk
            with the group and cuts a window by layout and sizes, "raise" raises. In any case the
            verdict states what happened.
        max_concurrency: Maximum number of questions in flight, over all texts of a call. With fewer
            texts than that, questions about later parts of the texts are asked in advance; with the
            method `paper` this takes about a tenth more calls. The chunks are the same. The judge
            is called from several threads or tasks, and not in the order of the text. None: one at
            a time; asynchronous methods work on 8 texts at once.
        store: A file that caches every answer, so that none is paid for twice. To share answers
            between machines: a `BaseStore` of LangChain or a `BaseKVStore` of LlamaIndex (Redis and
            others), or a function that returns one, which allows pickling. A custom judge needs an
            attribute `identity` for a store. None: answers are not kept.
        on_segmentation: Called as soon as a text is split, with the number of the text (from 0),
            the text, and its segmentation, which has failures and usage. Two texts of one list are
            never reported at once; asynchronous methods call it in a thread. An error that it
            raises ends the splitting.
        merge_sections: Whether a chunk of Markdown may hold the text of several sections.
        tokenizer: Counts tokens; see `Chunker`.
        language: ISO 639 code of the language, such as "en", to find sentences.
        length_function: LangChain's name for `tokenizer`: a function that counts tokens.
        **unknown: Any other setting raises a TypeError that names the nearest one here.

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

    def __init__(
        self,
        llm: BaseChatModel | JudgeLike | None = None,
        *,
        prompt: PromptTemplate | None = None,
        policy: CallPolicy | None = None,
        theta: int = THETA,
        chunk_size: ChunkSize = "auto",
        min_chunk_size: int | None = None,
        units: UnitSpec = "paragraphs",
        method: Method = "paper",
        target_size: int | None = None,
        on_failure: OnFailure = "judge_locally",
        max_concurrency: int | None = None,
        store: AnswerStore | SharedStore | str | Path | None = None,
        on_segmentation: OnSegmentation | None = None,
        merge_sections: bool = True,
        tokenizer: TokenCounterSpec = DEFAULT_TOKENIZER,
        language: str = "en",
        length_function: Callable[[str], int] | None = None,
        chunk_overlap: int = 0,
        add_start_index: bool = False,
        add_metadata: bool = False,
        context: bool = False,
        stable_ids: bool = False,
        strip_whitespace: bool = True,
        show_progress: bool = False,
        **unknown: Never,
    ) -> None:
        """Make the splitter: sizes are in tokens, and the class describes each setting."""
        settings, judge = locals(), llm
        if any(kind.__module__.startswith(_LANGUAGE_MODELS) for kind in type(llm).__mro__):
            # Deferred: LangChain's language models are slow to import, and splitters without one
            # should not wait for them.
            from langchain_lumber.chat_model import ChatModel

            judge = ChatModel(judge)
        self._start(LumberChunker, settings, judge=choose_judge(judge, prompt, policy))

    def estimate(self, documents: Iterable[Document], *, prices: Prices | None = None) -> Estimate:
        """Estimate the cost of splitting documents, without calling a model.

        Args:
            documents: The documents.
            prices: What the model costs. None: the estimate has no cost.

        Returns:
            Calls, tokens and cost, each as lowest, most likely and highest value; a table if
            printed or displayed by a notebook. See `LumberChunker.estimate`.
        """
        assert isinstance(self._chunker, LumberChunker)
        sources = map(self._source_of, check_documents(documents))
        return self._chunker.estimate(sources, prices=prices)
