"""OpenAI's models, and any server with OpenAI's chat completions API."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar

from lumber_core.errors import BadReplyError, ModelSettingsError
from lumber_core.llms.base import Answers, Completion
from lumber_core.llms.parameters import Form, RequestSettings
from lumber_core.llms.remote import RemoteModel
from lumber_core.llms.reply_size import async_event_hooks, event_hooks
from lumber_core.llms.settings import ModelSettings, check_url, url_identity
from lumber_core.settings import Setting, optional, takes


class OpenAISettings(ModelSettings):
    """Settings of `OpenAIModel`."""

    base_url: Annotated[
        str | None,
        Setting(
            'URL of the server with its version: "http://127.0.0.1:8000/v1". None: the variable '
            "OPENAI_BASE_URL, or OpenAI. The organization, project and custom headers of OpenAI's "
            "environment variables are not sent to a server that is named here.",
            optional(check_url),
        ),
    ] = None
    client: Annotated[
        Any,
        Setting(
            "An `openai.OpenAI`, or a subclass such as `AzureOpenAI`. The asynchronous methods run "
            "it in threads, unless `async_client` is given too. `base_url`, `api_key` and "
            "`timeout` are then its own.",
            changes_result=False,
        ),
    ] = None
    async_client: Annotated[Any, Setting("An `openai.AsyncOpenAI`.", changes_result=False)] = None

    @property
    def own_client(self) -> Any:
        """The client that the user made, if any; the asynchronous one if there is no other."""
        return self.async_client if self.client is None else self.client


class OpenAIModel(RemoteModel):
    """Calls a model with the `openai` package: OpenAI, vLLM, Ollama, llama.cpp and others.

    Answers are restricted by a JSON schema; if a server rejects it, a JSON object is requested, and
    then plain text. OpenAI puts the schema, which may be new for each question, before the prompt,
    so its prompt cache helps only with `structured=False`. The key is read from OPENAI_API_KEY.
    """

    _provider: ClassVar[str] = "openai"
    _module: ClassVar[str] = "openai"
    _package: ClassVar[Mapping[str, str]] = {"package": "openai", "extra": "openai"}
    _url_variable: ClassVar[str | None] = "OPENAI_BASE_URL"
    _forms: ClassVar[tuple[Form, ...]] = ("json_schema", "json_object")

    @takes(OpenAISettings)
    def __init__(self, settings: OpenAISettings) -> None:
        client, async_client = settings.client, settings.async_client
        self._set_up(settings, structured=settings.structured, client=settings.own_client)
        # The caller retries.
        self._client = None if client is None else client.with_options(max_retries=0)
        self._own_async = None if async_client is None else async_client.with_options(max_retries=0)

    def served(self) -> list[str]:
        """Return the names of the models that the server offers; errors are those of `openai`."""
        return sorted(model.id for model in self._get_client().models.list())

    def _make_client(self) -> Any:
        http = self._sdk().DefaultHttpxClient(event_hooks=event_hooks())
        return self._client_over(http, self._sdk().OpenAI)

    def _make_async_client(self) -> Any:
        http = self._sdk().DefaultAsyncHttpxClient(event_hooks=async_event_hooks())
        return self._client_over(http, self._sdk().AsyncOpenAI)

    def _client_over(self, http: Any, kind: Callable[..., Any]) -> Any:
        """Return a client of some kind that uses an HTTP client."""
        sdk = self._sdk()
        names = [] if self._base_url is None else _environment_headers()
        headers: dict[str, Any] = dict.fromkeys(names, sdk.Omit())
        for name in names:
            if name.casefold() == "authorization":
                headers[name] = f"Bearer {self._key()}"
        try:
            client = kind(
                http_client=http,
                api_key=self._key(),
                base_url=self._base_url,
                timeout=self._timeout,
                max_retries=0,
                default_headers=headers,
            )
        except sdk.OpenAIError as error:
            raise ModelSettingsError(
                "no key for OpenAI: set the variable OPENAI_API_KEY, or pass api_key=...; for a "
                "server of your own pass base_url=..., which needs none"
            ) from error
        if self._base_url is not None:  # like the key, meant for OpenAI
            client.organization = client.project = None
        return client

    async def _close_client(self, client: Any) -> None:
        await client.close()

    def _send(self, request: dict[str, Any]) -> Any:
        if self._own_async is not None and self._client is None:
            raise TypeError("only async_client was given: pass client too, or use async methods")
        return self._get_client().chat.completions.create(**request)

    async def _asend(self, request: dict[str, Any]) -> Any:
        if self._own is not None and self._own_async is None:
            return await super()._asend(request)
        client = self._own_async or await self._async_clients.get()
        return await client.chat.completions.create(**request)

    def _request(self, system: str, user: str, settings: RequestSettings) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": system},  # first and fixed, for prompt caches
                {"role": "user", "content": user},
            ],
        }
        if settings.temperature is not None:
            request["temperature"] = settings.temperature
        answers = settings.answers
        if answers is not None and settings.form == "json_schema":
            described = {"name": "answer", "strict": True, "schema": _schema(answers)}
            request["response_format"] = {"type": "json_schema", "json_schema": described}
        elif answers is not None:
            request["response_format"] = {"type": "json_object"}
            if self._base_url is not None:  # OpenAI rejects this, llama-cpp-python keeps to it
                request["response_format"]["schema"] = _schema(answers)
            request["messages"][1]["content"] = user + _as_object(answers)
        if settings.max_tokens is not None:
            request[settings.limit] = settings.max_tokens
        return request

    def _completion(self, reply: Any) -> Completion:
        # The package does not validate replies: any field may have any value.
        choices = getattr(reply, "choices", None)
        if not isinstance(choices, list) or not choices:
            problem = getattr(reply, "error", None)
            raise BadReplyError(
                f"{self._model}: the reply contains no answer"
                + (f", but the error {problem}" if problem else "")
            )
        message: Any = getattr(choices[0], "message", None)
        if not hasattr(message, "content"):
            raise BadReplyError(f"{self._model}: the reply contains no message")
        text = _text(message.content)
        if text is None:
            kind = type(message.content).__name__
            raise BadReplyError(f"{self._model}: the reply's content is not text but {kind}")
        refusal = getattr(message, "refusal", None)
        refusal = refusal if isinstance(refusal, str) else ""
        finish_reason = "refusal" if refusal else getattr(choices[0], "finish_reason", "")
        if not isinstance(finish_reason, str):
            finish_reason = ""
        usage = getattr(reply, "usage", None)
        return Completion(
            text=refusal or text,
            prompt_tokens=_count(getattr(usage, "prompt_tokens", None)),
            completion_tokens=_count(getattr(usage, "completion_tokens", None)),
            finish_reason=finish_reason,
        )

    @property
    def _limits(self) -> tuple[str, ...]:
        # OpenAI's newer models reject the older name; most other servers know no other.
        names = ("max_completion_tokens", "max_tokens")
        return names[::-1] if self._base_url is not None else names

    def _rejections(self) -> tuple[type[Exception], ...]:
        return (self._sdk().APIStatusError,)

    def _reading_errors(self) -> tuple[type[Exception], ...]:
        return json.JSONDecodeError, UnicodeDecodeError, RecursionError

    def _blocked_completion(self, error: Any) -> Completion | None:
        blocked = getattr(error, "code", None) == "content_filter"
        return Completion("", finish_reason=error.code) if blocked else None

    def _rejection_text(self, error: Any) -> str:
        # OpenRouter passes on the error of the provider behind it in the body.
        return str(error.param or f"{error.message} {error.body}")

    def _server(self) -> str:
        if self._own is not None:
            return url_identity(str(self._own.base_url))
        return super()._server()


def _environment_headers() -> list[str]:
    """Return the names of the headers that the package would send to any server."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    return [name.strip() for name, colon, _ in (line.partition(":") for line in lines) if colon]


