"""Settings of the Lumber splitter in every framework."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Literal

from lumber_core.checks import check_positive
from lumber_core.chunking.settings import (
    DEFAULT_CHUNK_SIZE,
    DEFAULT_TARGET_SIZE,
    AutoSize,
    ChunkerSettings,
    Units,
    chunk_size_setting,
)
from lumber_core.llms.retry import CallPolicy
from lumber_core.lumber.answer_store import AnswerStore
from lumber_core.lumber.fallback import OnFailure
from lumber_core.lumber.judges import JudgeLike
from lumber_core.lumber.prompt import PromptTemplate
from lumber_core.lumber.shared_store import SharedStore
from lumber_core.segmentation import Segmentation
from lumber_core.settings import Setting, one_of, optional
from lumber_core.support.identity import safe_repr

Method = Literal["paper", "window"]


def _check_prompt(name: str, prompt: object) -> None:
    if not isinstance(prompt, PromptTemplate):
        kind = type(prompt)
        raise TypeError(
            f"{name} must be a lumber_core.PromptTemplate, not {kind.__module__}.{kind.__name__}: "
            'PromptTemplate(system="...", user="... {paragraphs} ...")'
        )


def _check_policy(name: str, policy: object) -> None:
    if not isinstance(policy, CallPolicy):
        given = "CallPolicy(**policy)" if isinstance(policy, dict) else "CallPolicy(attempts=6)"
        raise TypeError(
            f"{name} must be a lumber_core.CallPolicy, not {type(policy).__name__}: pass {given}"
        )


def _check_store(name: str, store: Any) -> None:
    del name  # the error says it
    if not isinstance(store, AnswerStore):
        AnswerStore(store)


OnSegmentation = Callable[[int, str, Segmentation], object]
"""Called with a text's number in the call, the text and its segmentation."""


def _check_callable(name: str, function: object) -> None:
    if not callable(function):
        raise TypeError(
            f"{name} must be callable with a number, a text and a segmentation, not "
            f"{safe_repr(function)}"
        )


THETA = 550
"""The default of `theta`."""


class LumberSettings(ChunkerSettings):
    """Settings of the Lumber splitter, except for the judge."""

    theta: Annotated[
        int,
        Setting(
            "Maximum tokens in a group; the paper finds 550 best (section 4), counted as 1.2 per "
            "word, which is about 600 tokens of a real tokenizer. With the method `window` it is "
            "only the maximum of a chunk.",
            check_positive,
        ),
    ] = THETA
    chunk_size: Annotated[AutoSize, chunk_size_setting("`theta`")] = "auto"
    units: Units = "paragraphs"
    method: Annotated[
        Method,
        Setting(
            '"paper" asks for one start at a time, a call for each chunk; "window" asks for all '
            "starts of a long window at once, about a tenth of the calls, and keeps sizes as Bert "
            "does.",
            one_of("paper", "window"),
        ),
    ] = "paper"
    target_size: Annotated[
        int | None,
        Setting(
            "With the method `window`: preferred length of chunks in tokens. None: "
            f"{DEFAULT_TARGET_SIZE / DEFAULT_CHUNK_SIZE:.0%} of the maximum.",
            optional(check_positive),
        ),
    ] = None
    on_failure: Annotated[
        OnFailure,
        Setting(
            "What to do after a refusal, an unreadable answer, or if the model cannot be reached: "
            '"judge_locally" lets the bundled model decide, "keep_group" ends the chunk with the '
            'group and cuts a window by layout and sizes, "raise" raises. In any case the verdict '
            "says what happened.",
            one_of("judge_locally", "keep_group", "raise"),
        ),
    ] = "judge_locally"
    max_concurrency: Annotated[
        int | None,
        Setting(
            "Maximum number of questions in flight, over all texts of a call. If there are fewer "
            "texts, further questions are about other windows of the same text, or work ahead on "
            "it with the method `paper`, which needs about a tenth more calls. The result is the "
            "same. None: one at a time.",
            optional(check_positive),
            changes_result=False,
            objects="The judge is called from several threads or tasks, and not in the order of "
            "the text. Asynchronous methods work on 8 texts at once if it is None.",
        ),
    ] = None
    store: Annotated[
        AnswerStore | SharedStore | str | Path | None,
        Setting(
            "A file that caches every answer, so that none is paid for twice.",
            optional(_check_store),
            changes_result=False,
            objects="To share answers between machines: a `BaseStore` of LangChain or a "
            "`BaseKVStore` of LlamaIndex (Redis and others), or a function that returns one, which "
            "a splitter that is pickled needs. A custom judge needs an attribute `identity` for a "
            "store.",
        ),
    ] = None
    on_segmentation: Annotated[
        OnSegmentation | None,
        Setting(
            "Called as soon as a text is split, with its number in the call (from 0), the text and "
            "its segmentation, which has failures and usage: "
            "`lambda number, text, segmentation: ...`. Within a call it is never called twice at "
            "once; asynchronous methods call it in a thread. An error it raises ends the call.",
            optional(_check_callable),
            changes_result=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: `target_size` is given for the method `paper`, or is above `chunk_size`.
        """
        super().__post_init__()
        if self.method != "window" and self.target_size is not None:
            raise ValueError(
                'target_size has no effect with method "paper": leave it out, or pass '
                'method="window"'
            )
        high, target = self.sizes
        if target is not None and high is not None and target > high:
            raise ValueError(
                f"target_size ({target}) must not be above the {high} tokens that a chunk may have "
                "(chunk_size, or else theta)"
            )

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The hard limit, None for no limit, and the target size, None for none."""
        # The tokens of units, which groups are made by, may add up to less than those of a chunk.
        high = self.theta if self.chunk_size == "auto" else self.chunk_size
        if self.method != "window":
            return high, None
        share = DEFAULT_TARGET_SIZE / DEFAULT_CHUNK_SIZE
        return high, self.target_size or max(1, int((high or self.theta) * share))


class LumberChunkerSettings(LumberSettings):
    """Settings of `LumberChunker`; the judge may be given by position."""

    judge: Annotated[
        JudgeLike,
        Setting(
            "Who decides: a language model (`lumber_core.llms`), or a function or object that "
            "takes a group (`start` and `stop`: unit numbers in the document, half-open; `texts`) "
            "and returns the number of the unit that starts new content, or None. With the method "
            "`window` it returns a list of all such units."
        ),
    ] = field(kw_only=False)


OTHER_JUDGES = (
    "a model of `lumber_core.llms`; or a function or object that takes a group of units and "
    "returns the number of the one that starts new content, or None, or with the method `window` "
    "a list of all such units"
)
"""What the setting `llm` takes in every framework, beside the framework's models."""


class AskedSettings(LumberSettings):
    """Settings of the Lumber splitter in a framework, except for what decides, `llm`."""

    prompt: Annotated[
        PromptTemplate | None,
        Setting(
            "What the model is asked. None: the prompt of this library.", optional(_check_prompt)
        ),
    ] = None
    policy: Annotated[
        CallPolicy | None,
        Setting(
            "Retries and rate limits for the model. None: the defaults of `CallPolicy`.",
            optional(_check_policy),
            changes_result=False,
        ),
    ] = None
