"""Google's Gemini models by the `google-genai` package."""

from __future__ import annotations

import json
import os
from typing import Any

from lumber_core.errors import BadReplyError
from lumber_core.models.base import Completion
from lumber_core.models.extras import load, require
from lumber_core.models.remote import NO_KEY, PerLoop, RemoteModel, Settings, public_url

_PACKAGE = {"package": "google-genai", "extra": "gemini"}

UNBLOCKED = (
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
)
"""Categories in which nothing is blocked, as in the paper's code: a novel is not a request."""


class GeminiModel(RemoteModel):
    """Asks a Gemini model by the `google-genai` package.

    Where the group's IDs are given, the answer is restricted to them by an enum. A model that
    rejects the enum or the temperature is asked without it from then on, which is logged once as
    a warning. What the filters block comes back as a completion whose `finish_reason` says so:
    the candidate's ("SAFETY"), or "blocked: " and the reason for the prompt. Requests are not
    retried.

    Args:
        model: The model's name: "gemini-2.5-flash".
        base_url: Another server that speaks Gemini's API, without a version.
        api_key: The key. By default GOOGLE_API_KEY or GEMINI_API_KEY, but these are not sent to
            a server named by `base_url`: a placeholder is.
        temperature: From 0 to 2; 0.1 as in the paper; None leaves it to the model.
        timeout: Seconds for a request.
        structured: False asks for plain text always.
        client: A `google.genai.Client` of your own, for Vertex AI for instance; `base_url`,
            `api_key` and `timeout` are then its own, and so is retrying.

    Raises:
        MissingExtraError: `google-genai` is not installed.
        TypeError: A setting is of the wrong type.
        ValueError: A setting is out of range, or given together with a client that has its own.
    """

    _provider = "gemini"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = 0.1,
        timeout: float = 60.0,
        structured: bool = True,
        client: Any = None,
    ) -> None:
        super().__init__(
            model,
            base_url=base_url,
            api_key=api_key,
            temperature=temperature,
            timeout=timeout,
            structured=structured,
        )
        if client is not None and (base_url is not None or api_key is not None):
            raise ValueError("a client brings its own base_url and api_key: pass one or the other")
        require("google.genai", **_PACKAGE)
        self._own = client
        self._start()

    def _start(self) -> None:
        self._client: Any = self._own
        self._async_clients = PerLoop(self._made, lambda client: client.aio.aclose())

    def _made(self) -> Any:
        sdk = load("google.genai", **_PACKAGE)
        key = NO_KEY if self._api_key is None and self._base_url is not None else self._api_key
        options = sdk.types.HttpOptions(
            base_url=self._base_url,
            timeout=max(1, round(1000 * self._timeout)),  # milliseconds
            retry_options=sdk.types.HttpRetryOptions(attempts=1),
        )
        return sdk.Client(api_key=key, http_options=options)

    def _ask(self, system: str, user: str, settings: Settings) -> Completion:
        with self._lock:
            if self._client is None:
                self._client = self._made()
        request = self._request(system, user, settings)
        try:
            reply = self._client.models.generate_content(**request)
        except self._unreadable() as error:
            raise BadReplyError(f"{self._model}: the reply is not Gemini's JSON") from error
        return self._completion(reply)

    async def _aask(self, system: str, user: str, settings: Settings) -> Completion:
        client = self._own or await self._async_clients.get()
        request = self._request(system, user, settings)
        try:
            reply = await client.aio.models.generate_content(**request)
        except self._unreadable() as error:
            raise BadReplyError(f"{self._model}: the reply is not Gemini's JSON") from error
        return self._completion(reply)

    def _request(self, system: str, user: str, settings: Settings) -> dict[str, Any]:
        types = load("google.genai", **_PACKAGE).types
        config: dict[str, Any] = {
            "system_instruction": system,
            "safety_settings": [
                types.SafetySetting(category=category, threshold="BLOCK_NONE")
                for category in UNBLOCKED
            ],
        }
        if settings.temperature is not None:
            config["temperature"] = settings.temperature
        if settings.answers:
            config["response_mime_type"] = "text/x.enum"
            config["response_schema"] = types.Schema(
                type=types.Type.STRING, enum=list(settings.answers)
            )
        return {
            "model": self._model,
            "contents": user,
            "config": types.GenerateContentConfig(**config),
        }

    def _completion(self, reply: Any) -> Completion:
        usage = reply.usage_metadata
        prompt_tokens = (usage and usage.prompt_token_count) or 0
        if not reply.candidates:
            blocked = reply.prompt_feedback and reply.prompt_feedback.block_reason
            if not blocked:
                raise BadReplyError(f"{self._model}: the reply holds no answer")
            return Completion("", prompt_tokens, finish_reason=f"blocked: {_name(blocked)}")
        candidate = reply.candidates[0]
        parts = (candidate.content and candidate.content.parts) or []
        wrote = ((usage and usage.candidates_token_count) or 0) + (
            (usage and usage.thoughts_token_count) or 0
        )
        return Completion(
            text="".join(part.text or "" for part in parts if not part.thought),
            prompt_tokens=prompt_tokens,
            completion_tokens=wrote,
            finish_reason=_name(candidate.finish_reason),
        )

    def _rejections(self) -> tuple[type[Exception], ...]:
        return (load("google.genai.errors", **_PACKAGE).ClientError,)

    def _named(self, error: Any) -> str:
        return str(error.message) if error.code == 400 else ""

    def _unreadable(self) -> tuple[type[Exception], ...]:
        errors = load("google.genai.errors", **_PACKAGE)
        pydantic = load("pydantic", **_PACKAGE)
        return errors.UnknownApiResponseError, json.JSONDecodeError, pydantic.ValidationError

    def _server(self) -> str:
        if self._own is not None:
            return f"own client, vertexai={bool(getattr(self._own, 'vertexai', False))}"
        environment = os.environ.get("GOOGLE_GEMINI_BASE_URL")
        return public_url(self._base_url or environment or "default")

    def __getstate__(self) -> dict[str, Any]:
        if self._own is not None:
            raise TypeError(
                "a model with a client of yours cannot be pickled: pass base_url and api_key"
            )
        state = super().__getstate__()
        del state["_client"], state["_async_clients"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._start()


def _name(value: Any) -> str:
    """Return an enum's name; "" for None."""
    return str(getattr(value, "name", value) or "")
