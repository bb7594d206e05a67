"""What models behind an API share: settings, clients, and dropping parameters that are rejected.

The caller retries, because it sees all calls in flight. Here a request is repeated only to leave
out a parameter that the model or its server rejects.
"""

from __future__ import annotations

import logging
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, ClassVar, Literal
from urllib.parse import parse_qs, urlsplit, urlunsplit

from lumber_core.checks import check_number, check_positive
from lumber_core.concurrency import PerLoop, in_thread
from lumber_core.errors import BadReplyError
from lumber_core.extras import load, require
from lumber_core.forks import renew_after_fork
from lumber_core.identity import settings_digest
from lumber_core.llms.base import Completion, allowed_answers
from lumber_core.llms.failures import is_cut, redact, status_of

logger = logging.getLogger("lumber_core.llms")

NO_KEY = "no-key"
"""Sent to a custom server if no key is given: local servers need none but expect the header."""

_UNPICKLED = ("_lock", "_client", "_async_clients")
_MOST_ANSWERS = 500  # values OpenAI allows in the enums of one schema
_LABEL_TOKENS = 64
"""Enough for an answer in any form, with a few words around it."""
_REASONING_TOKENS = 8192
_REASONING = re.compile(
    r"(?:^|[/:_-])(?:o\d|gpt-5|gpt-oss|deepseek-r|qwq|magistral|gemini-(?:2\.5|[3-9]))|think|reason",
    re.IGNORECASE,
)

Form = Literal["json_schema", "json_object", "text"]
"""How a model's answers are restricted to the allowed ones."""

_STRUCTURE = (
    "response_format",
    "response format",
    "response_schema",
    "responseschema",
    "response schema",
    "response_mime_type",
    "responsemimetype",
    "json_schema",
    "json schema",
    "json_object",
    "json mode",
    "requested parameters",  # OpenRouter does not name them: these are supported least
    "structured output",
    "structured_output",
    "guided",
    "grammar",
)
_NAMES = {
    "temperature": ("temperature",),
    "json_schema": _STRUCTURE,
    "json_object": _STRUCTURE,
    "max_tokens": ("max_tokens", "max_completion_tokens"),
    "max_completion_tokens": ("max_tokens", "max_completion_tokens"),
    "max_output_tokens": ("max_output_tokens", "maxoutputtokens"),
}
_SAID = {
    "json_schema": "structured output by a JSON schema: asking for less structure",
    "json_object": "structured output by a JSON schema: asking for less structure",
    "max_tokens": "max_tokens: sending requests with another name for it, or without",
    "max_completion_tokens": "max_completion_tokens: sending requests with another name for it, "
    "or without",
}
# Servers reject an unknown parameter with any status from 400 to 500. Unless it is 400 or 422, the
# message must say so as well. The last statuses here are never about a parameter.
_ABOUT_PARAMETERS = frozenset((400, 422))
_NEVER_ABOUT_PARAMETERS = frozenset((401, 402, 403, 408, 409, 425, 429, 502, 503, 504))
_REJECTS = (
    "extra_forbidden",
    "extra fields",
    "extra inputs",
    "input should be",
    "invalid",
    "literal_error",
    "must be",
    "no endpoints found",
    "not allowed",
    "not available",
    "not implemented",
    "not permitted",
    "not support",
    "unexpected keyword",
    "unknown",
    "unrecognized",
    "unsupported",
    "validation error",
)


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """The optional parameters of one request.

    Attributes:
        temperature: None: the model's default.
        answers: The only answers allowed; empty if any text is.
        form: How answers are restricted to them.
        max_tokens: Maximum tokens to write. None: no limit.
        limit: The API's name for `max_tokens`.
    """

    temperature: float | None
    answers: tuple[str, ...]
    form: Form
    max_tokens: int | None
    limit: str


