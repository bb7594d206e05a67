"""Replies with which OpenAI-compatible servers reject a parameter: words and status differ.

The bodies are those of the servers' own replies; versions differ, so one of each kind is enough.
"""

import json
from dataclasses import dataclass
from typing import Any

from tests.loopback.faults import Reply
from tests.loopback.server import Request

_LITERAL = (
    "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should "
    "be 'text' or 'json_object'\", 'input': 'json_schema'}]"
)
_NOT_PERMITTED = '{"error": {"message": "response_format: extra inputs are not permitted"}}'


@dataclass(frozen=True)
class Dialect:
    """A server that rejects some parameters; a script of faults, as `LoopbackServer` takes them."""

    name: str
    code: int
    body: Any
    rejects: tuple[str, ...] = ("response_format",)

    def __call__(self, request: Request) -> Reply | None:
        """Return the reply to a request with one of the parameters."""
        if any(name in request.body for name in self.rejects):
            return Reply(self.code, json.dumps(self.body))
        return None


def _error(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, "param": None, "code": None} | more}


DIALECTS = [
    Dialect("llama-cpp-python", 500, _error(_LITERAL, type="internal_server_error")),
    Dialect("vLLM", 400, {"object": "error", "message": _LITERAL, "param": None, "code": 400}),
    Dialect("Ollama", 500, _error("invalid JSON schema in format", type="api_error")),
    Dialect("LM Studio", 400, {"error": "response_format json_schema is not supported"}),
    Dialect(
        "Azure", 400, _error("json_schema is enabled only for api versions 2024-08-01-preview")
    ),
    Dialect(
        "OpenAI, a model that thinks",
        400,
        _error("Unsupported parameter: see 'param'", code="unsupported_parameter"),
        ("max_tokens", "temperature"),
    ),
    Dialect(
        "OpenRouter", 404, _error("No endpoints found for the requested parameters.", code=404)
    ),
    Dialect(
        "OpenRouter, a provider's error",
        400,
        _error("Provider returned error", code=400, metadata={"raw": _NOT_PERMITTED}),
    ),
    Dialect("OpenRouter, in a good reply", 200, _error("json_schema is not supported", code=400)),
    Dialect("a server that lacks it", 501, _error("response_format is not implemented")),
    Dialect(
        "FastAPI",
        422,
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "response_format"]}]},
        ("response_format", "max_tokens"),
    ),
]
