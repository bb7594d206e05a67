"""The base of models behind an API: arguments, clients, requests and errors.

The caller retries, because it knows all calls.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from lumber_core.calls.deadlines import call_in_own_thread, call_within
from lumber_core.calls.forks import renew_after_fork
from lumber_core.checks import check_number, check_positive
from lumber_core.errors import BadReplyError
from lumber_core.llms.error_kinds import chain_of, check_redirect, is_blocked, is_unreadable
from lumber_core.llms.exchange import RequestForms, RequestSettings, is_about_form
from lumber_core.llms.model import Answers, Completion
from lumber_core.llms.routes import environment_route, routes_of, url_of
from lumber_core.segmentation import Usage
from lumber_core.support.extras import load, require
from lumber_core.support.identity import settings_digest
from lumber_core.support.secrets import public_url, redact, secrets_in

NO_KEY = "no-key"
"""Sent to a custom server if no key is given: local servers need none but expect the header."""


class RemoteModel(ABC):
    """A model behind an API, called with the package of its provider.

    A request that the server rejects is sent once more as plain text without a temperature, and
    then without a token limit as well. After two requests that were answered only in a simpler
    form, later requests begin with this form, and a warning is logged; once a full request was
    answered, all requests are full. Errors about keys, credit, rates or load are not retried here.

    Args:
        model: The model's name.
        base_url: URL of another server. None: the provider's server.
        api_key: The key. None: the key in the provider's environment variable, which is never sent
            to a server named by `base_url`.
        temperature: From 0 to 2; 0.1 as in the paper. None: the model's default.
        timeout: Seconds for one request, from connecting to the end of the reply.
        max_tokens: Maximum tokens in an answer. "auto": 64 for a question with allowed answers,
            8192 once an answer was cut off during the model's reasoning, and more for a list of
            answers; no limit for other questions. None: no limit.
        structured: Restrict the answer to the allowed answers, if there are any. False: plain text.
        client: A client of the provider's package. Its own `base_url`, `api_key` and `timeout`
            apply; OpenAI's `max_retries` does not, because `CallPolicy` retries.

    Raises:
        MissingExtraError: The provider's package is not installed.
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or conflicts with `client`.
    """

    _provider: ClassVar[str]
    _module: ClassVar[str]
    """The module of the provider's package."""
    _package: ClassVar[Mapping[str, str]]
    """The `package` that contains the module, and the `extra` that installs it."""
    _client_class: ClassVar[str] = ""  # the class that `client` must have; "" for any class
    _url_variable: ClassVar[str | None] = None
    """The environment variable for the URL of another server."""
    _route_variables: ClassVar[tuple[str, ...]] = ()
    """Other variables that decide where requests go, or what a gateway does with them."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = 0.1,
        timeout: float = 60.0,
        max_tokens: int | Literal["auto"] | None = "auto",
        structured: bool = True,
        client: Any = None,
    ) -> None:
        _check_name("model", model)
        if base_url is not None:
            _check_url(base_url)
        if api_key is not None:
            _check_name("api_key", api_key)
        if temperature is not None:
            check_number("temperature", temperature, lambda t: 0 <= t <= 2, "from 0 to 2, or None")
            temperature = float(temperature)
        check_number("timeout", timeout, lambda s: s > 0, "a positive number of seconds")
        if max_tokens not in ("auto", None):
            check_positive("max_tokens", max_tokens)
        if client is not None and not (base_url is None and api_key is None):
            raise ValueError(
                "a client has its own base_url and api_key: pass either client or these"
            )
        require(self._module, **self._package)
        name = self._client_class
        if client is not None and name and not isinstance(client, getattr(self._sdk(), name)):
            kind = type(client).__name__
            raise TypeError(
                f"client must be a synchronous {self._module}.{name}, not {kind}: asynchronous "
                "methods call it in threads"
            )
        self._model = model
        self._base_url = base_url
        # The variable is read now, because clients are created on first use.
        self._url = base_url or (self._url_variable and os.environ.get(self._url_variable)) or None
        self._api_key = api_key
        self._timeout = float(timeout)
        self._forms = RequestForms(model, temperature, max_tokens, structured)
        self._user_client = client
        self._start()

    def _start(self) -> None:
        """Create the lock and the client, which cannot be pickled."""
        self._lock = Lock()
        self._client: Any = self._user_client
        renew_after_fork(self, lambda model: model._start())  # processes must not share connections

    @property
    def identity(self) -> str:
        """Provider, model, server and settings, without credentials."""
        route: dict[str, object]
        if self._user_client is not None:
            routes = routes_of(self._user_client)
            url, route = url_of(routes) or "own client", {"routes": routes}
        else:
            url = self._url or "default"
            # These variables do not apply to a server passed as `base_url`.
            variables = {} if self._base_url else environment_route(self._route_variables)
            route = {"url": url, **variables}
        return (
            f"{self._provider}:{self._model}:{public_url(url)}:{settings_digest(route)}:"
            f"temperature={self._forms.temperature}:structured={self._forms.structured}:"
            f"max_tokens={self._forms.max_tokens}"
        )

    @property
    def timeout(self) -> float | None:
        """Maximum seconds for a request and its whole reply; None with a client of your own."""
        return self._timeout if self._user_client is None else None

    def complete(self, system: str, user: str, *, answers: Answers | None = None) -> Completion:
        """Answer `user`, following the instructions in `system`.

        Raises:
            BadReplyError: The reply is not a completion.
            TimeoutError: There is no complete reply within `timeout` seconds. (The provider's
                package may raise its own error instead.)
            MissingExtraError: The provider's package is not installed.
            Exception: Any other error of the provider's package, with secrets redacted.
        """
        self._get_client()  # creating the client does not count towards the timeout
        usage = Usage()
        while True:
            completion, form = self._ask(system, user, answers)
            usage += Usage(1, completion.prompt_tokens, completion.completion_tokens)
            if not self._forms.needs_reasoning_tokens(completion, form):
                return replace(
                    completion,
                    prompt_tokens=usage.prompt_tokens,
                    completion_tokens=usage.completion_tokens,
                )

    async def acomplete(
        self, system: str, user: str, *, answers: Answers | None = None
    ) -> Completion:
        """Async version of `complete`, which it calls in a thread."""
        return await call_in_own_thread(self.complete, system, user, answers=answers)

    def _ask(
        self, system: str, user: str, answers: Answers | None
    ) -> tuple[Completion, RequestSettings]:
        """Return the first answer to a request, in simpler forms if necessary, and its form."""
        forms, is_kept = self._forms.of(answers)
        first_error: Exception | None = None
        for number, form in enumerate(forms):
            try:
                request = self._request(system, user, form)
                completion = self._completion(call_within(self.timeout, self._send, request))
            except Exception as caught:  # noqa: BLE001, PERF203 - raised if no form is answered
                error = self._clean(caught)
                if is_blocked(reason := getattr(error, "code", None)):
                    return Completion("", finish_reason=str(reason)), form
                if not is_about_form(error):
                    raise error  # noqa: B904 - `error` is `caught`, or has it as its cause
                first_error = first_error or error
            else:
                if not is_kept:
                    self._forms.keep(number, form, first_error)
                return completion, form
        assert first_error is not None
        raise first_error

    @abstractmethod
    def _make_client(self) -> Any: ...

    @abstractmethod
    def _request(self, system: str, user: str, settings: RequestSettings) -> dict[str, Any]:
        """Return the arguments of a request, for `_send`."""

    @abstractmethod
    def _send(self, request: dict[str, Any]) -> Any: ...

    @abstractmethod
    def _completion(self, reply: Any) -> Completion:
        """Read a reply; raise a BadReplyError if it is not a completion."""

    def _get_client(self) -> Any:
        """The client, created on first use."""
        with self._lock:
            if self._client is None:
                self._client = self._make_client()
            return self._client

    def _key(self) -> str | None:
        """The key to send, or None if the package reads it from the environment."""
        return NO_KEY if self._api_key is None and self._base_url is not None else self._api_key

    def _sdk(self, module: str = "") -> Any:
        """The provider's package, or a module of it."""
        return load(module or self._module, **self._package)

    @property
    def server(self) -> str:
        """The server's URL for error messages; the provider's name for its own server."""
        url = self._url if self._user_client is None else url_of(routes_of(self._user_client))
        return public_url(url) if url else self._provider

    def _clean(self, error: Exception) -> Exception:
        """Return the error without secrets, as a `BadReplyError` if the reply could not be read.

        If the server redirects, a ModelSettingsError is raised.
        """
        check_redirect(error, self.server)
        error = next((e for e in chain_of(error) if isinstance(e, BadReplyError)), error)
        if is_unreadable(error):
            unreadable = BadReplyError(f"{self._model}: the reply is not the expected JSON")
            unreadable.__cause__ = error
            error = unreadable
        redact(error, secrets_in(self))
        return error

    def __getstate__(self) -> dict[str, Any]:
        if self._user_client is not None:
            raise TypeError(
                "a model with a client= of its own cannot be pickled: pass base_url and api_key"
            )
        unshared = ("_lock", "_client")
        return {name: value for name, value in self.__dict__.items() if name not in unshared}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def __repr__(self) -> str:
        server = "" if self._base_url is None else f", base_url={public_url(self._base_url)!r}"
        return (
            f"{type(self).__name__}({self._model!r}{server}, temperature={self._forms.temperature})"
        )


def _check_name(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if not value.strip():
        hint = "; pass the model's name" if name == "model" else ""
        raise ValueError(f"{name} is empty{hint}")


def _check_url(url: object) -> None:
    if not isinstance(url, str):
        raise TypeError(f"base_url must be a str, not {type(url).__name__}")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        safe_url = public_url(url)
        raise ValueError(f"base_url must look like http://127.0.0.1:8000/v1, not {safe_url!r}")
