"""Which language model the options of a command ask for."""

from __future__ import annotations

import os

from lumber_core.llms import GeminiModel, OpenAIModel
from lumber_core.llms.remote import RemoteModel

_KEYS: dict[type[RemoteModel], tuple[str, ...]] = {
    OpenAIModel: ("OPENAI_API_KEY",),
    GeminiModel: ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}


def named_model(name: str, *, base_url: str | None, key_variable: str | None) -> RemoteModel:
    """Return the model of a name: Gemini's for names that begin so, else OpenAI's.

    Args:
        name: The model's name.
        base_url: A server that speaks OpenAI's chat completions, whatever its models are called.
        key_variable: The environment variable that holds the key; by default the provider's own,
            and none for a server named by `base_url`.

    Raises:
        ValueError: A key is missing, or an option is of no use.
        MissingExtraError: The provider's package is not installed.
    """
    key: str | None = None
    if key_variable is not None:
        key = os.environ.get(key_variable)
        if not key:
            raise ValueError(f"there is no key: the environment variable {key_variable} is empty")
    is_gemini = name.startswith("gemini") and base_url is None
    kind: type[OpenAIModel | GeminiModel] = GeminiModel if is_gemini else OpenAIModel
    if base_url is None and key is None and not any(map(os.environ.get, _KEYS[kind])):
        raise ValueError(
            f"there is no key for {name!r}: set {' or '.join(_KEYS[kind])}, or name a server with "
            "--base-url"
        )
    return kind(name, base_url=base_url, api_key=key)
