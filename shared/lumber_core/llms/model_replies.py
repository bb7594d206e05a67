"""Reads the finish reason and the token counts in the reply of a model.

Each client puts them in a different place, under the provider's names. So the whole reply is
searched for the names that providers use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from lumber_core.llms.error_kinds import is_blocked, is_cut
from lumber_core.llms.model import Completion

_MAX_REPLY_DEPTH = 8  # Gemini's calls are in the parts of the content of a candidate
_MAX_ENTRIES_PER_DEPTH = 1000  # longer lists contain the probability of each token
_REASON = r"(?:finish|stop|done|termination)_?reason$"
_PROMPT_TOKENS = (
    *("prompt_tokens", "input_tokens", "prompt_token_count", "inputtokens", "prompt_eval_count"),
)
_COMPLETION_TOKENS = (
    *("completion_tokens", "output_tokens", "candidates_token_count", "outputtokens", "eval_count"),
)
_TOTAL_TOKENS = ("total_tokens", "total_token_count")
# Anthropic and Bedrock do not count these as input.
_CACHED_TOKENS = (
    *("cache_read_input_tokens", "cache_creation_input_tokens"),
    *("cachereadinputtokens", "cachewriteinputtokens"),
)

Entries = dict[str, object]
"""Values by name, in lower case."""


def read_reply(text: str, *sources: object, usage: object = None) -> Completion:
    """Return a completion with a reply's text, finish reason and token counts.

    `sources` are the reply, and what the framework has read from it: mappings, lists, objects.
    `usage` has the token counts of the framework, cached tokens included. None: those of the
    provider, in `sources`. Tokens of reasoning count as completion tokens.
    """
    entries_of_reply = [*_entries_of(sources)]
    refusals = [value for entries in entries_of_reply if _is_text(value := entries.get("refusal"))]
    names = (*_PROMPT_TOKENS, *_COMPLETION_TOKENS)
    counted = [
        entries
        for entries in _entries_of((usage or sources,))
        if any(isinstance(entries.get(name), int) for name in names)
    ]
    counts: Entries = counted[0] if counted else {}
    prompt = _first_count(counts, _PROMPT_TOKENS)
    if not usage:
        prompt += sum(_first_count(counts, (name,)) for name in _CACHED_TOKENS)
    completion = _first_count(counts, _COMPLETION_TOKENS)
    completion += _first_count(counts, ("thoughts_token_count",))  # Gemini counts these separately
    # A model may write words before a tool call; the arguments of the call are the answer.
    text = "\n".join(filter(None, (text, *_arguments(entries_of_reply))))
    return Completion(
        text=str(refusals[0]) if refusals else text or text_instead(*sources),
        prompt_tokens=prompt,
        # xAI counts thoughts only in the total.
        completion_tokens=max(completion, _first_count(counts, _TOTAL_TOKENS) - prompt),
        finish_reason="refusal" if refusals else _finish_reason(entries_of_reply),
    )


def text_instead(*sources: object) -> str:
    """Return what a reply has instead of text: blocks, arguments of calls, or a thought in tags."""
    entries_of_reply = [*_entries_of(sources)]
    blocks = (block for block in entries_of_reply if block.get("type") == "output_text")  # OpenAI
    texts = [str(block["text"]) for block in blocks if block.get("text")]
    if texts := texts or _arguments(entries_of_reply):
        return "\n".join(texts)
    for name in ("reasoning_content", "reasoning", "thinking"):
        for entries in entries_of_reply:
            if _is_text(thought := entries.get(name)):
                return f"<think>{thought}</think>"
    return ""


def _arguments(entries_of_reply: Iterable[Entries]) -> list[str]:
    """Return the arguments of the tool calls in a reply, which some replies contain twice."""
    calls = [entries for entries in entries_of_reply if {"name", "tool_name"} & entries.keys()]
    for name in ("arguments", "args", "input", "tool_kwargs"):  # OpenAI, Gemini, Anthropic
        if arguments := [call[name] for call in calls if call.get(name)]:
            return [a if isinstance(a, str) else json.dumps(a) for a in arguments]
    return []


def _finish_reason(entries_of_reply: list[Entries]) -> str:
    """Return the most important reason of all candidates: a block, a cut, or any other."""
    reasons = []
    for entries in entries_of_reply:
        for name, value in entries.items():
            if not _is_text(reason := getattr(value, "name", value)):  # an enum has a name
                continue
            if name.replace("_", "") in ("blockreason", "blockedreason"):
                reasons.append(f"blocked: {reason}")
            elif re.search(_REASON, name):
                reasons.append(str(reason))
        details = entries.get("incomplete_details")  # the reason in the Responses API
        reasons += [str(each["reason"]) for each in _entries_of((details,)) if "reason" in each]
    reasons = [reason for reason in reasons if not reason.endswith("UNSPECIFIED")]
    for is_of_kind in (is_blocked, is_cut, bool):
        for reason in filter(is_of_kind, reasons):
            return reason
    return ""


def _first_count(usage: Entries, names: tuple[str, ...]) -> int:
    counts = (usage.get(name) for name in names)
    return next((count for count in counts if isinstance(count, int) and count >= 0), 0)


def _entries_of(sources: tuple[object, ...]) -> Iterator[Entries]:
    """Yield the entries of each mapping and object in `sources`, outer ones first."""
    level: list[object] = [*sources]
    for _ in range(_MAX_REPLY_DEPTH):
        inner: list[object] = []
        for value in level[:_MAX_ENTRIES_PER_DEPTH]:
            if isinstance(value, list | tuple):
                inner += value
            elif (entries := _entries(value)) is not None:
                yield entries
                inner += entries.values()
        level = inner


def _entries(value: object) -> Entries | None:
    if isinstance(value, Mapping):
        fields = {**value}
    elif isinstance(value, type) or callable(value) or not hasattr(value, "__dict__"):
        return None
    else:
        fields = {**vars(value), **(getattr(value, "__pydantic_extra__", None) or {})}
    return {
        str(name).casefold(): entry
        for name, entry in fields.items()
        if not str(name).startswith("_")
    }


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)
