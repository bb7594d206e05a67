"""Asks a language model to answer a question from passages, and looks up its quotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lumber_cli.passage_formats import is_converted
from lumber_core.errors import LumberError
from lumber_core.llms import CallPolicy, Model, RetryingModel
from lumber_core.llms.error_kinds import is_blocked, is_cut
from lumber_core.llms.reasoning import without_reasoning
from lumber_core.llms.retry import ask_until_usable
from lumber_core.support.wording import with_noun
from lumber_core.text.source import Source
from lumber_core.text.unicode import encodable
from lumber_retrieval.citing.citations import NO_QUOTE
from lumber_retrieval.citing.quoted_answers import (
    QUOTING_INSTRUCTIONS,
    QUOTING_QUESTION,
    CitedAnswer,
    cite_answer,
    write_passages,
)
from lumber_retrieval.passages.joining import Passage


def answer_from(
    passages: Sequence[Passage],
    question: str,
    documents: Mapping[str, Source],
    model: Model,
    policy: CallPolicy,
) -> tuple[CitedAnswer | None, str]:
    """Return a model's answer from passages, or None, and a warning about it, or "".

    The model is asked again if its answer lacks quotes or no passage contains them.
    """
    from lumber_core.lumber.answer_parser import is_refusal  # deferred, as in `Group.read`

    context = write_passages((passage.document, passage.in_context) for passage in passages)
    user = QUOTING_QUESTION.format(context=context, question=question)
    retrying = RetryingModel(model, policy)
    last = CitedAnswer("")

    def ask(prompt: str) -> tuple[CitedAnswer, str]:
        nonlocal last
        completion = retrying.complete(QUOTING_INSTRUCTIONS, prompt)
        if is_blocked(completion.finish_reason):
            raise LumberError(f"the provider blocked it: {completion.finish_reason}")
        reply = without_reasoning(encodable(completion.text))
        if reply.strip():
            last = cite_answer(reply, [*passages, *documents.values()])
        empty = f"the reply {'has only reasoning' if completion.text.strip() else 'is empty'}"
        fault = _fault(last)[0] if reply.strip() else empty
        if fault and is_refusal(reply):
            raise LumberError("the model declined to answer")
        if fault and is_cut(completion.finish_reason):
            fault += "; it was cut off at the model's maximum number of tokens"
        return last, fault

    try:
        last, fault = ask_until_usable(user, ask, repeats=policy.repeats)
    except LumberError as error:
        return None, no_answer(error)
    if not last.text:
        return None, no_answer(fault or "it finds none in these passages")
    citations = [
        # The lines of a converted text are not those of its file.
        replace(cited, lines=None) if cited.document and is_converted(cited.document) else cited
        for cited in last.citations
    ]
    return replace(last, citations=tuple(citations)), _fault(last)[1]


def no_answer(why: object) -> str:
    """Return the message that there is no answer, with the reason."""
    return f"no answer from the model: {why}"


def _fault(answer: CitedAnswer) -> tuple[str, str]:
    """Return the fault of an answer, for the model and for the user; "" if there is none."""
    if answer.missing:
        return (
            f"no passage has these quotes word for word: {'; '.join(map(repr, answer.missing))}",
            f"{len(answer.missing)} of the model's {with_noun(len(answer.citations), 'quote')} "
            "not found in the files: do not rely on statements that cite them",
        )
    if answer.text and not answer.citations:
        return (
            "there are no numbered quotes below the answer",
            "the model quotes nothing, so its answer may not be in the files: read the passages",
        )
    if NO_QUOTE in answer.text:
        return (
            "a number in the answer has no quote below it",
            f"the model gave no quote where {NO_QUOTE} stands: do not rely on these statements",
        )
    return "", ""
