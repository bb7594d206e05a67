"""OpenAI's models, and any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from lumber_core.errors import BadReplyError
from lumber_core.models.base import Completion
from lumber_core.models.extras import load, require
from lumber_core.models.remote import NO_KEY, PerLoop, RemoteModel, Settings, public_url

_PACKAGE = {"package": "openai", "extra": "openai"}


class OpenAIModel(RemoteModel):
    """Asks a model by the `openai` package: OpenAI's own, vLLM, Ollama, llama.cpp and others.

    Where the group's IDs are given, the answer is restricted to them by a JSON schema. A model or
    server that rejects the schema or the temperature is asked without it from then on, which is
    logged once as a warning. Requests are not retried.

    Args:
        model: The model's name.
        base_url: The server, up to and with its version: "http://127.0.0.1:8000/v1". OpenAI, or
            what OPENAI_BASE_URL says, by default.
        api_key: The key. By default OPENAI_API_KEY, but that is not sent to a server named by
            `base_url`: a placeholder is.
        temperature: From 0 to 2; 0.1 as in the paper; None leaves it to the model.
        timeout: Seconds for a request.
        structured: False asks for plain text always. OpenAI puts the schema, which differs from
            group to group, before the prompt, so its prompt cache helps only without.
        client: An `openai.OpenAI` of your own, or a subclass such as `AzureOpenAI`; `base_url`,
            `api_key` and `timeout` are then its own. The asynchronous methods run it in threads
            unless `async_client` is given too.
        async_client: An `openai.AsyncOpenAI` of your own, likewise.

    Raises:
        MissingExtraError: `openai` is not installed.
        TypeError: A setting is of the wrong type.
        ValueError: A setting is out of range, or given together with a client that has its own.
    """

    _provider = "openai"

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
        async_client: Any = None,
    ) -> None:
        super().__init__(
            model,
            base_url=base_url,
            api_key=api_key,
            temperature=temperature,
            timeout=timeout,
            structured=structured,
        )
        own = client is not None or async_client is not None
        if own and (base_url is not None or api_key is not None):
            raise ValueError("a client brings its own base_url and api_key: pass one or the other")
        require("openai", **_PACKAGE)
        self._own = None if client is None else client.with_options(max_retries=0)
        self._own_async = None if async_client is None else async_client.with_options(max_retries=0)
        self._start()

    def _start(self) -> None:
        self._client: Any = self._own
        self._async_clients = PerLoop(
            lambda: self._made("AsyncOpenAI"), lambda client: client.close()
        )

    def _made(self, kind: str) -> Any:
        key = NO_KEY if self._api_key is None and self._base_url is not None else self._api_key
        return getattr(load("openai", **_PACKAGE), kind)(
            api_key=key, base_url=self._base_url, timeout=self._timeout, max_retries=0
        )

    def _ask(self, system: str, user: str, settings: Settings) -> Completion:
        if self._own_async is not None and self._own is None:
            raise TypeError("only async_client was given: pass client too, or use async methods")
        with self._lock:
            if self._client is None:
                self._client = self._made("OpenAI")
        try:
            reply = self._client.chat.completions.create(**self._request(system, user, settings))
        except json.JSONDecodeError as error:
            raise BadReplyError(f"{self._model}: the reply is not JSON") from error
        return self._completion(reply)

    async def _aask(self, system: str, user: str, settings: Settings) -> Completion:
        if self._own is not None and self._own_async is None:
            return await asyncio.to_thread(self._ask, system, user, settings)
        client = self._own_async or await self._async_clients.get()
        try:
            reply = await client.chat.completions.create(**self._request(system, user, settings))
        except json.JSONDecodeError as error:
            raise BadReplyError(f"{self._model}: the reply is not JSON") from error
        return self._completion(reply)

    def _request(self, system: str, user: str, settings: Settings) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": system},  # first and fixed, for prompt caches
                {"role": "user", "content": user},
            ],
        }
        if settings.temperature is not None:
            request["temperature"] = settings.temperature
        if settings.answers:
            request["response_format"] = _schema(settings.answers)
        return request

    def _completion(self, reply: Any) -> Completion:
        choices = getattr(reply, "choices", None)
        if not choices:
            said = getattr(reply, "error", None)
            raise BadReplyError(
                f"{self._model}: the reply holds no answer" + (f" but says {said}" if said else "")
            )
        message = choices[0].message
        refusal = getattr(message, "refusal", None)
        usage = reply.usage
        return Completion(
            text=refusal or message.content or "",
            prompt_tokens=(usage and usage.prompt_tokens) or 0,
            completion_tokens=(usage and usage.completion_tokens) or 0,
            finish_reason="refusal" if refusal else choices[0].finish_reason or "",
        )

    def _rejections(self) -> tuple[type[Exception], ...]:
        sdk = load("openai", **_PACKAGE)
        return sdk.BadRequestError, sdk.UnprocessableEntityError

    def _blocked(self, error: Any) -> Completion | None:
        return Completion("", finish_reason=error.code) if error.code == "content_filter" else None

    def _named(self, error: Any) -> str:
        return str(error.param or error.message)

    def _server(self) -> str:
        for client in (self._own, self._own_async):
            if client is not None:
                return public_url(str(client.base_url))
        return public_url(self._base_url or os.environ.get("OPENAI_BASE_URL") or "default")

    def __getstate__(self) -> dict[str, Any]:
        if self._own is not None or self._own_async is not None:
            raise TypeError(
                "a model with a client of yours cannot be pickled: pass base_url and api_key"
            )
        state = super().__getstate__()
        del state["_client"], state["_async_clients"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._start()


def _schema(answers: tuple[str, ...]) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "answer",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"answer": {"type": "string", "enum": list(answers)}},
                "required": ["answer"],
                "additionalProperties": False,
            },
        },
    }
