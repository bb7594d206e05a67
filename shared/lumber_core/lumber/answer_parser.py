"""Reads a language model's answer: the units where new content starts.

The prompt asks for `Answer: ID 3` about a group, and for `Answer: ID 3, ID 7` about a window. Most
models comply; most of this parser is for the others. It reads the text after "Answer:", then JSON,
then an ID alone, then prose: the most reliable form first. If there are several answers of one
form, the last usable one counts, because models that reason conclude last.

In prose about a group, an ID counts if it is the only one in sentences that state a change, and the
text contains no denial. About a window, only a list counts. Any other answer is unreadable, and the
question is repeated.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise, takewhile
from textwrap import shorten

from lumber_core.llms.reasoning import describe_missing_answer, without_reasoning
from lumber_core.lumber.answer_words import any_of
from lumber_core.segmentation import ParsedAnswer

_AND, _CHANGE, _CORRECTION, _DENIAL = map(any_of, ("and", "change", "correction", "denial"))
_AFTER, _EXCLUSION, _LABEL, _NO_START = map(any_of, ("after", "exclusion", "label", "no_start"))
_OR_TO, _REASON, _UNIT = map(any_of, ("or_to", "reason", "unit"))
# All repetitions are bounded, so that reading any text takes linear time.
_MARKUP = r"[\s\"'\u00ab\u00bb\u2018-\u201d\u3010\u3011#\[\](){}<>:=|$\\]{0,20}"
_LETTER = r"[^\W和及與与と]"  # without the words for "and" that stand between units
# A number, which "is" in Japanese or Korean may follow.
_NUMBER = rf"(-?\d{{1,18}})(?:\s?(?:です(?![がか])|입니다))?(?!{_LETTER}|\.\d)"
# Emphasis (but not "_" in "last_id"), "paragraph_" in "paragraph_id", pictures, text that is struck
# out, LaTeX's box and brackets, signs as in "ID-3" and "\u2460 ID 3", and invisible characters.
_EMPHASIS = re.compile(
    r"(?i)[*`]|(?<![^\W_])_|_(?![^\W\d_])|(?![\u2717\u2718\u274c])[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?|~~[^~\n]{1,200}~~|<(s|del)>[^<\n]{1,200}</\1>"
    r"|(?<![a-z_])paragraph_(?=ids?\b)|</?ins>|\\(?:boxed|text\w*|math\w+|[][()])|(?<=\bID)-(?=\d)|[\u2460-\u2473](?=\s?ID\b)|[\u200b-\u200f\u2060\ufeff]"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_KEY = "(?:(?:answer|paragraph|unit|shift|start|first|new|id)_?){1,3}"  # matches no "last_id"
_ANSWER = re.compile(
    rf"(?i)<(?:{_KEY}|final|arg_?key>\s?{_KEY}</arg_?key>\s?<arg_?value"
    rf"|[|\w]{{0,9}}parameter(?:=|\sname=\W?){_KEY}(?!\w)[^<>\n]{{0,40}})>|<(?!last|prev|end)\w{{1,20}}>(?=\s*id\s?\d{{1,9}}\s*</)"
    rf"|(?<!functions\.)(?<!name=\"){_LABEL}(?:\s(?:corre|final)\w{{1,9}})?{_MARKUP}"
    r"(?:\b(?:is|are|ist|lautet|est|es|är|è|é|هي|هو|है)(?!\w)|[:=|\u306f\u662f\u4e3a\u70ba\uc740\ub294]|[\u2013\u2014-](?!\d)|(?<=[\n:|])|(?=id\W{0,3}\d))"
)
_LABELLED = re.compile(
    rf"(?i){_MARKUP}(?:(?:(?:it(?:['\u2019]s)?|is|at|the|el|la|number|with|con|labell?ed|probably)\b|l['\u2019]|(?!id){_UNIT}){_MARKUP})*"
    rf"(?:(?:id|n(?:o|r|um|\.o|°)?\.?(?=\s*\d)){_MARKUP}){{0,2}}"
    rf"(?:{_NUMBER}|(?P<none>{_NO_START}))"
)
_LABEL_OF_ID = rf"(?<![^\W\d\u3040-\u9fff])(?:ids?|paragraphs?){_MARKUP}"
_ID = re.compile(rf"{_LABEL_OF_ID}{_NUMBER}", re.IGNORECASE)
# An ID that is the whole text, or a line of it if the other lines contain no numbers or are
# labelled "Reason:".
_ALONE = re.compile(
    rf"(?i)(?:\A|[.!?\u3002]\s*\n){_MARKUP}(?:-\s)?(?:(?:paragraph|number|id){_MARKUP})*{_NUMBER}"
    r"[^\w,\n?\u2717\u2718\u274c]{0,20}(?:\Z|\n\s*\n(?=\D*\Z|[*_#\s]{0,9}[^\W\d_]{4,20}[*_]{0,2}\s?:))"
)
_NAMED = re.compile(rf"{_UNIT}{_MARKUP}(?:id{_MARKUP})?(-?\d{{1,18}})(?!\w*\d|\.\d)", re.IGNORECASE)
_ITEM = re.compile(rf"(?:{_LABEL_OF_ID}|(?<!{_LETTER})(?<![.-])(?!-)){_NUMBER}", re.IGNORECASE)
_LINE_OR_ID = re.compile(rf"(?:^[^\w\n]{{0,20}}|{_LABEL_OF_ID})(\d{{1,18}})", re.I | re.MULTILINE)
# Marks and words between items. A dash counts only at the start of a line: "ID 3 - ID 7" may mean a
# range.
_MARKS = re.compile(
    rf"(?i)(?:{_AND}|(?m:^[ \t]{{0,20}}[-+\u2192])"
    r"|[\s,;+.:\"'\u2018-\u201d\u2022*_`\[\](){}<>#|/$\u060c\u3001\u3002])*"
)
# A remark about an item of a list, without numbers: "ID 3: the harbour", "ID 3 (the harbour)".
_WORDS = r"[^\d\n;]{0,300}?"
_REMARK = re.compile(
    rf"(?i)[\s\])\"']{{0,5}}(?:[(\[\u201c][^()\[\]\u201d\d\n]{{1,300}}[)\]\u201d]"
    rf"|(?:[(:=>|\u2013\u2014\u2192-]|,?\s?(?={_REASON}|{_CHANGE})){_WORDS}[^\W\d_]{_WORDS}"
    rf"(?=[;\n]|(?:[,\u060c\u3001]\s*(?:{_AND}\s*){{0,2}}|\s{_AND}\s*)(?:id{_MARKUP}\d|\d{{1,9}}\s*[:(=\u2013\u2014\u2192-])|\Z))"
)
# A line with an item whose remark may have numbers: "- ID 4: from boats (ID 1-3) to violins".
_LINE = re.compile(
    rf"(?i)[^\w\n]{{0,20}}(?:\d{{1,2}}[.)]\s+)?{_LABEL_OF_ID}(\d{{1,9}})\b(?!\s*{_OR_TO}\s*(?:id\W{{0,3}})?\d)(.*)"
)
_NUMBERING = re.compile(  # numbers of list items or of table rows, and the head of a table
    r"(?im)^[ \t]{0,20}(?:\d{1,3}[.)]\s+|\|[ \t]?\d{1,3}[ \t]?\|(?!\n))"
    r"(?=\W{0,4}(?:id\b|\d{1,9}\s?(?:$|[:(|\u2013\u2014-])))"
    r"|^.{0,300}\n[ \t]*\|?[ \t:-]*---[|: \t-]*$"
)
_REASONS = re.compile(  # the label of the reasons below a list
    r"(?i)\n[^\S\n]{0,9}\n\W{0,9}(?:reason\w*|explanation|justification|rationale|notes?|begründung|erklärung|explications?|justificaci[oó]n|explicaci[oó]n|理由|说明|解释|説明)\W{0,3}[:\uff1a]"
)
_NONE = re.compile(rf"\W*{_NO_START}\W*", re.IGNORECASE)
_NEGATION = re.compile(_DENIAL, re.IGNORECASE)
_NO_CHANGE = re.compile(f"{_DENIAL}|{any_of('sameness')}", re.IGNORECASE)
_DOUBT = re.compile(rf"{_NO_CHANGE.pattern}|{any_of('doubt')}|\d[^.!?\n]{{0,200}}\?", re.IGNORECASE)
# Text that takes an answer back. After an ID: a denial, an alternative, another ID after a few
# words, which may correct it, or a question mark. After "none": a number in the same sentence.
_WITHDRAWAL = re.compile(
    rf"(?i)(?:[\s?,]{{0,4}}|[\u3040-\u9fff][,\u3040-\u9fff]{{0,30}}){_DENIAL}|[\s,]{{0,4}}{_OR_TO}\s*(?:(?:id{_MARKUP})?\d|{_MARKUP}{_NO_START})"
    r"| ?[, +&] ?\d"
    rf"|[^\w\"]{{1,5}}[^\W\d][^\d\n]{{0,30}}\bid{_MARKUP}\d{{1,18}}[^\w\n]{{0,9}}(?:\Z|\n)"
    r"|[^.!?\n;]{0,200}\?"
)
_RESERVATION = re.compile(rf"(?!\W*{_REASON})[^.!?\n;(\d]{{0,200}}\d", re.IGNORECASE)
_PREDICATE = re.compile(
    rf"(?i)['\u2019]?[^\S\n]*(?!{_REASON}|\w{{1,20}}:|(?-i:[A-Z\xc0-\xde]))(?=[^\W\d_\u3040-\u9fff])"
    r"[^.!?\n;]*"
)
_CONTRAST = re.compile(
    rf"(?i)[,(\u2013\u2014-]\s*(?:(?:{_AND}|but)\s+)?{_EXCLUSION}\s*(?:\w{{1,20}}\s){{0,2}}"
    rf"(?:id{_MARKUP})?\d{{1,9}}"
)
# A unit that replaces the unit before it, or a unit in a sentence that seems to correct it.
_CORRECTED = re.compile(
    rf"(?i)\W(?:{_CORRECTION}|\b(?:no|nein|non|n[aã]o|nee|nej|nie|hay\u0131r|нет|لا)(?=\s?[,.;:!\u060c\u2014])|いや|->|\u2192)(?:\W{{0,5}}(?:{_CORRECTION}"
    r"|\b(?:no|it|that|is|the|answer|shift|turn|should|would|be|at|es|ist|c'est|el|la)\b|\u662f)){0,9}"
    rf"\W{{0,9}}(?:(?<![a-z])id{_MARKUP}{_NUMBER}|(\d{{1,18}})(?=[\s.!?)]*(?:\Z|\n)))"
    rf"|\W{_CORRECTION}\D{{0,200}}(?:id{_MARKUP}\d|{_DENIAL})"
)
_UNIT_BEFORE = re.compile(
    rf"(?i){_AFTER}\s(?:the\s)?{_UNIT}{_MARKUP}\d{{1,18}}"
    rf"(?:(?:(?:\s?,|\s?,?\s{_AND})\s(?:{_UNIT}{_MARKUP})?\d{{1,18}}){{1,99}}(?=\W{{0,9}}(?:\Z|\n)))?"
    rf"|{_UNIT}{_MARKUP}\d{{1,18}}\s?(?:[之以]?[后後]|の[後次あ])"
)
_RANGE = re.compile(rf"\d\s*{_OR_TO}\s*(?:l['\u2019]|el )?id{_MARKUP}\d", re.IGNORECASE)
_CHANGING = re.compile(_CHANGE, re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?](?!\d)|[\n;\u3002]")
_CLAUSE = re.compile(rf"[,:()\u2013\u2014\u3001](?!\s*\d)|\s-\s|{_REASON}", re.IGNORECASE)
_JSON = re.compile(r"\{[^{}]*\}|\[[^\[\]{}]*\]")
_COUNT = re.compile(r"\d{1,9}\s[^\W\d_]")  # as in "2 shifts found"
_RANGES = re.compile(r"\[\s{0,9}\[[^][]{0,99}\]\s{0,9},")  # "[[2, 4], [5, 7]]"
_PLACEHOLDER = re.compile(r"\bid\b[\s:*_`\[(<{]*(?:x+|n+|number)\b", re.IGNORECASE)
_REFUSAL = re.compile(any_of("refusal"), re.IGNORECASE)
# Words of the document, which may doubt and refuse: quotes without an ID, and repeated paragraphs.
_QUOTE = re.compile(
    '["\u201c\u201e\u00ab](?:(?!ID\\s?\\d)[^"\u201c-\u201e\u00ab\u00bb]){0,2000}["\u201c\u201d\u00bb]'
)
_PARAGRAPH = re.compile(r"(?m)^\W{0,9}ID\s?\d{1,9}:.*")
# A word in the key of an answer; others are keys of other numbers: "confidence", "last_id", "page".
_KEY_WORD = re.compile(
    rf"(?i){_LABEL}|{_CHANGE}|{_UNIT}|ids?|paragraphs?|units?|boundar\w+|where|at|the|is|of|first|next"
    r"|action|content|topic|scene|section|segment|chunk|split|selected|target|chosen|choice|index|no"
    "|input|output|value"
)
_WORD_OF_KEY = re.compile("IDs|[A-Z]?[^\\W\\d_A-Z]+|[A-Z]+")
_FIELDS = ("answer", "id", "paragraph", "unit", "boundary", "start")
_LIST_FIELDS = ("answer", "answers", "ids", "paragraphs", "starts", "units", "boundaries")
_MAX_CHARACTERS_OF_UNITS = 30  # characters of the list of units in `ParsedAnswer.reason`

_Finder = Callable[[str], list[list[int]]]  # finds the answers of one form; [] names no unit


def read_answer(answer: str, choices: Sequence[int]) -> ParsedAnswer:
    """Read which of the choices of a group an answer names.

    An unusable answer raises no error; the `reason` of the result states what is wrong.
    """
    text = _THOUSANDS.sub("", _plain_answer(answer))
    finders: dict[str, _Finder] = {
        "labelled answer": _labelled_answers,
        "JSON field": lambda text: [items[-1:] for items in _json_answers(text, _FIELDS, dict)],
        "ID alone": lambda text: [[int(match[1])] for match in _ALONE.finditer(text)],
        "ID in prose": _in_prose,
    }
    return _parse(answer, text, choices, finders)


def read_list(answer: str, choices: Sequence[int]) -> ParsedAnswer:
    """Read which units of a window an answer names; see `read_answer`."""
    finders: dict[str, _Finder] = {
        "labelled list": _labelled_lists,
        "JSON list": _json_lists,
        "list": _unlabelled_lists,
    }
    text = _plain_answer(answer)
    return _parse(answer, text, choices, {} if _RANGES.search(text) else finders)


def is_refusal(answer: str) -> bool:
    """Return whether an answer contains a phrase that models use to decline, not in a quote."""
    unquoted = _PARAGRAPH.sub(" ", _QUOTE.sub(" ", answer))
    return _REFUSAL.search(unquoted if any(map(str.isalpha, unquoted)) else answer) is not None


def _plain_answer(answer: str) -> str:
    """Return an answer without reasoning, emphasis, and units that it names but excludes."""
    text = unicodedata.normalize("NFKC", _EMPHASIS.sub("", without_reasoning(answer)))
    return _UNIT_BEFORE.sub("", _CONTRAST.sub("", text)).strip()


def _parse(
    answer: str, text: str, choices: Sequence[int], finders: dict[str, _Finder]
) -> ParsedAnswer:
    if not text:
        return ParsedAnswer(reason=describe_missing_answer(answer))
    if _NONE.fullmatch(text):
        return ParsedAnswer(outcome="no_shift", reason="the answer states that nothing changes")
    for kind, find in finders.items():
        if answers := find(text):
            return _choose_answer(kind, answers, choices)
    if _PLACEHOLDER.search(text):
        return ParsedAnswer(reason="the answer repeats the placeholder of the prompt")
    if is_refusal(text):
        return ParsedAnswer(outcome="refused", reason="the model declined to answer")
    return ParsedAnswer(
        reason="the answer does not clearly state where content changes, or that it does not"
    )


def _choose_answer(kind: str, answers: Sequence[list[int]], choices: Sequence[int]) -> ParsedAnswer:
    """Return the last answer that has at least half of its units among the choices."""
    named = dict.fromkeys(unit for units in answers for unit in units)
    for units in reversed(answers):
        if not units:
            reason = f"the {kind} states that nothing changes"
            return ParsedAnswer(outcome="no_shift", reason=reason)
        starts = tuple(sorted(unit for unit in {*units} if unit in choices))
        if 2 * len(starts) >= len({*units}):
            reason = f"the {kind} names {_list_units(starts)}"
            if other_units := [unit for unit in named if unit not in starts]:
                reason += f"; it also names {_list_units(other_units)}"
            return ParsedAnswer(starts, "shift", reason)
    outside = [unit for unit in named if unit not in choices]
    offered = f"{choices[0]} to {choices[-1]}" if choices else "any paragraph"
    reason = f"the {kind} names {_list_units(outside)}, which is not one of {offered}"
    return ParsedAnswer(outcome="outside", reason=reason)


def _list_units(units: Collection[int]) -> str:
    return shorten(", ".join(map(str, units)), _MAX_CHARACTERS_OF_UNITS, placeholder=" and more")


def _labelled_answers(text: str) -> list[list[int]]:
    """Read the unit or the denial after each "Answer:"."""
    matches = [
        match
        for label in _ANSWER.finditer(text)
        if (match := _LABELLED.match(text, label.end())) is not None
    ]
    answers = [[] if match["none"] else [int(match[1])] for match in matches]
    end = matches[-1].end() if matches else len(text)
    if corrected := _CORRECTED.search(text, end):
        end = corrected.end()
        unit = None if _ID.search(text, end) else corrected[1] or corrected[2]
        answers = [[int(unit)]] if unit else []
    if not answers or _WITHDRAWAL.match(text, end) or is_refusal(text[end:]):
        return []
    about_unit = _is_about_unit(text, end) if answers[-1] else _RESERVATION.match(text, end)
    return [] if about_unit else answers


def _is_about_unit(text: str, end: int) -> bool:
    """Return whether a sentence continues after a unit without stating that content changes."""
    predicate = _PREDICATE.match(text, end)
    if predicate is None:
        return False
    return not _CHANGING.search(predicate[0]) or bool(_DOUBT.search(predicate[0]))


def _in_prose(text: str) -> list[list[int]]:
    """Read the unit in sentences that state a change of content, if there is only one."""
    if _DOUBT.search(_QUOTE.sub(" ", text)) or _RANGE.search(text) or is_refusal(text):
        return []
    units: set[int] = set()
    for sentence in _SENTENCE.split(text):
        if _CHANGING.search(sentence):
            clauses = [clause for clause in _CLAUSE.split(sentence) if _CHANGING.search(clause)]
            in_clauses = [named[-1] for clause in clauses if (named := _NAMED.findall(clause))]
            units.update(map(int, in_clauses or _NAMED.findall(sentence)))
    return [[*units]] if len(units) == 1 else []


def _json_answers(text: str, fields: Sequence[str], *kinds: type) -> Iterator[list[int]]:
    """Read lists in JSON, and lists, numbers and texts in the fields of objects."""
    for match in _JSON.finditer(text):
        try:
            # Arguments of a call are JSON in a string, and whole numbers may have decimals.
            plain = match[0].replace('\\"', '"') if '{\\"' in match[0] else match[0]
            loaded = json.loads(plain, parse_float=lambda number: number.removesuffix(".0"))
        except (ValueError, RecursionError):
            continue
        if not isinstance(loaded, kinds):
            continue
        if isinstance(loaded, dict):
            set_values = [value for value in loaded.values() if value is not None]
            if len(set_values) > 1 and any(
                str(value).casefold() in ("false", "no") for value in set_values
            ):
                continue  # "has_shift": false
            if loaded.get("error"):
                continue
            values = {str(key): value for key, value in loaded.items() if _is_key(str(key))}
            named = [key for name in fields for key in values if key.casefold() == name][:1]
            compound = [key for key in values if key.casefold().endswith((*fields,))]  # "unit_id"
            not_lists = [key for key, value in values.items() if not isinstance(value, list)]
            ids = [
                key
                for key in not_lists
                if (len(loaded) == 1 and not key.endswith("s")) or _ID.fullmatch(str(values[key]))
            ]
            keys = named or compound or (ids if list not in kinds else [])
            if len(keys) != 1:
                continue
            loaded = values[keys[0]]
        listed = loaded if isinstance(loaded, list) else [] if loaded is None else [loaded]
        lists = [_items(entry) for entry in map(str, listed) if not _NONE.fullmatch(entry)]
        if [] not in lists:
            yield [item for (items,) in lists for item in items]


def _is_key(key: str) -> bool:
    return all(map(_KEY_WORD.fullmatch, _WORD_OF_KEY.findall(key)))


def _json_lists(text: str) -> list[list[int]]:
    lists = [*_json_answers(text, _LIST_FIELDS, dict, list)][-1:]
    units = [unit for items in _json_answers(text, _FIELDS, dict) for unit in items]
    return lists or ([units] if units else [])  # without lists: objects, one for each unit


def _labelled_lists(text: str) -> list[list[int]]:
    """Read the list after the last "Answer:", on its line or on the lines below."""
    labels = [*_ANSWER.finditer(text)]
    if not labels:
        return []
    after = _REASONS.split(text[labels[-1].end() :].lstrip(), maxsplit=1)[0]
    line = after.partition("\n")[0]
    if not _ID.search(line) and _NONE.match(line):
        return [[]]
    last = _items(after)
    if not last and after[:1] in "[{" and (lists := _json_lists(after.partition("]")[0] + "]")):
        return lists
    if not last and (last := _items(line)):
        numbers_below = _LINE_OR_ID.findall(after, len(line))
        if not {*map(int, numbers_below)} <= {*last[0]}:
            return []  # the list continues in an unknown form
    # Several lines with one label and one unit each are one list.
    parts = [text[a.end() : b.start()].strip(" \n>-") for a, b in pairwise(labels)]
    lists = [items for part in parts if "\n" not in part for items in _items(part)] + last
    is_one = len(lists) == len(labels) and all(len(items) == 1 for items in lists)
    return [[unit for items in lists for unit in items]] if is_one else last


def _unlabelled_lists(text: str) -> list[list[int]]:
    """Read a text that is only a list, or a list of IDs after words without a negation."""
    if is_refusal(text):
        return []
    first = _ID.search(text)
    prose = first is not None and any(map(str.isalpha, text[: first.start()]))
    if first is not None and not _DOUBT.search(text, 0, first.start()):
        text = text[first.start() :]
    lists = _items(text)
    if lists and (prose or len(lists[0]) < 2):
        list_, _, below = text.partition("\n\n")
        if _DOUBT.search(list_) or _NEGATION.search(below):
            return []
    # Consecutive numbers, each with a text, are a copy of the question's paragraphs.
    in_a_row = lists and all(after - before == 1 for before, after in pairwise(lists[0]))
    return [] if in_a_row and len(lists[0]) > 1 and ":" in text else lists


def _items(text: str) -> list[list[int]]:
    """Read the list at the start of a text; remarks with numbers need a line for each item."""
    lines = [*filter(str.strip, text.splitlines())]
    matches = [line for line in takewhile(bool, map(_LINE.match, lines)) if line]
    units = [int(line[1]) for line in matches]
    unread = any(map(_DOUBT.search, (line[2] for line in matches)))
    unread |= any(map(str.isdecimal, "".join(lines[len(matches) :])))
    if len(matches) > 1 and units == sorted({*units}) and not unread:
        return [units]
    text, end = _NUMBERING.sub("", text), 0
    items: list[int] = []
    while (marks := _MARKS.match(text, end)) and (match := _ITEM.match(text, marks.end())):
        items.append(int(match[1]))
        end = match.end()
        if (remark := _REMARK.match(text, end)) is not None:
            if _NO_CHANGE.search(remark[0]):
                return []
            end = remark.end()
    denied = _NEGATION.search(_SENTENCE.split(text[end:].lstrip("? "), maxsplit=1)[0])
    continues = _is_about_unit(text, end) or re.search(r"\d", text[end:])
    is_count = len(items) == 1 and _COUNT.match(text)
    return [items] if items and not (denied or continues or is_count) else []
