"""Errors as clients of frameworks raise them: status and headers are in different places."""

import asyncio
import json
import time
from email.utils import formatdate
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import pytest

from lumber_core.llms.error_kinds import (
    client_retries_of,
    finish_reason_of,
    is_blocked,
    is_cut,
    is_of_ended_loop,
    is_timeout,
    retry_after,
    status_of,
    trouble_of,
)


class AttributedError(Exception):
    """An error with any attributes."""

    def __init__(self, message: str = "", **attributes: Any) -> None:
        super().__init__(message)
        vars(self).update(attributes)


class GatewayRateLimitError(Exception):
    """An error with a status only in its name."""


class ModelNotFoundError(Exception):
    """Named like an error of LangChain."""


class APIConnectionError(Exception):
    """Named as clients name theirs, without a status."""


def http(status: int, message: str = "", **headers: str) -> AttributedError:
    header_values = {name.replace("_", "-"): value for name, value in headers.items()}
    response = SimpleNamespace(status_code=status, headers=header_values)
    return AttributedError(message, response=response)


def raise_error(error: Exception, cause: Exception, *, explicit: bool = True) -> Exception:
    """Return an error as a client raises it while it handles another."""
    try:
        try:
            raise cause
        except Exception as caught:
            if explicit:
                raise error from caught
            raise error  # noqa: B904 - as some clients do
    except Exception as outer:  # noqa: BLE001 - the error is returned
        return outer


SETTINGS = (400, 401, 403, 404, 422)
TRANSIENT = (200, 408, 429, 500, 529, 600, 999)
BOTOCORE = {
    "Error": {"Code": "ThrottlingException"},
    "ResponseMetadata": {"HTTPStatusCode": 429, "HTTPHeaders": {"retry-after": "3"}},
}


@pytest.mark.parametrize(
    ("error", "status", "seconds"),
    [
        (raise_error(Exception("busy"), http(429, retry_after="7")), 429, 7.0),
        (raise_error(Exception("busy"), http(503, Retry_After="2"), explicit=False), 503, 2.0),
        (raise_error(Exception("outer"), raise_error(KeyError("x"), http(401))), 401, None),
        (AttributedError(response=BOTOCORE), 429, 3.0),
        (AttributedError(status_code=429, headers={"Retry-After": "4"}), 429, 4.0),
        (AttributedError(status=529), 529, None),
        (AttributedError(status="RESOURCE_EXHAUSTED", code=429), 429, None),
        (GatewayRateLimitError("slow down"), 429, None),
        (GatewayRateLimitError("{'@type': 'RetryInfo', 'retryDelay': '34.07s'}"), 429, 34.07),
        (GatewayRateLimitError("retry_delay {\n  seconds: 34\n  nanos: 7\n}"), 429, 34.0),
        (ModelNotFoundError("no such model"), 404, None),
        (AttributedError(code=lambda: SimpleNamespace(name="RESOURCE_EXHAUSTED")), 429, None),
        (AttributedError(code=lambda: SimpleNamespace(name="UNAUTHENTICATED")), 401, None),
        (AttributedError(status_code="503"), 503, None),
        (Exception("[429] Too Many Requests"), 429, None),
        (ValueError("Error code: 401 - wrong key"), 401, None),
        (AttributedError(exceptions=(http(503, retry_after="2"),)), 503, 2.0),
        *((http(status), status, None) for status in (*SETTINGS, *TRANSIENT)),
        (AttributedError(code=HTTPStatus.UNAUTHORIZED), 401, None),
        *(
            (http(429, retry_after=value), 429, seconds)
            for value, seconds in {"soon": None, "-5": 0, "1e999": 3600, "nan": 0}.items()
        ),
        (http(429, retry_after_ms="250"), 429, 0.25),
        (http(429, retry_after="Sat, 21 Nov 2026 10:00:00 +99999999"), 429, None),
        (ValueError("a bug"), None, None),
        (KeyError(404), None, None),
        (ValueError("at line 429 of 500 lines"), None, None),
        (FileNotFoundError("a file"), None, None),
    ],
)
def test_the_status_and_the_pause_are_found_in_all_places_that_clients_use(error, status, seconds):
    assert (status_of(error), retry_after(error)) == (status, seconds)
    expected = "unknown" if status is None else "settings" if status in SETTINGS else "transient"
    assert trouble_of(error) == expected


