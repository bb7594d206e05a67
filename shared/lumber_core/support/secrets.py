"""Recognises secrets, and removes them from texts, errors and URLs.

A secret is recognised by the name of its setting ("api_key"), by its type (`SecretStr`), by its
position in a URL, or by its form in a text ("Bearer ...", "sk-..."). A server may echo a key in any
other form, so `redact_errors` searches the errors of a client for the secrets in its settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FunctionType, MethodType, ModuleType
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

REDACTED = "[redacted]"

_SECRET_NAMES = (
    r"api[_-]?keys?|key|(?:client[_-]?)?secret|password|passwd|passphrase|authorization|cookie|"
    r"(?:access|auth|bearer|id|refresh|session|security|hub)[_-]?token|token"
)
# Patterns are compiled when they are first used: most programs raise no error. The next pattern is
# for names of settings only: in messages, ordinary words may follow "credentials: " or similar.
_SETTING = rf"(?i)(?:^|[_.-])(?:{_SECRET_NAMES}|auth|bearer|credentials?)$"
_HEADERS = r"(?i)headers?$"
_PUBLIC_HEADERS = r"(?i)accept|connection$|content-|user-agent$"
_SECRET_PLACES = (
    r"(?<=://)[^/\s@'\"]+(?=@)",
    r"(?i)(?<=bearer )[^\s'\",;}]+",
    r"(?i)(?<=basic )[a-z0-9+/=_-]{8,}",
)
_NAMED_SECRET = (
    rf"(?i)(?<![a-z])({_SECRET_NAMES})"
    r"(\\?['\"]?\s*[:=]\s*\\?['\"]?)(?!bearer |basic )[^\s'\",;&})]{6,}"
)
_PREFIXED_KEY = r"\b(?:(?:sk|pk|rk|gsk|xai|nvapi)[-_]|hf_|AIza)[A-Za-z0-9_-]{12,}"
# Letters and digits in one long piece, or a UUID: neither a word nor a version.
_KEY_IN_PATH = (
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?<![\w-])[\w-]*(?:(?=[a-zA-Z_]*[0-9])(?=[0-9_]*[a-zA-Z])\w{16,})[\w-]*"
)
_MIN_SECRET_CHARACTERS = 4  # shorter values are part of many words
_MIN_HEADER_CHARACTERS = 8  # most shorter values of headers are not secrets
_MAX_NESTED_OBJECTS = 4  # a bridge holds a model, which holds a client, which holds its headers
_MAX_MAPPING_ENTRIES = 100  # a larger mapping does not hold settings


def is_secret(name: str, value: object) -> bool:
    """Return whether a setting is a secret, by its name or its type.

    No identity contains secrets: a new key does not change answers.
    """
    by_name = re.search(_SETTING, name) is not None and not isinstance(value, bool | int | float)
    return by_name or type(value).__name__.startswith("Secret")


def secrets_in(holder: object) -> list[str]:
    """Return the secrets and values of headers in the settings of an object and of its clients.

    The object is a mapping of settings, a client, or a model that holds one. The longest secret is
    first, because a secret may contain another.
    """
    secrets: set[str] = set()
    level: list[tuple[str, object]] = [("", holder)]
    for _ in range(_MAX_NESTED_OBJECTS):
        level = [part for name, value in level for part in _parts(name, value)]
        for name, value in level:
            if isinstance(value, str):
                secrets.update(_secrets_of(name, value))
            elif callable(reveal := getattr(type(value), "get_secret_value", None)):
                secrets.add(str(reveal(value)))
    long = {secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARACTERS}
    return sorted(long | set(map(quote, long)), key=lambda secret: (-len(secret), secret))


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text with `[redacted]` in place of `secrets` and of texts in the form of a secret.

    Such texts are in an Authorization header, after "api_key=" or in a URL, or have a provider's
    prefix.
    """
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    for pattern in _SECRET_PLACES:
        text = re.sub(pattern, REDACTED, text)
    text = re.sub(_NAMED_SECRET, rf"\1\2{REDACTED}", text)
    return re.sub(_PREFIXED_KEY, REDACTED, text)


def redact(error: BaseException, secrets: Iterable[str] = ()) -> None:
    """Remove secrets from the texts of an error and of its causes and grouped errors, in place.

    Secrets that are recognised by their form are removed as well as `secrets`.
    """
    secrets = tuple(secrets)
    errors: list[BaseException] = [error]
    for linked in errors:  # grows during the loop
        links = (linked.__cause__, linked.__context__, *getattr(linked, "exceptions", ()))
        errors += [other for other in links if other and all(other is not e for e in errors)]
        linked.args = tuple(_clean(part, secrets) for part in linked.args)
        for name in {*vars(linked), "message", "strerror", "filename"}:
            value = getattr(linked, name, None)
            clean = _clean(value, secrets)
            if clean != value:
                with suppress(AttributeError, TypeError):  # read-only attributes come from `args`
                    setattr(linked, name, clean)
    for linked in errors:
        for link in ("__cause__", "__context__"):
            if _has_secret(getattr(linked, link), secrets):  # pydantic's errors cannot be changed
                setattr(linked, link, None)


@contextmanager
def redact_errors(holder: object) -> Iterator[None]:
    """Remove the secrets of an object (see `secrets_in`) from the errors that the body raises.

    An error whose text cannot be changed becomes a RuntimeError.
    """
    try:
        yield
    except Exception as error:
        secrets = tuple(secrets_in(holder))
        redact(error, secrets)
        if not _has_secret(error, secrets):
            raise
        clean = without_secrets(str(error), secrets)
        raise RuntimeError(f"{type(error).__name__}: {clean}") from None


def public_url(url: str) -> str:
    """Return a URL without user, password, query and fragment, and with keys in it redacted."""
    parts = urlsplit(url)
    path = re.sub(_KEY_IN_PATH, REDACTED, parts.path)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, "", ""))


def _secrets_of(name: str, value: str) -> Iterator[str]:
    if is_secret(name, value):
        yield value
        yield value.rpartition(" ")[2]  # "Bearer KEY"
    if "://" in value:
        address = value.partition("://")[2].partition("/")[0]
        user, _, password = address.rpartition("@")[0].partition(":")
        yield password or user
        yield unquote(password or user)
        with suppress(ValueError):  # not a URL
            parts = urlsplit(value)
            yield from re.findall(_KEY_IN_PATH, parts.path)
            yield from (v for _, v in parse_qsl(parts.query) if len(v) >= _MIN_HEADER_CHARACTERS)


def _parts(name: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield the settings that a value holds, with their names."""
    if isinstance(value, Mapping):
        headers = re.search(_HEADERS, name) is not None
        for key, held in value.items() if len(value) <= _MAX_MAPPING_ENTRIES else ():
            long = isinstance(held, str) and len(held) >= _MIN_HEADER_CHARACTERS
            secret = headers and long and not re.match(_PUBLIC_HEADERS, str(key))
            yield ("token" if secret else str(key)), held
    elif not isinstance(value, str | type | ModuleType | FunctionType | MethodType):
        yield from getattr(value, "__dict__", {}).items()
        yield from (getattr(value, "__pydantic_private__", None) or {}).items()


def _has_secret(error: BaseException | None, secrets: tuple[str, ...]) -> bool:
    return error is not None and without_secrets(str(error), secrets) != str(error)


def _clean(value: object, secrets: tuple[str, ...]) -> object:
    """Return a text, or data that contains a secret, as text without secrets; else the value."""
    if not isinstance(value, str | list | tuple | dict):
        return value
    clean = without_secrets(str(value), secrets)
    return value if clean == str(value) else clean
