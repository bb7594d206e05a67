"""HyDE: a passage that might answer the question is embedded instead of the question.

After Gao et al., "Precise zero-shot dense retrieval without relevance labels": a made-up passage is
closer to the true one than the question is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from lumber_core.llms.base import Model
from lumber_core.llms.retry import CallPolicy
from lumber_core.lumber.prompt import folded
from lumber_core.segmentation import Usage
from lumber_evaluation.documents import Question
from lumber_evaluation.llm.asking import Ask, Template, UnusableReplyError, ask_all
from lumber_evaluation.llm.cached_model import CompletionStore

HYPOTHESIS = Template(
    system="""\
You write a passage as it might stand in a document that answers a question.

Write three to five sentences in the manner of such a document, stating an answer as a fact. Where \
you do not know it, make up a likely one. Do not address the reader, and do not say that it is \
made up.

Reply with the passage and nothing else.""",
    user="Question: {question}",
)
"""Asks for a passage; has the placeholder `{question}`."""


@dataclass(frozen=True, slots=True)
class QueryTexts:
    """Texts to embed instead of questions.

    Attributes:
        texts: One for each question, in order: a hypothetical passage, or the question itself
            if there is none.
        failures: Number and reason of each question without a passage.
        usage: Cost of the calls; zero for stored answers. Not compared by `==`.
    """

    texts: tuple[str, ...]
    failures: tuple[tuple[int, str], ...]
    usage: Usage = field(default=Usage(), compare=False)


def hypothetical_passages(
    questions: Iterable[Question],
    model: Model,
    *,
    prompt: Template = HYPOTHESIS,
    store: CompletionStore | str | Path | None = None,
    policy: CallPolicy | None = None,
    max_concurrency: int = 8,
    show_progress: bool = False,
) -> QueryTexts:
    """Write a hypothetical passage for each question.

    Args:
        questions: The questions.
        model: Writes the passages.
        prompt: The prompt; needs the placeholder `{question}`.
        store: Where completions are cached. A second run costs nothing.
        policy: Retries and rate limits.
        max_concurrency: Maximum number of questions in flight; the result does not depend on it.
        show_progress: Whether to show a progress bar.

    Returns:
        Texts for the argument `query_texts` of `retrieve`.

    Raises:
        ModelSettingsError: The model rejects the key, its name or the settings.
        StoreError: The store cannot be used.
    """
    prompt.require("question")
    asked = [question.question for question in questions]
    replies = ask_all(
        model,
        [Ask(*prompt.fill(question=question), _read) for question in asked],
        store=store,
        policy=policy,
        max_concurrency=max_concurrency,
        show_progress=show_progress,
        title="hypothetical passages",
    )
    return QueryTexts(
        tuple(reply.value or text for text, reply in zip(asked, replies, strict=True)),
        tuple((n, reply.reason) for n, reply in enumerate(replies) if reply.outcome != "read"),
        sum((reply.usage for reply in replies), Usage()),
    )


def _read(reply: str) -> str:
    passage = folded(reply)
    if not passage:
        raise UnusableReplyError("the passage is empty")
    return passage
