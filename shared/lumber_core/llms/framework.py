"""The base of bridges from LangChain's and LlamaIndex's language models to the core's `Model`."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar

from lumber_core.calls.deadlines import call_within
from lumber_core.calls.threads import in_thread
from lumber_core.errors import BadReplyError
from lumber_core.llms.error_kinds import finish_reason_of, is_of_ended_loop, trouble_of
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
        *("rate_limiter", "num_workers", "custom_get_token_ids", "profile"),
        *("keep_alive", "validate_model_on_init"),  # Ollama
        "aws_access_key_id",  # changes with the key
        "i",  # the position of LangChain's fake models in their list of answers
    )
)
# Parts of the names of further settings without influence on answers; they may be nested.
_TRANSPORT = r"(?i)(?:^|_)(?:retry|retries|timeouts?|stream|streaming)(?:$|_)|timeout$|retries$"
# Private attributes that hold a client's state, not its settings.
_STATE = (
    r"(?:^|_)(?:calls?|counter|history|last|lock|meta|metadata|requests?|state|usage)(?:$|_)"
    r"|^_(?:cache|count|default_model_name)$"
)
# The clients of OpenAI and Anthropic wait 0.38 s or more before their first retry, those of Google
# and LlamaIndex a second, and then twice as long each time.
_FIRST_RETRY_SECONDS = 0.3
_RETRIES_WITHOUT_SETTING = 2  # the default of Cohere's client, which its models do not expose
# Errors that models of these packages raise for a reply without an answer. If a user's own class
# raises them, they are bugs.
_CLIENTS = ("langchain", "llama_index")
_READING_ERRORS = (AttributeError, LookupError, TypeError, ValueError)
_DATA = (bool, int, float, str, bytes, list, tuple, Mapping, set, frozenset, Enum)


class FrameworkModel(ABC):
    """Calls a framework's language model; its callbacks, retries and rate limits apply.

    `llm` may be a runnable. `models` are the models in it that may answer, each with the arguments
    that are added to its requests. Their settings are pydantic fields.
    """

    _framework: ClassVar[str]
    _default_retries: ClassVar[int] = 0
    """Retries of a client whose setting `max_retries` is None."""

    def __init__(self, llm: Any, models: Sequence[tuple[Any, Mapping[str, object]]]) -> None:
        self._llm = llm
        self._models = models

    @property
    def identity(self) -> str:
        """The class, the model's name, and a digest of all settings that may change answers."""
        return "|".join(self._identity_of(*model) for model in self._models)

    def _identity_of(self, model: Any, arguments: Mapping[str, object]) -> str:
        # A client may get its URL and headers from the environment, or be the user's own.
        other = {"routes": routes_of(model), "arguments": arguments}
        settings = self._settings(model) | {name: value for name, value in other.items() if value}
        digest = settings_digest(settings, without=_NO_INFLUENCE, anywhere=_TRANSPORT)
        return ":".join(filter(None, [self._framework, *self._names(model), digest]))

    @property
    def server(self) -> str:
        """The server's URL, as errors name it; "" if it is unknown."""
        return public_url(url_of(routes_of(self._models[0][0])) or "")

    @property
    def client_retries(self) -> int:
        """Maximum number of times the model's client retries a request."""
        settings = (getattr(model, "max_retries", 0) for model, _ in self._models)
        return sum(
            self._default_retries if retries is None else int(retries) for retries in settings
        )

    def estimate_retries(self, seconds: float) -> int:
        """Return an estimate of the client's retries of a call that failed after `seconds`.

        No client retries all errors, and none reports whether it did. All wait before a retry.
        """
        has_setting = any(hasattr(model, "max_retries") for model, _ in self._models)
        max_retries = self.client_retries if has_setting else _RETRIES_WITHOUT_SETTING
        return min(max_retries, int(math.log2(1 + seconds / _FIRST_RETRY_SECONDS)))

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Answer `user`, following the instructions in `system`."""
        del answers
        try:
            return self._ask(system, user)
        except Exception as error:
            if completion := self._completion_of(error):
                return completion
            raise

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`."""
        # A synchronous model would block the event loop, or use one of the loop's default threads.
        # All of these may be waiting for this answer, and a cancellation would lose it.
        if not any(self._is_synchronous(model) for model, _ in self._models):
            try:
                return await self._aask(system, user)
            except Exception as error:
                if completion := self._completion_of(error):
                    return completion
                # Clients keep the connections of the first loop; some work only on that loop.
                if not is_of_ended_loop(error):
                    raise
        return await in_thread(call_within, None, self.complete, system, user, answers=answers)

    def _completion_of(self, error: Exception) -> Completion | None:
        """Return a completion with the finish reason that an error contains, or None.

        If a provider's client could not read an incomplete reply, a BadReplyError is raised.
        """
        if reason := finish_reason_of(error):
            return Completion("", finish_reason=reason)
        is_of_client = all(type(model).__module__.startswith(_CLIENTS) for model, _ in self._models)
        if is_of_client and isinstance(error, _READING_ERRORS) and trouble_of(error) == "unknown":
            kind = type(error).__name__
            raise BadReplyError(f"{self!r} could not read the reply: {kind}: {error}") from error
        return None

    def _settings(self, model: Any) -> dict[str, object]:
        private: Mapping[str, object] = getattr(model, "__pydantic_private__", None) or {}
        return {name: getattr(model, name) for name in type(model).model_fields} | {
            name: value
            for name, value in private.items()
            if isinstance(value, _DATA) and not re.search(_STATE, name)
        }

    @abstractmethod
    def _names(self, model: Any) -> tuple[str, str]:
        """Return the names of a model's class and of the model, which may be ""."""

    @abstractmethod
    def _is_synchronous(self, model: Any) -> bool:
        """Return whether a model's asynchronous method calls the synchronous one."""

    @abstractmethod
    def _ask(self, system: str, user: str) -> Completion: ...

    @abstractmethod
    async def _aask(self, system: str, user: str) -> Completion: ...

    def __repr__(self) -> str:
        kind, name = self._names(self._models[0][0])
        return f"{type(self).__name__}({kind}{f', {name!r}' if name else ''})"
