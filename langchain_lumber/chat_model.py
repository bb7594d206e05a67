"""A LangChain chat model as the core's `Model`."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel, SimpleChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from lumber_core.llms.framework import FrameworkModel
from lumber_core.llms.model import Completion

# Asynchronous methods that call the synchronous one in a thread.
_IN_THREADS = (BaseChatModel._agenerate, SimpleChatModel._agenerate)


class ChatModel(FrameworkModel):
    """Asks a LangChain chat model.

    Args:
        llm: The chat model.

    Raises:
        TypeError: `llm` is not a chat model.
    """

    _framework = "langchain"
    _default_retries = 2  # of the packages openai and anthropic

    def __init__(self, llm: BaseChatModel) -> None:
        if not isinstance(llm, BaseChatModel):
            raise TypeError(
                f"llm must be a LangChain chat model (BaseChatModel), not {type(llm).__name__}"
            )
        super().__init__(llm)

    def _settings(self) -> dict[str, object]:
        return {**super()._settings(), "identifying": dict(self._llm._identifying_params)}

    def _names(self) -> tuple[str, str]:
        name = getattr(self._llm, "model_name", None) or getattr(self._llm, "model", None)
        return type(self._llm).__qualname__, name if isinstance(name, str) else ""

    def _is_synchronous(self) -> bool:
        return type(self._llm)._agenerate in _IN_THREADS

    def _ask(self, system: str, user: str) -> Completion:
        return _completion(self._llm.invoke(_messages(system, user)))

    async def _aask(self, system: str, user: str) -> Completion:
        return _completion(await self._llm.ainvoke(_messages(system, user)))


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
