"""Reads the quotes in a model's answer, and the numbers that link sentences to them.

Models write both in many forms, which become one: "[1]" in the answer is its first quote.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

from lumber_core.llms.reasoning import without_reasoning
from lumber_retrieval.citing.citations import NO_QUOTE, UNKNOWN

# "[1]", and other forms of it: "[^1]", "\\[1\\]", "[[1]](#1)", "[Quote 1]", brackets of East Asia,
# those of OpenAI with a dagger, "<sup>1</sup>"; for several "[1, 3]", "[1, 2, and 3]", "[1-3]",
# "[^1, ^2]", "[Source 1, Source 3]".
_DASH = (
    r"(?:[\u2010-\u2014\u2212\u207b~\uff5e\uff0d-]|\.{2,3}"
    r"|(?:to|through|bis|à|al?|hasta|до)(?=\s\[?\d))"
)
# Each item has a mark that opens a quote, and the marks that close it in some language.
_MARKS = (
    *('""', "\u201c\u201d\u201c", '\u201e\u201c\u201d"', "\u201d\u201d", "\xab\xbb", "\xbb\xab"),
    *("\u2039\u203a", "\u203a\u2039", "\u2018\u2019", "\u201a\u2018\u2019", "\u201f\u201d"),
    *("\u300c\u300d", "\u300e\u300f", "\u275d\u275e", "\u301d\u301f", "\uff02\uff02"),
)
_OPENING, _CLOSING = ("".join({mark[at] for mark in _MARKS}) for at in (0, 1))
_AND = r"(?:(?:and|und|et|y|e|en)\s+)?"
_BETWEEN = rf"\s*(?:[,;&+/\u3001\uff0c\uff1b]\s*{_AND}|{_DASH}\s*)|\s+{_AND}"
_WORD = (
    r"(?:quotes?|quotations?|citations?|cite|cit\.|sources?|r[eé]f(?:er[eê]n(?:cia|ze|tie)|[eé]rence)?s?|chunks?|doc(?:ument)?s?|passages?"
    r"|excerpts?|evidence|(?:foot)?notes?|fn|ids?|index|zitate?|belege?|quellen?|citas?|fuentes?|fonti?|fontes?|bron(?:nen)?"
    r"|źródł[ao]|kaynak(?:lar)?|цитат[аыу]|источники?|(?:ال)?(?:مص(?:در|ادر)|مر(?:جع|اجع))|स्रोत|nguồn|引用|来源|來源|出典|出处|参考文献|출처)"
)
_ONE = rf"[\^#@№*]{{0,2}}(?:{_WORD}[\s:#._-]{{0,2}})?\d{{1,3}}(?:\*\*)?"
_SEE = r"(?:(?:see|siehe|vgl\.?|cf\.?|voir|véase|ver|vedi|см\.?)\s)?"
_WHERE = r"(?i:(?:pp?|[sz]|lines?|seiten?|zeilen?|p[aá]g\w*)\b|§|https?:|\w\S{0,80}\.[a-z]{2,4}\b)"
_PLACE = rf"(?:\u2020|[,:;|]\s?{_WHERE}|:\s?\d)"  # "[1, p. 3]", "[1, otters.md]", "[1: 3]"
_LIST = rf"\s?{_SEE}(?:{_ONE}(?:{_BETWEEN}))*{_ONE}\.?\s?"
_NUMBERS = (
    rf"(?:(?:\$?\^\{{?)?(?:\\?\[{{1,2}}|[\u3010\uff3b\u3014\u3016\u27e6])(?:\d{{1,3}}:(?=\d{{1,3}}\u2020))?{_LIST}"
    rf"(?:{_PLACE}[^\[\]\u3010\u3011\n]{{0,40}})?(?:\\?\]{{1,2}}|[\u3011\uff3d\u3015\u3017\u27e7])(?:\([^()\s]{{1,200}}\)|\}}?[\^$])?"
    rf"|\[?<sup>\s?\[?{_LIST}\]?\s?</sup>\]?)"
)
_MARKER = re.compile(rf"{_NUMBERS}(?:\s?{_DASH}\s?{_NUMBERS})?", re.IGNORECASE)
_RANGE = re.compile(
    rf"(\d+)(?:[\s\\\]\u3011\uff3d\u3015]*{_DASH}[\s\\\[\u3010\uff3b\u3014^]*(\d+))?"
)
_NO_NUMBER = re.compile(
    rf"(?<=\d){_PLACE}[^\[\]\u3010\u3011]*|(?<=[\]\u3011\uff3d])\([^()]*\)|\d+:(?=\d+\u2020)"
)
_NUMBERED = re.compile(
    rf"(?i)[\s>*_|`#-]*(?:\d{{1,2}}[.)]\s+)?(?:{_WORD}[\s:\uff1a*_]*)?((?:{_NUMBERS}\s*)+)(?:[.,](?=\s))?[\s:\uff1a*_|`\u2013\u2014-]*(.*)"
)
_SOURCE = re.compile(  # the name of a document without a quote, as "otters.md, p. 3"
    r"\W?\S+\.(?:docx|html?|md|pdf|txt)\W{0,4}(?:(?:\w{1,6}\.?\s)?[\d\W]{1,20})?|https?://\S+"
)
# "(1)", "(Quelle 1 und 2)", "1.", small or circled numbers, and other marks, such as "{1}" or
# "[Snippet 1]". They count if they precede quotes in quotation marks, and the answer refers to
# them.
_SMALL = "[\xb9\xb2\xb3\u2070\u2074-\u2079\u2460-\u2468\u2474-\u247c\u2488-\u2490\u2776-\u2788]"
_NAMED = r"(?!abb|chap|eq|fig|kap|sec|tab)[^\W\d_]{1,12}\.?[\s:#_-]?\d{1,3}"
_OTHER_MARKER = re.compile(
    rf"(?i)[(\uff08<\u27e8]{_LIST}[)\uff09>\u27e9]|\[(?:{_NAMED}(?:{_BETWEEN}))*{_NAMED}\]"
    rf"|\u207d?{_SMALL}+(?:[,\s]?{_DASH}?{_SMALL}+)*\u207e?|\$?\^\{{?\d{{1,3}}\}}?[\^$]"
    rf"|(?<![\w$^])\{{{{1,2}}{_LIST}\}}{{1,2}}|※\d{{1,3}}|(?<![\d)])(?<!\b\w)\^\d{{1,3}}\b"
)
_OTHER_NUMBERED = re.compile(
    rf"(?i)([\s>*_|-]*)([^\w\s{_OPENING}|]{{1,3}}[^\d\n{_OPENING}]{{0,30}}(?:\d{{1,3}}|{_SMALL})"
    rf"(?:[^\w\s{_OPENING}:.*|]|[^\n{_OPENING}]{{0,30}}[])\uff09}}>])"
    rf"|(?:{_WORD}\s?|[#^※])?(?:\d{{1,3}}|{_SMALL}+))[)\s:\uff1a.,\uff0e\u3001*_|\u2013\u2014-]*(?=(?:[^\n|{_OPENING}]{{1,60}}\|\s*)?[*_]*[{_OPENING}])"
)
_MAX_QUOTES_PER_NUMBER = 20  # an answer that repeats [1] below twenty quotes stays readable
_TITLE = re.compile(  # "### Quotes used:", a rule, or the start of a fence
    rf"(?i)\W*(?:[a-z]+\s)?{_WORD}(?:\s[a-z]+){{0,2}}[\s*_:]*|[\W_]*{_WORD}?[\W_]*|[^\d\n.!?]{{1,80}}[:\uff1a][\W_]*|\s*\#{{1,6}}\s[^\d\n.!?]{{1,40}}|<hr\s?/?>|\s*(?:```|~~~)\w*\s*"
)
_JSON = re.compile(r"(?m)^(?:```\w*\s*)?(?=[\[{](?!\d+\]))")  # where it may begin
# Marks, and code: between fences, or in backticks that contain more than a quote or a mark.
_MARKER_OR_CODE = re.compile(
    rf"(?sim)(?P<code>^[ \t]*(?P<fence>```|~~~)[^\n]*\n.*?(?:^[ \t]*(?P=fence)|\Z)"
    rf"|`(?![{_OPENING}]|{_NUMBERS}`)[^`\n]+`)|{_MARKER.pattern}"
)
# A number in a tag or command: '<quote id="1">', '<cite id="1"/>', "<ref>1</ref>", "\\cite{1}".
_TAGGED = re.compile(
    rf"(?i)<{_WORD}(?:\s[\w-]+=[\"']?[^\d<>\n]{{0,9}}(\d{{1,3}})[\"']?\s?/?>|>\s?\[?(\d{{1,3}})\]?\s?(?=</))(?:</{_WORD}>)?|~?\\cite\w{{0,9}}\{{([\d,\s]{{1,40}})\}}"
)
_NO_ANSWER = re.compile(  # the word that the prompt asks for, or its translation
    rf"(?i)\W*(?:(?:final )?answer\W+)?(?:{UNKNOWN}|unbekannt|inconnue?|descon(?:oc|hec)id[oa]"
    r"|sconosciut[oa]|onbekend|nieznane|неизвестно|bilinmiyor|未知|不明|غير معروف)[\W_\d]*"
)
_PART = re.compile(rf"(?i)</?(?:answer|response|list|q|{_WORD})>|\[cite_start\]")  # around it
_BEHIND = (  # "(otters.md)", "| otters.md", ", page 3", "in otters.md, line 3"
    rf"(?:\s*(?:[(\[<|\u2013\u2014\u2192-]|[,;:]?\s?(?:(?:in|from|aus|dans|en|da|de|von)\s)?{_WHERE}).*|(?:[^\w'{_CLOSING}]|_)*)"
)
# A quote in quotation marks, without the name of a document before it and a remark after it.
_ABOVE = (
    rf"(?:[^{_OPENING}{_CLOSING}\n]{{1,100}}(?:[:>|]|\s[\u2013\u2014-])\s*|[\[(][^\[\]()\n]{{1,100}}[\])]\s*"
    rf"|(?:{_SOURCE.pattern})[*_,\s]*)"
)
_QUOTED = re.compile(
    rf"(?s){_ABOVE}?[*_]*(?:(?P<plain>''?|\\\"|&quot;)|[{_OPENING}])(?P<own>.+)"
    rf"(?(plain)(?P=plain)|[{_CLOSING}]){_BEHIND}"
)
_CLOSED = re.compile(rf".*[{_CLOSING}]{_BEHIND}", re.DOTALL)
_IN_MARKS = re.compile(rf"(?:[^{_OPENING}\w]*|{_ABOVE})[{_OPENING}]")
_AROUND_BARE = re.compile(
    rf"^[>`\s]+|\s?[(\[|]\s?{_WHERE}[^()\n]{{,80}}[])|]\W{{,3}}$|(\n>|[|`*_\s])+$"
)
# The name of a document on the line of the number, with the quote below it.
_NAME_ABOVE = re.compile(
    rf"(?im)^([ \t>*_-]*{_NUMBERS}[ \t:*_]*(?:{_SOURCE.pattern})[ \t]*)\n[ \t>]*(?=[{_OPENING}])"
)
_TABLE_HEAD = re.compile(r"(?:\A|\n)[^\n|]*\|[^\n]*\n[ \t:|]{0,200}-[ \t:|-]{0,200}\n?\Z")
# Without numbered quotes: texts in quotation marks that are long enough for a quote. A mark after a
# letter or digit opens no quote, and an apostrophe closes no quote.
_INLINE = re.compile(
    "|".join(rf"(?<![A-Za-z0-9]){m[0]}(?:[^{m}]|\u2019(?=\w))+[{m[1:]}]" for m in _MARKS)
)
_LONG = re.compile(r".{20}|[\u3040-\u9fff\uac00-\ud7af]{8}", re.DOTALL)
_MARK_IN_QUOTE = re.compile(rf"(?i)\s?({_NUMBERS})([.!?]?[{_CLOSING}])")
# The mark of a quote, right after it or later in its sentence.
_OWN = re.compile(
    rf"(?i)(?:\s?|(?<![.!?\u3002].)(?:[^.!?\n]|\.(?=\d)){{1,99}}?(?={_NUMBERS}))"
    rf"({_NUMBERS}|[({{]{{1,2}}(?:{_WORD}\s)?\d{{1,2}}[)}}]{{1,2}}|{_SMALL}+)"
)
_BEFORE = re.compile(rf"({_NUMBERS})[^.!?\n]{{0,99}}\Z", re.IGNORECASE)  # 'As [1] has it, "'
_NUMBER_BEHIND = re.compile(
    rf"(?i)[\s>*_\u2022-]*([{_OPENING}].+[{_CLOSING}])[.,\s\u2013\u2014-]*({_NUMBERS}|\({_LIST}\))[\s.]*"
)
# Between quotes of one number, and between quotes with numbers on one line.
_BETWEEN_QUOTES = re.compile(rf"[{_CLOSING}](?:{_BETWEEN}|\s*)[{_OPENING}]")
_NEXT_QUOTE = re.compile(
    rf"(?<=[{_CLOSING}])(?:[;,]?\s+|\s?<br\s?/?>\s?)(?={_NUMBERS}[:\s]*[{_OPENING}])"
)


def read_quoted_answer(reply: str) -> tuple[str, list[str]]:
    """Return the answer in a reply, and its quotes, of which [1] in the answer is the first.

    Quotes are the lines at the end that begin with numbers in brackets. Without such lines, they
    are the texts in quotation marks in the answer, which are then numbered. A number in the answer
    without a quote becomes [?]. A reply of `UNKNOWN` has no answer and no quotes. Reasoning in tags
    such as `<think>` is left out.
    """
    reply = _json_as_text(without_reasoning(reply))
    reply = _TAGGED.sub(lambda tag: f"[{tag[tag.lastindex or 0]}]", reply)
    reply = _NAME_ABOVE.sub(r"\1 ", reply)
    lines = [
        part
        for line in _PART.sub("", reply).rstrip().splitlines()
        for part in (_NEXT_QUOTE.split(line) if _starts_quote(line) else [line])
    ]
    # A list may also have its numbers after the quotes.
    ends = [_NUMBER_BEHIND.fullmatch(line) for line in lines]
    last = max((n + 1 for n, line in enumerate(lines) if line.strip() and not ends[n]), default=0)
    behind, above = [match for match in ends[last:] if match], "\n".join(lines[:last])
    if all(mark in above for mark in {match[2] for match in behind}):
        lines[last:] = [f"{match[2]} {match[1]}" for match in behind]
    lines = _with_brackets(lines)
    numbered = enumerate(map(_NUMBERED.fullmatch, lines))
    found = {n: match for n, match in numbered if match and not _SOURCE.fullmatch(match[2])}
    # Lines of the answer may begin with numbers, too.
    in_marks = [n for n, match in found.items() if _IN_MARKS.match(match[2])]
    first = min(in_marks or found, default=0)
    below = any(_MARKER.search(line) for line in lines if in_marks and not _starts_quote(line))
    if not (below or any(line.strip() for line in lines[:first])):
        if lines and _NO_ANSWER.fullmatch(lines[0]):
            return "", []
        return _with_inline_quotes("\n".join(lines))
    answer = lines[:first]
    quotes: list[str] = []
    remarks: list[str] = []
    numbers: dict[int, list[int]] = {}
    for n, following in pairwise([*(n for n in found if n >= first), len(lines)]):
        block = "\n".join([found[n][2], *lines[n + 1 : following]])
        quote, remark = _without_remark(block)
        remarks += [remark] if remark.strip("\n *_-") else []
        parts = _BETWEEN_QUOTES.split(quote)
        for part in parts if all(map(_LONG.match, parts)) else [quote]:
            quotes.append(part)
            for number in _numbers(found[n][1]):
                numbers.setdefault(number, []).append(len(quotes))
    answer = _TABLE_HEAD.sub("", "\n".join(answer)).split("\n")
    first = next((n for n, line in enumerate(answer) if line.strip()), 0)
    while len(answer) > first + (not remarks) and _TITLE.fullmatch(answer[-1]):
        answer.pop()
    return _renumber("\n\n".join(["\n".join(answer), *remarks]), numbers).strip(), quotes


def _json_as_text(reply: str) -> str:
    """Return a reply that ends in JSON as text: the answer, and its quotes on numbered lines."""
    above, *below = _JSON.split(reply, maxsplit=1)
    try:
        loaded = json.loads("".join(below).rstrip("`\n "))
    except (ValueError, RecursionError):
        return reply
    values = [*loaded.values()] if isinstance(loaded, dict) else [loaded]
    above += next((value for value in values if isinstance(value, str)), "")
    lines = [above, ""]
    quotes = next((value for value in values if isinstance(value, list | dict)), [])
    for number, entry in quotes.items() if isinstance(quotes, dict) else enumerate(quotes, 1):
        parts = [*entry.values()] if isinstance(entry, dict) else [entry]
        mark = next((part for part in parts if isinstance(part, int)), number)
        text = max((part for part in parts if isinstance(part, str)), key=len, default="")
        lines += [f'[{mark}] "{text}"'] if text else []
    read = _NO_ANSWER.fullmatch(above) or (lines[2:] and _MARKER.search(above))
    return "\n".join(lines) if read else reply


def _starts_quote(line: str) -> re.Match[str] | None:
    """Return the number and the text of a line that begins with a number and a quotation mark."""
    match = _NUMBERED.fullmatch(line)
    return match if match and _IN_MARKS.match(match[2]) else None


def _with_brackets(lines: Sequence[str]) -> list[str]:
    """Return the lines of a reply; other forms of numbers before quotes become bracketed."""
    matches = [None if _NUMBERED.fullmatch(line) else _OTHER_NUMBERED.match(line) for line in lines]
    listed = {n: match for n, match in enumerate(matches) if match}
    numbers = {number for match in listed.values() for number in _numbers(match[2])}
    quoted = {n: match[1] for n, line in enumerate(lines) if (match := _starts_quote(line))}
    first = min([*listed, *quoted], default=0)
    if not _MARKER.search("\n".join(lines[:first])):
        numbers |= {number for one in quoted.values() for number in _numbers(one)}

    def in_brackets(match: re.Match[str]) -> str:
        named = [*_numbers(match[0])]
        if not numbers.issuperset(named) and match[0].isnumeric():  # several small ones in a row
            named = [number for sign in match[0] for number in _numbers(sign)]
        known = named and numbers.issuperset(named)
        return "".join(f"[{number}]" for number in named) if known else match[0]

    edited = [
        f"{listed[n][1]}[{next(_numbers(listed[n][2]))}] {line[listed[n].end() :]}"
        if n in listed
        else line
        if n in quoted
        else _OTHER_MARKER.sub(in_brackets, line)
        for n, line in enumerate(lines)
    ]
    marks = _MARKER.findall("\n".join(edited[:first]))
    used = {number for one in marks for number in _numbers(one)}
    return edited if numbers & used else [*lines]


def _renumber(text: str, numbers: Mapping[int, Sequence[int]]) -> str:
    """Return a text with new numbers of quotes; unknown ones become [?]."""

    @cache
    def new(marker: str) -> str:
        markers: list[str] = []
        for number in _numbers(marker):
            of_number = numbers.get(number, ())[:_MAX_QUOTES_PER_NUMBER]
            markers += [f"[{each}]" for each in of_number] or [NO_QUOTE]
        return "".join(dict.fromkeys(markers))

    return _MARKER_OR_CODE.sub(lambda match: match["code"] or new(match[0]), text)


def _numbers(markers: str) -> Iterator[int]:
    """Yield the numbers in marks, small or circled ones too."""
    markers = "".join(str(unicodedata.digit(sign, sign)) for sign in markers)
    for first, last in _RANGE.findall(_NO_NUMBER.sub("", markers)):
        low, high = sorted((int(first), int(last or first)))
        yield from range(low, high + 1)


def _without_remark(block: str) -> tuple[str, str]:
    """Return the quote at the start of a text, without marks, and a remark after an empty line.

    A quote in quotation marks continues over empty lines until the closing mark.
    """
    paragraphs = re.split(r"\n\s*\n", block.strip())
    end = 1
    if _IN_MARKS.match(paragraphs[0]) and not _QUOTED.fullmatch(paragraphs[0]):
        closed = (n for n, each in enumerate(paragraphs) if n and _CLOSED.fullmatch(each))
        end = next(closed, len(paragraphs) - 1) + 1
    quote = "\n".join(map(str.strip, "\n\n".join(paragraphs[:end]).split("\n"))).strip()
    match = _QUOTED.fullmatch(quote)
    own = match["own"].strip() if match else _AROUND_BARE.sub("", quote)
    return own, "\n\n".join(paragraphs[end:])


def _with_inline_quotes(text: str) -> tuple[str, list[str]]:
    text = _MARK_IN_QUOTE.sub(r"\2 \1", text)
    prose = _MARKER_OR_CODE.sub(
        lambda match: " " * len(match[0]) if match["code"] else match[0], text
    )
    matches = [match for match in _INLINE.finditer(prose) if _LONG.match(match[0][1:-1])]
    # A number after a quote belongs to it; the model's other numbers refer to nothing.
    numbers: dict[int, list[int]] = {}
    other_marks: dict[str, str] = {}  # without brackets
    starts = [*(match.start() for match in matches), len(text)]
    places: list[tuple[int, int]] = []  # of the own mark of each quote, or just after it
    for n, match in enumerate(matches, 1):
        place = (match.end(), match.end())
        own = _OWN.match(text, match.end(), starts[n])
        before = _BEFORE.search(text, places[-1][1] if places else 0, match.start())
        if own is None and before is not None:
            numbers.setdefault(next(_numbers(before[1])), []).append(n)
        if own is not None and len(named := [*_numbers(own[1])]) == 1:
            place = own.span(1)
            numbers.setdefault(named[0], []).append(n)
            if not _MARKER.match(own[1]):
                other_marks[own[1]] = f"[{n}]"
        places.append(place)
    numbered = _renumber(text[: starts[0]], numbers) if matches else text
    for n, (end, after) in enumerate(places, 1):
        quoted = text[starts[n - 1] : end].rstrip()
        numbered += f"{quoted} [{n}]{_renumber(text[after : starts[n]], numbers)}"
    for mark, number in other_marks.items():
        numbered = numbered.replace(mark, number)
    return numbered, [match[0][1:-1].strip() for match in matches]
