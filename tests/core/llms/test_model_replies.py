"""Replies as frameworks return them: why an answer ended, and its tokens, in providers' words."""

from types import SimpleNamespace
from typing import Any

import pytest
from google.genai import types
from llama_index.core.base.llms import types as llama_index_types
from llama_index.core.llms import ChatMessage, ChatResponse, MockLLM

from llamaindex_lumber.llm import LlamaIndexModel
from lumber_core.llms import GeminiModel
from lumber_core.llms.error_kinds import is_blocked, is_cut
from lumber_core.llms.model_replies import read_reply
from lumber_core.lumber.answer_parser import read_answer, read_list

ANSWER = '{"answer": "ID 7"}'
REFUSAL_ITEM = {"type": "message", "content": [{"type": "refusal", "refusal": "I won't."}]}


ENDS: dict[str, list[Any]] = {
    "cut": [
        {"done_reason": "length"},
        {"finish_reason": "MAX_TOKENS"},
        {"stop_reason": "model_context_window_exceeded"},
        {"stopReason": "max_tokens"},
        {"choices": [{"finish_reason": "model_length"}]},
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
        SimpleNamespace(incomplete_details=SimpleNamespace(reason="max_output_tokens")),
        {"finish_reason": types.FinishReason.MAX_TOKENS},
        {"finish_reason": "ERROR_LIMIT"},
        {"finish_reason": "insufficient_system_resource"},
        [{"finish_reason": "stop"}, {"finish_reason": "length"}],
    ],
    "refused": [  # a refusal in a separate field
        {"refusal": "I won't."},
        {"choices": [{"finish_reason": "stop", "message": {"refusal": "I won't."}}]},
        SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(refusal="I won't."))]),
        {"output": [REFUSAL_ITEM]},
        [REFUSAL_ITEM],
    ],
    "blocked": [
        {"prompt_feedback": {"block_reason": "OTHER"}},
        {"prompt_feedback": {"block_reason": types.BlockedReason.PROHIBITED_CONTENT}},
        {"promptFeedback": {"blockReason": "MODEL_ARMOR"}},
        {"incomplete_details": {"reason": "content_filter"}},
        {"stopReason": "guardrail_intervened"},
        {"finish_reason": "stop", "native_finish_reason": "SAFETY"},
        {"finish_reason": "ERROR_TOXIC"},
    ],
    "whole": [
        {"finish_reason": "stop", "refusal": None, "safety_ratings": [{"blocked": False}]},
        {"prompt_feedback": {"block_reason": 0}},
        {"prompt_feedback": {"block_reason": types.BlockedReason.BLOCKED_REASON_UNSPECIFIED}},
        {"incomplete_details": None, "status": "completed"},
        {"stop_reason": "end_turn", "stop_sequence": None},
        None,
    ],
}


@pytest.mark.parametrize(("end", "source"), [(end, one) for end in ENDS for one in ENDS[end]])
def test_finish_reasons_of_all_providers_are_recognised(end: str, source: Any) -> None:
    expected_text = {"cut": "ID 4, ID 8", "whole": "Answer: none"}.get(end, "")
    completion = read_reply(expected_text, source)
    reason = completion.finish_reason
    assert (is_cut(reason), is_blocked(reason)) == (end == "cut", end in ("refused", "blocked"))
    assert completion.text == ("I won't." if end == "refused" else expected_text)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}, (9, 4)),
        ({"input_tokens": 9, "output_tokens": 4, "cache_read_input_tokens": 5}, (14, 4)),
        ({"inputTokens": 9, "outputTokens": 4, "cacheWriteInputTokens": 2}, (11, 4)),
        ({"prompt_token_count": 9, "candidates_token_count": 4, "thoughts_token_count": 5}, (9, 9)),
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 33}, (9, 24)),
        ({"prompt_eval_count": 9, "eval_count": 4}, (9, 4)),
        ({"prompt_tokens": None, "completion_tokens": "4"}, (0, 0)),
    ],
)
def test_tokens_of_thoughts_and_caches_are_counted(usage: dict[str, Any], tokens: tuple[int, int]):
    completion = read_reply("x", {"usage": usage, "logprobs": {"tokens": [1, 2]}})
    assert (completion.prompt_tokens, completion.completion_tokens) == tokens


