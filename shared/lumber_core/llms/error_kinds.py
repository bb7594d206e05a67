"""Classifies errors and finish reasons: wrong settings, a transient error, a blocked answer.

Each client has its own error classes. Most have an HTTP status, perhaps in the error's cause.
Errors are classified by status, or else by class name, which works for every client without
importing one.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from lumber_core.errors import ModelSettingsError
from lumber_core.support.secrets import public_url

Trouble = Literal["settings", "transient", "unknown"]

_TRANSIENT_STATUS = frozenset((408, 409, 425, 429))
_TRANSIENT_NAMES = (
    *("timeout", "connection", "connecterror", "transporterror", "protocolerror"),
    *("payloaderror", "chunkedencodingerror"),  # aiohttp and requests: the body was cut short
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
_CONNECTING_NAMES = ("connecttimeout", "pooltimeout")  # the server did not receive the request
# Gemini states the wait in the body of an error: google.rpc.RetryInfo, as JSON or as protobuf.
_RETRY_DELAY = re.compile(r"retry_?[dD]elay\W+(?:seconds\W+)?(\d+(?:\.\d+)?)")
_NO_CREDIT = "insufficient_quota"  # OpenAI's code, with the status of a rate limit
_MAX_RETRY_AFTER_SECONDS = 3600.0  # a longer wait is a mistake of the server
# The status of errors that have none, by a part of their class's name in lower case: classes of
# LangChain, Bedrock and others.
_STATUS_OF_NAMES = (
    ("ratelimit", 429),
    ("throttl", 429),
    ("toomanyrequests", 429),
    ("modelauthenticationerror", 401),
    ("unauthorized", 401),
    ("permissiondenied", 403),
    ("modelnotfound", 404),
    ("modelinvalidrequest", 400),
    ("modelapierror", 500),
    ("serviceunavailable", 503),
)
_STATUS_OF_GRPC = {
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "RESOURCE_EXHAUSTED": 429,
    "UNKNOWN": 500,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}
# A status that only the message of an error states, as in NVIDIA's client.
_STATUS_IN_TEXT = re.compile(
    r"(?i)(?:\A[<\[(]?(?=[45]\d\d\W+[a-z])|\b(?:error|code|status|http|response)\W{0,3})"
    r"([45]\d\d)(?![\d.,]*\d)"
)
_BLOCKED_WORDS = (  # in finish reasons of OpenAI, Azure, Gemini, Bedrock and Cohere
    *("blocked", "blocklist", "content-filter", "content_filter", "guardrail", "no candidates"),
    *("prohibited", "recitation", "refusal", "safety", "spii", "toxic"),
)
_CUT_WORDS = (  # in finish reasons of OpenAI, Anthropic, Cohere and DeepSeek, and in errors
    *("length", "max_tokens", "max_output_tokens", "error_limit", "context_window"),
    *("insufficient_system_resource", "terminated early"),
)
# Parts of messages of errors that clients raise for an answer that was blocked or cut off.
_REASON_IN_ERROR = (
    r"\b(?:[A-Z]+_)?(?:SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|MAX_TOKENS)\b",
    r"(?i)content.?filter|(?:was|were|been|is|got) blocked|blocked by|refusal|no candidates"
    r"|lengthfinish|terminated early",
)
# Messages of OpenAI, Azure, DeepSeek and OpenRouter that reject a single prompt. The status of such
# an error is that of wrong settings.
_REJECTION_OF_PROMPT = (
    r"(?i)content.?filter|content.?(?:policy|management)|content exists risk|data_?inspection"
    r"|(?:prompt|input|content|message|request) (?:was|were|has been|is) (?:flagged|blocked)"
    r"|moderation|invalid_prompt",
)
_PROMPT_STATUS = frozenset((400, 403, 422))
_ENDED_LOOP = r"(?i)event loop|different loop|inside a task"  # errors of asyncio, aiohttp and grpc
_LONG_NUMBER = "integer string conversion"  # Python's error for a number of over 4,300 digits
_MAX_CHAINED_ERRORS = 8  # clients chain two or three


def trouble_of(error: Exception) -> Trouble:
    """Classify an error.

    "settings": retrying will not help (wrong key, unknown model, bad request). "transient":
    retrying may help (rate limits, server errors, timeouts, broken connections and unreadable
    replies). "unknown": everything else, such as a bug.
    """
    if any(getattr(linked, "code", None) == _NO_CREDIT for linked in chain_of(error)):
        return "settings"
    status = status_of(error)
    if status is not None:
        waiting_helps = status < 400 or status >= 500 or status in _TRANSIENT_STATUS
        return "transient" if waiting_helps else "settings"
    if isinstance(error, (TimeoutError, ConnectionError)) or is_unreadable(error):
        return "transient"
    if any(part in name for name in _names(error) for part in _TRANSIENT_NAMES):
        return "transient"
    return "unknown"


def check_redirect(error: Exception, server: str) -> None:
    """Raise a ModelSettingsError if the server of a request redirects.

    Clients do not follow redirects: text and key of a request are meant for one server.
    """
    if status_of(error) in _REDIRECT_STATUS:
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        to = headers.get("location") or headers.get("Location") or "another address"
        raise ModelSettingsError(
            f"the server {server} redirects to {public_url(to)}, which gets neither text nor key: "
            "if you trust it, pass its URL as base_url"
        ) from None


def is_unreadable(error: Exception) -> bool:
    """Return whether a provider's package could not read a reply."""
    names = {kind.__name__ for kind in type(error).__mro__}
    is_named = not names.isdisjoint(_UNREADABLE_NAMES)
    return is_named or (isinstance(error, ValueError) and _LONG_NUMBER in str(error))


