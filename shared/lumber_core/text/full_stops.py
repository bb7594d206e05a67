"""Full stops that end no sentence: of abbreviations, initials and ordinals, in names and in code.

They correct sentencex, the package that divides texts into sentences. For each language,
`abbreviations.json` lists

- "leads": a sentence never ends after these;
- "others": after these, and after the suppressions of Unicode's CLDR, a sentence ends only before
  one of the "starters", words that often begin a sentence;
- "numbers": a sentence continues after these only with a number;
- "series", such as "etc.": sentencex never ends a sentence after these;
- "words": entries of CLDR's list that are not abbreviations;
- "ordinals": whether the language writes ordinals with a full stop.
"""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

_WINDOW_CHARACTERS = 40  # before and after the end of a sentence; longer abbreviations are rare
# The danda ends sentences in Hindi and Bengali; near it, full stops are those of abbreviations.
_DANDA, _MAX_CHARACTERS_TO_DANDA = "\u0964", 1_000
_OPENING = "\"'([{\u00ab\u2018\u201c\u201e\u201a*_"
_CLOSING = "\"')]}\u00bb\u2019\u201d*_"
_CONTINUATIONS = frozenset(")]};,:/\u2013\u2014")  # the first character of a continued sentence
# The last word before a full stop, with up to three abbreviations before it, as in "i. d. R.".
_LAST = re.compile(
    r"(?<![^\s(\[{\"'/\u00ab\u2018-\u201e\u2013\u2014*_|\u3040-\u9fff])"
    r"(?:[^\W\d_][^\s.]{0,8}\.-?\s?){0,3}[^\W_\u3040-\u9fff][^\s.,;:()'\u2019\u3040-\u9fff]*$"
)
_ORDINAL = re.compile(r"(?<![\w.,\u00a7])(?<![.\u00a7\u2116]\s)(?:\d{1,2}|[IVXLC]+)$")
_NUMERAL = re.compile(r"\d{1,4}|[IVXLC]{2,}")  # before lower case: "XIV. fut", "1945. aastal"
# The continuation of a sentence after a quote in it, or after a full stop inside a word.
_GOES_ON = re.compile(r"[\u2013\u2014]\s*[^\W\d_]|-(?=\w)")
# After a quote: particles of Japanese, Korean and Chinese, and Chinese words such as "he said".
_SAID = re.compile(
    "[とっをの的\uac00-\ud7af]|[\u4e00-\u9fff]{0,4}(?<!知)[说說问問道喊叫答][\uff0c\u3002]"
)
_STREETS = ("str", "Storg", "Kyrkog", "dg", "sg", "tg", "dv", "gv", "sv")  # "Kerkstr. 5"
_WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")
_BEFORE_DOTS = _OPENING + "`~|<> \t\r\n\f"  # come before a name or sentence that begins with dots
_LAST_OF_TWO = re.compile(r"[^\W\d_],?\s([^\W\d_]{2,})\.\Z")  # the last word, after another word
_IN_PROSE = re.compile(r"[^\W\d_](?:['\u2019]?[^\W\d_A-Z])*[,;:]?\s")
# A mark inside a sentence: next to another mark, as in "./", "?," or "![", or to a closing quote.
_INSIDE = re.compile(
    r"[.!?`\"')\u201c\u201d\u00bb\u300d\u300f]"
    r"(?:[\u3001\uff0c\uff1a\uff1b!#$%)*+,./:;=?@\\\]_`|}~]|[\"'](?!\w))|!\["
)
# An ellipsis or a quote inside a sentence, if a small letter follows.
_PAUSE = re.compile(r"(?:\.{3}|[.!?;\u2026]\s?[\u00bb\u201c\u201d\u2019\"])[*_]{0,3}\s{1,2}\Z")
# A sentence that continues after code such as `?.`
_AFTER_CODE = re.compile(r"[.!?\u2026]`+(?:\w|[ \t]+[^\s\w]|\s+[^\W\dA-Z_])\Z")
# What sentencex takes for an abbreviation: a variable, or the end of a path or a unit; but not the
# label of an item, or a part of "u. a.".
_SMALL_LETTER = re.compile(r"\.(?<=\w[ /][a-uw-z].)\s+(?=([A-Z]\w*))")
_NUMBER = re.compile(r"[A-Z]{0,4}[- ]?\d|[IVXLC]{2,}\b|[B-HJ-Z]\b")  # or a label such as "B"


