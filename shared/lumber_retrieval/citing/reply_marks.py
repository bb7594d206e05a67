"""Reads the marks in a model's answer that refer to quotes, such as [1], in all their forms.

A mark is a bracket, its content and a bracket. The content is a list of labels, with words and
places around them: "[1, 2 and 3]", "[Quote 1-3]", "[1, p. 4; 2, p. 7]", "【1†L3-L5】", "[1a]".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from lumber_retrieval.citing.citations import NO_QUOTE

# While a reply is read, each mark is one character of the planes for private use, so that no other
# pattern needs to know its forms: of plane 15 for a sure mark, of plane 16 for a possible mark.
SURE, UNSURE = "[\U000f0000-\U000fffff]", "[\U00100000-\U0010ffff]"
MARK = "[\U000f0000-\U0010ffff]"
_PLANE = 0x10000  # characters in a plane
QUOTE_WORD = (  # before a number in a mark, or in the title of a list
    r"(?:quotes?|quotations?|citations?|cited?|cit\.|sources?|r[eé]f(?:er[eê]n(?:cia|ze|tie)|[eé]rence)?s?|chunks?|doc(?:ument)?s?|passages?"
    r"|excerpts?|extra[ic]ts?|snippets?|web_?pages?|evidence|(?:foot)?notes?|fn|ids?|index|zitate?|belege?|quellen?|citas?|fuentes?|fonti?|fontes?|bron(?:nen)?"
    r"|źródł[ao]|kaynak(?:lar)?|цитат[аыу]|источник(?:и|ов)?|(?:ال)?(?:مص(?:در|ادر)|مر(?:جع|اجع))|स्रोत|nguồn|引用|引文|来源|來源|出典|出处|参考(?:文献|资料)|출처|literatur)"
)
_COUNTED = re.compile(rf"(?i)(?:{QUOTE_WORD}|n[or]?)(?![^\W\d_])")  # "[No. 1]", "[n° 1]"
WHERE = (
    r"(?i:(?:pp?|[sz\u0441]|lines?|seiten?|zeilen?|p[aá]g\w*)\b|§|https?:|\w\S{0,80}\.[a-z]{2,4}\b)"
)
_SEE = r"(?:(?:see|per|siehe|vgl\.?|cf\.?|voir|véase|ver|vedi|см\.?)\s(?:(?:also|auch)\s)?)?"
_AND = r"(?:\s(?:and|or|und|oder|et|ou|y|o|e|en|i|и|или|و|u\.|as\ well\ as)\s|[和与及と])"
_BETWEEN = rf"(?:\s?[,&+/|、،・·\u02d2](?:{_AND}|\s?)|\s?{_AND}|\s)\s?"
DASH = r"(?:[\u2010-\u2014\u2212~\uff5e\uff0d-]|\.{2,3})"
_TO = rf"(?:\s?{DASH}\s?|\s(?:to|through|bis|à|al?|hasta|до)\s|[至到])"
_LABEL = (
    r"[\^#@*]{0,2}(?:(?P<word>[^\W\d_]{1,15})\.?)?[\s:#._°@^*-]{0,3}"
    r"(?P<number>\d{1,3})(?P<letter>[a-z](?!\w))?(?![a-z\d_])\**"
)
_FIRST = re.compile(
    rf"(?i)\s?{_SEE}(?:[\w-]{{1,40}}\.[a-z]{{2,4}}[,:]\s)?(?:\d{{1,3}}:(?=\d{{1,3}}†))?{_LABEL}"
)
_NEXT = re.compile(rf"(?i)(?:(?P<to>{_TO})|{_BETWEEN}){_LABEL}")
_PLACE = re.compile(rf"†|\s?[,:|]?\s?{WHERE}|(?P<unsure>\s?[,:(|]|\s[\u2013\u2014-]\s)")
_MAX_NAME_CHARACTERS = 30  # characters of a mark without a number, such as "[Smith 2019]" or "[†]"
_MAX_RANGE = 100  # a wider range is not a list of quotes

_SQUARE = "[\u3010\uff3b\u3014\u3016\u27e6"  # a number in these brackets is surely a mark
_OPENING = _SQUARE + "(\uff08{<\u27e8\u3008\u300a\u300c`"
_CLOSING = "]\u3011\uff3d\u3015\u3017\u27e7)\uff09}>\u27e9\u3009\u300b\u300d`"
_PAIRS = {"sup": "/sup", "a": "/a", "co": "/co", **dict(zip(_OPENING, _CLOSING, strict=True))}
_LINK = (
    r"\((?=[#/.]|\w{1,9}:|[^()\s]{0,80}\.\w)"
    r"[^()\s]{1,300}(?:\([^()\s]{0,99}\)[^()\s]{0,99})?(?:\s\"[^\"\n]{0,99}\")?\)"
)
_BRACKETED = re.compile(  # brackets with their content, except an index as in "a[1]"
    rf"(?i)(?:<(sup|a|co)(?:\s[^<>\n]{{,200}})?>|(?<!\b[a-z])\\?([{re.escape(_OPENING)}]))"
    rf"([^{re.escape(_OPENING + _CLOSING)}\"\u201c\u201d\u201e\xab\xbb\n]{{1,80}})"
    rf"(?:([{re.escape(_CLOSING)}])|<(/\w+)>)({_LINK})?"
)
_SMALL = "[\xb9\xb2\xb3\u2070\u2074-\u2079]"
_CIRCLED = "[\u2460-\u2468\u2474-\u247c\u2488-\u2490\u2776-\u2788]"
_UNBRACKETED = re.compile(
    rf"⁽?{_SMALL}(?:[ ,\u02d2\u207b\u2010-\u2014-]{{,2}}{_SMALL})*⁾?|{_CIRCLED}|※\d{{1,3}}"
    r"|(?<![\d)])(?<!\b\w)\$?\^\{?\d{1,3}(?:,\d{1,3})*\}?[\^$]?(?!\w)"
)
_RAISED = re.compile(rf"\$?\^\{{?({MARK})\}}?[\^$]?")
_RANGE = re.compile(rf"({MARK})(?: ?{DASH} ?| (?:to|through|bis|à|al?|hasta|до) )({MARK})")
_AROUND = re.compile(rf"(?i)(?:{QUOTE_WORD}|{_AND}|[\s:,;&|/+、])*")


class Mark(NamedTuple):
    """A mark in a reply.

    Attributes:
        text: The mark as the model wrote it.
        labels: What it refers to: "1" for "[Quote 1]", "1a", "fig3". Without labels, it is not a
            mark.
        kind: Its opening bracket, "^" if it is raised, or "^?" if that may be a power of a unit.
    """

    text: str
    labels: tuple[str, ...]
    kind: str


class Marks:
    """The marks of a reply.

    Attributes:
        text: The reply, in which each mark is one character.
    """

    def __init__(self, reply: str) -> None:
        self._marks: tuple[list[Mark], list[Mark]] = ([], [])  # sure and unsure marks
        self._characters: dict[tuple[bool, Mark], str] = {}
        # Characters for private use in the reply, such as icons of fonts, are marks without labels.
        text = re.sub(MARK, lambda match: self.add(Mark(match[0], (), "")), reply)
        text = _UNBRACKETED.sub(self._sign_as_mark, text)
        for _ in range(3):  # innermost brackets first, as in "[[1]](#q1)"
            text = _BRACKETED.sub(self._brackets_as_mark, text)
        text = _RAISED.sub(lambda match: self._marks_as_one(match[0], match[1], "["), text)
        self.text = _RANGE.sub(self._range_as_mark, text)

    def __getitem__(self, character: str) -> Mark:
        """Return the mark that a character stands for."""
        unsure, number = divmod(ord(character) - ord(MARK[1]), _PLANE)
        marks = self._marks[unsure]
        return marks[number] if number < len(marks) else Mark(character, (), "")

    def add(self, mark: Mark, *, sure: bool = False) -> str:
        """Return the character of a mark."""
        marks = self._marks[not sure]
        character = self._characters.get((sure, mark))
        if character is None:
            if len(marks) == _PLANE:
                return mark.text
            character = chr(ord(MARK[1]) + _PLANE * (not sure) + len(marks))
            marks.append(mark)
            self._characters[sure, mark] = character
        return character

    def in_text(self, text: str) -> list[Mark]:
        """Return the marks in a text."""
        return [self[character] for character in re.findall(MARK, text)]

    def restore(self, text: str) -> str:
        """Return a text as the model wrote it."""
        return re.sub(MARK, lambda match: self[match[0]].text, text)

    def keep(self, text: str) -> str:
        """Return a text in which nothing is a mark, such as a quote or code."""
        return re.sub(MARK, lambda match: self.add(Mark(self[match[0]].text, (), "")), text)

    def write(
        self, text: str, numbers: Mapping[str, Sequence[int]], kinds: Collection[str] | None = None
    ) -> str:
        """Return a text in which marks have the numbers of their quotes.

        Args:
            text: The text.
            numbers: The numbers of the quotes of each label. A mark of another label becomes [?]
                if it is surely a mark, or written like those of the quotes: "[1c]" beside "1a".
            kinds: The kinds of unsure marks that become numbers; None: all.
        """
        shapes = {_shape(label) for label in numbers} - {"0"}

        @cache
        def new_marks(character: str) -> list[str]:
            mark = self[character]
            labels = [*mark.labels]
            if kinds is None:  # "[Q1]" may be quote 1
                labels = [name if name in numbers else name.lstrip("qs") or name for name in labels]
            if mark.kind[:1] == "^" and len(labels) == 1 and labels[0] not in numbers:
                labels = [*labels[0]]  # several raised digits in a row
            if character >= UNSURE[1]:
                listed = all(label in numbers for label in labels)
                has_shape = mark.kind != "(" and all(_shape(label) in shapes for label in labels)
                is_raised = mark.kind == "^" and kinds is not None
                accepted = kinds is None or mark.kind.rstrip("?") in kinds
                if not (labels and accepted and (listed or has_shape or is_raised)):
                    return [mark.text]
            quotes_of_labels = (numbers.get(label, ()) for label in labels)
            return [
                new_mark
                for quotes in quotes_of_labels
                for new_mark in [f"[{number}]" for number in quotes] or [NO_QUOTE]
            ]

        def run(marks: re.Match[str]) -> str:
            written: dict[str | int, str] = {}  # each number once
            for place, mark in enumerate(marks[0]):
                for new_mark in new_marks(mark):
                    written[new_mark if new_mark[0] == "[" else place] = new_mark
            return "".join(written.values())

        return re.sub(f"{MARK}+", run, text)

    def _sign_as_mark(self, match: re.Match[str]) -> str:
        labels, _ = _read_labels(match[0].strip("⁽⁾$^{}※"))
        before = match.string[max(match.start() - 3, 0) : match.start()]
        is_unit = re.search(r"(?:\d|\b[^\W\d]{1,2})\Z", before)  # "10 m²"
        kind = "①" if re.match(f"{_CIRCLED}|※", match[0]) else "^?" if is_unit else "^"
        return self.add(Mark(match[0], labels, kind))

    def _brackets_as_mark(self, match: re.Match[str]) -> str:
        tag, bracket, content, closing, end_tag, link = match.groups()
        opening = bracket or tag.casefold()
        is_link = match.string[max(match.start() - 1, 0)] == "]" and re.match(_LINK, match[0])
        if is_link or _PAIRS[opening] != (closing or end_tag.casefold()):
            return match[0]
        kind = "[" if opening in (*_SQUARE, "sup") else "(" if opening == "\uff08" else opening
        content = content.rstrip("\\")
        if re.search(MARK, content):
            outer = self._marks_as_one(match[0], content, kind)
            if outer != match[0] or kind != "[":
                return outer
            content = self.restore(content)
        labels, doubt = _read_labels(content)
        name = content.strip().casefold()
        if not labels and kind in "[(" and not link and 0 < len(name) <= _MAX_NAME_CHARACTERS:
            labels, doubt = (name,), 1
        if not labels or (kind != "[" and (link or doubt > 1 or re.search(r"\d:\s?\d", content))):
            return match[0]
        return self.add(Mark(self.restore(match[0]), labels, kind), sure=kind == "[" and not doubt)

    def _marks_as_one(self, text: str, content: str, kind: str) -> str:
        """Return the mark of brackets, a tag or a caret around other marks: "[[1], [2]]"."""
        inner = self.in_text(content)
        labels = tuple(label for mark in inner for label in mark.labels)
        may_contain = kind in ("[", "`", "a", "co") or all(mark.kind == kind for mark in inner)
        if not (
            may_contain
            and all(mark.labels for mark in inner)
            and _AROUND.fullmatch(re.sub(MARK, "", content))
        ):
            return text
        sure = kind == "[" and all(label.isdecimal() for label in labels)
        return self.add(Mark(self.restore(text), labels, kind), sure=sure)

    def _range_as_mark(self, match: re.Match[str]) -> str:
        low, high = self[match[1]], self[match[2]]
        if low.kind != high.kind or len(low.labels) != 1 or len(high.labels) != 1:
            return match[0]
        labels = _labels_between(low.labels[0], high.labels[0])
        if not labels:
            return match[0]
        sure = max(match[1], match[2]) < UNSURE[1]
        return self.add(Mark(self.restore(match[0]), labels, low.kind), sure=sure)


def _labels_between(low: str, high: str) -> tuple[str, ...]:
    """Return the labels from one to another, as "q1" to "q3"; none if that is not a range."""
    first, last = (re.fullmatch(r"([a-z]*)(\d+)", label) for label in (low, high))
    if not (first and last and first[1] == last[1]):
        return ()
    numbers = range(int(first[2]), int(last[2]) + 1)
    return tuple(f"{first[1]}{number}" for number in numbers) if len(numbers) <= _MAX_RANGE else ()


def _shape(label: str) -> str:
    return re.sub(r"\d+", "0", re.sub(r"(?<=\d)[a-z]\Z", "a", label))


def _read_labels(content: str) -> tuple[tuple[str, ...], int]:
    """Return the labels in the content of a mark, and how doubtful the mark is.

    The doubt is 0 for numbers with words for quotes, 1 for other labels, and 2 if something other
    than a place follows.
    """
    digits = "".join(str(unicodedata.digit(sign, sign)) for sign in content)
    labels: list[str] = []
    doubt = 0
    for part in unicodedata.normalize("NFKC", digits).split(";"):
        label, end, first_word = _FIRST.match(part), 0, ""
        while label:
            word = (label["word"] or "").casefold()
            counted = not word or _COUNTED.match(part, label.start("word"))
            if end and not counted and word != first_word:
                break  # a page follows, as in "[1, p. 4]"
            number = str(int(label["number"])) + (label["letter"] or "")
            name = number if counted else word + number
            if end and label["to"]:
                first = labels.pop()
                between = _labels_between(first, name)
                labels += between or (first, name)
                doubt = max(doubt, int(not between))  # "[3-1]" may be a score
            else:
                labels.append(name)
            doubt = max(doubt, int(not name.isdecimal() or name == "0"))
            first_word, end = first_word or word, label.end()
            label = _NEXT.match(part, end)
        after_labels = part[end:].rstrip(" .")
        place = _PLACE.match(after_labels)
        if not labels or (after_labels and not place and end):
            return (), 0
        if after_labels and (not place or place["unsure"]):
            doubt = 2
    return tuple(labels), doubt
