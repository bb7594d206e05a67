"""Full stops that end no sentence: of abbreviations, initials and ordinals, by language.

`abbreviations.json` has, for each language, abbreviations after which a sentence never ends
("leads"), those after which it ends only before a word that often begins one ("others", and the
Unicode CLDR's suppressions), those after which it goes on only with a number ("numbers"), the
words that often begin a sentence ("starters"), words that are no abbreviations though the CLDR
lists them ("words"), and whether ordinals are written with a full stop.
"""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

_WINDOW = 40  # characters before and after the end of a sentence; longer abbreviations are rare
_OPENING = "\"'([{\u00ab\u2018\u201c\u201e\u201a*_"
_CLOSING = "\"')]}\u00bb\u2019\u201d*_"
_GOES_ON = frozenset(")]};,:/\u2013\u2014")  # at the start of what follows
# The last word before a full stop, with up to three abbreviations before it, as of "i. d. R.".
_LAST = re.compile(
    r"(?<![^\s(\[{\"'/\u00ab\u2018-\u201e\u2013\u2014*_|])"
    r"(?:[^\W\d_][^\s.]{0,8}\.-?\s?){0,3}[^\W_][^\s.,;:()'\u2019]*$"
)
_ORDINAL = re.compile(r"(?<![\w.,\u00a7])(?<![.\u00a7\u2116]\s)(?:\d{1,2}|[IVXLC]+)$")
_WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")
_NUMBER = re.compile(r"[A-Z]?-?\d|[IVXLC]{2,}\b|[B-HJ-Z]\b")  # figures, Roman numerals, labels


class _Abbreviations(NamedTuple):
    leads: frozenset[str]
    others: frozenset[str]
    numbers: frozenset[str]
    starters: frozenset[str]
    pairs: frozenset[tuple[str, str]]  # neighbours in those of several parts
    last: frozenset[str]  # the last parts of all
    ordinals: bool


def without_region(language: str) -> str:
    """Return the code of a language without its region or script, as "pt" of "pt-BR"."""
    return re.split("[-_]", language.lower())[0]


@cache
def _abbreviations_of(language: str) -> _Abbreviations | None:
    """Return the abbreviations of a language; None if they are not known."""
    content = json.loads(Path(__file__).with_name("abbreviations.json").read_text(encoding="utf-8"))
    name = without_region(language)
    known = content["languages"].get(name)
    if not isinstance(known, dict):  # unknown, or a language that has those of another one
        return _abbreviations_of(known) if known else None
    leads, others, numbers, starters, words = (
        frozenset(known.get(key, "").split())
        for key in ("leads", "others", "numbers", "starters", "words")
    )
    listed = (one.rstrip(".") for one in content["cldr"]["suppressions"].get(name, "").split())
    others |= {one for one in listed if len(one) > 1} - words - leads - numbers
    parts = [one.split(".") for one in leads | others | numbers]
    pairs = frozenset(pair for several in parts for pair in pairwise(several))
    last = frozenset(form for *_, one in parts for form in (one, one.capitalize()))
    return _Abbreviations(leads, others, numbers, starters, pairs, last, "ordinals" in known)


def sentence_goes_on(text: str, at: int, language: str = "en") -> bool:
    """Return whether the full stop before an offset, where a sentence would start, ends none."""
    known, first = _abbreviations_of(language), text[at]
    before = text[max(0, at - _WINDOW) : at]
    word = before.rstrip().rpartition(" ")[2][:-1]
    plain = first.isascii() and word.isalpha() and not word.isupper()
    if plain and known and word not in known.last:
        return False  # most words, told fast
    bare = before.rstrip().rstrip(_CLOSING).rstrip()
    lines = before.count("\n", len(bare))
    if bare[-1:] != "." or bare[-2:-1] in ".!?\u2026" or lines > 1:
        return False
    # As sentencex does where the letter is ASCII; Georgian has no upper case in sentences.
    if not first.isascii() and first.islower() and not "\u10d0" <= first <= "\u10ff":
        return True
    last = _LAST.search(bare[:-1])
    if known is None or last is None:
        return False
    parts = re.sub(r"\s", "", last[0]).split(".")
    names = {".".join(parts[n:]) for n in range(len(parts))}
    names |= {name[0].lower() + name[1:] for name in names if len(name) > 1}
    in_leads, in_others, in_numbers = (
        not names.isdisjoint(some) for some in (known.leads, known.others, known.numbers)
    )
    follows = text[at : at + _WINDOW].lstrip(_OPENING)
    match = _WORD.match(follows)
    word = match[0] if match else ""
    may_start = word.lower() in known.starters
    if in_leads or in_others or in_numbers:
        if _NUMBER.match(follows) or follows[:1].islower() or follows[:1] in _GOES_ON:
            return True
        if in_leads and not (in_others and bare[: last.start()].rstrip()[-1:].isdigit()):
            return True  # after a number it is a unit: "in 1812 y."
        if in_others:
            return not may_start
    end = parts[-1]
    initial = len(end) == 1 and end.isalpha()
    if follows.startswith(".", len(word)) and (
        (end, word) in known.pairs or (initial and len(word) == 1)
    ):
        return True
    ordinal = known.ordinals and _ORDINAL.search(bare[:-1]) is not None
    goes_on = (initial and end.isupper()) or (ordinal and not lines)
    return goes_on and bool(word) and not may_start
