"""How OpenAI-compatible servers say that they reject a parameter: each in its own words and status.

A dialect is a function from a request to a fault or None, as `LoopbackServer` takes them. The
shapes are those of the servers' own replies; versions differ, so one of each kind is enough.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.loopback.faults import Fault, Reply
from tests.loopback.server import Request


def _form(request: Request) -> str:
    return str(request.body.get("response_format", {}).get("type", "text"))


def _literal_error(form: str) -> str:
    """What pydantic says of a form that is not among those a server knows."""
    where = "('body', 'response_format', 'type')"
    said = "Input should be 'text' or 'json_object'"
    return f"[{{'type': 'literal_error', 'loc': {where}, 'msg': \"{said}\", 'input': '{form}'}}]"


def _error(status: int, message: str, **more: object) -> Reply:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return Reply(status, json.dumps({"error": error | more}))


def llama_cpp_python(request: Request) -> Fault | None:
    """Knows no JSON schema in `response_format`; a validation error is an internal error."""
    if _form(request) == "json_schema":
        return _error(500, _literal_error("json_schema"), type="internal_server_error")
    return None


def vllm(request: Request) -> Fault | None:
    """Versions that know no JSON schema; the error is not nested."""
    if _form(request) == "json_schema":
        error = {"object": "error", "message": _literal_error("json_schema"), "param": None}
        return Reply(400, json.dumps(error | {"type": "BadRequestError", "code": 400}))
    return None


def ollama(request: Request) -> Fault | None:
    """A schema that cannot be made into a grammar is an internal error."""
    if _form(request) == "json_schema":
        return _error(500, "invalid JSON schema in format", type="api_error")
    return None


def lm_studio(request: Request) -> Fault | None:
    """A model that cannot follow a schema; the error is a string."""
    if _form(request) == "json_schema":
        return Reply(400, json.dumps({"error": "response_format json_schema is not supported"}))
    return None


def azure(request: Request) -> Fault | None:
    """An older version of the API: neither schemas nor the newer name of the limit."""
    if "max_completion_tokens" in request.body:
        return _error(400, "Unrecognized request argument supplied: max_completion_tokens")
    if _form(request) == "json_schema":
        said = "response_format value as json_schema is enabled only for api versions 2024-08-01-"
        return _error(400, f"{said}preview and later", code="BadRequest")
    return None


def openai_reasoning(request: Request) -> Fault | None:
    """A model that thinks: no temperature, and only the newer name of the limit."""
    if "max_tokens" in request.body:
        said = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        said = f"Unsupported parameter: {said}"
        return _error(400, said, param="max_tokens", code="unsupported_parameter")
    if "temperature" in request.body:
        said = "Unsupported value: 'temperature' does not support 0.1 with this model. Only the "
        said += "default (1) value is supported."
        return _error(400, said, param="temperature", code="unsupported_value")
    return None


def openrouter(request: Request) -> Fault | None:
    """No provider takes all parameters; the error names none of them."""
    if _form(request) == "json_schema":
        said = "No endpoints found that can handle the requested parameters."
        return Reply(404, json.dumps({"error": {"message": said, "code": 404}}))
    return None


def openrouter_provider(request: Request) -> Fault | None:
    """The provider's own error is handed on inside."""
    if _form(request) != "text":
        raw = json.dumps({"error": {"message": "response_format: extra inputs are not permitted"}})
        more = {"raw": raw, "provider_name": "P"}
        error = {"message": "Provider returned error", "code": 400, "metadata": more}
        return Reply(400, json.dumps({"error": error}))
    return None


def openrouter_in_a_good_reply(request: Request) -> Fault | None:
    """The provider's error comes with status 200."""
    if _form(request) == "json_schema":
        error = {"message": "json_schema is not supported by this model", "code": 400}
        return Reply(200, json.dumps({"error": error}))
    return None


def not_implemented(request: Request) -> Fault | None:
    """A server that answers 501."""
    if _form(request) != "text":
        return _error(501, "response_format is not implemented")
    return None


def unprocessable(request: Request) -> Fault | None:
    """FastAPI's own validation error, of a server that allows no other fields than it knows."""
    extra = [name for name in ("response_format", "max_tokens") if name in request.body]
    if extra:
        detail = [{"type": "extra_forbidden", "loc": ["body", name]} for name in extra]
        return Reply(422, json.dumps({"detail": detail}))
    return None


Dialect = Callable[[Request], Fault | None]

DIALECTS: dict[Dialect, int] = {
    llama_cpp_python: 1,
    vllm: 1,
    ollama: 1,
    lm_studio: 1,
    azure: 1,
    openai_reasoning: 2,
    openrouter: 1,
    openrouter_provider: 1,
    openrouter_in_a_good_reply: 1,
    not_implemented: 1,
    unprocessable: 2,
}
"""Each dialect with the number of requests it rejects before one is answered."""
