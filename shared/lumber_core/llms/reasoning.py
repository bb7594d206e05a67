"""Removes the reasoning that models write before an answer, in the forms of their chat templates.

A server that parses its model's reasoning returns it separately; others leave it in the text.
"""

from __future__ import annotations

import re

_NAME = (
    r"(?:(?:[a-z]{1,20}[:_-]|ant)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflect(?:ion)?|analysis"
    r"|scratch[_-]?pad|monologue|deliberation|rationale|ponder(?:ing)?|plan(?:ning)?|brainstorm(?:ing)?"
    r"|chain_of_thought|cot|gedanken?|denken|r[\xe9e]flexion|pens[\xe9e]es?|pensamientos?)"
    r"(?:_(?!start|end|begin)[a-z]{1,12})?|\u601d(?:\u8003(?:\u8fc7\u7a0b)?|\u7ef4))"
)
# Tags in any brackets: <think>, <seed:think>, [THINK] of Magistral, Kimi's triangles, Cohere's
# <|START_THINKING|>, <|begin_of_thought|>. A tag in backticks is quoted, not used.
_TAG = re.compile(
    rf"""(?<!`) (?:[<\[\u25c1\u3008\u3010\uff1c]|&lt;) [|\uff5c\s]?
    (?:(?P<end>/\s?|end[_\u2581](?:of[_\u2581])?)|(?:start|begin)[_\u2581](?:of[_\u2581])?)?
    (?P<name>{_NAME}) (?:_start|_begin|(?P<after>_end))? (?:\s[a-z]+=[^<>\[\]]{{0,200}})?
    [|\uff5c\s]? (?:[>\]\u25b7\u3009\u3011\uff1e]|&gt;) (?!`(?!``)|\()""",
    re.IGNORECASE | re.VERBOSE,
)
# The forms of Granite and Apriel, Ollama's program, Open WebUI, MedGemma and Pangu, Gemma, Apertus,
# HyperCLOVA; code blocks, empty tags, and a thought and an answer below labels of their own.
_BLOCK = re.compile(
    rf"""\A\W*here(?:'s|\ is|\ are)\ my\ (?:thought\ process|reasoning\ steps):
      .*?(?:here(?:'s|\ is)\ my\ response:|\[BEGIN\ FINAL\ RESPONSE\]|\Z)
    | \A.*?(?<!`)\[BEGIN\ FINAL\ RESPONSE\]
    | \A\s*Thinking\.\.\.\n.*?(?:\n\.\.\.done\ thinking\.|\Z)
    | <details(?:\s[^<>]{{0,99}}reasoning|>\s*<summary>\W*{_NAME}\b).*?(?:</details>|\Z)
    | <(?:unused|ctrl)94>.*?(?:<(?:unused|ctrl)95>|\Z) | \[unused16\].*?(?:\[unused17\]|\Z)
    | <\|channel>thought.*?(?:<channel\|>|\Z) | <\|inner_prefix\|>.*?(?:<\|inner_suffix\|>|\Z)
    | (?:\A|\n)(?:```|:::){_NAME}\n.*?(?:\n(?:```|:::)|\Z)
    | (?:<\|im_start\|>|\A)assistant/think\n.*?(?:<\|im_start\|>assistant\n|\Z) | <{_NAME}\s?/>
    | \A[\s*\#\[\u3010]*(?:(?:thinking|thoughts?|reasoning)(?:\ process)?
        |(?:思考|分析|推理)(?:过程)?)[\ *]*[]\u3011:\uff1a\n].*?
      \n[\s*\#\[\u3010]*(?:(?:final\ )?(?:answer|response)|答案|回答)
        [\ *]*[]\u3011:\uff1a\n][\s*:\uff1a]*(?=\S)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
# gpt-oss writes its answer to the channel "final" or calls a tool; Solar writes it after
# <|content|>. If a server removes the special tokens, the names of channels remain.
_FINAL = re.compile(
    r"<\|channel\|>\s?(?:final|commentary (?:to=|json))[^<]{0,99}"
    r"(?:<\|constrain\|>[^<]{0,99})?<\|message\|>|assistant\s?final(?![a-z])|<\|content\|>"
)
_CHANNEL = re.compile(
    r"(?:<\|start\|>\w*)?<\|channel\|>|\A\s*(?:assistant)?analysis(?=[A-Z\"\u201c])"
)
_MESSAGE_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
# Special tokens and tags around the answer of a reasoning model.
_ANSWER = r"(?:response|output|answer|solution|final_answer)"
_SPECIAL = (
    r"(?:<(?:\|[\w/]{1,40}\|?|/?s|bos|(?:seed:)?eos|(?:start|end)_of_turn|turn\||\uff5c[\w\u2581]{1,40}\uff5c)>"
    r"|\[\|\w{1,40}\|\]|\[e~\[)"
)
_AROUND = re.compile(
    rf"(?i)\A(?:assistant(?:\n|:|(?=<\|)))?\s{{0,9}}(?:{_SPECIAL}(?:(?:assistant|model)(?=\n|\Z|<\|))?\s{{0,9}}){{0,9}}|(?:{_SPECIAL}\s{{0,9}}){{1,9}}\Z"
    rf"|\A<{_ANSWER}>|(?<!`)</{_ANSWER}>\Z|\[END FINAL RESPONSE\]\Z"
)


def describe_missing_answer(reply: str) -> str:
    """Return the fault of a reply that has no answer: it has only reasoning, or nothing."""
    return "the reply has only reasoning" if reply.strip() else "the answer is empty"


def without_reasoning(reply: str) -> str:
    """Return a reply without the reasoning in it; "" if there is nothing else.

    Reasoning that was cut off has no end tag. If the chat template puts the start tag into the
    prompt, the reply has only the end tag.
    """
    *_, final = [None, *_FINAL.finditer(reply)]
    if final is not None:
        reply = _MESSAGE_END.split(reply[final.end() :], maxsplit=1)[0]
    elif channel := _CHANNEL.search(reply):
        reply = reply[: channel.start()]
    reply = _BLOCK.sub(" ", reply)
    tags = [
        (tag["name"].casefold(), bool(tag["end"] or tag["after"]), *tag.span())
        for tag in _TAG.finditer(reply)
    ]
    last_end = max((number for number, tag in enumerate(tags) if tag[1]), default=-1)
    answer, place, number = "", 0, 0
    while number < len(tags):
        name, is_end, start, end = tags[number]
        number += 1
        if is_end:
            answer, place = "", end
        elif number <= last_end and (closing := _closing_tag(tags, number, name)) is not None:
            answer += reply[place:start] + " "
            number, place = closing + 1, tags[closing][3]
        elif reply[start] not in "[\u3010" or reply[start - 1 : start] in ("", "\n"):
            return _AROUND.sub("", (answer + reply[place:start]).strip()).strip()
    return _AROUND.sub("", (answer + reply[place:]).strip()).strip()


def _closing_tag(tags: list[tuple[str, bool, int, int]], first: int, name: str) -> int | None:
    """Return the index of a thought's closing tag: of the same name, or else the last unmatched."""
    ends = [number for number in range(first, len(tags)) if tags[number][1]]
    opened = {tag[0] for tag in tags[first:] if not tag[1]}
    same_name = (number for number in ends if tags[number][0] == name)
    return next(same_name, next((n for n in reversed(ends) if tags[n][0] not in opened), None))
