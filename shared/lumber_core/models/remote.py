"""What models behind an API share: settings, parameters that turn out not to be taken, clients.

Retrying is done by the caller, who sees all calls in flight; here a request is repeated only to
leave out a parameter that the model or its server rejects.
"""

from __future__ import annotations

import asyncio
import logging
import math
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, ClassVar, Generic, TypeVar
from urllib.parse import urlsplit, urlunsplit

from lumber_core.models.base import Completion

logger = logging.getLogger("lumber_core.models")

Client = TypeVar("Client")

NO_KEY = "no-key"
"""Sent to a server that was named without a key; local servers ask for none but expect a header."""

_MOST_ANSWERS = 500  # values OpenAI allows in the enums of one schema
_NAMES = {
    "temperature": ("temperature",),
    "structured output": (
        "response_format",
        "response format",
        "response_schema",
        "responseschema",
        "response schema",
        "response_mime_type",
        "responsemimetype",
        "json_schema",
        "json schema",
        "json mode",
        "structured output",
        "structured_output",
        "guided",
        "grammar",
    ),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The optional parameters of one request.

    Attributes:
        temperature: None leaves it to the model.
        answers: The only answers allowed; empty where the answer is free text.
    """

    temperature: float | None
    answers: tuple[str, ...]


class RemoteModel(ABC):
    """A model behind an API.

    Args:
        model: Its name.
        base_url: Where the API is; the provider's own by default.
        api_key: The key; by default the one in the provider's environment variable. A server
            named by `base_url` is sent only a key that is passed here.
        temperature: From 0 to 2; None leaves it to the model.
        timeout: Seconds for a request.
        structured: Whether the answer is restricted to the group's IDs where the server can.

    Raises:
        TypeError: A setting is of the wrong type.
        ValueError: A setting is out of range.
    """

    _provider: ClassVar[str]

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None,
        api_key: str | None,
        temperature: float | None,
        timeout: float,
        structured: bool,
    ) -> None:
        _check_name("model", model)
        if base_url is not None:
            _check_url(base_url)
        if api_key is not None:
            _check_name("api_key", api_key, secret=True)
        if temperature is not None:
            _check_number("temperature", temperature)
            if not 0 <= temperature <= 2:
                raise ValueError(f"temperature must be from 0 to 2, or None, not {temperature}")
        _check_number("timeout", timeout)
        if not timeout > 0:
            raise ValueError(f"timeout must be a positive number of seconds, not {timeout}")
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._temperature = None if temperature is None else float(temperature)
        self._timeout = float(timeout)
        self._structured = bool(structured)
        self._rejected: frozenset[str] = frozenset()
        self._lock = Lock()

    @property
    def identity(self) -> str:
        """Provider, model, server and settings, without any credential."""
        return (
            f"{self._provider}:{self._model}:{self._server()}:"
            f"temperature={self._temperature}:structured={self._structured}"
        )

    def complete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Answer `user` under the instructions of `system`.

        Raises:
            BadReplyError: The reply is not a completion.
            MissingExtraError: The provider's package is not installed.
            Exception: Whatever else the provider's package raises, unchanged.
        """
        while True:
            settings = self._settings(choices)
            try:
                return self._ask(system, user, settings)
            except self._rejections() as error:
                if (blocked := self._blocked(error)) is not None:
                    return blocked
                if not self._learn(error, settings):
                    raise

    async def acomplete(self, system: str, user: str, *, choices: Sequence[int] = ()) -> Completion:
        """Answer likewise, without blocking the event loop."""
        while True:
            settings = self._settings(choices)
            try:
                return await self._aask(system, user, settings)
            except self._rejections() as error:
                if (blocked := self._blocked(error)) is not None:
                    return blocked
                if not self._learn(error, settings):
                    raise

    @abstractmethod
    def _ask(self, system: str, user: str, settings: Settings) -> Completion:
        """Make one request."""

    @abstractmethod
    async def _aask(self, system: str, user: str, settings: Settings) -> Completion:
        """Make one request on the event loop."""

    @abstractmethod
    def _rejections(self) -> tuple[type[Exception], ...]:
        """The errors by which the provider says that a request is wrong."""

    @abstractmethod
    def _server(self) -> str:
        """Where the API is, for `identity`."""

    def _blocked(self, error: Exception) -> Completion | None:
        """The completion that an error stands for where it says that a filter stepped in."""
        del error
        return None

    def _named(self, error: Exception) -> str:
        """The text of an error in which the name of the rejected parameter is looked for."""
        return str(error)

    def _settings(self, choices: Sequence[int]) -> Settings:
        rejected = self._rejected
        answers: tuple[str, ...] = ()
        structured = self._structured and "structured output" not in rejected
        if structured and 0 < len(choices) < _MOST_ANSWERS:
            answers = (*(f"ID {choice}" for choice in choices), "none")
        return Settings(None if "temperature" in rejected else self._temperature, answers)

    def _learn(self, error: Exception, settings: Settings) -> bool:
        """Remember the parameter that an error names; return whether to ask again without it."""
        text = self._named(error).casefold()
        sent = {
            "temperature": settings.temperature is not None,
            "structured output": bool(settings.answers),
        }
        named = [
            parameter
            for parameter, words in _NAMES.items()
            if sent[parameter] and any(word in text for word in words)
        ]
        if not named:
            return False
        with self._lock:
            news = [parameter for parameter in named if parameter not in self._rejected]
            self._rejected |= frozenset(named)
        for parameter in news:
            logger.warning("%s does not take %s; it is asked without it", self._model, parameter)
        return True

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = Lock()

    def __repr__(self) -> str:
        server = "" if self._base_url is None else f", base_url={public_url(self._base_url)!r}"
        return f"{type(self).__name__}({self._model!r}{server}, temperature={self._temperature})"


class PerLoop(Generic[Client]):
    """Keeps one client for each event loop, since connections belong to the loop they opened on.

    A client is closed when its loop shuts its asynchronous generators down, as `asyncio.run` does
    at its end: one of them holds it open.

    Args:
        make: Makes a client.
        close: Closes one.
    """

    def __init__(
        self, make: Callable[[], Client], close: Callable[[Client], Awaitable[Any]]
    ) -> None:
        self._make = make
        self._close = close
        self._clients: dict[
            asyncio.AbstractEventLoop, tuple[Client, AsyncGenerator[None, None]]
        ] = {}
        self._lock = Lock()

    async def get(self) -> Client:
        """Return the running loop's client."""
        loop = asyncio.get_running_loop()
        with self._lock:
            known = self._clients.get(loop)
        if known is None:
            client = self._make()
            keeper = self._keeping(loop, client)
            known = client, keeper
            with self._lock:
                for gone in [other for other in self._clients if other.is_closed()]:
                    del self._clients[gone]
                self._clients[loop] = known
            await anext(keeper)  # nothing is awaited before its yield, so no task comes between
        return known[0]

    async def _keeping(
        self, loop: asyncio.AbstractEventLoop, client: Client
    ) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            with self._lock:
                self._clients.pop(loop, None)
            await self._close(client)


def public_url(url: str) -> str:
    """Return a URL without user, password, query and fragment, where credentials may stand."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


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


def _check_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, not {value}")
