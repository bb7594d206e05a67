"""The wire formats of further providers: replies of their servers, for the real clients.

Each `Wire` writes a `Message` as its provider does, and an error. `LoopbackServer` speaks them all;
OpenAI's chat completions and Gemini have more in `server`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

JSON = dict[str, Any]

READ, CACHED, WRITTEN, THOUGHT = 100, 20, 50, 30
"""Tokens of every reply: those read, with the cached among them; those written, with thoughts."""


@dataclass(frozen=True)
class Message:
    """The answer of a model or its refusal, and its thoughts before that."""

    model: str
    text: str
    end: Literal["stop", "cut", "refused"] = "stop"
    thought: str = ""


@dataclass(frozen=True)
class Wire:
    """A provider's wire format: the path of its requests, and functions that write its replies."""

    name: str
    path: str
    message: Callable[[Message], JSON]
    error: Callable[[int, str], JSON]  # from a status and a message


def chat(message: Message) -> JSON:
    """A reply of OpenAI's chat completions, with DeepSeek's field for thoughts."""
    is_refused = message.end == "refused"
    content = {
        "role": "assistant",
        "content": None if is_refused else message.text,
        "refusal": message.text if is_refused else None,
    }
    if message.thought:
        content["reasoning_content"] = message.thought
    reason = "length" if message.end == "cut" else "stop"
    usage = {
        "prompt_tokens": READ,
        "completion_tokens": WRITTEN,
        "total_tokens": READ + WRITTEN,
        "prompt_tokens_details": {"cached_tokens": CACHED},
        "completion_tokens_details": {"reasoning_tokens": THOUGHT},
    }
    choice = {"index": 0, "message": content, "finish_reason": reason, "logprobs": None}
    kind = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": message.model}
    return {**kind, "choices": [choice], "usage": usage, "system_fingerprint": None}


def mistral(message: Message) -> JSON:
    """A reply of Mistral, whose thoughts are parts of the content and refusals are texts."""
    reply = chat(message)
    content = reply["choices"][0]["message"]
    del content["refusal"]
    content.pop("reasoning_content", None)
    content["content"] = message.text
    if message.thought:
        thinking = {"type": "thinking", "thinking": [{"type": "text", "text": message.thought}]}
        content["content"] = [thinking, {"type": "text", "text": message.text}]
    return reply


def groq(message: Message) -> JSON:
    """A reply of Groq, whose refusals are texts."""
    reply = chat(message)
    content = reply["choices"][0]["message"]
    del content["refusal"]
    content["content"] = message.text
    if "reasoning_content" in content:
        content["reasoning"] = content.pop("reasoning_content")
    return reply


def fireworks(message: Message) -> JSON:
    """A reply of Fireworks, whose refusals are texts."""
    reply = groq(message)
    content = reply["choices"][0]["message"]
    if "reasoning" in content:
        content["reasoning_content"] = content.pop("reasoning")
    return reply


def xai(message: Message) -> JSON:
    """A reply of xAI, which counts thoughts only in the total."""
    reply = chat(message)
    reply["usage"]["completion_tokens"] = WRITTEN - THOUGHT
    return reply


def responses(message: Message) -> JSON:
    """A reply of OpenAI's Responses API."""
    is_cut = message.end == "cut"
    part: JSON = {"type": "output_text", "text": message.text, "annotations": []}
    if message.end == "refused":
        part = {"type": "refusal", "refusal": message.text}
    status = "incomplete" if is_cut else "completed"
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": status}
    thought = {"type": "summary_text", "text": message.thought}
    thoughts = [{"type": "reasoning", "id": "rs_1", "summary": [thought]}]
    usage = {
        "input_tokens": READ,
        "output_tokens": WRITTEN,
        "total_tokens": READ + WRITTEN,
        "input_tokens_details": {"cached_tokens": CACHED},
        "output_tokens_details": {"reasoning_tokens": THOUGHT},
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": message.model,
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "status": status,
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
        "output": [*(thoughts if message.thought else []), {**item, "content": [part]}],
        "usage": usage,
    }


def anthropic(message: Message) -> JSON:
    """A reply of Anthropic's Messages API, which counts no cached tokens as input."""
    thought = {"type": "thinking", "thinking": message.thought, "signature": "c2ln"}
    text = {"type": "text", "text": message.text}
    reasons = {"stop": "end_turn", "cut": "max_tokens", "refused": "refusal"}
    usage = {
        "input_tokens": READ - CACHED,
        "cache_read_input_tokens": CACHED,
        "cache_creation_input_tokens": 0,
        "output_tokens": WRITTEN,
    }
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": message.model,
        "content": [*([thought] if message.thought else []), text],
        "stop_reason": reasons[message.end],
        "stop_sequence": None,
        "usage": usage,
    }