def is_timeout(error: Exception) -> bool:
    """Return whether the server received the request but did not answer in time.

    It may still be busy with the request. Timeouts while connecting do not count.
    """
    if status_of(error) in _TIMEOUT_STATUS:
        return True
    names = [name for linked in chain_of(error) for name in _names(linked)]
    return any("timeout" in name for name in names) and not any(
        part in name for name in names for part in _CONNECTING_NAMES
    )


def is_of_ended_loop(error: Exception) -> bool:
    """Return whether an asynchronous client failed because it belongs to another event loop."""
    return any(
        isinstance(linked, RuntimeError) and re.search(_ENDED_LOOP, str(linked))
        for linked in chain_of(error)
    )


def status_of(error: Exception) -> int | None:
    """Return the HTTP status of an error or of an error that caused it, or None."""
    links = [*chain_of(error)]
    for linked in links:
        response = getattr(linked, "response", None)
        for holder, name in (
            (linked, "status_code"),
            (linked, "code"),
            (linked, "http_status"),
            (linked, "status"),
            (response, "status_code"),
            (response, "status"),
            (_metadata(linked), "HTTPStatusCode"),
            (next(iter(linked.args), None), "code"),  # LangChain, for an error in a reply with 200
        ):
            status = (
                holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
            )
            if linked is holder and callable(status):  # gRPC has a method
                status = _STATUS_OF_GRPC.get(getattr(status(), "name", ""))
            status = getattr(status, "value", status)  # http.HTTPStatus
            status = int(status) if isinstance(status, str) and status.isdecimal() else status
            if isinstance(status, int) and not isinstance(status, bool) and 100 <= status < 1000:
                return status
    names = [name for linked in links for name in _names(linked)]
    matches = (_STATUS_IN_TEXT.search(str(linked)) for linked in links)
    return next(
        (status for part, status in _STATUS_OF_NAMES if part in " ".join(names)),
        next((int(match[1]) for match in matches if match), None),
    )


def retry_after(error: Exception) -> float | None:
    """Return the seconds to wait according to the Retry-After header or the message, or None."""
    for linked in chain_of(error):
        for headers in (
            getattr(getattr(linked, "response", None), "headers", None),
            getattr(linked, "headers", None),
            _metadata(linked).get("HTTPHeaders"),
        ):
            if not isinstance(headers, Mapping):
                continue
            values = {str(name).casefold(): value for name, value in headers.items()}
            for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
                seconds = _seconds(values[name]) if values.get(name) else None
                if seconds is not None:
                    return min(max(0.0, seconds / scale), _MAX_RETRY_AFTER_SECONDS)
        if match := _RETRY_DELAY.search(str(linked)):
            return min(float(match[1]), _MAX_RETRY_AFTER_SECONDS)
    return None


def client_retries_of(error: Exception) -> int | None:
    """Return how often a client has retried a request, if the error states it (botocore)."""
    retries = (_metadata(linked).get("RetryAttempts") for linked in chain_of(error))
    return next((number for number in retries if isinstance(number, int)), None)


def finish_reason_of(error: Exception) -> str:
    """Return the finish reason of an answer for which a client raised an error, or "".

    Clients raise errors of any class for an answer that was blocked or cut off. A server may reject
    a prompt for its content with the status of a wrong request.
    """
    code = getattr(error, "code", None)
    if is_blocked(code):
        return str(code)
    status = status_of(error)
    if status is None and trouble_of(error) == "unknown":
        patterns: tuple[str, ...] = _REASON_IN_ERROR
    elif status in _PROMPT_STATUS:
        patterns = _REJECTION_OF_PROMPT
    else:
        return ""
    text = f"{type(error).__name__}: {error}"
    match = next(filter(None, (re.search(pattern, text) for pattern in patterns)), None)
    if match is None:
        return ""
    return match[0] if is_blocked(match[0]) or is_cut(match[0]) else f"blocked: {match[0]}"


def is_blocked(finish_reason: object) -> bool:
    """Return whether the model or its provider declined to answer."""
    return _contains_any(finish_reason, _BLOCKED_WORDS)


def is_cut(finish_reason: object) -> bool:
    """Return whether a completion was cut off, by its maximum number of tokens or otherwise."""
    return _contains_any(finish_reason, _CUT_WORDS)


def _contains_any(finish_reason: object, words: Iterable[str]) -> bool:
    # The finish reason of a custom model may have any type.
    return isinstance(finish_reason, str) and any(w in finish_reason.casefold() for w in words)


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, in the order of a traceback."""
    linked: BaseException | None = error
    for _ in range(_MAX_CHAINED_ERRORS):
        if linked is None:
            return
        yield linked
        attempt = getattr(linked, "last_attempt", None)  # tenacity's RetryError has it
        inner = attempt.exception() if attempt is not None else None
        inner = inner or next(iter(getattr(linked, "exceptions", ())), None)  # errors in a group
        is_hidden = linked.__suppress_context__
        linked = inner or linked.__cause__ or (None if is_hidden else linked.__context__)


def _metadata(error: BaseException) -> Mapping[str, Any]:
    """Return the metadata of botocore's errors, which replace a response's status and headers."""
    response = getattr(error, "response", None)
    metadata = response.get("ResponseMetadata") if isinstance(response, dict) else None
    return metadata if isinstance(metadata, dict) else {}


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
