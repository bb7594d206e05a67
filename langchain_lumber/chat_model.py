"""A LangChain chat model as the core's `Model`."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel, SimpleChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.config import merge_configs
from langchain_core.runnables.configurable import DynamicRunnable

from lumber_core.llms.framework import FrameworkModel
from lumber_core.llms.model import Completion
from lumber_core.llms.model_replies import read_reply

# Asynchronous methods that call the synchronous one in a thread.
_IN_THREADS = (BaseChatModel._agenerate, SimpleChatModel._agenerate)


class ChatModel(FrameworkModel):
    """Asks a LangChain chat model.

    Args:
        llm: The chat model; the result of its `with_fallbacks`, `with_retry`, `with_config`,
            `bind`, `configurable_fields` or `configurable_alternatives`; or a configurable model
            of `init_chat_model`.

    Raises:
        TypeError: `llm` is none of these.
    """

    _framework = "langchain"
    _default_retries = 2  # default of the packages openai and anthropic

    def __init__(self, llm: Any) -> None:
        super().__init__(llm, _models_in(llm, {}))

    @property
    def client_retries(self) -> int:
        """Number of retries of LangChain and of the provider's client together."""
        attempts = getattr(self._llm, "max_attempt_number", 1)  # set by with_retry
        return int(attempts * (1 + super().client_retries) - 1)

    def _settings(self, model: Any) -> dict[str, object]:
        return {**super()._settings(model), "identifying": dict(model._identifying_params)}

    def _names(self, model: Any) -> tuple[str, str]:
        name = getattr(model, "model_name", None) or getattr(model, "model", None)
        return type(model).__qualname__, name if isinstance(name, str) else ""

    def _is_synchronous(self, model: Any) -> bool:
        return type(model)._agenerate in _IN_THREADS

    def _ask(self, system: str, user: str) -> Completion:
        return _completion(self._llm.invoke([SystemMessage(system), HumanMessage(user)]))

    async def _aask(self, system: str, user: str) -> Completion:
        return _completion(await self._llm.ainvoke([SystemMessage(system), HumanMessage(user)]))


def _models_in(llm: Any, config: RunnableConfig) -> list[tuple[Any, dict[str, object]]]:
    """Return the chat models that may answer, each with the arguments that are bound to it."""
    if isinstance(llm, BaseChatModel):
        return [(llm, {})]
    if isinstance(llm, RunnableWithFallbacks):
        return [pair for model in llm.runnables for pair in _models_in(model, config)]
    if isinstance(llm, RunnableBindingBase):
        bound = _models_in(llm.bound, merge_configs(llm.config, config))
        return [(model, {**arguments, **llm.kwargs}) for model, arguments in bound]
    if isinstance(llm, DynamicRunnable):
        return _models_in(*llm.prepare(config))
    if callable(getattr(type(llm), "_model", None)):  # a configurable model of init_chat_model
        try:
            return _models_in(llm._model(config), config)
        except TypeError as error:
            raise TypeError(
                "llm has no model by default: pass llm.with_config(configurable={'model': ...})"
            ) from error
    kind = type(llm).__name__
    raise TypeError(
        f"llm must be a LangChain chat model (BaseChatModel), alone or with fallbacks, retries or "
        f"a configuration, not {kind}: pass the model, not a chain. prompt=PromptTemplate(...) "
        "sets what it is asked, and no output parser is needed"
    )


def _completion(message: AIMessage) -> Completion:
    metadata = message.response_metadata, message.additional_kwargs
    content = message.content, message.tool_calls
    return read_reply(str(message.text), *metadata, *content, usage=message.usage_metadata)
