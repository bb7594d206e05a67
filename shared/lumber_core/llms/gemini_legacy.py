"""Google's Gemini models, with the retired `google-generativeai` package.

For environments that depend on it (it needs protobuf below 6); otherwise use `gemini.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from lumber_core.errors import BadReplyError
from lumber_core.llms.exchange import RequestSettings
from lumber_core.llms.gemini import UNBLOCKED
from lumber_core.llms.model import Completion
from lumber_core.llms.remote import RemoteModel


class LegacyGeminiModel(RemoteModel):
    """Calls a Gemini model with the `google-generativeai` package, over REST, in plain text.

    Blocked answers are reported as by `GeminiModel`. The package's global configuration is neither
    used nor changed. The key is read from GEMINI_API_KEY or GOOGLE_API_KEY, and `base_url` has no
    version. The arguments are those of `RemoteModel`.
    """

    _provider: ClassVar[str] = "gemini-legacy"
    _module: ClassVar[str] = "google.generativeai"
    _package: ClassVar[Mapping[str, str]] = {
        "package": "google-generativeai",
        "extra": "gemini-legacy",
    }

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = 0.1,
        timeout: float = 60.0,
        max_tokens: int | Literal["auto"] | None = "auto",
    ) -> None:
        super().__init__(
            model,
            base_url=base_url,
            api_key=api_key,
            temperature=temperature,
            timeout=timeout,
            max_tokens=max_tokens,
            structured=False,
        )

    def _make_client(self) -> Any:
        manager = self._sdk("google.generativeai.client")._ClientManager()
        options = {} if self._base_url is None else {"api_endpoint": self._base_url.rstrip("/")}
        manager.configure(api_key=self._key(), transport="rest", client_options=options)
        return manager.get_default_client("generative")

    def _request(self, system: str, user: str, settings: RequestSettings) -> dict[str, Any]:
        options = {"temperature": settings.temperature, "max_output_tokens": settings.max_tokens}
        options = {name: value for name, value in options.items() if value is not None}
        return {"system": system, "user": user, "options": options}

    def _send(self, request: dict[str, Any]) -> Any:
        client = self._get_client()
        model = self._sdk().GenerativeModel(
            self._model,
            system_instruction=request["system"],
            generation_config=request["options"],
            safety_settings=dict.fromkeys(UNBLOCKED, "BLOCK_NONE"),
        )
        model._client = client  # the public API has only one configuration per process
        return model.generate_content(
            request["user"], request_options={"timeout": self._timeout, "retry": None}
        )

    def _completion(self, reply: Any) -> Completion:
        usage = reply.usage_metadata
        if not reply.candidates:
            blocked = reply.prompt_feedback.block_reason
            if not blocked:
                raise BadReplyError(f"{self._model}: the reply contains no answer")
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
