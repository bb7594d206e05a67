"""How a language model's answer about a group is read.

Models are asked for `Answer: ID n` and mostly comply; most of the parser is for those that do not.
In order of trust: a labelled answer, a field of a JSON object, an ID in prose, a bare number. Of
several usable answers of one kind the last counts, because models that reason conclude last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lumber_core.segmentation import Outcome

_THINKING = re.compile(
    # Some servers put the opening tag into the prompt, and the answer has only the closing one.
    r"\A.*</(?:think|thinking|reasoning)>|<(think|thinking|reasoning)>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
# Bounded, so that reading takes linear time whatever a model writes.
_MARKUP = r"[\s\"'*_`#\[\](){}<>:]{0,20}"
_DIGITS = r"(-?(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,18}))(?!\w|\.\d)"
_LABELLED = re.compile(
    rf"answer\b{_MARKUP}?(?:is\b|[:=\-\u2013\u2014\uff1a]){_MARKUP}"
    rf"(?:(?:is|the|paragraph|number)\b{_MARKUP})*(?:(?:id|no\.?(?=\s*\d)){_MARKUP})?"
    rf"(?:{_DIGITS}|(?P<word>[^\W\d_]+))",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"\bid{_MARKUP}{_DIGITS}", re.IGNORECASE)
_BARE = re.compile(rf"(?<![\w.]){_DIGITS}")
_OBJECT = re.compile(r"\{[^{}]*\}")
_FIELDS = ("answer", "id", "paragraph", "unit", "boundary")
_NONE = frozenset(("none", "null", "nil", "no", "nowhere", "nothing"))
_PLACEHOLDER = re.compile(r"\bid\b[\s:*_`\[(<{]*(?:x+|n+|number)\b", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i(?:['\u2019]m| am) (?:sorry|unable|not able)|i (?:can(?:no|['\u2019])t|will not|"
    r"won['\u2019]t)|cannot (?:assist|help|comply)|against (?:my|the) (?:policy|guidelines))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What an answer says.

    Attributes:
        unit: The unit it names, or None.
        outcome: "shift", "no_shift", "outside", "unreadable" or "refused".
        reason: A sentence that explains the outcome.
    """

    unit: int | None
    outcome: Outcome
    reason: str


def read_answer(answer: str, choices: Sequence[int]) -> ParsedAnswer:
    """Read which unit an answer names.

    Args:
        answer: What the model wrote.
        choices: The units it may name.

    Returns:
        What it says. Nothing raises: if an answer cannot be used, `reason` says why.
    """
    text = without_thinking(answer)
    if not text:
        return ParsedAnswer(None, "unreadable", "the answer is empty")
    kinds: tuple[tuple[str, Callable[[str], Iterable[int | None]]], ...] = (
        ("labelled answer", _labelled),
        ("JSON field", _fields),
        ("ID in the text", _named),
    )
    for kind, find in kinds:
        found = list(find(text))
        if found:
            return _decide(kind, found, choices)
    if text.strip(" .*_`\"'").casefold() in _NONE:
        return ParsedAnswer(None, "no_shift", "the answer says that nothing changes")
    if _PLACEHOLDER.search(text):
        return ParsedAnswer(None, "unreadable", "the answer repeats the placeholder of the prompt")
    if declines(text):
        return ParsedAnswer(None, "refused", "the model declined to answer")
    found = list(_bare(text))
    usable = [number for number in found if number in choices]
    if usable or len(found) == 1:
        return _decide("bare number", usable or found, choices)
    return ParsedAnswer(None, "unreadable", "the answer names no paragraph")


def without_thinking(answer: str) -> str:
    """Return an answer without the reasoning some models write before it."""
    return _THINKING.sub(" ", answer).strip()


def declines(answer: str) -> bool:
    """Return whether an answer contains a phrase that models use to decline."""
    return _REFUSAL.search(answer) is not None


def _decide(kind: str, found: Sequence[int | None], choices: Sequence[int]) -> ParsedAnswer:
    """Choose among the answers of one kind; None stands for "no paragraph"."""
    usable = [unit for unit in found if unit is None or unit in choices]
    if not usable:
        named = ", ".join(str(unit) for unit in dict.fromkeys(found))
        return ParsedAnswer(
            None, "outside", f"the {kind} names {named}, which is not one of {_shown(choices)}"
        )
    unit = usable[-1]
    if unit is None:
        return ParsedAnswer(None, "no_shift", f"the {kind} says that nothing changes")
    others = [str(other) for other in dict.fromkeys(found) if other is not None and other != unit]
    reason = f"the {kind} names it"
    if others:
        reason = f"the last usable {kind} names it; others named {', '.join(others)}"
    return ParsedAnswer(unit, "shift", reason)


def _shown(choices: Sequence[int]) -> str:
    return f"{choices[0]} to {choices[-1]}" if choices else "any paragraph"


def _labelled(text: str) -> Iterator[int | None]:
    for match in _LABELLED.finditer(text):
        if match[1] is not None:
            yield _number(match[1])
        elif match["word"].casefold() in _NONE:
            yield None


def _fields(text: str) -> Iterator[int | None]:
    for match in _OBJECT.finditer(text):
        try:
            loaded = json.loads(match[0])
        except (ValueError, RecursionError):
            continue
        fields = {str(key).casefold(): value for key, value in loaded.items()}
        for name in _FIELDS:
            if name in fields:
                value = fields[name]
                number = None if value is None else _BARE.search(str(value))
                if value is None or str(value).casefold() in _NONE:
                    yield None
                elif number is not None:
                    yield _number(number[1])
                break


def _named(text: str) -> Iterator[int]:
    for match in _NAMED.finditer(text):
        yield _number(match[1])


def _bare(text: str) -> Iterator[int]:
    for match in _BARE.finditer(text):
        yield _number(match[1])


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
