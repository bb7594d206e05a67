"""Reads a language model's answer: the units where new content starts.

About a group models are asked for `Answer: ID 3`, about a window for `Answer: ID 3, ID 7`, and
mostly comply; most of the parser is for those that do not. It looks, in order of trust, after
"Answer:", in JSON, and in the rest of the text. Of several answers of one kind the last usable one
counts, because models that reason conclude last.

About a group any ID or number in the text is an answer in the end. About a window only a list is:
a unit that is mentioned otherwise need not be a start.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from lumber_core.segmentation import Outcome

_THINKING = re.compile(
    # Some servers put the opening tag into the prompt, and the answer has only the closing one.
    r"\A.*</(?:think|thinking|reasoning)>|<(think|thinking|reasoning)>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
# Bounded, so that reading takes linear time whatever a model writes.
_MARKUP = r"[\s\"'*_`#\[\](){}<>:]{0,20}"
_NUMBER = r"(-?\d{1,18})(?!\w|\.\d)"
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ANSWER = re.compile(
    rf"\banswers?\b{_MARKUP}(?:\bis\b|\bare\b|[:=\-\u2013\u2014\uff1a])", re.IGNORECASE
)
_LABELLED = re.compile(
    rf"{_MARKUP}(?:(?:is|the|paragraph|number)\b{_MARKUP})*(?:(?:id|no\.?(?=\s*\d)){_MARKUP})?"
    rf"(?:{_NUMBER}|(?P<none>(?:none|null|nil|no|nowhere|nothing)\b))",
    re.IGNORECASE,
)
_ID = re.compile(rf"\bid{_MARKUP}{_NUMBER}", re.IGNORECASE)
_BARE = re.compile(rf"(?<![\w.]){_NUMBER}")
_ITEM = re.compile(rf"(?:\bid{_MARKUP}|(?<![\w.-])(?!-)){_NUMBER}", re.IGNORECASE)
# Between items. A dash counts at the start of a line only: "ID 3 - ID 7" may mean a range.
_MARKS = re.compile(
    r"(?:\band\b|(?m:^[ \t]{0,20}[-\u2022])|[\s,;.:\"'*_`\[\](){}<>])*", re.IGNORECASE
)
_NUMBERING = re.compile(r"^[ \t]{0,20}\d{1,3}[.)]\s+(?=\W{0,4}id\b)", re.I | re.MULTILINE)
_NONE = re.compile(r"\W*(?:none|null|nil|no|nowhere|nothing)\b\W*", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:no|not|none|neither|never|except|without)\b|n['\u2019]t\b", re.I)
_JSON = re.compile(r"\{[^{}]*\}|\[[^\[\]{}]*\]")
_PLACEHOLDER = re.compile(r"\bid\b[\s:*_`\[(<{]*(?:x+|n+|number)\b", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i(?:['\u2019]m| am) (?:sorry|unable|not able)|i (?:can(?:no|['\u2019])t|will not|"
    r"won['\u2019]t)|cannot (?:assist|help|comply)|against (?:my|the) (?:policy|guidelines))\b",
    re.IGNORECASE,
)
_FIELDS = ("answer", "id", "paragraph", "unit", "boundary")
_LIST_FIELDS = ("answer", "answers", "ids", "paragraphs", "starts", "units", "boundaries")
_MAX_UNITS_IN_REASON = 5  # units that a reason lists

_Finder = Callable[[str], list[list[int]]]  # the answers of one kind; an empty one names no unit


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The units that an answer names, or why it cannot be used.

    Attributes:
        starts: The units it names, ascending; about a group one at most.
        outcome: "shift", "no_shift", "outside", "unreadable" or "refused".
        reason: A sentence that explains the outcome.
    """

    starts: tuple[int, ...] = ()
    outcome: Outcome = "unreadable"
    reason: str = ""


def read_answer(answer: str, choices: Sequence[int]) -> ParsedAnswer:
    """Read which unit of a group an answer names.

    Args:
        answer: What the model wrote.
        choices: The units it may name.

    Returns:
        The units. Nothing raises: if an answer cannot be used, `reason` states why.
    """
    text = _THOUSANDS.sub("", without_thinking(answer))
    finders: dict[str, _Finder] = {
        "labelled answer": _labelled_answers,
        "JSON field": lambda text: [items[-1:] for items in _json_answers(text, _FIELDS, dict)],
        "ID in the text": lambda text: [[int(match[1])] for match in _ID.finditer(text)],
        "bare number": _bare_numbers,
    }
    return _parse(text, choices, finders)


def read_list(answer: str, choices: Sequence[int]) -> ParsedAnswer:
    """Read which units of a window an answer names; see `read_answer`."""
    finders: dict[str, _Finder] = {
        "labelled list": _labelled_lists,
        "JSON list": _json_lists,
        "list": _unlabelled_lists,
    }
    return _parse(without_thinking(answer), choices, finders)


def without_thinking(answer: str) -> str:
    """Return an answer without the reasoning some models write before it."""
    return _THINKING.sub(" ", answer).strip()


