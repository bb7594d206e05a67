"""What models behind an API share: clients, and dropping parameters that are rejected.

The caller retries, because it sees all calls in flight. Here a request is repeated only to leave
out a parameter that the model or its server rejects.
"""

from __future__ import annotations

import logging
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, ClassVar

from lumber_core.concurrency import PerLoop, as_async, in_thread, run_at_once
from lumber_core.deadlines import await_within, call_within
from lumber_core.errors import BadReplyError
from lumber_core.extras import load, require
from lumber_core.forks import renew_after_fork
from lumber_core.llms.base import Answers, Completion
from lumber_core.llms.failures import is_cut, status_of
from lumber_core.llms.parameters import (
    Form,
    RequestSettings,
    refusal,
    rejected_parameters,
    without_aliases,
)
from lumber_core.llms.settings import ModelSettings, PlainModelSettings, url_identity
from lumber_core.secrets import public_url, redact, secrets_in
from lumber_core.settings import takes

logger = logging.getLogger("lumber_core.llms")

NO_KEY = "no-key"
"""Sent to a custom server if no key is given: local servers need none but expect the header."""

_UNPICKLED = ("_lock", "_client", "_async_clients")
_MOST_ANSWERS = 500  # values OpenAI allows in the enums of one schema
_ANSWER_TOKENS = 64
"""Enough for a short answer in any form, with a few words around it."""
_ITEM_TOKENS = 4
"""More for each answer that a list may hold: a label, quotes and a comma take six to eight, and
half of the answers are the other half with a mark."""
_REASONING_TOKENS = 8192
_REASONING = re.compile(
    r"(?:^|[/:_-])(?:o\d|gpt-5|gpt-oss|deepseek-r|qwq|magistral|gemini-(?:2\.5|[3-9]))|think|reason",
    re.IGNORECASE,
)


