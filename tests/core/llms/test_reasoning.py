import pytest

from lumber_core.llms.reasoning import without_reasoning
from tests.growth import check_linear

ANSWER = "Answer: ID 7"
NAMES = (
    "think thought reflection SCRATCHPAD longcat_think reasoning_content "
    "\u601d\u8003 rationale antThinking scratch-pad reasoning_trace gedanken \u601d\u7ef4"
)
OPEN = {
    **{f"<{name}>": f"</{name}>" for name in NAMES.split()},
    "<Thinking>\n": "\n</Thinking>\n",
    "< think >": "</ think >",
    "<think>\r": "</thinking>",
    '<reasoning effort="high">': "</reasoning>",
    "<seed:think>a<seed:cot_budget_reflect>b</seed:cot_budget_reflect>": "</seed:think>",
    "<thinking>a<reflection>b</reflection>": "</thinking>",
    "[THINK]": "[/THINK]",
    "<\uff5cbegin\u2581of\u2581thinking\uff5c>": "<\uff5cend\u2581of\u2581thinking\uff5c>",
    "<|cot_start|>": "<|cot_end|>",
    "[unused16]": "[unused17]",
    "<|think|>": "<|end|><|begin|>assistant<|content|>",
    "<|im_start|>assistant/think\n": "<|im_end|>\n<|im_start|>assistant\n",
    "Here are my reasoning steps:\n": "\n[BEGIN FINAL RESPONSE]\n",
    "\u3008think\u3009": "\u3008/think\u3009",
    "<|im_start|>assistant\n<think>": "</think>",
    "<|channel|>analysis<|message|>We call it.": "<|end|><|start|>assistant<|channel|>commentary "
    "to=functions.answer <|constrain|>json<|message|>",
    "\u3010think\u3011": "\u3010/think\u3011",
    "\u25c1think\u25b7": "\u25c1/think\u25b7",
    "&lt;think&gt;": "&lt;/think&gt;",
    "<|START_THINKING|>": "<|END_THINKING|><|START_RESPONSE|>",
    "<|begin_of_thought|>": "<|end_of_thought|>\n<|begin_of_solution|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|channel>thought\n": "<channel|>",
    "<unused94>thought\n": "<unused95>",
    "<|channel|>analysis<|message|>": "<|end|><|start|>assistant<|channel|>final<|message|>",
    "<|start|>assistant<|channel|>commentary<|message|>": "<|end|>"
    "<|channel|>final <|constrain|>json<|message|>",
    "analysisWe need it.": "assistantfinal",
    "Here is my thought process:\n": "\nHere is my response:\n",
    "Thinking...\n": "\n...done thinking.\n\n",
    '<details type="reasoning" done="true"><summary>Thought</summary>': "</details>",
    "<details>\n<summary>Thought for 3 seconds</summary>\n": "\n</details>\n",
    "<start_of_turn>model\n<think>": "</think>",
    "```thinking\n": "\n```\n",
    ":::thinking\n": "\n:::\n",
    "<|thinking_begin|>": "<|thinking_end|>",
    "<plan>": "</plan>",
    "<ctrl94>thought\n": "<ctrl95>",
}


@pytest.mark.parametrize("opening", OPEN)
def test_thoughts_are_removed_and_a_reply_cut_off_in_a_thought_is_empty(opening: str) -> None:
    thought = f"{opening}First, ID 1.\n\nAnswer: ID 2"
    assert without_reasoning(f"{thought}{OPEN[opening]}{ANSWER}") == ANSWER
    assert without_reasoning(f"\n{thought}{OPEN[opening]}\n\n{ANSWER}\n") == ANSWER
    assert without_reasoning(thought.removesuffix(" 2")) == ""


@pytest.mark.parametrize(
    "reply",
    [
        *(f"Perhaps ID 2.{end}{ANSWER}" for end in ("</think>", "[/THINK]", "<|END_THINKING|>")),
        f"Perhaps ID 2.\n[BEGIN FINAL RESPONSE]\n{ANSWER}\n[END FINAL RESPONSE]",
        f"Perhaps ID 2<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
        f"{ANSWER}\n<think>Or ID 2?",
        f"{ANSWER}<think>Or ID 2?</think>",
        f"<think>ID 1</think><output>{ANSWER}</output>",
        f"<|im_start|>{ANSWER}<|im_end|>",
        *(f"{role}{ANSWER}" for role in ("Assistant: ", "<s>", "assistant<|end_header_id|>\n\n")),
        f"<|header_start|>assistant<|header_end|>\n\n{ANSWER}<|eot|>",
        *(f"<think>ID 2</think>{ANSWER}{end}" for end in ("[|endofturn|]", "[e~[", "<seed:eos>")),
        *(f"\u3010{label}\u3011ID 2\n\u3010答案\u3011{ANSWER}" for label in ("思考过程", "分析")),
        f"[Reasoning]\nID 2\n[Answer]\n{ANSWER}",
        f"<think>1<think>2</think>3</think>{ANSWER}",
        f"<think></think><think>ID 2</think>{ANSWER}",
        "Put it between `<think>` and `</think>` tags.",
        "Analysis shows 7 [analysis](a.md).",
        "It is a thought [thoughts] of a <b>thinker</b>.",
    ],
)
def test_thoughts_are_removed_anywhere_but_words_about_the_tags_stay(reply: str) -> None:
    assert without_reasoning(reply) == (ANSWER if ANSWER in reply else reply)


@pytest.mark.parametrize(
    "part", ["<think>", "</think>", "[THINK]", "<think></thinking>", "\n", "<|a|>", "<|channel|>"]
)
def test_thoughts_are_found_in_linear_time(part: str) -> None:
    check_linear(without_reasoning, lambda size: part * size + "x", 5_000)
