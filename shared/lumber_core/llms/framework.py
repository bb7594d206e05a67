"""A framework's language model as the core's `Model`: what LangChain's and LlamaIndex's share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from lumber_core.calls.deadlines import call_within
from lumber_core.calls.threads import in_thread
from lumber_core.llms.model import Answers, Completion
from lumber_core.llms.routes import routes_of, url_of
from lumber_core.support.identity import settings_digest
from lumber_core.support.secrets import public_url

# Settings that change how a model is called, but not what it answers.
_NO_INFLUENCE = frozenset(
    (
        *("client", "async_client", "root_client", "root_async_client", "reuse_client"),
        *("http_client", "http_async_client", "async_http_client", "http_socket_options"),
        *("cache", "callback_manager", "callbacks", "metadata", "name", "tags", "verbose"),
        *("max_retries", "rate_limiter", "request_timeout", "timeout", "num_workers"),
        *("streaming", "disable_streaming", "stream_usage", "stream_chunk_timeout"),
        *("custom_get_token_ids", "profile"),
        "i",  # the position of LangChain's fake models in their answers
    )
)


class FrameworkModel(ABC):
    """Asks a framework's language model; its callbacks, retries and rate limits apply.

    Args:
        llm: The model, whose settings are fields of pydantic.
    """

    _framework: ClassVar[str]
    _default_retries: ClassVar[int] = 0
    """Retries of a client whose setting `max_retries` is None."""

    def __init__(self, llm: Any) -> None:
        self._llm = llm

    @property
    def identity(self) -> str:
        """The class, the model's name, and a digest of all settings that may change answers."""
        # A client may have its URL and headers from the environment, or be one of the user's own.
        routes = routes_of(self._llm)
        settings = {**self._settings(), **({"routes": routes} if routes else {})}
        digest = settings_digest(settings, without=_NO_INFLUENCE)
        return ":".join(filter(None, [self._framework, *self._names(), digest]))

    @property
    def server(self) -> str:
        """The server's URL, as errors name it; "" if it is unknown."""
        return public_url(url_of(routes_of(self._llm)) or "")

    @property
    def client_retries(self) -> int:
        """Retries that the model makes itself; `CallPolicy` counts them."""
        own = getattr(self._llm, "max_retries", 0)
        return self._default_retries if own is None else int(own)

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Answer `user`, following the instructions in `system`."""
        del answers
        return self._ask(system, user)

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`."""
        del answers
        if self._is_synchronous():
            # The framework would block the event loop, or use one of the loop's own threads. All of
            # these may be waiting for this answer, and a cancellation would lose it.
            return await in_thread(call_within, None, self._ask, system, user)
        return await self._aask(system, user)

    def _settings(self) -> dict[str, object]:
        return {name: getattr(self._llm, name) for name in type(self._llm).model_fields}

    @abstractmethod
    def _names(self) -> tuple[str, str]:
        """Return the names of the class and of the model, which may be ""."""

    @abstractmethod
    def _is_synchronous(self) -> bool:
        """Return whether the model's asynchronous method calls the synchronous one."""

    @abstractmethod
    def _ask(self, system: str, user: str) -> Completion: ...

    @abstractmethod
    async def _aask(self, system: str, user: str) -> Completion: ...

    def __repr__(self) -> str:
        kind, name = self._names()
        return f"{type(self).__name__}({kind}{f', {name!r}' if name else ''})"
