"""Language models by name, as `--model` takes them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lumber_core.errors import ModelUnavailableError
from lumber_core.llms import GeminiModel, LegacyGeminiModel, LocalModel, Model, OpenAIModel
from lumber_core.settings import fields_of, settings_taken
from lumber_core.support.extras import load, require
from lumber_core.support.secrets import public_url

OLLAMA = "http://127.0.0.1:11434/v1"
FORMS = (
    "openai:NAME, gemini:NAME (gemini-legacy:NAME with the retired google-generativeai), "
    "ollama:NAME, local:NAME (a folder or hub id, run on this machine), or the URL of an "
    "OpenAI-compatible server, as in http://127.0.0.1:8000/v1#NAME"
)
REMOTE = "remote"
LOCAL = "local"
"""What help texts call models behind an API, and models that are run on this machine."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Where language models come from.

    Attributes:
        make: The class of its models.
        module: The module that must be installed.
        package: The package it belongs to.
        extra: The extra that installs it.
        keys: Environment variables that may hold the key; empty if none is needed.
        base_url: Its server; None: the provider's own.
    """

    make: Callable[..., Model]
    module: str
    package: str
    extra: str
    keys: tuple[str, ...] = ()
    base_url: str | None = None


_GEMINI_KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
PROVIDERS = {
    "openai": Provider(OpenAIModel, "openai", "openai", "openai", ("OPENAI_API_KEY",)),
    "gemini": Provider(GeminiModel, "google.genai", "google-genai", "gemini", _GEMINI_KEYS),
    "gemini-legacy": Provider(
        *(LegacyGeminiModel, "google.generativeai", "google-generativeai", "gemini-legacy"),
        keys=_GEMINI_KEYS,
    ),
    "ollama": Provider(OpenAIModel, "openai", "openai", "openai", base_url=OLLAMA),
    LOCAL: Provider(LocalModel, "transformers", "transformers", "torch"),
}


def is_language_model(spec: str) -> bool:
    """Return whether a name is one of a language model, rather than of BERT weights."""
    kind, colon, _ = spec.partition(":")
    return bool(colon) and kind in (*PROVIDERS, "http", "https")


def language_model(spec: str, *, key_variable: str | None = None, **settings: Any) -> Model:
    """Return a language model by name.

    Args:
        spec: "openai:NAME", "gemini:NAME", "gemini-legacy:NAME", "ollama:NAME", "local:NAME", or
            the URL of an OpenAI-compatible server with the model's name after a #; without a name,
            the server's only model.
        key_variable: The environment variable that holds the key. None: the provider's own, or no
            key for a server that is named by its URL.
        **settings: Settings of the model.

    Raises:
        ValueError: The name has another form, the key is missing, or a setting is wrong.
        ModelUnavailableError: A server did not answer the request for its models.
        MissingExtraError: The provider's package is not installed.
    """
    kind, colon, name = spec.partition(":")
    url: str | None = None
    if kind in ("http", "https"):
        url, _, name = spec.partition("#")
        provider = Provider(OpenAIModel, "openai", "openai", "openai", base_url=url)
    elif colon and name and kind in PROVIDERS:
        provider = PROVIDERS[kind]
    else:
        raise ValueError(f"unknown model {spec!r}: expected {FORMS}")
    local = provider.make is LocalModel
    if local and key_variable is not None:
        raise ValueError(f"--key-variable has no effect: {spec} needs no key")
    taken = settings_taken(provider.make)  # type: ignore[arg-type]  # it is a class
    known = {entry.name for entry in fields_of(taken)}
    for setting in settings:
        if setting not in known:
            flag = f"--{setting.replace('_', '-')}"
            raise ValueError(f"{flag} has no effect: {spec} has no such setting")
    require(provider.module, package=provider.package, extra=provider.extra)
    if local:
        return LocalModel(name, **settings)
    key = _key(spec, provider, key_variable)
    if not name:
        name = _only_model(provider, key)
    return provider.make(name, base_url=provider.base_url, api_key=key, **settings)


def _key(spec: str, provider: Provider, key_variable: str | None) -> str | None:
    if key_variable is not None:
        key = os.environ.get(key_variable)
        if not key:
            raise ValueError(f"no API key: the environment variable {key_variable} is empty")
        return key
    if provider.keys and not any(map(os.environ.get, provider.keys)):
        raise ValueError(
            f"no API key for {spec}: set {' or '.join(provider.keys)}, or name a variable that "
            "holds it with --key-variable"
        )
    return None


def _only_model(provider: Provider, key: str | None) -> str:
    url = provider.base_url
    assert url is not None
    served = _served(url, key)
    if len(served) != 1:
        listed = ", ".join(served) or "none"
        shown = public_url(url)
        raise ValueError(f"{shown} serves {len(served)} models ({listed}): pass {shown}#NAME")
    return served[0]


def served_by(server: str) -> list[str]:
    """Return the models of a server, each as `language_model` takes it.

    Args:
        server: "openai", "ollama", or the URL of an OpenAI-compatible server.

    Raises:
        ValueError: The server is none of these, or the key is missing.
        MissingExtraError: The package openai is not installed.
        ModelUnavailableError: The server gives no list.
    """
    if server.startswith(("http://", "https://")):
        return [f"{public_url(server)}#{name}" for name in _served(server, None)]
    provider = PROVIDERS.get(server)
    if provider is None or provider.make is not OpenAIModel:
        raise ValueError(f"unknown server {server!r}: expected openai, ollama or a URL")
    require(provider.module, package=provider.package, extra=provider.extra)
    names = _served(provider.base_url, _key(server, provider, None))
    return [f"{server}:{name}" for name in names]


def _served(url: str | None, key: str | None) -> list[str]:
    sdk = load("openai", package="openai", extra="openai")
    try:
        return OpenAIModel("any", base_url=url, api_key=key).served()
    except sdk.OpenAIError as error:
        raise ModelUnavailableError(
            f"{public_url(url) if url else 'OpenAI'} gives no list of models: {error}"
        ) from error
