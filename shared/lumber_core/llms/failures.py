"""What an error or an end means: wrong settings, trouble that passes, an answer withheld or cut.

Clients raise their own classes; most carry an HTTP status. Going by that, and by names where
there is none, works for every client without importing one.
"""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Mapping
from typing import Any, Literal

Trouble = Literal["settings", "passing", "unknown"]

_PASSING_STATUS = frozenset((408, 409, 425, 429))
_PASSING_NAMES = (
    "timeout",
    "connection",
    "connecterror",
    "transporterror",
    "protocolerror",
    "payloaderror",  # aiohttp and requests: the body was cut short
    "chunkedencodingerror",
)
_NO_CREDIT = "insufficient_quota"
_LONGEST_RETRY_AFTER = 3600.0
_BLOCKED = (
    "blocked",
    "blocklist",
    "content-filter",
    "content_filter",
    "prohibited",
    "recitation",
    "refusal",
    "safety",
    "spii",
)
_CUT = ("length", "max_tokens")


def trouble_of(error: Exception) -> Trouble:
    """Tell what kind of trouble an error stands for.

    Returns:
        "settings" where asking again is vain (a wrong key, an unknown model, a bad request);
        "passing" where it may help (rate limits, server errors, timeouts, broken connections and
        bodies); "unknown" for everything else, such as a fault in a program.
    """
    if getattr(error, "code", None) == _NO_CREDIT:
        return "settings"
    status = status_of(error)
    if status is not None:
        waiting_helps = status < 400 or status >= 500 or status in _PASSING_STATUS
        return "passing" if waiting_helps else "settings"
    if isinstance(error, (TimeoutError, ConnectionError, json.JSONDecodeError)):
        return "passing"
    names = [kind.__name__.casefold() for kind in type(error).__mro__]
    if any(part in name for name in names for part in _PASSING_NAMES):
        return "passing"
    return "unknown"


def status_of(error: Exception) -> int | None:
    """Return the HTTP status that an error carries, if it carries one."""
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
        if isinstance(status, int) and not isinstance(status, bool) and 100 <= status < 600:
            return status
    return None


def retry_after(error: Exception) -> float | None:
    """Return the seconds that the server asks to wait, from its Retry-After header."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name) or headers.get(name.title())
        seconds = _seconds(value) if value else None
        if seconds is not None:
            return min(max(0.0, seconds / scale), _LONGEST_RETRY_AFTER)
    return None


def is_blocked(finish_reason: str) -> bool:
    """Tell whether a completion ended because the model or its provider declined."""
    return any(word in finish_reason.casefold() for word in _BLOCKED)


def is_cut(finish_reason: str) -> bool:
    """Tell whether a completion ended because it had reached the most tokens allowed."""
    return any(word in finish_reason.casefold() for word in _CUT)


def _seconds(value: Any) -> float | None:
    """Read a number of seconds, or a date in the form of HTTP."""
    try:
        return float(value)
    except ValueError:
        pass
    try:
        return email.utils.parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError):
        return None
