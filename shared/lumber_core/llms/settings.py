"""The settings of models behind an API, each with its check and its documentation."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from lumber_core.checks import check_positive, number_that
from lumber_core.settings import Setting, Settings, optional
from lumber_core.support.identity import settings_digest
from lumber_core.support.secrets import public_url


def _check_name(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if not value.strip():
        raise ValueError(
            f"{name} is empty" + ("; pass the model's name" if name == "model" else "")
        )


def check_url(name: str, url: object) -> None:
    """Raise unless `url` is the URL of a server.

    Raises:
        TypeError: It is not a string.
        ValueError: It is not a URL.
    """
    if not isinstance(url, str):
        raise TypeError(f"{name} must be a str, not {type(url).__name__}")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f"{name} must look like http://127.0.0.1:8000/v1, not {public_url(url)!r}")


_check_temperature = number_that(lambda value: 0 <= value <= 2, "from 0 to 2, or None")
_check_seconds = number_that(lambda seconds: seconds > 0, "a positive number of seconds")


def _check_max_tokens(name: str, value: object) -> None:
    if value not in ("auto", None):
        check_positive(name, value)


class PlainModelSettings(Settings):
    """Settings of every model behind an API."""

    model: Annotated[str, Setting("The model's name.", _check_name)] = field(kw_only=False)
    base_url: Annotated[
        str | None, Setting("URL of the API. None: the provider's.", optional(check_url))
    ] = None
    api_key: Annotated[
        str | None,
        Setting(
            "The key. None: the one in the provider's environment variable, which is never sent to "
            "a server named by `base_url`.",
            optional(_check_name),
            changes_result=False,
        ),
    ] = None
    temperature: Annotated[
        float | None,
        Setting(
            "From 0 to 2; 0.1 as in the paper. None: the model's default.",
            optional(_check_temperature),
        ),
    ] = 0.1
    timeout: Annotated[
        float,
        Setting(
            "Seconds for one request, from connecting to the end of the reply.",
            _check_seconds,
            changes_result=False,
        ),
    ] = 60.0
    max_tokens: Annotated[
        int | Literal["auto"] | None,
        Setting(
            'Maximum tokens in an answer. "auto": 64 if the answers are given, 8192 as soon as one '
            "was cut off while the model still reasoned, and more for a list of answers; no limit "
            "for other questions. None: no limit.",
            _check_max_tokens,
        ),
    ] = "auto"


class ModelSettings(PlainModelSettings):
    """Settings of models whose answers can be restricted, and that take a client."""

    structured: Annotated[
        bool,
        Setting("Restrict the answer to the allowed ones, if these are given. False: plain text."),
    ] = True
    client: Annotated[
        Any,
        Setting(
            "A client of the provider's package, used as it is. `base_url`, `api_key` and "
            "`timeout` are then its own.",
            changes_result=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check every value, and that they fit together.

        Raises:
            ValueError: `base_url` or `api_key` comes with a client.
        """
        super().__post_init__()
        given = self.base_url is not None or self.api_key is not None
        if self.client is not None and given:
            raise ValueError("a client has its own base_url and api_key: pass one or the other")


def url_identity(url: str) -> str:
    """Return a URL without its query, and a digest that tells apart those with another query."""
    return f"{public_url(url)}:{settings_digest({'url': url})}"
