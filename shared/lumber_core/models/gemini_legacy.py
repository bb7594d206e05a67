"""Google's Gemini models by the `google-generativeai` package, which its maker has retired.

For environments that are bound to it (it needs protobuf below 6); `gemini.py` is the better way.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar

from lumber_core.errors import BadReplyError
from lumber_core.models.base import Completion
from lumber_core.models.extras import load, require
from lumber_core.models.gemini import UNBLOCKED
from lumber_core.models.remote import NO_KEY, RemoteModel, Settings, public_url

_PACKAGE: dict[str, str] = {"package": "google-generativeai", "extra": "gemini-legacy"}


class LegacyGeminiModel(RemoteModel):
    """Asks a Gemini model by the `google-generativeai` package, over REST, in plain text.

    Filters and rejected temperatures are dealt with as by `GeminiModel`. The package's global
    configuration is neither used nor changed. It has no asynchronous REST client, so `acomplete`
    works in threads. Requests are not retried.

    Args:
        model: The model's name: "gemini-1.5-pro".
        base_url: Another server that speaks Gemini's API, without a version.
        api_key: The key. By default GEMINI_API_KEY or GOOGLE_API_KEY, but these are not sent to
            a server named by `base_url`: a placeholder is.
        temperature: From 0 to 2; 0.1 as in the paper; None leaves it to the model.
        timeout: Seconds for a request.

    Raises:
        MissingExtraError: `google-generativeai` is not installed.
        TypeError: A setting is of the wrong type.
        ValueError: A setting is out of range.
    """

    _provider: ClassVar[str] = "gemini-legacy"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = 0.1,
        timeout: float = 60.0,
    ) -> None:
        super().__init__(
            model,
            base_url=base_url,
            api_key=api_key,
            temperature=temperature,
            timeout=timeout,
            structured=False,
        )
        require("google.generativeai", **_PACKAGE)
        self._client: Any = None

    def _made(self) -> Any:
        manager = load("google.generativeai.client", **_PACKAGE)._ClientManager()
        key = NO_KEY if self._api_key is None and self._base_url is not None else self._api_key
        options = {} if self._base_url is None else {"api_endpoint": self._base_url.rstrip("/")}
        manager.configure(api_key=key, transport="rest", client_options=options)
        return manager.get_default_client("generative")

    def _ask(self, system: str, user: str, settings: Settings) -> Completion:
        with self._lock:
            if self._client is None:
                self._client = self._made()
        sdk = load("google.generativeai", **_PACKAGE)
        options = {} if settings.temperature is None else {"temperature": settings.temperature}
        model = sdk.GenerativeModel(
            self._model,
            system_instruction=system,
            generation_config=options,
            safety_settings=dict.fromkeys(UNBLOCKED, "BLOCK_NONE"),
        )
        model._client = self._client  # the public way in is one configuration for the process
        protobuf = load("google.protobuf.json_format", **_PACKAGE)
        try:
            reply = model.generate_content(
                user, request_options={"timeout": self._timeout, "retry": None}
            )
        except (protobuf.ParseError, json.JSONDecodeError) as error:
            raise BadReplyError(f"{self._model}: the reply is not Gemini's JSON") from error
        return self._completion(reply)

    async def _aask(self, system: str, user: str, settings: Settings) -> Completion:
        return await asyncio.to_thread(self._ask, system, user, settings)

    def _completion(self, reply: Any) -> Completion:
        usage = reply.usage_metadata
        if not reply.candidates:
            blocked = reply.prompt_feedback.block_reason
            if not blocked:
                raise BadReplyError(f"{self._model}: the reply holds no answer")
            return Completion(
                "", usage.prompt_token_count, finish_reason=f"blocked: {blocked.name}"
            )
        candidate = reply.candidates[0]
        return Completion(
            text="".join(part.text for part in candidate.content.parts),
            prompt_tokens=usage.prompt_token_count,
            completion_tokens=usage.candidates_token_count,
            finish_reason=candidate.finish_reason.name,
        )

    def _rejections(self) -> tuple[type[Exception], ...]:
        return (load("google.api_core.exceptions", **_PACKAGE).BadRequest,)

    def _server(self) -> str:
        return public_url(self._base_url or "default")

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_client": None}