def is_refusal(answer: str) -> bool:
    """Return whether an answer contains a phrase that models use to decline."""
    return _REFUSAL.search(answer) is not None


def _parse(text: str, choices: Sequence[int], finders: dict[str, _Finder]) -> ParsedAnswer:
    if not text:
        return ParsedAnswer(reason="the answer is empty")
    if _NONE.fullmatch(text):
        return ParsedAnswer(outcome="no_shift", reason="the answer says that nothing changes")
    for kind, find in finders.items():
        if answers := find(text):
            return _choose_answer(kind, answers, choices)
    if _PLACEHOLDER.search(text):
        return ParsedAnswer(reason="the answer repeats the placeholder of the prompt")
    if is_refusal(text):
        return ParsedAnswer(outcome="refused", reason="the model declined to answer")
    return ParsedAnswer(reason="the answer names no paragraph, or none as a start")


def _choose_answer(kind: str, answers: Sequence[list[int]], choices: Sequence[int]) -> ParsedAnswer:
    """Return the last answer of one kind with at least half of its units among the choices."""
    named = dict.fromkeys(unit for units in answers for unit in units)
    for units in reversed(answers):
        if not units:
            return ParsedAnswer(outcome="no_shift", reason=f"the {kind} says that nothing changes")
        starts = tuple(sorted(unit for unit in {*units} if unit in choices))
        if 2 * len(starts) >= len({*units}):
            reason = f"the {kind} names {_list_units(starts)}"
            if others := [unit for unit in named if unit not in starts]:
                reason += f"; it also names {_list_units(others)}"
            return ParsedAnswer(starts, "shift", reason)
    unknown = [unit for unit in named if unit not in choices]
    offered = f"{choices[0]} to {choices[-1]}" if choices else "any paragraph"
    return ParsedAnswer(
        outcome="outside", reason=f"the {kind} names {_list_units(unknown)}, not of {offered}"
    )


def _list_units(units: Collection[int]) -> str:
    listed = ", ".join(map(str, [*units][:_MAX_UNITS_IN_REASON]))
    more = len(units) - _MAX_UNITS_IN_REASON
    return f"{listed} and {more} more" if more > 0 else listed


def _labelled_answers(text: str) -> list[list[int]]:
    """Read what follows each "Answer:"."""
    matches = (_LABELLED.match(text, label.end()) for label in _ANSWER.finditer(text))
    return [[] if m["none"] else [int(m[1])] for m in matches if m is not None]


def _bare_numbers(text: str) -> list[list[int]]:
    if _PLACEHOLDER.search(text) or is_refusal(text):
        return []
    return [[int(match[1])] for match in _BARE.finditer(text)]


def _json_answers(text: str, fields: Sequence[str], *kinds: type) -> Iterator[list[int]]:
    """Read lists of JSON, and lists, numbers and texts that are fields of its objects."""
    for match in _JSON.finditer(text):
        try:
            loaded = json.loads(match[0])
        except (ValueError, RecursionError):
            continue
        if not isinstance(loaded, kinds):
            continue
        if isinstance(loaded, dict):
            values = {str(key).casefold(): value for key, value in loaded.items()}
            named = next((name for name in fields if name in values), None)
            if named is None:
                continue
            loaded = values[named]
        listed = loaded if isinstance(loaded, list) else [] if loaded is None else [loaded]
        lists = [_items(entry) for entry in map(str, listed) if not _NONE.fullmatch(entry)]
        if [] not in lists:
            yield [item for (items,) in lists for item in items]


def _json_lists(text: str) -> list[list[int]]:
    return [*_json_answers(text, _LIST_FIELDS, dict, list)][-1:]


def _labelled_lists(text: str) -> list[list[int]]:
    """Read the list after the last "Answer:": on its line, or else on the lines that follow."""
    *_, last = [None, *_ANSWER.finditer(text)]
    if last is None:
        return []
    after = text[last.end() :].lstrip()
    if after.startswith(("[", "{")) and (lists := _json_lists(after)):
        return lists
    line = after.partition("\n")[0]
    if not _ID.search(line) and _NONE.match(line):
        return [[]]
    return _items(after) or _items(line)


def _unlabelled_lists(text: str) -> list[list[int]]:
    """Read a text that is only a list, or a list of IDs after a phrase without a negation."""
    first = _ID.search(text)
    if first is not None and not _NEGATION.search(text, 0, first.start()):
        text = text[first.start() :]
    return _items(text)


def _items(text: str) -> list[list[int]]:
    """Read the list at the start of a text, which only a remark without numbers may follow."""
    text, end = _NUMBERING.sub("", text), 0
    items: list[int] = []
    while (match := _ITEM.match(text, _skip_marks(text, end))) is not None:
        items.append(int(match[1]))
        end = match.end()
    return [items] if items and not re.search(r"\d", text[end:]) else []


def _skip_marks(text: str, position: int) -> int:
    marks = _MARKS.match(text, position)
    return position if marks is None else marks.end()
