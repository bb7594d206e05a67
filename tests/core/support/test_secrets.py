import traceback
from types import SimpleNamespace
from typing import Any

import pydantic
import pytest

from lumber_core.support.secrets import (
    is_secret,
    public_url,
    redact,
    redact_errors,
    secrets_in,
    without_secrets,
)

KEY = "planted4711"


@pytest.mark.parametrize(
    "name",
    [
        *("apiKey", "_api_key", "aws_secret_access_key", "api_keys", "Proxy-Authorization"),
        *("x-api-key", "Cookie", "hf_token", "accesstoken", "password", "http_auth", "credentials"),
    ],
)
def test_a_setting_is_a_secret_by_its_name(name: str) -> None:
    assert is_secret(name, KEY)
    assert not is_secret(name, 4711)


@pytest.mark.parametrize(
    "name", ["model", "keywords", "max_tokens", "tokenizer", "monkey", "author"]
)
def test_other_settings_are_not_secrets(name: str) -> None:
    assert not is_secret(name, "value")
    assert is_secret(name, pydantic.SecretStr(KEY))


class Settings(pydantic.BaseModel):
    key: pydantic.SecretStr = pydantic.SecretStr(KEY)


@pytest.mark.parametrize(
    "holder",
    [
        {"api_key": KEY},
        SimpleNamespace(client=SimpleNamespace(_api_key=KEY)),
        Settings(),
        {"settings": {"default_headers": {"Authorization": f"Bearer {KEY}"}}},
        {"headers": {"X-Gateway": KEY}},
        {"url": f"https://user:{KEY}@host/v1"},
        {"url": f"redis://:{KEY}@host"},
    ],
)
def test_secrets_are_found_in_settings_and_clients(holder: object) -> None:
    assert KEY in secrets_in(holder)
    assert without_secrets(f"<{KEY}>", secrets_in(holder)) == "<[redacted]>"


def test_public_values_are_not_taken_for_secrets() -> None:
    held: Any = {"model": "some-model", "url": "https://host/v1", "key": "abc", "timeout": 60}
    held["headers"] = {"Content-Type": "application/json", "User-Agent": "python/3", "X-A": "short"}
    held["itself"] = held
    assert secrets_in(held) == []


def test_the_longest_secret_is_removed_first() -> None:
    secrets = secrets_in({"key": "abcd", "token": "abcdefgh"})
    assert without_secrets("abcdefgh", secrets) == "[redacted]"


@pytest.mark.parametrize(
    "text",
    [
        f"bad request: {{'Authorization': 'Bearer {KEY}', 'x': 1}}",
        *(f'headers: {{"authorization": "Basic {KEY}"}}', f"GET https://user:{KEY}@host/v1 failed"),
        *(f"GET https://host/v1?key={KEY}&a=b failed", f'{{"x-goog-api-key": "{KEY}"}}'),
        *(f'{{"clientSecret": "{KEY}"}}', f'"{{\\"api_key\\": \\"{KEY}\\"}}"'),
        *(f"access_token={KEY}&a=b", f"passwd: {KEY}", f"sk-proj-{KEY}-{KEY}"),
    ],
)
def test_secrets_in_a_text_are_found_by_their_form(text: str) -> None:
    assert KEY not in without_secrets(text)


def test_names_of_models_are_shown() -> None:
    for text in (
        "no model hf-internal-testing/tiny-random, key: none; missing credentials: see the docs",
        "max_tokens: 100000 is too large; the monkey: bananas; KeyError: 'paragraph'; token 5",
    ):
        assert without_secrets(text) == text


class KeyedError(Exception):
    def __init__(self) -> None:
        super().__init__({"error": [KEY, (KEY, 3)]})
        self.body = {"message": f"wrong: {KEY}", "code": 401}
        self.note = None


def test_every_text_of_an_error_and_of_its_causes_is_redacted() -> None:
    cause, context = KeyedError(), OSError(5, f"cannot open {KEY}", f"/{KEY}")
    error = KeyedError()
    error.__cause__, error.__context__ = cause, context
    redact(error, [KEY])
    for raised_error in (error, cause, context):
        assert KEY not in f"{raised_error!s} {raised_error!r} {vars(raised_error)}"
    assert context.errno == 5


def validation_error() -> pydantic.ValidationError:
    """An error whose text cannot be changed."""

    class Reply(pydantic.BaseModel):
        number: int

    with pytest.raises(pydantic.ValidationError) as caught:
        Reply.model_validate({"number": KEY})
    assert KEY in str(caught.value)
    return caught.value


def test_an_error_whose_text_cannot_be_changed_is_replaced() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)ValidationError: .*\[redacted\]") as caught:  # noqa: SIM117
        with redact_errors({"api_key": KEY}):
            raise validation_error()
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_cause_whose_text_cannot_be_changed_is_removed() -> None:
    error = ValueError("bad reply")
    error.__cause__ = validation_error()
    redact(error, [KEY])
    assert error.__cause__ is None


def test_a_public_url_has_no_user_and_no_query() -> None:
    assert public_url(f"https://user:{KEY}@host:8/v1?key={KEY}#{KEY}") == "https://host:8/v1"


def test_a_part_of_a_url_path_that_looks_like_a_key_is_hidden() -> None:
    other = "https://host/openai/deployments/gpt-4o-mini-2024-05-13/v1"
    assert public_url(other) == other
    for key in ("planted-0123456789abcdef", "3fa85f64-5717-4562-b3fc-2c963f66afa6"):
        url = f"http://host/{key}/v1?key=planted-query-key"
        assert public_url(url) == "http://host/[redacted]/v1"
        assert {key, "planted-query-key"} <= {*secrets_in({"base_url": url})}
