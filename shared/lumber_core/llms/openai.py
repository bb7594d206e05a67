"""OpenAI's models, and any server with OpenAI's chat completions API."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from lumber_core.calls.deadlines import ACCEPTED, limit_reading
from lumber_core.errors import BadReplyError, ModelSettingsError
from lumber_core.llms.error_kinds import check_redirect
from lumber_core.llms.exchange import RequestSettings
from lumber_core.llms.model import Answers, Completion
from lumber_core.llms.model_replies import read_reply
from lumber_core.llms.remote import RemoteModel
from lumber_core.support.secrets import redact_errors

_MAX_CONNECT_SECONDS = 5.0  # the default of OpenAI's package


class OpenAIModel(RemoteModel):
    """Calls a model with the `openai` package: OpenAI, vLLM, Ollama, llama.cpp and others.

    Answers are restricted by a JSON schema. OpenAI puts the schema, which may be new for each
    question, before the prompt, so its prompt cache helps only with `structured=False`. The key is
    read from OPENAI_API_KEY. The arguments are those of `RemoteModel`:

    - `base_url` ends with a version: "http://127.0.0.1:8000/v1". None: the variable
      OPENAI_BASE_URL, or OpenAI. The organization, project and custom headers in OpenAI's
      environment variables are not sent to this server.
    - `client` is an `openai.OpenAI`, or a subclass such as `AzureOpenAI`.
    """

    _provider: ClassVar[str] = "openai"
    _module: ClassVar[str] = "openai"
    _client_class: ClassVar[str] = "OpenAI"
    _package: ClassVar[Mapping[str, str]] = {"package": "openai", "extra": "openai"}
    _url_variable: ClassVar[str | None] = "OPENAI_BASE_URL"
    _route_variables: ClassVar[tuple[str, ...]] = (
        *("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"),
    )

    def _start(self) -> None:
        super()._start()
        if self._user_client is not None:  # `RetryingModel` retries
            self._client = self._user_client.with_options(max_retries=0)

    def list_models(self) -> list[str]:
        """Return the names of the models that the server offers; errors are those of `openai`."""
        with self._clean_errors():
            return sorted(model.id for model in self._get_client().models.list())

    def embed(self, texts: Sequence[str], *, attempts: int = 1) -> list[list[float]]:
        """Return the vector of each text by an embedding model; errors are those of `openai`.

        Args:
            texts: At least one. The server limits their number and length.
            attempts: Maximum number of times the request is sent.
        """
        client = self._get_client().with_options(max_retries=attempts - 1)
        with self._clean_errors():
            # Floats: some servers do not support base64, the default of the package.
            reply = client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float"
            )
        data = getattr(reply, "data", None)
        if not isinstance(data, list) or len(data) != len(texts):
            raise BadReplyError(f"{self._model}: the reply does not have a vector for each text")
        numbered = all(isinstance(getattr(item, "index", None), int) for item in data)
        ordered = sorted(data, key=lambda item: item.index) if numbered else data
        return [item.embedding for item in ordered]

    @contextmanager
    def _clean_errors(self) -> Iterator[None]:
        with redact_errors(self):
            try:
                yield
            except Exception as error:
                check_redirect(error, self.server)
                raise

    def _make_client(self) -> Any:
        sdk = self._sdk()
        hooks = {"response": [limit_reading]}
        # The package would send the headers in this variable to any server.
        lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines() if self._base_url else []
        parts = [line.partition(":") for line in lines]
        names = [name.strip() for name, colon, _ in parts if colon]
        headers: dict[str, Any] = {**ACCEPTED, **dict.fromkeys(names, sdk.Omit())}
        for name in names:
            if name.casefold() == "authorization":
                headers[name] = f"Bearer {self._key()}"
        try:
            client = sdk.OpenAI(
                api_key=self._key(),
                base_url=self._url,
                timeout=sdk.Timeout(
                    self._timeout, connect=min(self._timeout, _MAX_CONNECT_SECONDS)
                ),
                max_retries=0,
                default_headers=headers,
                http_client=sdk.DefaultHttpxClient(event_hooks=hooks, follow_redirects=False),
            )
        except sdk.OpenAIError as error:
            raise ModelSettingsError(
                "no key for OpenAI: set the variable OPENAI_API_KEY, or pass api_key=...; for a "
                "server of your own, which needs no key, pass base_url=..."
            ) from error
        if self._base_url is not None:  # IDs from environment variables are only for OpenAI
            client.organization = client.project = None
        return client

    def _send(self, request: dict[str, Any]) -> Any:
        return self._get_client().chat.completions.create(**request)

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
        if settings.answers is not None:
            schema = {"name": "answer", "strict": True, "schema": _schema(settings.answers)}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        if settings.max_tokens is not None:
            # OpenAI's newer models reject "max_tokens"; some other servers support only that.
            limit = "max_completion_tokens" if self._base_url is None else "max_tokens"
            request[limit] = settings.max_tokens
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
        return read_reply(text, choices[0], usage=getattr(reply, "usage", None))


def _text(content: object) -> str | None:
    """Return the text of a message's content, a string or a list of parts; else None."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else "" if content is None else None
    parts = [
        part.get("text") if isinstance(part, Mapping) else getattr(part, "text", part)
        for part in content
    ]
    return "".join(text for text in parts if isinstance(text, str))  # thoughts have no "text"


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
