"""A LangChain chat model as the core's `Model`."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel, SimpleChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from lumber_core.concurrency import in_thread
from lumber_core.deadlines import call_within
from lumber_core.identity import settings_digest
from lumber_core.llms.base import Answers, Completion

# Asynchronous methods that call the synchronous one in a thread.
_IN_THREADS = (BaseChatModel._agenerate, SimpleChatModel._agenerate)

# Settings of chat models that change how they are called, but not what they answer.
_NO_INFLUENCE = frozenset(
    (
        "async_client",
        "cache",
        "callbacks",
        "client",
        "custom_get_token_ids",
        "disable_streaming",
        "http_async_client",
        "http_client",
        "http_socket_options",
        "i",  # the position of LangChain's fake models in their answers
        "max_retries",
        "metadata",
        "name",
        "profile",
        "rate_limiter",
        "request_timeout",
        "root_async_client",
        "root_client",
        "stream_chunk_timeout",
        "stream_usage",
        "streaming",
        "tags",
        "timeout",
        "verbose",
    )
)
_PACKAGES_RETRIES = 2  # of the packages openai and anthropic, if LangChain's setting is None


class ChatModel:
    """Asks a LangChain chat model; its callbacks, retries and rate limits apply.

    Args:
        llm: The chat model.

    Raises:
        TypeError: `llm` is not a chat model.
    """

    def __init__(self, llm: BaseChatModel) -> None:
        if not isinstance(llm, BaseChatModel):
            raise TypeError(
                f"llm must be a LangChain chat model (BaseChatModel), not {type(llm).__name__}"
            )
        self._llm = llm

    @property
    def identity(self) -> str:
        """The class, the model's name, and a digest of all settings that may change answers."""
        settings = {name: getattr(self._llm, name) for name in type(self._llm).model_fields}
        settings["identifying"] = dict(self._llm._identifying_params)
        digest = settings_digest(settings, without=_NO_INFLUENCE)
        named = [type(self._llm).__qualname__, self._name, digest]
        return ":".join(["langchain", *filter(None, named)])

    @property
    def client_retries(self) -> int:
        """Retries that the chat model makes itself; `CallPolicy` counts them."""
        if not hasattr(self._llm, "max_retries"):
            return 0
        own = self._llm.max_retries
        return _PACKAGES_RETRIES if own is None else int(own)

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Answer `user`, following the instructions in `system`."""
        del answers
        return _completion(self._llm.invoke(_messages(system, user)))

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`."""
        del answers
        if type(self._llm)._agenerate in _IN_THREADS:
            # LangChain would use one of the event loop's own threads. All of these may be waiting
            # for this answer, and a cancellation would lose it.
            return await in_thread(call_within, None, self.complete, system, user)
        return _completion(await self._llm.ainvoke(_messages(system, user)))

    @property
    def _name(self) -> str:
        name = getattr(self._llm, "model_name", None) or getattr(self._llm, "model", None)
        return name if isinstance(name, str) else ""

    def __repr__(self) -> str:
        return f"ChatModel({type(self._llm).__name__}{f', {self._name!r}' if self._name else ''})"


def _messages(system: str, user: str) -> list[BaseMessage]:
    return [SystemMessage(system), HumanMessage(user)]


def _completion(message: AIMessage) -> Completion:
    usage: Any = message.usage_metadata or {}
    details = message.response_metadata or {}
    reason = details.get("finish_reason") or details.get("stop_reason") or ""
    return Completion(
        text=str(message.text),
        prompt_tokens=usage.get("input_tokens", 0),
        completion_tokens=usage.get("output_tokens", 0),
        finish_reason=str(reason),
    )
