"""How a language model's answer about a window is read: a list of the units where parts start.

Models are asked for `Answer: ID 3, ID 7!` and mostly comply. In order of trust: a labelled list, a
list in JSON, IDs or bare numbers with nothing but delimiters between them. A text that mentions IDs
in any other way is not read, because a unit that is mentioned need not be a start. Of several lists
the last one counts, because models that reason conclude last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lumber_core.lumber.answer_parser import declines, without_thinking
from lumber_core.lumber.prompt import STRONG_MARK
from lumber_core.segmentation import Outcome

# Bounded, so that reading takes linear time whatever a model writes.
_MARKUP = r"[\s\"'*_`\[\](){}<>]{0,8}"
_NUMBER = rf"(\d{{1,9}})(?!\w|\.\d)(?:{_MARKUP}({STRONG_MARK}))?"
_ID = re.compile(rf"\bid{_MARKUP}:?{_MARKUP}{_NUMBER}", re.IGNORECASE)
_ITEM = re.compile(rf"(?:\bid{_MARKUP}:?{_MARKUP}|(?<![\w.-])){_NUMBER}", re.IGNORECASE)
# Between items: a remark in brackets that names no ID, such as "(2 men leave)", or marks. A dash is
# one at the start of a line only: "ID 3 - ID 7" may be meant as a range.
_BETWEEN = re.compile(
    r"(?:\((?![^()]{0,200}\bid\b)[^()]{0,200}[^\W\d_]{2}[^()]{0,200}\)|\band\b"
    r"|(?m:^\s*[-\u2022])|[\s,;.:\"'*_`\[\](){}<>])*",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:[-\u2013\u2014]|to|through|until)\s*(?:id\b\W{0,3})?\d", re.IGNORECASE)
_NUMBERING = re.compile(r"^\s*\d{1,3}[.)]\s+(?=\W{0,4}id\b)", re.IGNORECASE | re.MULTILINE)
_ANSWER = re.compile(
    rf"\banswers?\b{_MARKUP}(?:\bis\b|\bare\b|[:=\-\u2013\u2014\uff1a])", re.IGNORECASE
)
_NONE = re.compile(r"\W*(?:none|null|nil|no|nowhere|nothing)\b\W*", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:no|not|none|neither|never|except|without)\b|n['\u2019]t\b", re.I)
_JSON = re.compile(r"\{[^{}]*\}|\[[^\[\]{}]*\]")
_FIELDS = ("answer", "answers", "ids", "paragraphs", "starts", "units", "boundaries")
_PLACEHOLDER = re.compile(r"\bid\b[\s:*_`\[(<{]*(?:x+|n+|number)\b", re.IGNORECASE)
_ENDS_OF_ITEMS = ",;\n]}"
_MOST_SHOWN = 5  # units that a reason lists

_Item = tuple[int, bool]  # a unit, and whether it is a strong start


@dataclass(frozen=True, slots=True)
class ParsedList:
    """What an answer about a window says.

    Attributes:
        starts: The units it names, ascending, each with whether it is a strong start.
        outcome: "shift", "no_shift", "outside", "unreadable" or "refused".
        reason: A sentence that explains the outcome.
        cut: Whether more units may follow, because the answer was cut off inside the list.
    """

    starts: dict[int, bool] = field(default_factory=dict)
    outcome: Outcome = "unreadable"
    reason: str = ""
    cut: bool = False


def read_list(answer: str, choices: Sequence[int], *, cut: bool = False) -> ParsedList:
    """Read which units an answer names as starts.

    Args:
        answer: What the model wrote.
        choices: The units it may name.
        cut: Whether the answer was cut off. Then what follows its last delimiter is left out, as it
            may be half of a label, unless a list in JSON is complete.

    Returns:
        What it says. Nothing raises: if an answer cannot be used, `reason` says why.
    """
    text = without_thinking(answer)
    if cut and _json(text) is None:
        known = read_list(text[: max(map(text.rfind, _ENDS_OF_ITEMS)) + 1], choices)
        return replace(known, cut=True)
    if not text:
        return ParsedList(reason="the answer is empty")
    for kind, find in (("labelled list", _labelled), ("JSON list", _json), ("list", _unlabelled)):
        if (found := find(text)) is not None:
            return _decide(kind, found, choices)
    if _PLACEHOLDER.search(text):
        return ParsedList(reason="the answer repeats the placeholder of the prompt")
    if declines(text):
        return ParsedList(outcome="refused", reason="the model declined to answer")
    if _ID.search(text):
        return ParsedList(reason="the answer mentions paragraphs, but not in a list")
    return ParsedList(reason="the answer names no paragraph")


def _decide(kind: str, found: Sequence[_Item], choices: Sequence[int]) -> ParsedList:
    starts: dict[int, bool] = {}
    for unit, strong in found:
        starts[unit] = starts.get(unit, False) or strong
    unknown = [unit for unit in starts if unit not in choices]
    usable = {unit: starts[unit] for unit in sorted(starts) if unit in choices}
    if not starts:
        return ParsedList(outcome="no_shift", reason=f"the {kind} says that nothing changes")
    listed = ", ".join(map(str, unknown[:_MOST_SHOWN]))
    if len(unknown) > _MOST_SHOWN:
        listed = f"{listed} and {len(unknown) - _MOST_SHOWN} more"
    if len(unknown) > len(usable):
        offered = f"{choices[0]} to {choices[-1]}" if choices else "any paragraph"
        reason = f"the {kind} names {listed}, not of {offered}"
        return ParsedList(outcome="outside", reason=reason)
    reason = f"the {kind} names {len(usable)} of {len(choices)} paragraphs"
    if unknown:
        reason = f"{reason}, and {listed}, which was not offered"
    return ParsedList(usable, "shift", reason)


def _labelled(text: str) -> list[_Item] | None:
    """Read the list after the last "Answer:": on its line, or else on the lines that follow."""
    *_, last = [None, *_ANSWER.finditer(text)]
    if last is None:
        return None
    after = _NUMBERING.sub("", text[last.end() :].lstrip())
    if after.startswith(("[", "{")) and (found := _json(after)) is not None:
        return found
    line = after.partition("\n")[0]
    if not _ID.search(line) and _NONE.match(line):
        return []
    if (several := _whole(after) or _bulleted(after)) is not None:
        return several
    # A remark may follow on the line, but none that mentions a paragraph outside the list.
    found, end = _items(line)
    mentioned = {int(match[1]) for match in _ID.finditer(line, end)}
    known = not _RANGE.match(line, end) and {unit for unit, _ in found} >= mentioned
    return found if found and known else None


def _json(text: str) -> list[_Item] | None:
    """Read the last list of JSON, alone or as a field of an object."""
    found = None
    for match in _JSON.finditer(text):
        try:
            loaded = json.loads(match[0])
        except (ValueError, RecursionError):
            continue
        if isinstance(loaded, dict):
            fields = {str(key).casefold(): value for key, value in loaded.items()}
            named = next((name for name in _FIELDS if name in fields), None)
            if named is None:
                continue
            loaded = fields[named]
        listed = loaded if isinstance(loaded, list) else [] if loaded is None else [loaded]
        texts = [each for each in map(str, listed) if not _NONE.fullmatch(each)]
        items = [_whole(each) for each in texts]
        if None not in items:
            found = [item for some in items for item in some or ()]
    return found


def _unlabelled(text: str) -> list[_Item] | None:
    """Read a text that is nothing but a list, or a list of IDs after a phrase that denies none."""
    if _NONE.fullmatch(text):
        return []
    first = _ID.search(text)
    if first is not None and not _NEGATION.search(text, 0, first.start()):
        return _whole(text[first.start() :])
    return _whole(text)


def _whole(text: str) -> list[_Item] | None:
    """Read a text that is a list and nothing else."""
    found, end = _items(text)
    return found if found and end == len(text) else None


def _items(text: str) -> tuple[list[_Item], int]:
    """Return the items at the start of a text, and where something else begins."""
    found: list[_Item] = []
    end = _after_marks(text, 0)
    while (match := _ITEM.match(text, end)) is not None:
        found.append((int(match[1]), bool(match[2])))
        end = _after_marks(text, match.end())
    return found, end


def _after_marks(text: str, position: int) -> int:
    between = _BETWEEN.match(text, position)
    return position if between is None else between.end()


def _bulleted(text: str) -> list[_Item] | None:
    """Read lines that each begin with an ID; what follows on the line explains it."""
    found = []
    for line in filter(str.strip, text.splitlines()):
        match = _ID.match(line, _after_marks(line, 0))
        if match is None:
            return None
        found.append((int(match[1]), bool(match[2])))
    return found if len(found) > 1 else None
