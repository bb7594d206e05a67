"""A LlamaIndex language model as the core's `Model`."""

from __future__ import annotations

import inspect
from typing import Any

from llama_index.core.llms import LLM, ChatMessage, ChatResponse, CustomLLM, MessageRole

from lumber_core.concurrency import in_thread
from lumber_core.deadlines import call_within
from lumber_core.identity import settings_digest
from lumber_core.llms.base import Answers, Completion

_IN_LINE = inspect.unwrap(CustomLLM.achat)  # the asynchronous method that calls the synchronous one

# Settings of LLMs that change how they are called, but not what they answer.
_NO_INFLUENCE = frozenset(
    (
        "async_http_client",
        "callback_manager",
        "http_client",
        "max_retries",
        "num_workers",
        "rate_limiter",
        "request_timeout",
        "reuse_client",
        "timeout",
    )
)
_PROMPT_TOKENS = ("prompt_tokens", "input_tokens", "prompt_token_count")
_COMPLETION_TOKENS = ("completion_tokens", "output_tokens", "candidates_token_count")


class LlamaIndexModel:
    """Asks a LlamaIndex LLM; its callbacks and instrumentation apply.

    Args:
        llm: The model.
    """

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def identity(self) -> str:
        """The class, the model's name, and a digest of all settings that may change answers."""
        settings = {name: getattr(self._llm, name) for name in type(self._llm).model_fields}
        digest = settings_digest(settings, without=_NO_INFLUENCE)
        return f"llama-index:{self._llm.class_name()}:{self._llm.metadata.model_name}:{digest}"

    @property
    def client_retries(self) -> int:
        """Retries that the LLM makes itself; `CallPolicy` counts them."""
        return int(getattr(self._llm, "max_retries", None) or 0)

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Answer `user`, following the instructions in `system`."""
        del answers
        return _completion(self._llm.chat(_messages(system, user)))

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`."""
        del answers
        if inspect.unwrap(type(self._llm).achat) is _IN_LINE:
            # LlamaIndex would block the event loop until the answer has come.
            return await in_thread(call_within, None, self.complete, system, user)
        return _completion(await self._llm.achat(_messages(system, user)))

    def __repr__(self) -> str:
        return f"LlamaIndexModel({self._llm.class_name()}, {self._llm.metadata.model_name!r})"


def _messages(system: str, user: str) -> list[ChatMessage]:
    return [
        ChatMessage(role=MessageRole.SYSTEM, content=system),
        ChatMessage(role=MessageRole.USER, content=user),
    ]


def _completion(response: ChatResponse) -> Completion:
    sources = [response.additional_kwargs, _get(response.raw, "usage"), response.raw]
    choices = _get(response.raw, "choices")
    choice = choices[0] if choices else response.raw
    reason = _get(choice, "finish_reason") or _get(choice, "stop_reason") or ""
    return Completion(
        text=response.message.content or "",
        prompt_tokens=_first(sources, _PROMPT_TOKENS),
        completion_tokens=_first(sources, _COMPLETION_TOKENS),
        finish_reason=str(reason),
    )


def _get(source: Any, name: str) -> Any:
    """Return a field of a dict or an object; integrations return either."""
    return source.get(name) if isinstance(source, dict) else getattr(source, name, None)


def _first(sources: list[Any], names: tuple[str, ...]) -> int:
    """Return the first count that any of `sources` has under any of `names`, else 0."""
    for source in sources:
        for name in names:
            value = _get(source, name)
            if isinstance(value, int):
                return value
    return 0
