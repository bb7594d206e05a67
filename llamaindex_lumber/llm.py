"""A LlamaIndex language model as the core's `Model`."""

from __future__ import annotations

import inspect
from typing import Any

from llama_index.core.llms import ChatMessage, ChatResponse, CustomLLM, MessageRole

from lumber_core.llms.framework import FrameworkModel
from lumber_core.llms.model import Completion

_IN_LINE = inspect.unwrap(CustomLLM.achat)  # the asynchronous method that calls the synchronous one

_PROMPT_TOKENS = ("prompt_tokens", "input_tokens", "prompt_token_count")
_COMPLETION_TOKENS = ("completion_tokens", "output_tokens", "candidates_token_count")


class LlamaIndexModel(FrameworkModel):
    """Asks a LlamaIndex LLM.

    Args:
        llm: The model.
    """

    _framework = "llama-index"

    def _names(self) -> tuple[str, str]:
        return self._llm.class_name(), self._llm.metadata.model_name

    def _is_synchronous(self) -> bool:
        return inspect.unwrap(type(self._llm).achat) is _IN_LINE

    def _ask(self, system: str, user: str) -> Completion:
        return _completion(self._llm.chat(_messages(system, user)))

    async def _aask(self, system: str, user: str) -> Completion:
        return _completion(await self._llm.achat(_messages(system, user)))


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