def test_tokens_that_a_framework_counted_are_not_added_twice() -> None:
    usage = {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13}
    further = {"usage": {"input_tokens": 4, "cache_read_input_tokens": 5, "output_tokens": 4}}
    completion = read_reply("x", further, usage=usage)
    assert (completion.prompt_tokens, completion.completion_tokens) == (9, 4)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ({"tool_calls": [{"name": "answer", "args": {"answer": "ID 7"}}]}, ANSWER),
        ({"tool_calls": [{"function": {"name": "answer", "arguments": ANSWER}}]}, ANSWER),
        ({"content": [{"type": "tool_use", "name": "a", "input": {"answer": "ID 7"}}]}, ANSWER),
        ([{"tool_name": "answer", "tool_kwargs": {"answer": "ID 7"}}], ANSWER),
        ({"candidates": [{"parts": [{"call": {"name": "a", "args": {"id": 7}}}]}]}, '{"id": 7}'),
        ({"input": {"answer": "ID 7"}}, ""),
        ({"additional_kwargs": {"reasoning_content": "ID 3? ID"}}, "<think>ID 3? ID</think>"),
        ({"reasoning": "ID 3?"}, "<think>ID 3?</think>"),
        ({"reasoning": None, "tool_calls": []}, ""),
        ([{"type": "reasoning"}, {"type": "output_text", "text": "Answer: ID 7"}], "Answer: ID 7"),
    ],
)
def test_a_reply_without_a_text_is_read_from_its_blocks_tool_calls_or_thoughts(
    source, text
) -> None:
    assert read_reply("", source).text == text
    called = f"\n{text}" if text in (ANSWER, '{"id": 7}') else ""
    assert read_reply("Answer: ID 4", source).text == f"Answer: ID 4{called}"


@pytest.mark.parametrize(
    "words", ["The shift is at ID 3: I say so.", "ID 3 or ID 4?", "No shift at ID 3.", "Sorry,"]
)
def test_a_tool_call_takes_precedence_over_the_text_before_it(words: str) -> None:
    call = {"name": "answer", "args": {"id": "ID 5"}, "id": "1", "type": "tool_call"}
    reply = read_reply(words, {"content": words, "tool_calls": [call]}).text
    assert read_answer(reply, range(2, 8)).starts == (5,)
    ids = {"name": "answer", "args": {"ids": ["ID 5", "ID 7"]}, "id": "1", "type": "tool_call"}
    assert read_list(read_reply(words, {"tool_calls": [ids]}).text, range(2, 8)).starts == (5, 7)


def test_gemini_answers_by_a_tool_call() -> None:
    call = types.Part(function_call=types.FunctionCall(name="answer", args={"answer": "ID 7"}))
    content = types.Content(parts=[call])
    reply = types.GenerateContentResponse(candidates=[types.Candidate(content=content)])
    assert GeminiModel("any", api_key="k")._completion(reply).text == '{"answer": "ID 7"}'


@pytest.mark.skipif(not hasattr(llama_index_types, "ToolCallBlock"), reason="older LlamaIndex")
def test_llamaindex_models_answer_by_a_tool_call() -> None:
    block = llama_index_types.ToolCallBlock(tool_name="answer", tool_kwargs={"answer": "ID 7"})

    class Calls(MockLLM):
        def chat(self, messages: Any, **_: Any) -> ChatResponse:
            return ChatResponse(message=ChatMessage(role="assistant", blocks=[block]))

    assert LlamaIndexModel(Calls(max_tokens=9)).complete("", "Which?").text == '{"answer": "ID 7"}'