class _Abbreviations(NamedTuple):
    leads: frozenset[str]
    others: frozenset[str]
    numbers: frozenset[str]
    starters: frozenset[str]
    pairs: frozenset[tuple[str, str]]  # consecutive parts, such as ("z", "B") of "z. B."
    last: frozenset[str]  # all parts, because any of them may be the last word before a full stop
    ordinals: bool  # whether ordinal numbers are written with a full stop, as "3."
    series: re.Pattern[str]  # "etc." and the letter that begins the next word
    signs_of_series: tuple[str, ...]  # each match contains one of these: most texts need no search


def without_region(language: str) -> str:
    """Return the code of a language without its region or script: "pt" for "pt-BR"."""
    return language.lower().replace("_", "-").partition("-")[0]


@cache
def _abbreviations_of(language: str) -> _Abbreviations | None:
    """Return the abbreviations of a language; None if there is no list for it."""
    content = json.loads(Path(__file__).with_name("abbreviations.json").read_text(encoding="utf-8"))
    name = without_region(language)
    lists = content["languages"].get(name)
    if not isinstance(lists, dict):  # no list, or the name of a language with the same list
        return _abbreviations_of(lists) if lists else None
    leads, others, numbers, starters, words = (
        frozenset(lists.get(key, "").split())
        for key in ("leads", "others", "numbers", "starters", "words")
    )
    cldr = (name.rstrip(".") for name in content["cldr"]["suppressions"].get(name, "").split())
    others |= {name for name in cldr if len(name) > 1} - words - leads - numbers
    parts = [name.split(".") for name in leads | others | numbers]
    pairs = frozenset(pair for several in parts for pair in pairwise(several))
    last = frozenset(form for name in parts for part in name for form in (part, part.capitalize()))
    signs = ("…", *(f"{form.partition('.')[0]}." for form in lists.get("series", "").split()))
    forms = [form.split(".") for form in lists.get("series", "").split()]
    spaced = dict.fromkeys(dot.join(form) for form in forms for dot in (r"\.", r"\.\s"))
    # The engine looks for full stops first: most words are compared with none of the forms.
    behind = "|".join(rf"(?<=\b{form}\.)" for form in spaced)
    series = re.compile(
        rf"(?:\.(?:{behind or '(?!)'})|…(?!\sI\b))\s+(?=[{re.escape(_OPENING)}]?([^\W\d_]))"
    )
    ordinals = "ordinals" in lists
    return _Abbreviations(leads, others, numbers, starters, pairs, last, ordinals, series, signs)


def starts_after_abbreviations(text: str, language: str = "en") -> list[int]:
    """Return where sentences begin after "…", "series" such as "etc.", and single small letters."""
    if (lists := _abbreviations_of(language)) is None:
        return []
    letters = _SMALL_LETTER.finditer(text)
    starts = [letter.end() for letter in letters if letter[1].lower() in lists.starters]
    if any(map(text.__contains__, lists.signs_of_series)):
        starts += [match.end() for match in lists.series.finditer(text) if match[1].isupper()]
    return starts


def _is_in_name(text: str, at: int) -> bool:
    """Return whether the full stop before an offset is in a name, or begins one.

    Names are, for instance, `os.Path`, "README.MD" and ".NET". A lower-case word and a capitalized
    one, both in prose, belong to two sentences with no space between them.
    """
    before = text[max(0, at - _WINDOW_CHARACTERS) : at].rstrip(".")[-1:]
    if text[at].lower() == text[at].upper():
        return False
    if not before.strip(_BEFORE_DOTS):
        return True
    is_prose = _IN_PROSE.match(text, at) is not None
    if text[at - 2] in ")]}":
        return not is_prose
    last = _LAST_OF_TWO.search(text, max(0, at - _WINDOW_CHARACTERS), at)
    is_cased = before.isdecimal() or before.lower() != before.upper()
    return text[at - 2] == before and is_cased and not (last and last[1].islower() and is_prose)


