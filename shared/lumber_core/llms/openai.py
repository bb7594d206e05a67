"""OpenAI's models, and any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from lumber_core.errors import BadReplyError
from lumber_core.llms.base import Completion
from lumber_core.llms.per_loop import PerLoop
from lumber_core.llms.remote import RemoteModel, Settings, public_url


class OpenAIModel(RemoteModel):
    """Asks a model by the `openai` package: OpenAI's own, vLLM, Ollama, llama.cpp and others.

    Answers are restricted by a JSON schema. OpenAI puts it, though it differs from group to group,
    before the prompt, so its prompt cache helps only with `structured=False`. What is not named
    here is as in `lumber_core.llms.remote.RemoteModel`.

    Args:
        base_url: The server, up to and with its version: "http://127.0.0.1:8000/v1". OpenAI, or
            what OPENAI_BASE_URL says, by default.
        api_key: The key; OPENAI_API_KEY by default.
        client: An `openai.OpenAI` of your own, or a subclass such as `AzureOpenAI`; `base_url`,
            `api_key` and `timeout` are then its own. The asynchronous methods run it in threads
            unless `async_client` is given too.
        async_client: An `openai.AsyncOpenAI` of your own, likewise.
    """

    _provider: ClassVar[str] = "openai"
    _module: ClassVar[str] = "openai"
    _package: ClassVar[dict[str, str]] = {"package": "openai", "extra": "openai"}
    _url_variable: ClassVar[str | None] = "OPENAI_BASE_URL"

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
            own=(client, async_client),
        )
        self._own = None if client is None else client.with_options(max_retries=0)
        self._own_async = None if async_client is None else async_client.with_options(max_retries=0)
        self._client = self._own

    def _start(self) -> None:
        super()._start()
        self._async_clients = PerLoop(
            lambda: self._made("AsyncOpenAI"), lambda client: client.close()
        )

    def _made(self, kind: str = "OpenAI") -> Any:
        return getattr(self._sdk(), kind)(
            api_key=self._key(), base_url=self._base_url, timeout=self._timeout, max_retries=0
        )

    def _send(self, request: dict[str, Any]) -> Any:
        if self._own_async is not None and self._own is None:
            raise TypeError("only async_client was given: pass client too, or use async methods")
        return self._opened().chat.completions.create(**request)

    async def _asend(self, request: dict[str, Any]) -> Any:
        if self._own is not None and self._own_async is None:
            return await super()._asend(request)
        client = self._own_async or await self._async_clients.get()
        return await client.chat.completions.create(**request)

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
        sdk = self._sdk()
        return sdk.BadRequestError, sdk.UnprocessableEntityError

    def _unreadable(self) -> tuple[type[Exception], ...]:
        return (json.JSONDecodeError,)

    def _blocked(self, error: Any) -> Completion | None:
        return Completion("", finish_reason=error.code) if error.code == "content_filter" else None

    def _named(self, error: Any) -> str:
        return str(error.param or error.message)

    def _server(self) -> str:
        for client in (self._own, self._own_async):
            if client is not None:
                return public_url(str(client.base_url))
        return super()._server()


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