def test_a_retry_after_date_gives_the_pause_until_then() -> None:
    seconds = retry_after(http(429, retry_after=formatdate(time.time() + 3000)))
    assert seconds == pytest.approx(3000, abs=900)


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (TimeoutError(), "transient"),
        (ConnectionResetError(), "transient"),
        (APIConnectionError(), "transient"),
        (json.JSONDecodeError("x", "", 0), "transient"),
        (http(429), "transient"),
        (AttributedError(status_code=429, code="insufficient_quota"), "settings"),
    ],
)
def test_an_error_is_classified_by_its_type_or_code_beside_its_status(
    error: Exception, trouble: str
) -> None:
    assert trouble_of(error) == trouble


def test_the_status_of_a_suppressed_context_is_ignored() -> None:
    hiding = ValueError("a bug")
    hiding.__context__, hiding.__suppress_context__ = http(429), True
    assert status_of(hiding) is None


def test_an_error_in_a_cycle_of_causes_is_read_once() -> None:
    first, second = ValueError("one"), ValueError("two")
    first.__cause__, second.__cause__ = second, first
    assert status_of(first) is None
    assert not is_timeout(first)


def test_the_retries_that_an_error_states_are_read() -> None:
    stated = {"ResponseMetadata": {"HTTPStatusCode": 503, "RetryAttempts": 4}}
    assert client_retries_of(raise_error(Exception("outer"), AttributedError(response=stated))) == 4
    assert client_retries_of(http(503)) is None


REPORTED: dict[str, list[Exception]] = {
    "blocked": [
        RuntimeError("Response was terminated early: SAFETY [rating]"),
        RuntimeError("Response was terminated early: IMAGE_SAFETY"),
        ValueError("Response has no candidates"),
        AttributedError("400 Bad Request: Content Exists Risk", status_code=400),
        AttributedError("the response was filtered", status_code=400, code="content_filter"),
        AttributedError("403: your input was flagged for violence", status_code=403),
        AttributedError("error: data_inspection_failed", status_code=400),
    ],
    "cut": [
        RuntimeError("Response was terminated early: MAX_TOKENS"),
        RuntimeError("Response was terminated early: OTHER"),
        type("LengthFinishReasonError", (Exception,), {})("could not parse the response"),
    ],
    "no answer": [  # bugs and settings
        ValueError("max_tokens must be positive"),
        KeyError("choices"),
        TypeError("'NoneType' object is not subscriptable"),
        AttributedError("Invalid value at 'safety_settings'", status_code=400),
        AttributedError("your key was blocked", status_code=401),
        ConnectionRefusedError("refused"),
        AttributedError("SAFETY", status_code=429),
    ],
}


@pytest.mark.parametrize(("end", "error"), [(e, one) for e in REPORTED for one in REPORTED[e]])
def test_an_answer_that_a_client_reports_by_an_error_is_distinguished_from_bugs_and_settings(
    end, error
):
    reason = finish_reason_of(error)
    assert (is_blocked(reason), is_cut(reason)) == (end == "blocked", end == "cut")
    assert end != "no answer" or reason == ""


def test_a_number_of_thousands_of_digits_is_a_reply_that_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="conversion") as caught:
        int("9" * 5000)
    assert trouble_of(caught.value) == "transient"
    assert trouble_of(ValueError("something else")) == "unknown"


def test_an_ended_event_loop_is_recognised_by_the_error_or_its_cause() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    with pytest.raises(RuntimeError) as caught:
        loop.call_soon(print)
    assert is_of_ended_loop(caught.value)
    assert is_of_ended_loop(raise_error(ConnectionError("connection error"), caught.value))
    assert is_of_ended_loop(RuntimeError("got Future attached to a different loop"))
    assert not is_of_ended_loop(RuntimeError("a bug"))
    assert not is_of_ended_loop(ValueError("event loop"))
