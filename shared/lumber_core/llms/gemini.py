"""Google's Gemini models, with the `google-genai` package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from lumber_core.calls.deadlines import ACCEPTED, limit_reading
from lumber_core.errors import BadReplyError, ModelSettingsError
from lumber_core.llms.exchange import RequestSettings
from lumber_core.llms.model import Completion
from lumber_core.llms.model_replies import read_reply
from lumber_core.llms.remote import RemoteModel

UNBLOCKED = (
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
)
"""Categories that are not blocked, as in the paper's code: a document is not a request."""


class GeminiModel(RemoteModel):
    """Calls a Gemini model with the `google-genai` package: `GeminiModel("gemini-2.5-flash")`.

    Answers are restricted by an enum. A blocked answer is a completion whose `finish_reason` gives
    the cause: the candidate's own ("SAFETY"), or "blocked: " and the reason if the prompt was
    blocked. The key is read from GOOGLE_API_KEY or GEMINI_API_KEY. The arguments are those of
    `RemoteModel`:

    - `base_url` is the URL of another server with Gemini's API, without a version. None: the
      variable GOOGLE_GEMINI_BASE_URL, or Google.
    - `client` is a `google.genai.Client`, for Vertex AI for instance. It also retries by itself.
    """

    _provider: ClassVar[str] = "gemini"
    _module: ClassVar[str] = "google.genai"
    _client_class: ClassVar[str] = "Client"
    _package: ClassVar[Mapping[str, str]] = {"package": "google-genai", "extra": "gemini"}
    _url_variable: ClassVar[str | None] = "GOOGLE_GEMINI_BASE_URL"
    _route_variables: ClassVar[tuple[str, ...]] = (
        *("GOOGLE_GENAI_USE_ENTERPRISE", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_VERTEX_BASE_URL"),
        *("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"),
    )

    def _make_client(self) -> Any:
        sdk = self._sdk()
        options = sdk.types.HttpOptions(
            client_args={
                "event_hooks": {"response": [limit_reading]},
                "headers": ACCEPTED,
                "follow_redirects": False,
            },
            base_url=self._base_url,
            timeout=max(1, round(1000 * self._timeout)),  # milliseconds
            retry_options=sdk.types.HttpRetryOptions(attempts=1),
        )
        try:
            return sdk.Client(api_key=self._key(), http_options=options)
        except ValueError as error:
            raise ModelSettingsError(
                "no key for Gemini: set the variable GOOGLE_API_KEY or GEMINI_API_KEY, or pass "
                "api_key=...; for Vertex AI pass client=google.genai.Client(vertexai=True, ...)"
            ) from error

    def _send(self, request: dict[str, Any]) -> Any:
        return self._get_client().models.generate_content(**request)

    def _request(self, system: str, user: str, settings: RequestSettings) -> dict[str, Any]:
        types = self._sdk().types
        config: dict[str, Any] = {
            "system_instruction": system,
            "safety_settings": [
                types.SafetySetting(category=category, threshold="BLOCK_NONE")
                for category in UNBLOCKED
            ],
            "temperature": settings.temperature,
            "max_output_tokens": settings.max_tokens,
        }
        if settings.answers is not None:
            answer = types.Schema(type=types.Type.STRING, enum=list(settings.answers.allowed))
            config["response_mime_type"] = "text/x.enum"
            if settings.answers.several:
                answer = types.Schema(type=types.Type.ARRAY, items=answer)
                config["response_mime_type"] = "application/json"
            config["response_schema"] = answer
        return {
            "model": self._model,
            "contents": user,
            "config": types.GenerateContentConfig(**config),
        }

    def _completion(self, reply: Any) -> Completion:
        content = reply.candidates[0].content if reply.candidates else None
        parts = (content and content.parts) or []
        text = "".join(part.text or "" for part in parts if not part.thought)
        completion = read_reply(text, reply)
        if not reply.candidates and not completion.finish_reason:
            raise BadReplyError(f"{self._model}: the reply contains no answer")
        return completion