def ollama(message: Message) -> JSON:
    """A reply of Ollama, whose refusals are texts, in one piece."""
    reply: JSON = {"role": "assistant", "content": message.text}
    if message.thought:
        reply["thinking"] = message.thought
    return {
        "model": message.model,
        "created_at": "2026-11-27T19:00:00Z",
        "message": reply,
        "done": True,
        "done_reason": "length" if message.end == "cut" else "stop",
        "total_duration": 9,
        "load_duration": 1,
        "eval_duration": 5,
        "prompt_eval_count": READ,
        "eval_count": WRITTEN,
    }


def gemini(message: Message) -> JSON:
    """A reply of Gemini, which counts thoughts apart, and blocks a prompt without a candidate."""
    usage = {
        "promptTokenCount": READ,
        "cachedContentTokenCount": CACHED,
        "candidatesTokenCount": WRITTEN - THOUGHT,
        "thoughtsTokenCount": THOUGHT,
        "totalTokenCount": READ + WRITTEN,
    }
    reply = {"modelVersion": message.model, "usageMetadata": usage}
    if message.end == "refused":
        return {**reply, "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    parts: list[JSON] = [{"text": message.thought, "thought": True}] if message.thought else []
    content = {"role": "model", "parts": [*parts, {"text": message.text}]}
    reason = "MAX_TOKENS" if message.end == "cut" else "STOP"
    return {**reply, "candidates": [{"index": 0, "content": content, "finishReason": reason}]}


def bedrock(message: Message) -> JSON:
    """A reply of Bedrock's Converse API, which counts no cached tokens as input."""
    thought = {"reasoningContent": {"reasoningText": {"text": message.thought}}}
    content = [*([thought] if message.thought else []), {"text": message.text}]
    reasons = {"stop": "end_turn", "cut": "max_tokens", "refused": "guardrail_intervened"}
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": reasons[message.end],
        "usage": {
            "inputTokens": READ - CACHED,
            "cacheReadInputTokens": CACHED,
            "outputTokens": WRITTEN,
            "totalTokens": READ + WRITTEN,
        },
        "metrics": {"latencyMs": 1},
    }


def cohere(message: Message) -> JSON:
    """A reply of Cohere's API v2."""
    thought = {"type": "thinking", "thinking": message.thought}
    text = {"type": "text", "text": message.text}
    reasons = {"stop": "COMPLETE", "cut": "MAX_TOKENS", "refused": "ERROR_TOXIC"}
    tokens = {"input_tokens": READ, "output_tokens": WRITTEN}
    content = [*([thought] if message.thought else []), text]
    return {
        "id": "c",
        "finish_reason": reasons[message.end],
        "message": {"role": "assistant", "content": content},
        "usage": {"billed_units": tokens, "tokens": tokens},
    }


def openai_error(_status: int, text: str) -> JSON:
    return {"error": {"message": text, "type": "error", "param": None, "code": None}}


def _anthropic_error(status: int, text: str) -> JSON:
    kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
    kind = kinds.get(status, "overloaded_error")
    return {"type": "error", "error": {"type": kind, "message": text}}


def gemini_error(status: int, text: str) -> JSON:
    names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 500: "INTERNAL"}
    status_name = {**names, 429: "RESOURCE_EXHAUSTED"}.get(status, "UNAVAILABLE")
    return {"error": {"code": status, "message": text, "status": status_name}}


def _plain_error(_status: int, text: str) -> JSON:
    return {"error": text, "message": text}


WIRES = [
    Wire("openai", r"(?:/v1)?/chat/completions", chat, openai_error),
    Wire("groq", r"/openai/v1/chat/completions", groq, openai_error),
    Wire("responses", r"/v1/responses", responses, openai_error),
    Wire("anthropic", r"/v1/messages", anthropic, _anthropic_error),
    Wire("ollama", r"/api/chat", ollama, _plain_error),
    Wire("gemini", r"/v1(?:beta)?/models/[^/]+:generateContent", gemini, gemini_error),
    Wire("bedrock", r"/model/[^/]+/converse", bedrock, _plain_error),
    Wire("cohere", r"/v2/chat", cohere, _plain_error),
]
# These have OpenAI's paths, so a server needs the wire format as an argument.
MISTRAL = Wire("mistral", r"(?:/v1)?/chat/completions", mistral, _plain_error)
FIREWORKS = Wire("fireworks", r"/v1/chat/completions", fireworks, openai_error)
XAI = Wire("xai", r"/v1/chat/completions", xai, openai_error)

ABOUT_MODELS: JSON = {
    "name": "models/m",
    "inputTokenLimit": 100_000,
    "outputTokenLimit": 1000,
    "model_info": {"general.context_length": 8192},
    "capabilities": ["completion"],
}
"""What Gemini's and Ollama's clients ask about a model before its first answer."""


def wire_of(path: str) -> Wire | None:
    """Return the wire format of a path, or None."""
    return next((wire for wire in WIRES if re.fullmatch(wire.path, path)), None)
