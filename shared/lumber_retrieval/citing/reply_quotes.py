"""Reads the quotes in a model's answer, and the numbers that link sentences to them.

Models write quotes and numbers in many forms. Here they get one form: "[1]" in the answer refers to
the first quote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from lumber_core.llms.reasoning import without_reasoning
from lumber_retrieval.citing.citations import UNKNOWN
from lumber_retrieval.citing.reply_marks import MARK, QUOTE_WORD, SURE, UNSURE, WHERE, Mark, Marks

# Each item has a mark that opens a quote, and the marks that close it in some language.
_QUOTATION_MARKS = (
    *('""', "\u201c\u201d\u201c", '\u201e\u201c\u201d"', "\u201d\u201d", "\xab\xbb", "\xbb\xab"),
    *("\u2039\u203a", "\u203a\u2039", "\u2018\u2019", "\u201a\u2018\u2019", "\u201f\u201d"),
    *("\u300c\u300d", "\u300e\u300f", "\u275d\u275e", "\u301d\u301f", "\uff02\uff02"),
)
_OPENING, _CLOSING = ("".join({mark[at] for mark in _QUOTATION_MARKS}) for at in (0, 1))
_SOURCE = re.compile(  # the name of a document without a quote, as "otters.md, p. 3"
    r"\W?\S+\.(?:docx|html?|md|pdf|txt)\W{0,4}(?:(?:\w{1,6}\.?\s)?[\d\W]{1,20})?|https?://\S+"
)
_NAMED = rf"(?:\([^()\n]{{1,60}}\)|{UNSURE})"  # a document in parentheses
# A line of a list of quotes: its mark or marks, and a quote. A number without brackets, as in
# '1. "', "Quote 1:" or "| 1 | a.md |", counts only before a quotation mark.
_LISTED = re.compile(
    rf"(?i)(?:<\w{{1,10}}>|_|[^\w\n(\[{{{_OPENING}{MARK[1:-1]}])*(?:\d{{1,2}}[.)]\s+)?(?:{QUOTE_WORD}[\s:\uff1a*_]*)?({MARK}(?:[\s*_]*{SURE})*)"
    r"(?:[.,](?=\s))?(?:[\s:\uff1a*_|\u2013\u2014=\u2192#>-]|`(?!`))*(.*)"
)
_NUMBERED = re.compile(
    rf"(?i)[\s>*_|-]*(?:{QUOTE_WORD}\s?|[#^\u203b])?(\d{{1,3}})[)\s:\uff1a.,\uff0e\u3001*_|\u2013\u2014-]*"
    rf"(?:{_NAMED}[\s:*_]*|[^\n|{_OPENING}]{{1,60}}\|\s*)?([*_]*[{_OPENING}].*)"
)
_NUMBER_BEHIND = re.compile(
    rf"[\s>*_|\u2022-]*([{_OPENING}].+[{_CLOSING}]|(?<=>\x20)\w.*[^\W_][.!?]?)(?:\s?{_NAMED})?"
    rf"[.,\s\u2013\u2014|*_-]*({MARK})[\s.|*_]*(?:{_NAMED})?"
)
_MAX_QUOTES_PER_NUMBER = 20  # an answer that repeats [1] below twenty quotes stays readable
_TITLE = re.compile(  # "### Quotes used:", a rule, or the start of a fence
    rf"(?i)(?:<\w{{1,9}}>|\W)*(?:[^\W\d_]+\s)?{QUOTE_WORD}(?:\s[a-z]+){{0,2}}[\s*_:]*(?:</\w+>)?|[\W_]*{QUOTE_WORD}?[\W_]*"
    r"|[^\d\n.!?]{1,80}[:\uff1a][\W_]*|\s*\#{1,6}\s[^\d\n.!?]{1,40}|<hr\s?/?>|\s*(?:```|~~~)\w*\s*"
)
_TABLE_HEAD = re.compile(r"(?:\A|\n)[^\n|]*\|[^\n]*\n[ \t:|]{0,200}-[ \t:|-]{0,200}\n?\Z")
_TITLE_OF_QUOTES = re.compile(
    r"(?i)\W*(?:[^\W\d_]+\s)?(?:quot(?:e|ation)s|zitate|citas|extraits|excerpts|цитаты|引用|引文|(?:ال)?اقتباسات)"
    r"(?:\s[^\W\d_]+){0,2}\W*"
)
_ITEM = re.compile(  # an item below a title of quotes: "1. They hunt", "- They hunt [1]"
    rf"\s*(?:[>*+\u2022\u2013-]\s+|(\d{{1,3}})[.)]\s*|(?=[{_OPENING}]))([^{MARK[1:-1]}]+)({SURE}?)\W*"
)
_JSON = re.compile(r"(?m)^(?:```\w*\s*)?(?=[\[{](?!\d+\]))")  # where JSON may begin
# Code: text between fences, or in backticks that contain more than a quote or a mark.
_CODE = re.compile(
    rf"(?sm)^[ \t]*(?P<fence>```|~~~)[^\n]*\n.*?(?:^[ \t]*(?P=fence)|\Z)|`(?![{_OPENING}])[^`\n]+`"
)
# A number in a tag or command: '<quote id="1">', '<cite id="1"/>', "<ref>1</ref>", "\\cite{1}".
_TAGGED = re.compile(
    rf"(?i)<{QUOTE_WORD}(?:\s[\w-]+=[\"']?[^\d<>\n]{{0,9}}(\d{{1,3}})[\"']?\s?/?>|>\s?\[?(\d{{1,3}})\]?\s?(?=</))(?:</{QUOTE_WORD}>)?|~?\\cite\w{{0,9}}\{{([\d,\s]{{1,40}})\}}"
)
# An element for each quote: '<quote id="1" source="a.md">They hunt</quote>', "<q1>They hunt</q1>".
_ELEMENT = re.compile(
    rf"(?im)(?:^[ \t]*|(?<=>))<(?!cite|ref)(?:{QUOTE_WORD}|q)"
    r"(?:[_-]?|\s(?:[^<>]{0,99}\s)?[a-z]{1,9}=[\"']?[a-z]?)(\d{1,3})\b[^<>]{0,200}>([^<]+)</[\w-]+>"
)
_NO_ANSWER = re.compile(  # the word with which the prompt asks to decline, or its translation
    rf"(?i)\W*(?:(?:final )?answer\W+)?(?:{UNKNOWN}|unbekannt|inconnue?|descon(?:oc|hec)id[oa]"
    r"|sconosciut[oa]|onbekend|nieznane|неизвестно|bilinmiyor|未知|不明|غير معروف)[\W_\d]*"
)
# Tags around an answer or a quote.
_PART = re.compile(rf"(?i)</?(?:answer|response|list|text|q|{QUOTE_WORD})>|\[cite_start\]")
_BEHIND = (  # after a quote: "(otters.md)", "| otters.md", ", page 3", "in otters.md, line 3"
    rf"(?:[\s*_]*(?:[(\[<|\u2013\u2014\u2192-]|(?i:{QUOTE_WORD})\s?[:\uff1a]|[,:;]?\s?(?:(?:in|from|aus|dans|en|da|de|von)\s)?{WHERE}).*|(?:[^\w'{_CLOSING}]|_)*)"
)
# A quote in quotation marks, without the name of a document before it and a remark after it.
_ABOVE = (
    rf"(?:[^{_OPENING}{_CLOSING}\n]{{1,100}}(?:[:>|]|\s[\u2013\u2014-])\s*|[\[(][^\[\]()\n]{{1,100}}[\])]\s*"
    rf"|(?:{_SOURCE.pattern})[*_,\s]*)"
)
_QUOTED = re.compile(
    rf"(?s){_ABOVE}?[*_]*(?:(?P<plain>''?|\\\"|&quot;)|(?P<tex>``|,,)|[{_OPENING}])(?P<quote>.+)"
    rf"(?(plain)(?P=plain)|(?(tex)''|[{_CLOSING}])){_BEHIND}"
)
_CLOSED = re.compile(rf".*[{_CLOSING}]{_BEHIND}", re.DOTALL)
_IN_MARKS = re.compile(rf"(?:[^{_OPENING}\w]*|{_ABOVE})[{_OPENING}]")
_FILE = r"[*_`]*\w\S{0,80}\.[a-z]{2,4}\b"
_AROUND_BARE = re.compile(  # "a.md, p. 3: They hunt", "*They hunt* - a.md", "They hunt (p. 3)"
    rf"^[>`\s]*(?:[(\[]?{_FILE}[^:|()\[\]\n]{{,20}}(?:[)\]]:?|[:|]|\s[\u2013\u2014-])[*_`]*\s[*_`>\s]*)?"
    rf"|(?<![`*_\s])[`*_\s]*(?:[(\[|]\s?(?:(?i:{QUOTE_WORD}):\s)?{WHERE}[^()\n]{{,80}}[])|]\W{{,3}}|\n[\u2013\u2014][^\n]*"
    rf"|(?:,\s|\s[|\u2013\u2014-]\s|\n(?i:{QUOTE_WORD}):\s){_FILE}[^()\n]{{,40}})?$"
    r"|(?<![>|;`*_\s])(?:\n>|</\w+>|[|;`*_\s])+$"
)
_QUOTE_SIGN = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+")  # the ">" before each line of a block quote
# The name of a document on the line of the mark, with the quote or quotes below it.
_NAME_ABOVE = re.compile(
    rf"(?m)^([ \t>*_-]*{MARK}[ \t:*_]*)(?![ \t:*_])(?:(?i:{QUOTE_WORD}):\s)?"
    rf"(?:{_SOURCE.pattern}|{UNSURE})[ \t:*_]*\n(?:[ \t>*-]*(?=[{_OPENING}])|[ \t]*>[ \t]*)"
)
# Without numbered quotes: texts in quotation marks that are long enough for a quote. A mark after a
# letter or digit opens no quote, and an apostrophe closes no quote. Single straight marks are
# quotation marks if the mark of a quote follows.
_INLINE = re.compile(
    "|".join(rf"(?<![A-Za-z0-9]){m[0]}(?:[^{m}]|\u2019(?=\w))+[{m[1:]}]" for m in _QUOTATION_MARKS)
    + rf"|``[^`'\n]+''|(?<![\w'])'(?:[^'\n]|(?<=\w)'(?=\w))+'(?=\s?{MARK})"
)
_BLOCK_QUOTE = re.compile(r"(?m)(?:^[ \t]*>[^\n]*(?:\n|\Z))+")
_LONG = re.compile(r".{20}|[\u3040-\u9fff\uac00-\ud7af]{8}", re.DOTALL)
_MARK_IN_QUOTE = re.compile(rf"\s?({SURE})([.!?]?[{_CLOSING}])")
# Where the mark of a quote may be: right behind the quote, right before it, or later or earlier in
# the same sentence.
_RIGHT_BEHIND = re.compile(
    rf"(?:[ \t]?|\s{{1,3}}(?={SURE}[ \t]*(?:\n|\Z))"  # on a line of its own
    rf"|\n[ \t]{{,3}}>[ \t*_]{{,3}}[\u2014\u2013-][^\n]{{,99}}?(?={SURE}))({MARK})"  # "> - a [1]"
)
_RIGHT_BEFORE = re.compile(rf"({SURE})(?:[.:!?*_]{{,3}}\s{{1,4}}(?=>)[\s>*_]*|[ \t*_]*)\Z")
_LATER = re.compile(rf"(?<![.!?\u3002].)(?:[^.!?\n]|\.(?=\w)){{1,99}}?({SURE})")
_EARLIER = re.compile(rf"({SURE})[^.!?\n]{{,99}}\Z")  # 'As [1] has it, "'
# What separates two quotes of one number; and where the next numbered quote on a line begins.
_BETWEEN_QUOTES = re.compile(rf"[{_CLOSING}](?:[\s,;&+/-]|(?:and|und|et|y)\s)*[{_OPENING}]")
_NEXT_QUOTE = re.compile(
    rf"(?<=[{_CLOSING}])(?:\s?[;,|]?\s+|\s?<br\s?/?>\s?)(?={MARK}[:\s]*[{_OPENING}])"
    rf"|(?<=;)\s+(?={SURE}:?\s\w)"
)


class _Entry(NamedTuple):
    """A line that may be in a list of quotes.

    Attributes:
        labels: The labels of its marks.
        kind: The kind of its first mark; "" for a number without brackets.
        text: What follows the marks.
        is_quoted: The text begins with a quotation mark.
    """

    labels: tuple[str, ...]
    kind: str
    text: str
    is_quoted: bool


def read_quoted_answer(reply: str) -> tuple[str, list[str]]:
    """Return the answer in a reply, and its quotes, of which [1] in the answer is the first.

    Quotes are the lines at the end that begin with numbers in brackets. Without such lines, they
    are the texts in quotation marks in the answer, which are then numbered. A number in the answer
    without a quote becomes [?]. A reply of `UNKNOWN` has no answer and no quotes. Reasoning in tags
    such as `<think>` is left out.
    """
    reply = _json_as_text(without_reasoning(reply))
    reply = _ELEMENT.sub(_element_as_line, reply)
    reply = _TAGGED.sub(lambda tag: f"[{tag[tag.lastindex or 0]}]", reply)
    marks = Marks(_PART.sub("", reply).rstrip())
    lines = [
        part
        for line in _NAME_ABOVE.sub(r"\1 ", marks.text).splitlines()
        for part in (_NEXT_QUOTE.split(line) if _LISTED.match(line) else [line])
    ]
    # A list may also have its marks after the quotes.
    ends = [_NUMBER_BEHIND.fullmatch(line) for line in lines]
    last = max((n + 1 for n, line in enumerate(lines) if line.strip() and not ends[n]), default=0)
    behind, above = [match for match in ends[last:] if match], _labels(marks, lines[:last])
    if above.issuperset(_labels(marks, [match[2] for match in behind])):
        lines[last:] = [f"{match[2]} {match[1]}" for match in behind]
    _mark_titled_quotes(marks, lines)
    entries = _entries(marks, lines)
    # Lines of the answer may begin with numbers, too.
    in_marks = [n for n, entry in entries.items() if entry.is_quoted]
    first = min(in_marks or entries, default=0)
    unquoted = (n for n in range(len(lines)) if n not in entries or not entries[n].is_quoted)
    is_list = in_marks and _labels(marks, (lines[n] for n in unquoted))
    if not (is_list or any(line.strip() for line in lines[:first])):
        if lines and _NO_ANSWER.fullmatch(lines[0]):
            return "", []
        return _with_inline_quotes("\n".join(lines), marks)
    quotes: list[str] = []
    remarks: list[str] = []
    numbers: dict[str, list[int]] = {}
    listed = [n for n in entries if n >= first]
    for n, following in pairwise([*listed, len(lines)]):
        quote, remark = _without_remark(
            "\n".join([entries[n].text, *lines[n + 1 : following]]), marks
        )
        remarks += [remark] if remark.strip("\n *_-") else []
        parts = _BETWEEN_QUOTES.split(quote)
        for part in parts if all(map(_LONG.match, parts)) else [quote]:
            quotes.append(part)
            for label in entries[n].labels:
                numbers.setdefault(label, []).append(len(quotes))
    unlisted = (line for n, line in enumerate(lines) if n < first or n not in entries)
    if remarks and not _labels(marks, unlisted):  # marks before quotes in the answer
        return _with_inline_quotes("\n".join(lines), marks)
    answer = _TABLE_HEAD.sub("", "\n".join(lines[:first])).split("\n")
    first = next((n for n, line in enumerate(answer) if line.strip()), 0)
    while len(answer) > first + (not remarks) and _TITLE.fullmatch(marks.restore(answer[-1])):
        answer.pop()
    text = "\n\n".join(["\n".join(answer), *remarks])
    kinds = {"[", *(entries[n].kind for n in listed)}
    accepted = any(
        mark.kind in kinds and not numbers.keys().isdisjoint(mark.labels)
        for mark in marks.in_text(_CODE.sub("", text))
    )
    return _renumber(text, marks, numbers, kinds if accepted else None).strip(), quotes


def _json_as_text(reply: str) -> str:
    """Return a reply that ends in JSON as text: the answer, and its quotes on numbered lines."""
    above, *below = _JSON.split(reply, maxsplit=1)
    try:
        loaded = json.loads("".join(below).rstrip("`\n "))
    except (ValueError, RecursionError):
        return reply
    values = [*loaded.values()] if isinstance(loaded, dict) else [loaded]
    if isinstance(loaded, dict) and all(re.fullmatch(r"\W*\d{1,3}\W*", key) for key in loaded):
        values = [loaded]
    statements = values[0] if values and isinstance(values[0], list) and not above.strip() else []
    # Statements with their quotes.
    if statements and all(isinstance(statement, dict) for statement in statements):
        texts: list[str] = []
        all_quotes: list[object] = []
        for statement in statements:
            statement_quotes = [
                quote for part in statement.values() if isinstance(part, list) for quote in part
            ]
            numbers = range(len(all_quotes) + 1, len(all_quotes) + len(statement_quotes) + 1)
            text = next((part for part in statement.values() if isinstance(part, str)), "")
            texts.append(" ".join([text, *(f"[{number}]" for number in numbers)]))
            all_quotes += statement_quotes
        values = [" ".join(texts), all_quotes]
    above += next((value for value in values if isinstance(value, str)), "")
    lines = [above, ""]
    quotes = next((value for value in values if isinstance(value, list | dict)), [])
    for number, entry in quotes.items() if isinstance(quotes, dict) else enumerate(quotes, 1):
        parts = [*entry.values()] if isinstance(entry, dict) else [entry]
        mark = next((part for part in parts if str(part).isdecimal()), number)
        text = max((part for part in parts if isinstance(part, str)), key=len, default="")
        lines += [f'[{str(mark).strip("[]")}] "{text}"'] if text else []
    has_marks = bool(lines[2:] and Marks(above).in_text(Marks(above).text))
    return "\n".join(lines) if _NO_ANSWER.fullmatch(above) or has_marks else reply


def _element_as_line(element: re.Match[str]) -> str:
    text = element[2].strip()
    return f"\n[{element[1]}] {text if _IN_MARKS.match(text) else f'{chr(34)}{text}{chr(34)}'}\n"


def _labels(marks: Marks, lines: Iterable[str]) -> set[str]:
    """Return the labels of all marks in lines."""
    return {label for mark in marks.in_text("\n".join(lines)) for label in mark.labels}


def _entries(marks: Marks, lines: Sequence[str]) -> dict[int, _Entry]:
    """Return the lines that may be in a list of quotes, by their numbers."""
    sure: dict[int, _Entry] = {}
    unsure: dict[int, _Entry] = {}  # lines that count if the answer refers to them
    for n, line in enumerate(lines):
        if match := _LISTED.fullmatch(line):
            heads, text = marks.in_text(match[1]), marks.restore(match[2])
            labels = tuple(label for mark in heads for label in mark.labels)
            entry = _Entry(labels, heads[0].kind, match[2], bool(_IN_MARKS.match(text)))
            is_alone = not text and not "".join(lines[n + 1 : n + 2]).strip()
            if not labels or is_alone or _SOURCE.fullmatch(text):
                continue
            if re.match(SURE, match[1]):
                sure[n] = entry
            elif entry.is_quoted or entry.kind == "^":
                unsure[n] = entry
        elif match := _NUMBERED.fullmatch(line):
            unsure[n] = _Entry((str(int(match[1])),), "", match[2], True)
    quoted = {n for n, entry in sure.items() if entry.is_quoted}
    other_lines = [line for n, line in enumerate(lines) if n not in quoted and n not in unsure]
    listed = {label for entry in unsure.values() for label in entry.labels}
    # "1" in an answer refers to both "1a" and "1b".
    listed |= {re.sub(r"(?<=\d)[a-z]\Z", "", label) for label in listed}
    entries = sure if listed.isdisjoint(_labels(marks, other_lines)) else sure | unsure
    return dict(sorted(entries.items()))


def _mark_titled_quotes(marks: Marks, lines: list[str]) -> None:
    """Put marks before the quotes below a title such as "Quotes:", if they have none there."""
    titles = [n for n, line in enumerate(lines) if _TITLE_OF_QUOTES.fullmatch(line)]
    below = [n for n in range(titles[-1] + 1, len(lines)) if lines[n].strip()] if titles else []
    items = [match for n in below if (match := _ITEM.fullmatch(lines[n]))]
    if len(items) < len(below) or any(_SOURCE.fullmatch(item[2]) for item in items):
        return
    labels = [item[1] or "".join(marks[item[3]].labels if item[3] else ()) for item in items]
    numbers = [number or str(n) for n, number in enumerate(labels, 1)]
    if not _labels(marks, lines[: titles[-1]] if titles else []).isdisjoint(numbers):
        for n, item, number in zip(below, items, numbers, strict=True):
            lines[n] = f"{marks.add(Mark('', (number,), '['), sure=True)} {item[2]}"


def _renumber(
    text: str,
    marks: Marks,
    numbers: Mapping[str, Sequence[int]],
    kinds: Collection[str] | None = None,
) -> str:
    """Return a text with new numbers of quotes; code is left as it is."""
    by_label: dict[str, list[int]] = {}
    for label, quotes in numbers.items():
        if label[:-1].isdecimal() and label[-1].isalpha():
            by_label.setdefault(label[:-1], []).extend(quotes)  # "[1]" for "[1a]" and "[1b]"
    by_label.update({label: [*quotes] for label, quotes in numbers.items()})
    text = _CODE.sub(lambda code: marks.keep(code[0]), text)
    limited = {label: quotes[:_MAX_QUOTES_PER_NUMBER] for label, quotes in by_label.items()}
    return marks.write(text, limited, kinds)


def _without_remark(block: str, marks: Marks) -> tuple[str, str]:
    """Return the quote at the start of a text, without marks, and a remark after an empty line.

    A quote in quotation marks continues over empty lines until the closing mark.
    """
    paragraphs = re.split(r"\n\s*\n", _QUOTE_SIGN.sub("", block).strip())
    restored = [*map(marks.restore, paragraphs)]
    end = 1
    if _IN_MARKS.match(restored[0]) and not _QUOTED.fullmatch(restored[0]):
        closed = (n for n, line in enumerate(restored) if n and _CLOSED.fullmatch(line))
        end = next(closed, len(restored) - 1) + 1
    quote = "\n".join(map(str.strip, "\n\n".join(restored[:end]).split("\n"))).strip()
    match = _QUOTED.fullmatch(quote)
    text = match["quote"].strip() if match else _AROUND_BARE.sub("", quote)
    return text, "\n\n".join(paragraphs[end:])


def _with_inline_quotes(text: str, marks: Marks) -> tuple[str, list[str]]:
    text = _MARK_IN_QUOTE.sub(r"\2 \1", text)
    inline = _inline_quotes(text, marks)
    # A mark beside a quote belongs to it; the model's other marks refer to nothing.
    numbers: dict[str, list[int]] = {}
    kinds: set[str] = set()  # the kinds of these marks
    starts = [*(start for start, _, _ in inline), len(text)]
    places: list[tuple[int, int, str]] = []  # what to replace by the number of each quote
    for n, (start, end, _) in enumerate(inline, 1):
        behind = _RIGHT_BEHIND.match(text, end, starts[n])
        beside = behind if behind and _is_numbered(behind[1], marks) else None
        before = text[places[-1][1] if places else 0 : start]
        right_before = None if beside else _RIGHT_BEFORE.search(before)
        if right_before is None:
            beside = beside or _LATER.match(text, end, starts[n])
        mark = beside or right_before or _EARLIER.search(before)
        labels = marks[mark[1]].labels if mark else ()
        if beside and len(labels) == 1:
            places.append((*beside.span(1), f" [{n}]"))
        else:
            places.append((end, end, "" if right_before else f" [{n}]"))
        if mark and (len(labels) == 1 or not beside):
            numbers.setdefault(labels[0], []).append(n)
            kinds.add(marks[mark[1]].kind)
    above = _labels(marks, [text[: starts[0]]])
    if not numbers and above <= {str(n) for n in range(1, len(starts))}:
        numbers = {label: [int(label)] for label in above}  # quotes in order, without marks
    pieces = [text[: starts[0]]]
    for n, (end, after, number) in enumerate(places, 1):
        quoted = text[starts[n - 1] : end].rstrip()
        pieces += [marks.keep(quoted), number, text[after : starts[n]]]
    if not inline:
        return marks.restore(text), []
    return _renumber("".join(pieces), marks, numbers, kinds), [quote for _, _, quote in inline]


def _inline_quotes(text: str, marks: Marks) -> list[tuple[int, int, str]]:
    """Return the quotes in an answer, with their starts and ends."""
    prose = _CODE.sub(lambda match: " " * len(match[0]), text)
    inline = [
        (*match.span(), marks.restore(match[0]).strip(f"`'{_OPENING}{_CLOSING} "))
        for match in _INLINE.finditer(prose)
        if _LONG.match(marks.restore(match[0][1:-1]))
    ]
    for block in _BLOCK_QUOTE.finditer(prose):
        lines = block[0].rstrip().split("\n")
        if len(lines) > 1 and re.match(r"[ \t>*_]*[\u2014\u2013-]", lines[-1]):
            lines.pop()
        start = block.start() + block[0].index(">") + 2
        end = block.start() + len(
            "\n".join(lines).rstrip(f" >*_{''.join(re.findall(MARK, block[0]))}")
        )
        has_mark = _RIGHT_BEHIND.match(text, end) or _RIGHT_BEFORE.search(
            text[max(start - 20, 0) : start]
        )
        if has_mark and not _INLINE.search(block[0]) and _LONG.match(prose[start:end]):
            inline.append((start, end, _QUOTE_SIGN.sub("", marks.restore(text[start:end]))))
    return sorted(inline)


def _is_numbered(character: str, marks: Marks) -> bool:
    """Return whether a mark behind a quote is the mark of a quote."""
    prefix = "[qs]?" if marks[character].kind == "[" else ""  # "(S. 3)" is a page
    return all(re.fullmatch(prefix + r"\d{1,2}[a-z]?", label) for label in marks[character].labels)
