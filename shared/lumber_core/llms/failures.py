"""What an error or a finish reason means: wrong settings, a transient error, a blocked answer.

Clients raise classes of their own, most of them with an HTTP status. Errors are classified by
status, or else by class name, which works for every client without importing one.
"""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from lumber_core.errors import ModelSettingsError
from lumber_core.support.secrets import public_url

Trouble = Literal["settings", "transient", "unknown"]

_TRANSIENT_STATUS = frozenset((408, 409, 425, 429))
_TRANSIENT_NAMES = (
    "timeout",
    "connection",
    "connecterror",
    "transporterror",
    "protocolerror",
    "payloaderror",  # aiohttp and requests: the body was cut short
    "chunkedencodingerror",
)
_UNREADABLE_NAMES = (
    "JSONDecodeError",
    "ParseError",  # protobuf
    "RecursionError",
    "UnicodeDecodeError",
    "UnknownApiResponseError",  # google-genai
    "ValidationError",  # pydantic
)
_REDIRECT_STATUS = frozenset((301, 302, 303, 307, 308))
_TIMEOUT_STATUS = frozenset((504, 524))
_CONNECTING_NAMES = ("connecttimeout", "pooltimeout")  # the server never got the request
_NO_CREDIT = "insufficient_quota"  # OpenAI's, with the status of a rate limit
_MAX_RETRY_AFTER_SECONDS = 3600.0  # a longer wait is a mistake of the server
_BLOCKED_WORDS = (  # in finish reasons of OpenAI, Azure and Gemini
    *("blocked", "blocklist", "content-filter", "content_filter", "prohibited"),
    *("recitation", "refusal", "safety", "spii"),
)
_CUT_WORDS = ("length", "max_tokens")


def trouble_of(error: Exception) -> Trouble:
    """Classify an error.

    Returns:
        "settings" if retrying will not help (wrong key, unknown model, bad request); "transient" if
        it may (rate limits, server errors, timeouts, broken connections and bodies); "unknown" for
        everything else, such as a bug.
    """
    if getattr(error, "code", None) == _NO_CREDIT:
        return "settings"
    status = status_of(error)
    if status is not None:
        waiting_helps = status < 400 or status >= 500 or status in _TRANSIENT_STATUS
        return "transient" if waiting_helps else "settings"
    if isinstance(error, (TimeoutError, ConnectionError, json.JSONDecodeError)):
        return "transient"
    if any(part in name for name in _names(error) for part in _TRANSIENT_NAMES):
        return "transient"
    return "unknown"


def check_redirect(error: Exception, server: str) -> None:
    """Raise a better error if a server redirects, which clients do not follow.

    A request has a text and a key, meant for the server that was named.

    Args:
        error: An error of a client.
        server: The server that was named.

    Raises:
        ModelSettingsError: The server redirects.
    """
    if status_of(error) in _REDIRECT_STATUS:
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        to = headers.get("location") or headers.get("Location") or "another address"
        raise ModelSettingsError(
            f"the server {server} redirects to {public_url(to)}, which gets neither text nor key: "
            "pass its URL as base_url if it is the one that you mean"
        ) from None


def is_unreadable(error: Exception) -> bool:
    """Return whether a provider's package could not read a reply."""
    return type(error).__name__ in _UNREADABLE_NAMES


def is_timeout(error: Exception) -> bool:
    """Return whether the server got the request but did not answer in time.

    It may still be busy with the request. Timeouts while connecting do not count.
    """
    if status_of(error) in _TIMEOUT_STATUS:
        return True
    chain = (error, error.__cause__, error.__context__)
    names = [name for linked in chain if linked is not None for name in _names(linked)]
    return any("timeout" in name for name in names) and not any(
        part in name for name in names for part in _CONNECTING_NAMES
    )


def status_of(error: Exception) -> int | None:
    """Return the HTTP status of an error, or None."""
    response = getattr(error, "response", None)
    for holder, name in (
        (error, "status_code"),
        (error, "code"),
        (error, "http_status"),
        (response, "status_code"),
        (response, "status"),
    ):
        status = getattr(holder, name, None)
        status = getattr(status, "value", status)  # http.HTTPStatus
        if isinstance(status, int) and not isinstance(status, bool) and 100 <= status < 1000:
            return status
    return None


def retry_after(error: Exception) -> float | None:
    """Return the seconds to wait according to the Retry-After header, or None."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name) or headers.get(name.title())
        seconds = _seconds(value) if value else None
        if seconds is not None:
            return min(max(0.0, seconds / scale), _MAX_RETRY_AFTER_SECONDS)
    return None


def is_blocked(finish_reason: object) -> bool:
    """Return whether the model or its provider declined to answer; False if it gave no reason."""
    return _contains_any(finish_reason, _BLOCKED_WORDS)


def is_cut(finish_reason: object) -> bool:
    """Return whether a completion was cut off at the maximum number of tokens."""
    return _contains_any(finish_reason, _CUT_WORDS)


def _contains_any(finish_reason: object, words: Iterable[str]) -> bool:
    # Custom models may give None, or anything else.
    return isinstance(finish_reason, str) and any(w in finish_reason.casefold() for w in words)


def _names(error: BaseException) -> list[str]:
    return [kind.__name__.casefold() for kind in type(error).__mro__]


def _seconds(value: Any) -> float | None:
    """Read a number of seconds or an HTTP date."""
    try:
        return float(value)
    except ValueError:
        pass
    try:
        return email.utils.parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