def sentence_continues(text: str, at: int, language: str = "en") -> bool:
    """Return whether the full stop before an offset does not end a sentence."""
    mark = text[at - 1]
    if not mark.isspace() and (
        _INSIDE.match(text, at - 1) or (mark == "." and _is_in_name(text, at))
    ):
        return True
    lists, first = _abbreviations_of(language), text[at]
    before = text[max(0, at - _WINDOW_CHARACTERS) : at]
    if "`" in before[-4:] and _AFTER_CODE.search(before + first):
        return True
    small = first.islower() and not "\u10d0" <= first <= "\u10ff"  # Georgian has no upper case
    if small and _PAUSE.search(before):
        return True
    end = before.rstrip()
    bare = end.rstrip(_CLOSING).rstrip()
    if lists and first.isascii() and (first.isupper() or bare == end):  # the fast path, for most
        word = bare[:-1].rpartition(" ")[2].rpartition("\n")[2].lstrip(_OPENING)
        plain = word.isascii() and word.isalpha() and not word.isupper()
        if plain and word not in lists.last and not word.endswith(_STREETS):
            return False
    if (goes_on := _GOES_ON.match(text, at)) and (goes_on[0][-1].islower() or first == "-"):
        return True
    if before.endswith(("\u300d", "\u300f", "\u201d", "\uff09", '"')) and _SAID.match(text, at):
        return True
    lines = before.count("\n", len(bare))
    if bare[-1:] != "." or bare[-2:-1] in ".!?\u2026" or lines > 1:
        return False
    if "\u0900" <= bare[-2:-1] < "\u0e00":
        first_near = max(0, at - _MAX_CHARACTERS_TO_DANDA)
        if _DANDA in text[first_near : at + _MAX_CHARACTERS_TO_DANDA]:
            return True
    # Before a small letter, a sentence continues. After most ASCII words, sentencex agrees.
    if small and not (first.isascii() and (lines or not bare[-2:-1].islower())):
        return True
    last = _LAST.search(bare[:-1])
    if lists is None or last is None:
        return False
    parts = re.sub(r"\s", "", last[0]).split(".")
    groups = (lists.leads, lists.others, lists.numbers)
    names = (".".join(parts[n:]).lstrip("-") for n in range(len(parts)))
    forms = ({name, name[0].lower() + name[1:]} if len(name) > 1 else {name} for name in names)
    listed = ([not cases.isdisjoint(group) for group in groups] for cases in forms)
    # The longest abbreviation in the list decides, such as the Russian "т. д.".
    in_leads, in_others, in_numbers = next(filter(any, listed), (False, False, False))
    follows = text[at : at + _WINDOW_CHARACTERS].lstrip(_OPENING)
    match = _WORD.match(follows)
    word = match[0] if match else ""
    may_start = word.lower() in lists.starters
    in_numbers |= parts[-1].endswith(_STREETS)
    if in_leads or in_others or in_numbers:
        numbered = _NUMBER.match(follows) and not (may_start and follows.startswith(" ", len(word)))
        if numbered or follows[:1].islower() or follows[:1] in _CONTINUATIONS:
            return True
        is_unit = in_others or in_numbers
        if in_leads and not (is_unit and bare[: last.start()].rstrip()[-1:].isdigit()):
            return True  # after a number it is a unit: "in 1812 y."
        if in_others:
            return not may_start
    end = parts[-1].lstrip("-")
    initial = len(end) == 1 and end.isalpha()
    if follows.startswith(".", len(word)) and (
        (end, word) in lists.pairs or (initial and len(word) == 1)
    ):
        return True
    if not lines and _NUMERAL.fullmatch(end) and follows[:1].islower():
        return lists.ordinals or end.isalpha()
    initial |= lists.ordinals and not lines and _ORDINAL.search(bare[:-1]) is not None
    return initial and end.upper() == end and bool(word) and not may_start