def _text(content: object) -> str | None:
    """Return the text of a message, whose content may be a list of parts; None if it has none."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    found = [
        part.get("text") if isinstance(part, Mapping) else getattr(part, "text", part)
        for part in content
    ]
    texts = [text for text in found if isinstance(text, str)]
    return "".join(texts) if texts or not content else None


def _count(value: object) -> int:
    """Return a number of tokens; 0 for anything that is not one."""
    return value if isinstance(value, int) and value >= 0 else 0


def _as_object(answers: Answers) -> str:
    """Return the request for a JSON object; OpenAI rejects messages that do not mention JSON."""
    shown = answers.shown or answers.allowed
    if answers.several:
        some, nothing = json.dumps({"answer": list(shown)}), json.dumps({"answer": []})
        return f"\n\nReply with a JSON object such as {some}, or {nothing} for none."
    objects = (json.dumps({"answer": answer}) for answer in shown)
    return f"\n\nReply with the JSON object {', or '.join(objects)}."


def _schema(answers: Answers) -> dict[str, Any]:
    answer: dict[str, Any] = {"type": "string", "enum": list(answers.allowed)}
    if answers.several:
        answer = {"type": "array", "items": answer}
    return {
        "type": "object",
        "properties": {"answer": answer},
        "required": ["answer"],
        "additionalProperties": False,
    }