class RemoteModel(ABC):
    """A model behind an API, called with the package of its provider.

    If the model or its server rejects the temperature, structured output or the token limit,
    whatever the status of the error, the parameter is left out from then on, with one warning in
    the log. Requests are not retried.

    Args:
        model: The model's name.
        base_url: URL of the API; by default the provider's.
        api_key: The key; by default the one in the provider's environment variable, which is never
            sent to a server named by `base_url`.
        temperature: From 0 to 2; 0.1 as in the paper. None: the model's default.
        timeout: Seconds per request.
        structured: Restrict the answer to the IDs of the group, if these are given. False: plain
            text.
        max_tokens: Maximum tokens in an answer. "auto": 64 if the answer is a label, or 8192 for a
            model that reasons first (known by its name, or by an answer cut off during the
            reasoning); no limit for other questions. None: no limit.
        client: A client of the provider's package, used as it is. `base_url`, `api_key` and
            `timeout` are then its own.

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

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = 0.1,
        timeout: float = 60.0,
        structured: bool = True,
        max_tokens: int | Literal["auto"] | None = "auto",
        client: Any = None,
    ) -> None:
        _check_name("model", model)
        if base_url is not None:
            _check_url(base_url)
        if api_key is not None:
            _check_name("api_key", api_key, secret=True)
        if temperature is not None:
            check_number("temperature", temperature)
            if not 0 <= temperature <= 2:
                raise ValueError(f"temperature must be from 0 to 2, or None, not {temperature}")
        check_number("timeout", timeout)
        if not timeout > 0:
            raise ValueError(f"timeout must be a positive number of seconds, not {timeout}")
        if max_tokens not in ("auto", None):
            check_positive("max_tokens", max_tokens)
        if client is not None and (base_url is not None or api_key is not None):
            raise ValueError("a client has its own base_url and api_key: pass one or the other")
        require(self._module, **self._package)
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._temperature = None if temperature is None else float(temperature)
        self._timeout = float(timeout)
        self._structured = bool(structured)
        self._max_tokens = max_tokens
        self._own = client
        self._thinks = _REASONING.search(model) is not None
        self._rejected: frozenset[str] = frozenset()
        self._start()

    def _start(self) -> None:
        """Create what cannot be pickled: locks and clients."""
        self._lock = Lock()
        self._client: Any = self._own
        self._async_clients = PerLoop(self._made_async, self._closed)
        renew_after_fork(self, RemoteModel._start)  # processes must not share connections

    @property
    def identity(self) -> str:
        """Provider, model, server and settings, without credentials."""
        return (
            f"{self._provider}:{self._model}:{self._server()}:"
            f"temperature={self._temperature}:structured={self._structured}:"
            f"max_tokens={self._max_tokens}"
        )

    def complete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Answer `user`, following the instructions in `system`.

        Raises:
            BadReplyError: The reply is not a completion.
            MissingExtraError: The provider's package is not installed.
            Exception: Anything else that the provider's package raises, unchanged.
        """
        cut = Completion("")
        while True:
            settings = self._settings(choices)
            completion: Completion | None
            try:
                completion = self._completion(self._send(self._request(system, user, settings)))
            except Exception as error:  # noqa: BLE001 - raised again there, if it is not handled
                completion = self._settled(error, settings)
            if completion is not None and not self._was_thinking(completion, settings):
                return _with_tokens(completion, cut)
            cut = _with_tokens(completion, cut)

    async def acomplete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Async version of `complete`."""
        cut = Completion("")
        while True:
            settings = self._settings(choices)
            completion: Completion | None
            try:
                reply = await self._asend(self._request(system, user, settings))
                completion = self._completion(reply)
            except Exception as error:  # noqa: BLE001 - raised again there, if it is not handled
                completion = self._settled(error, settings)
            if completion is not None and not self._was_thinking(completion, settings):
                return _with_tokens(completion, cut)
            cut = _with_tokens(completion, cut)

    @abstractmethod
    def _made(self) -> Any:
        """Create a client."""

    def _made_async(self) -> Any:
        """Create a client for one event loop; by default one that serves both kinds of calls."""
        return self._made()

    async def _closed(self, client: Any) -> None:
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
        return await in_thread(self._send, request)

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
    def _unreadable(self) -> tuple[type[Exception], ...]:
        """The errors that mean the package could not read a reply."""

    def _opened(self) -> Any:
        """The client for synchronous calls, created on first use."""
        with self._lock:
            if self._client is None:
                self._client = self._made()
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

    def _settled(self, error: Exception, settings: RequestSettings) -> Completion | None:
        """Handle an error, or raise it.

        Returns:
            The completion that it stands for, or None if the request should be sent again.
        """
        redact(error, self._secrets())
        if isinstance(error, self._unreadable()):
            raise BadReplyError(f"{self._model}: the reply is not the JSON expected") from error
        if not isinstance(error, (*self._rejections(), BadReplyError)):
            raise error
        blocked = self._blocked(error)
        if blocked is None and not self._learn(error, settings):
            raise error
        return blocked

    def _secrets(self) -> list[str]:
        """The keys that a server may echo."""
        clients = (self._client, self._own)
        keys = [self._api_key, *(getattr(client, "api_key", None) for client in clients)]
        return [key for key in keys if isinstance(key, str) and len(key) > 3 and key != NO_KEY]

    def _blocked(self, error: Exception) -> Completion | None:
        """The completion that an error stands for if it reports a content filter, or None."""
        del error
        return None

    def _named(self, error: Exception) -> str:
        """The text of an error that may name the rejected parameter."""
        return str(error)

    def _settings(self, choices: Sequence[int]) -> RequestSettings:
        rejected = self._rejected
        answers: tuple[str, ...] = ()
        form: Form = "text"
        if self._structured and 0 < len(choices) < _MOST_ANSWERS:
            form = next((form for form in self._forms if form not in rejected), "text")
            answers = () if form == "text" else allowed_answers(choices)
        limit = next((name for name in self._limits if name not in rejected), "")
        return RequestSettings(
            temperature=None if "temperature" in rejected else self._temperature,
            answers=answers,
            form=form,
            max_tokens=self._most_tokens(choices) if limit else None,
            limit=limit,
        )

    def _most_tokens(self, choices: Sequence[int]) -> int | None:
        if self._max_tokens != "auto":
            return self._max_tokens
        if not choices:
            return None
        return _REASONING_TOKENS if self._thinks else _LABEL_TOKENS

    def _was_thinking(self, completion: Completion, settings: RequestSettings) -> bool:
        """Return whether the reasoning used up the tokens, and a higher limit helps."""
        limited = self._max_tokens == "auto" and settings.max_tokens == _LABEL_TOKENS
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
        text = (str(error) if isinstance(error, BadReplyError) else self._named(error)).casefold()
        status = status_of(error)
        if status in _NEVER_ABOUT_PARAMETERS:
            return False
        if status not in _ABOUT_PARAMETERS and not any(words in text for words in _REJECTS):
            return False
        sent = [
            *(["temperature"] if settings.temperature is not None else []),
            *([settings.form] if settings.form != "text" else []),
            *([settings.limit] if settings.max_tokens is not None else []),
        ]
        named = [name for name in sent if any(words in text for words in _NAMES[name])]
        if not named:
            return False
        with self._lock:
            before = {_NAMES[name] for name in self._rejected}
            news = [name for name in named if _NAMES[name] not in before]
            self._rejected |= frozenset(named)
        for name in news:
            said = _SAID.get(name, f"{name}: sending requests without it")
            logger.warning("%s does not accept %s", self._model, said)
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


def public_url(url: str) -> str:
    """Return a URL without user, password, query and fragment, which may hold credentials."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def url_identity(url: str) -> str:
    """Return a public URL that still differs if the query of the URL does."""
    query = urlsplit(url).query
    return (
        f"{public_url(url)}?{settings_digest({'query': parse_qs(query)})}"
        if query
        else public_url(url)
    )


def _with_tokens(completion: Completion | None, cut: Completion) -> Completion:
    """Return a completion that counts the tokens of one that was cut off as well."""
    if completion is None:
        return cut
    return replace(
        completion,
        prompt_tokens=completion.prompt_tokens + cut.prompt_tokens,
        completion_tokens=completion.completion_tokens + cut.completion_tokens,
    )


def _check_name(name: str, value: object, *, secret: bool = False) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if not value.strip():
        raise ValueError(f"{name} is empty" + ("" if secret else "; pass the model's name"))


def _check_url(url: object) -> None:
    if not isinstance(url, str):
        raise TypeError(f"base_url must be a str, not {type(url).__name__}")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(
            f"base_url must look like http://127.0.0.1:8000/v1, not {public_url(url)!r}"
        )
