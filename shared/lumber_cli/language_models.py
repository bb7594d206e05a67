"""Language models by name, as `--model` takes them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from lumber_cli.named_settings import make_with
from lumber_core.errors import ModelUnavailableError
from lumber_core.llms import GeminiModel, LegacyGeminiModel, Model, OpenAIModel
from lumber_core.support.extras import load
from lumber_core.support.secrets import public_url

OLLAMA = "http://127.0.0.1:11434/v1"
FORMS = (
    "openai:NAME, gemini:NAME (gemini-legacy:NAME with the retired google-generativeai), "
    "ollama:NAME, or the URL of an OpenAI-compatible server, such as llama.cpp or vLLM, as in "
    "http://127.0.0.1:8000/v1#NAME"
)


class Provider(NamedTuple):
    """A provider of language models."""

    make: Callable[..., Model]  # the class of its models
    keys: tuple[str, ...] = ()  # environment variables that may hold the key; () if none is needed
    base_url: str | None = None  # None: the provider's server


_GEMINI_KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
PROVIDERS = {
    "openai": Provider(OpenAIModel, ("OPENAI_API_KEY",)),
    "gemini": Provider(GeminiModel, _GEMINI_KEYS),
    "gemini-legacy": Provider(LegacyGeminiModel, _GEMINI_KEYS),
    "ollama": Provider(OpenAIModel, base_url=OLLAMA),
}


def is_language_model(spec: str) -> bool:
    """Return whether a name is that of a language model, not of BERT weights."""
    kind, colon, _ = spec.partition(":")
    return bool(colon) and kind in (*PROVIDERS, "http", "https")


def model_class(spec: str | None) -> Callable[..., Model]:
    """Return the class of a model by name; see `language_model`. None: `OpenAIModel`."""
    return OpenAIModel if spec is None else _provider(spec)[0].make


def language_model(spec: str, *, key_variable: str | None = None, **settings: Any) -> Model:
    """Return a language model by name, with settings.

    The name is "openai:NAME", "gemini:NAME", "gemini-legacy:NAME", "ollama:NAME", or the URL of an
    OpenAI-compatible server with the model's name after a #; without a name, the server's only
    model. The environment variable `key_variable` holds the key. None: the provider's own, or no
    key for a server that is named by its URL.

    Raises:
        ValueError: The name has another form, the key is missing, or a setting is wrong.
        ModelUnavailableError: A server did not answer the request for its models.
        MissingExtraError: The provider's package is not installed.
    """
    provider, name = _provider(spec)
    key = _key(spec, provider, key_variable)
    name = name or _only_model(provider, key)
    return make_with(provider.make, name, base_url=provider.base_url, api_key=key, **settings)


def _provider(spec: str) -> tuple[Provider, str]:
    """Return a model's provider and its name, "" for the only model of a server."""
    kind, colon, name = spec.partition(":")
    if kind in ("http", "https"):
        url, _, name = spec.partition("#")
        return Provider(OpenAIModel, base_url=url), name
    if colon and name and kind in PROVIDERS:
        return PROVIDERS[kind], name
    raise ValueError(f"unknown model {spec!r}: expected {FORMS}")


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
    """Return the only model of a server that is named by its URL."""
    url = provider.base_url
    assert url is not None
    server = public_url(url)
    sdk = load("openai", package="openai", extra="openai")
    try:
        served = OpenAIModel("any", base_url=url, api_key=key).list_models()
    except sdk.OpenAIError as error:
        raise ModelUnavailableError(f"{server} returns no list of models: {error}") from error
    if len(served) != 1:
        listed = ", ".join(served) or "none"
        raise ValueError(f"{server} serves {len(served)} models ({listed}): pass {server}#NAME")
    return served[0]