class RemoteModel(ABC):
    """A model behind an API, called with the package of its provider.

    If the model or its server rejects the temperature, structured output or the token limit,
    whatever the status of the error, the parameter is left out from then on, with one warning in
    the log. Requests are not retried.

    Raises:
        MissingExtraError: The provider's package is not installed.
        TypeError: A setting has the wrong type.
        ValueError: A setting is out of range, or conflicts with `client`.
    """

    _provider: ClassVar[str]
    _module: ClassVar[str]
    """The module of the provider's package."""
    _package: ClassVar[Mapping[str, str]]
    """The `package` that has it and the `extra` that installs it."""
    _url_variable: ClassVar[str | None] = None
    """The environment variable in which the package looks for another server."""
    _forms: ClassVar[tuple[Form, ...]] = ("json_schema",)
    """The forms of structured output, in the order in which they are tried."""

    @takes(ModelSettings)
    def __init__(self, settings: ModelSettings) -> None:
        self._set_up(settings, structured=settings.structured, client=settings.own_client)

    def _set_up(self, settings: PlainModelSettings, *, structured: bool, client: Any) -> None:
        require(self._module, **self._package)
        self._model = settings.model
        self._base_url = settings.base_url
        self._api_key = settings.api_key
        temperature = settings.temperature
        self._temperature = None if temperature is None else float(temperature)
        self._timeout = float(settings.timeout)
        self._structured = bool(structured)
        self._max_tokens = settings.max_tokens
        self._own = client
        self._thinks = _REASONING.search(settings.model) is not None
        self._rejected: frozenset[str] = frozenset()
        self._start()

    def _start(self) -> None:
        """Create what cannot be pickled: locks and clients."""
        self._lock = Lock()
        self._client: Any = self._own
        self._async_clients = PerLoop(self._make_async_client, self._close_client)
        renew_after_fork(self, RemoteModel._start)  # processes must not share connections

    @property
    def identity(self) -> str:
        """Provider, model, server and settings, without credentials."""
        return (
            f"{self._provider}:{self._model}:{self._server()}:"
            f"temperature={self._temperature}:structured={self._structured}:"
            f"max_tokens={self._max_tokens}"
        )

    @property
    def timeout(self) -> float | None:
        """Seconds that a request and its whole reply may take; None with a client of your own."""
        return self._timeout if self._own is None else None

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Answer `user`, following the instructions in `system`.

        Raises:
            BadReplyError: The reply is not a completion, or has more than 10 MB.
            TimeoutError: There is no complete reply within `timeout` seconds. (The provider's
                package may raise an error of its own instead.)
            MissingExtraError: The provider's package is not installed.
            Exception: Anything else that the provider's package raises, unchanged.
        """

        def send(request: dict[str, Any]) -> Any:
            if self._own is None:
                self._get_client()  # the time to make one is not the server's
            return call_within(self.timeout, self._send, request)

        return run_at_once(self._complete(as_async(send), system, user, answers))

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`."""

        async def send(request: dict[str, Any]) -> Any:
            if self._own is None:
                await self._async_clients.get()
            return await await_within(self.timeout, lambda: self._asend(request))

        return await self._complete(send, system, user, answers)

    async def _complete(
        self,
        send: Callable[[dict[str, Any]], Awaitable[Any]],
        system: str,
        user: str,
        answers: Answers | None,
    ) -> Completion:
        cut = Completion("")
        while True:
            settings = self._settings(answers)
            completion: Completion | None
            try:
                completion = self._completion(await send(self._request(system, user, settings)))
            except Exception as error:  # noqa: BLE001 - raised again there, if it is not handled
                completion = self._handle(error, settings)
            if completion is not None and not self._ran_out_thinking(completion, settings):
                return _add_tokens(completion, cut)
            cut = _add_tokens(completion, cut)

    @abstractmethod
    def _make_client(self) -> Any:
        """Create a client."""

    def _make_async_client(self) -> Any:
        """Create a client for one event loop; by default one that serves both kinds of calls."""
        return self._make_client()

    async def _close_client(self, client: Any) -> None:
        """Close a client that was made for an event loop; by default there is nothing to close."""
        del client

    @abstractmethod
    def _request(self, system: str, user: str, settings: RequestSettings) -> dict[str, Any]:
        """Return the arguments of a request."""

    @abstractmethod
    def _send(self, request: dict[str, Any]) -> Any:
        """Send a request."""

    async def _asend(self, request: dict[str, Any]) -> Any:
        """Async version of `_send`; by default it runs in a thread."""
        return await in_thread(call_within, None, self._send, request)

    @abstractmethod
    def _completion(self, reply: Any) -> Completion:
        """Read a reply.

        Raises:
            BadReplyError: It is not a completion.
        """

    @property
    def _limits(self) -> tuple[str, ...]:
        """The API's names for the maximum tokens to write, in the order in which they are tried."""
        return ("max_output_tokens",)

    @abstractmethod
    def _rejections(self) -> tuple[type[Exception], ...]:
        """The errors that have a status: those that may mean that a request was rejected."""

    @abstractmethod
    def _reading_errors(self) -> tuple[type[Exception], ...]:
        """The errors that mean the package could not read a reply."""

    def _get_client(self) -> Any:
        """The client for synchronous calls, created on first use."""
        with self._lock:
            if self._client is None:
                self._client = self._make_client()
            return self._client

    def _key(self) -> str | None:
        """The key to send, or None if the package should look for one."""
        return NO_KEY if self._api_key is None and self._base_url is not None else self._api_key

    def _sdk(self, module: str = "") -> Any:
        """The provider's package, or a module of it."""
        return load(module or self._module, **self._package)

    def _server(self) -> str:
        """The URL of the API, for `identity`."""
        named = os.environ.get(self._url_variable) if self._url_variable else None
        return url_identity(self._base_url or named or "default")

    def _handle(self, error: Exception, settings: RequestSettings) -> Completion | None:
        """Handle an error, or raise it.

        Returns:
            The completion that it means, or None if the request should be sent again.
        """
        known = {"api_key": self._api_key, "clients": [self._client, self._own]}
        redact(error, secrets_in(known))
        if isinstance(error.__cause__, BadReplyError | TimeoutError):
            raise error.__cause__  # our own, which the package calls a connection error
        if isinstance(error, self._reading_errors()):
            raise BadReplyError(f"{self._model}: the reply is not the expected JSON") from error
        if not isinstance(error, (*self._rejections(), BadReplyError)):
            raise error
        blocked = self._blocked_completion(error)
        if blocked is None and not self._learn(error, settings):
            raise error
        return blocked

    def _blocked_completion(self, error: Exception) -> Completion | None:
        """The completion for an error that reports a content filter, or None."""
        del error
        return None

    def _rejection_text(self, error: Exception) -> str:
        """The text of an error that may name the rejected parameter."""
        return str(error)

    def _settings(self, answers: Answers | None) -> RequestSettings:
        rejected = self._rejected
        form: Form = "text"
        if answers and self._structured and len(answers.allowed) <= _MOST_ANSWERS:
            form = next((form for form in self._forms if form not in rejected), "text")
        limit = next((name for name in self._limits if name not in rejected), "")
        return RequestSettings(
            temperature=None if "temperature" in rejected else self._temperature,
            answers=None if form == "text" else answers,
            form=form,
            max_tokens=self._most_tokens(answers) if limit else None,
            limit=limit,
        )

    def _most_tokens(self, answers: Answers | None) -> int | None:
        if self._max_tokens != "auto":
            return self._max_tokens
        if answers is None:
            return None
        listed = _ITEM_TOKENS * len(answers.allowed) if answers.several else 0
        return (_REASONING_TOKENS if self._thinks else _ANSWER_TOKENS) + listed

    def _ran_out_thinking(self, completion: Completion, settings: RequestSettings) -> bool:
        """Return whether the reasoning used up the tokens, and a higher limit helps."""
        most = settings.max_tokens
        limited = self._max_tokens == "auto" and most is not None and most < _REASONING_TOKENS
        text = completion.text.casefold()
        if not (limited and is_cut(completion.finish_reason)) or (text and "<think" not in text):
            return False
        if not self._thinks:
            logger.info(
                "%s thinks before it answers: allowing %d tokens", self._model, _REASONING_TOKENS
            )
        self._thinks = True
        return True

    def _learn(self, error: Exception, settings: RequestSettings) -> bool:
        """Remember the parameters that an error names, and return whether there are any."""
        text = str(error) if isinstance(error, BadReplyError) else self._rejection_text(error)
        named = rejected_parameters(text, status_of(error), settings)
        if not named:
            return False
        with self._lock:
            news = without_aliases(named, self._rejected)
            self._rejected |= frozenset(named)
        for name in news:
            logger.warning("%s does not accept %s", self._model, refusal(name))
        return True

    def __getstate__(self) -> dict[str, Any]:
        if self._own is not None:
            raise TypeError(
                "a model with a client= of its own cannot be pickled: pass base_url and api_key"
            )
        return {name: value for name, value in self.__dict__.items() if name not in _UNPICKLED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def __repr__(self) -> str:
        server = "" if self._base_url is None else f", base_url={public_url(self._base_url)!r}"
        return f"{type(self).__name__}({self._model!r}{server}, temperature={self._temperature})"


def _add_tokens(completion: Completion | None, cut: Completion) -> Completion:
    """Return a completion that counts the tokens of one that was cut off as well."""
    if completion is None:
        return cut
    return replace(
        completion,
        prompt_tokens=completion.prompt_tokens + cut.prompt_tokens,
        completion_tokens=completion.completion_tokens + cut.completion_tokens,
    )
