"""A LlamaIndex language model as the core's `Model`."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any

from llama_index.core.llms import LLM, ChatMessage, ChatResponse, CustomLLM, MessageRole
from llama_index.core.llms.structured_llm import StructuredLLM

from lumber_core.llms.framework import FrameworkModel
from lumber_core.llms.model import Completion
from lumber_core.llms.model_replies import read_reply

_BLOCKING_ACHAT = inspect.unwrap(CustomLLM.achat)  # it calls `chat` on the event loop


class LlamaIndexModel(FrameworkModel):
    """Asks a LlamaIndex LLM.

    Args:
        llm: The model.

    Raises:
        TypeError: The model answers with objects instead of text.
    """

    _framework = "llama-index"

    def __init__(self, llm: LLM) -> None:
        if isinstance(llm, StructuredLLM):
            raise TypeError("llm answers with objects (StructuredLLM): pass its model, llm.llm")
        super().__init__(llm, [(llm, {})])

    def _names(self, model: Any) -> tuple[str, str]:
        name = getattr(model, "model", None)
        return model.class_name(), name if isinstance(name, str) else model.metadata.model_name

    def _settings(self, model: Any) -> dict[str, object]:
        with suppress(Exception):  # Ollama asks its server for the context that it then sends
            _ = model.metadata
        return super()._settings(model)

    def _is_synchronous(self, model: Any) -> bool:
        return inspect.unwrap(type(model).achat) is _BLOCKING_ACHAT

    def _ask(self, system: str, user: str) -> Completion:
        return _completion(self._llm.chat(_messages(system, user)))

    async def _aask(self, system: str, user: str) -> Completion:
        return _completion(await self._llm.achat(_messages(system, user)))


def _messages(system: str, user: str) -> list[ChatMessage]:
    return [ChatMessage(system, role=MessageRole.SYSTEM), ChatMessage(user, role=MessageRole.USER)]


def _completion(response: ChatResponse) -> Completion:
    # The provider's own usage comes first: it may count thoughts, which the framework leaves out.
    return read_reply(
        response.message.content or "",
        response.raw,
        response.additional_kwargs,
        response.message.additional_kwargs,
        response.message.blocks,
    )
