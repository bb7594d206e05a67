"""The words of a text: keywords and terms to find it by, and their number, in any script."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from unicodedata import combining

import regex

from lumber_core.text.captions import spoken_text
from lumber_core.text.unicode import KANA_HAN, SOUTHEAST_ASIAN

# Each pair of these characters is a word: ideographs, kana and Hangul (its words end in particles).
_PAIRED = rf"{KANA_HAN}\uac00-\ud7af"
# A hard-wrapped line of Chinese or Japanese, or a page, ends inside a word as well.
_LINE_END_INSIDE = re.compile(rf"(?<=[{KANA_HAN}])[ \t]*(?:\r?\n|\f)[ \t]*(?=[{KANA_HAN}])")
_CHARACTER = r"[\p{L}\p{N}\p{M}]"  # excludes the full stops within the ranges above
_TERM = regex.compile(
    rf"([{SOUTHEAST_ASIAN}&&{_CHARACTER}]+)|([{_PAIRED}&&{_CHARACTER}]+)"
    rf"|[\p{{L}}\p{{N}}--[{SOUTHEAST_ASIAN}{_PAIRED}]][{_CHARACTER}--[{SOUTHEAST_ASIAN}{_PAIRED}]]*",
    regex.VERSION1,
)
# Ideographs are also words of their own, because the neighbours of a word of one ideograph differ.
# Recall in Chinese is 0.972 instead of 0.961 (benchmarks/languages.py).
IDEOGRAPH = regex.compile(r"\p{Han}")
_WORD_CHARACTER = regex.compile(_CHARACTER)
_LATIN = re.compile("[\x00-\u024f\u1e00-\u1eff]*")
# The translation of each byte: capitals become small letters; digits and small letters stay; all
# other bytes become spaces.
_ASCII_WORDS = bytes(n if chr(n).isalnum() else ord(" ") for n in bytes(range(128)).lower())
_ASCII_WORDS = _ASCII_WORDS.ljust(256)
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
# Words of their own, without a space before them: a raised or circled number or a fraction after a
# number, as in "10²" and "2½", and the sign of a trade mark.
_SEPARATE_SIGNS = re.compile("[²³¹¼-¾⁰-₉⅐-⅟①-⒛](?<=[0-9①-⒛].)|[\u2120\u2122]")
# Cyrillic letters such as "й" have no accents; ё, ѐ and ѝ may be written without the mark.
_CYRILLIC = (
    letter
    for letter in (unicodedata.normalize("NFD", chr(n)) for n in range(0x400, 0x530))
    if len(letter) == 2 and letter not in unicodedata.normalize("NFD", "Ѐ Ё Ѝ ѐ ё ѝ").split()
)
# Words are compared without these: accents of alphabets that have vowels, points of Hebrew, Arabic
# and Syriac, half rings of transcribed Arabic, the dot below of Hindi, the tatweel, and invisible
# characters such as soft hyphens (Unicode's Default_Ignorable_Code_Point).
_MARKS = re.compile(
    "[\u02be\u02bf\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8"
    "\u06ea-\u06ed\u0711\u0730-\u074a\u08ca-\u08e1\u08e3-\u08ff\u093c"
    "\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    f"\U000e0000-\U000e0fff](?<!{'|'.join(_CYRILLIC)})"
)
# A line break after a soft hyphen, and the sign inside Hebrew acronyms.
_INSIDE = re.compile('[\xad"\u05f4](?:(?<=\xad)[ \t]*\r?\n[ \t]*|(?<=[א-ת].)(?=[א-ת]))')
# Variants of one letter on keyboards and in texts, from Lucene's filters for Arabic and Persian
# (without Urdu's two letters for ye, which tell words apart), for Hindi, and for ASCII.
_LETTERS = {
    **dict.fromkeys("\u0649\u06cc", "\u064a"),  # alef maksura and Persian ye: Arabic ye
    **dict.fromkeys("\u0629\u06c1\u06c3\u06d5", "\u0647"),  # teh marbuta, Urdu's and Kurdish he
    # kaf, gaf of Pashto, alef, candrabindu, and the he of Kurdish and Uyghur (see `_EQUAL_FORMS`)
    **dict(zip("\u06a9\u06ab\u0671\u0901\u06be", "\u0643\u06af\u0627\u0902\u0647", strict=True)),
    # Letters without vowel that were once written with joiners: ta of Bengali, and of Malayalam.
    "\u09ce": "\u09a4\u09cd",
    **{chr(0xD7A + n): f"{letter}\u0d4d" for n, letter in enumerate("ണനരലളക")},
    # Ligatures of Yiddish, and letters of Uzbek and Ukrainian that are typed as an apostrophe.
    **{"\u05f0": "\u05d5\u05d5", "\u05f1": "\u05d5\u05d9", "\u05f2": "\u05d9\u05d9"},  # noqa: PIE800
    **dict.fromkeys("\u02bb\u02bc", "'"),
    **dict(zip("\u0491\u0463\u0473", "\u0433\u0435\u0444", strict=True)),  # Ukrainian, old Russian
    "\u0582": "\u057e",  # in the Armenian "and", whose capitals have another letter
    **dict(zip("\u0131\xe6\u0153\xf0\xfe", ("i", "ae", "oe", "d", "th"), strict=True)),
    **{
        letter: name[len("LATIN SMALL LETTER ")].lower()  # from "O WITH STROKE"
        for letter in map(
            chr, (*range(0x80, 0x2B0), *range(0x2C60, 0x2C80), *range(0xA720, 0xA800))
        )
        if re.match("LATIN SMALL LETTER [A-Z] WITH ", name := unicodedata.name(letter, ""))
    },
}
# After these letters, U+06BE is the breath of an aspirated consonant of Urdu or Sindhi, which tells
# words apart; elsewhere it is a he, as Kurdish and Uyghur write it.
_ASPIRATED = (
    "\u0628\u067e\u062a\u0679\u062c\u0686\u062f\u0688\u0631\u0691\u0643\u06a9\u06af\u0644-\u0646"
)
_IN_CONTEXT = "\u06be\u0582"  # equal to another letter only next to certain letters
_EQUAL_FORMS = re.compile(
    rf"(?![0-9])\d|(?<![{_ASPIRATED}])\u06be|(?<=\u0565)\u0582"
    rf"|[{''.join(_LETTERS.keys() - {*_IN_CONTEXT})}]"
)
# Hindi writes a nasal before a consonant of its row as a letter or as a dot.
_NASALS = re.compile(
    "(?:\u0919(?=\u094d[\u0915-\u0918])|\u091e(?=\u094d[\u091a-\u091d])|\u0923(?=\u094d[\u091f-\u0922])"
    "|\u0928(?=\u094d[\u0924-\u0927])|\u092e(?=\u094d[\u092a-\u092d]))\u094d"
)

# Thai and Lao: ae typed as two e, and a mark of tone typed before the vowel above or below it.
_THAI = re.compile(
    "([\u0e40\u0ec0])\\1|[\u0e48-\u0e4b\u0ec8-\u0ecb]"
    "[\u0e31\u0e34-\u0e39\u0e48-\u0e4b\u0e4d\u0eb1\u0eb4-\u0eb9\u0ebb\u0ec8-\u0ecb\u0ecd]+"
)
# Where a part of a name in code begins, as in "maxRetryCount", "HTTPServer" and "utf8", in Latin,
# Greek and Cyrillic letters. The search is fast: few characters of prose match the first class.
_IN_NAMES = "".join(map(chr, (*range(0x180), *range(0x386, 0x460))))
_LOWER, _UPPER = "".join(filter(str.islower, _IN_NAMES)), "".join(filter(str.isupper, _IN_NAMES))
_INSIDE_NAME = re.compile(
    rf"[{_UPPER}0-9](?:(?<![0-9])(?:(?<=[{_LOWER}][{_UPPER}])|(?<=[{_UPPER}]{{2}})(?=[{_LOWER}]{{2}})"
    rf"|(?<=[0-9][{_UPPER}])(?=[{_LOWER}]{{2}})|(?<=[{_UPPER}]{{2}})(?=s(?![^\W_])))"
    rf"|(?<=[{_LOWER}{_UPPER}]{{2}}[0-9]))[^\W_]*"
)
# Names of products also have two parts ("CloudWay", "MySQL"). A name of two parts counts as code
# only if it stands alone or among signs of code. If all names were divided, passages with context
# of Markdown would have a recall of 0.809 instead of 0.818 at 150 words (benchmarks/passages.py).
_TWO_PARTS = re.compile(rf"[{_UPPER}][{_LOWER}]+(?:[{_UPPER}][{_LOWER}]+|[{_UPPER}]{{2,}})")
_CODE_BEFORE = re.compile(
    r"(?:[.@_`(<\[:\\&]|\b[A-Z][A-Za-z]{1,9}-|->\s?|<\w+,\s?|\b(?:FROM|INTO|JOIN|class|contract|dyn|enum|extends|impl(?:ements)?|import|interface|new|struct|TABLE|throws|trait|type)\s)$"
)
_CODE_AFTER = re.compile(r"[(<>\[\]_]|[.:]\w|::|\s?[{=]|\s[a-z]\w*[A-Z]")
# The parts of a name; with digits ("utf8", "i18n"); "3d", and "URL" of "URLs"; with an acronym or
# letter beside them, as "MySQL" in "MySQLPool", "OAuth2" in "getOAuth2Token", "gRPC" in "gRPCPool".
_PARTS = [
    re.compile(pattern)
    for pattern in (
        rf"[{_UPPER}]{{2,}}s?(?![{_LOWER}])|[{_UPPER}]?[{_LOWER}]{{2,}}|[{_UPPER}][{_LOWER}]|[0-9]+",
        rf"(?:[{_UPPER}]?[{_LOWER}]*|[{_UPPER}]+)[0-9]+(?:[{_LOWER}](?![{_LOWER}]))?",
        rf"(?<=[{_LOWER}])[0-9][Dd](?![{_LOWER}])|[{_UPPER}]{{2,}}(?=s(?![{_LOWER}]))",
        rf"[{_UPPER}][{_LOWER}]+[{_UPPER}]{{2,}}(?![{_LOWER}])",
        rf"[{_UPPER}]{{2,}}(?:[{_LOWER}]{{2,}}[0-9]*|[{_LOWER}][0-9]+)",
        rf"(?<![^\W_])[{_LOWER}](?:[{_UPPER}]{{2,}}(?![{_LOWER}])|[{_UPPER}][{_LOWER}]+)",
    )
]
_MAX_NAME_CHARACTERS = 200  # longer names are data, and would take quadratic time

# In alphabets without spaces between words, a syllable counts as a word: in Chinese and Japanese
# each ideograph and kana is a syllable; in Thai, Lao, Tibetan, Burmese and Khmer each vowel (in
# Tibetan each dot between syllables) begins a syllable. Whether a word begins at a place depends on
# the two characters there alone, so counts of neighbouring ranges add up.
_VOWEL = (
    "\u0e30-\u0e39\u0e41-\u0e44\u0e47\u0eb0-\u0eb9\u0ebb\u0ec1-\u0ec4\u0f0b"
    "\u102b-\u1030\u1032\u17b6-\u17c5"
)
_WORD = re.compile(rf"[{KANA_HAN}]|[^\s{KANA_HAN}][^\s{KANA_HAN}{_VOWEL}]*")
_BAR = "|"  # between the cells of a table: it ends a word, and is not a word
# Whether a text may have such letters. The class is negated: `re` takes four times as long for a
# class with characters beyond U+FFFF.
_MAYBE_SYLLABIC = re.compile("[^\x00-\u0e2f\u1f00-\u303f\ua000-\uf8ff\ufb00-\uffff]")
_INSIDE_WORD = re.compile(rf"(?<=[^\s{_BAR}{KANA_HAN}])[^\s{_BAR}{KANA_HAN}{_VOWEL}]")
_MAX_CHARACTERS_PER_WORD = 12
"""Maximum mean characters of a word in a passage. Prose has about 6 characters a word with
the space, German 8; 12 keeps file names and links from counting extra. In text without spaces, such
as JSON or Base64, this many characters count as a word."""
_MAX_COUNTED_CHARACTERS, _COUNTED_TEXTS = 1_000, 4_000
"""Characters of the longest text whose number of words is cached, and how many such texts:
sentences and the gaps between them, which make 1 MB."""


def words_in(text: str) -> list[str]:
    """Return the words of a text as they are compared, in order.

    `fold` defines which differences are ignored. Underscores separate words, as in identifiers. The
    parts of a name in code, such as "maxRetryCount", follow it. In Chinese, Japanese and Korean,
    each pair of neighbouring characters is a word, and so is each ideograph (after the pairs). In
    Thai and similar alphabets, each three characters are a word.
    """
    return spaced_words(text).split()


def spaced_words(text: str) -> str:
    """Return the words of a text, see `words_in`, with one or more spaces before and after each."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _SEPARATE_SIGNS.sub(r" \g<0>", text))
    text = _INSIDE_NAME.sub(_with_parts, text)
    if _has_only_punctuation(text) or _has_only_punctuation(text := fold(text)):
        # The same result as below for ASCII, several times as fast.
        return f" {text.encode('ascii', 'replace').translate(_ASCII_WORDS).decode('ascii')} "
    words: list[str] = []
    for match in _TERM.finditer(_LINE_END_INSIDE.sub("", text)):
        in_threes, in_pairs = match.groups()
        size = 3 if in_threes else 2 if in_pairs else len(match[0])
        words += _ngrams(match[0], size)
        if in_pairs and len(in_pairs) > 1:
            words += IDEOGRAPH.findall(in_pairs)
    return f" {' '.join(words)} "


def _with_parts(inside: re.Match[str]) -> str:
    """Return the rest of a name, followed by the parts of the whole name if it is code."""
    text, start = inside.string, inside.start()
    while start and text[start - 1].isalnum():
        start -= 1
    end = inside.end()
    code = _CODE_BEFORE.search(text[max(0, start - 12) : start]) or _CODE_AFTER.match(text, end)
    product = not code and end - start < len(text) and _TWO_PARTS.fullmatch(text, start, end)
    if product or end - start > _MAX_NAME_CHARACTERS:
        return inside[0]
    parts = (part for pattern in _PARTS for part in pattern.findall(text, start, end))
    return " ".join((inside[0], *(part for part in parts if len(part) < end - start)))


def terms(text: str) -> list[str]:
    """Return the terms by which a text is found: its words, and trigrams of words not in Latin.

    Trigrams find forms and compounds of a word, whether these differ at its end or at its
    beginning. English gains nothing from them.
    """
    words = words_in(text)
    if text.isascii():
        return words
    divided = [word for word in words if len(word) > 3 and not _LATIN.fullmatch(word)]
    return words + [trigram for word in divided for trigram in _ngrams(word, 3)]


def _has_only_punctuation(text: str) -> bool:
    """Return whether all characters beyond ASCII are punctuation or symbols."""
    return text.isascii() or all(map(_is_punctuation, {*_BEYOND_ASCII.findall(text)}))


@lru_cache(maxsize=1 << 10)  # the punctuation of a language, and its letters
def _is_punctuation(character: str) -> bool:
    return not _WORD_CHARACTER.match(character) and fold(character) == character


def _ngrams(word: str, size: int) -> list[str]:
    """Return the parts of a word with `size` characters each, or the word if it is shorter."""
    return [word[n : n + size] for n in range(max(1, len(word) - size + 1))]


def fold(text: str) -> str:
    """Return a text in the form in which words are compared.

    Case, accents, forms of the same letter, digits of other alphabets and invisible characters are
    ignored; docs/passages.md lists which forms are equal.
    """
    if text.isascii():
        return text.lower()
    bare = _MARKS.sub("", _INSIDE.sub("", unicodedata.normalize("NFKD", text)))
    folded = unicodedata.normalize("NFKC", bare).casefold()
    if folded.isascii():
        return folded
    folded = _EQUAL_FORMS.sub(lambda match: _LETTERS.get(match[0]) or str(int(match[0])), folded)
    folded = _THAI.sub(
        lambda m: chr(ord(m[1]) + 1) if m[1] else "".join(sorted(m[0], key=combining)), folded
    )
    return _NASALS.sub("\u0902", folded)


def count_words(text: str) -> int:
    """Return the number of words of a text as budgets count them; of captions, spoken words."""
    return count_written(spoken_text(text))


def count_written(text: str) -> int:
    """Return the number of words, as budgets count them, of a text that is not captions."""
    return max(_count(text), len(text) // _MAX_CHARACTERS_PER_WORD)


def _count(text: str) -> int:
    """Return the number of words of a text, which may begin and end inside words."""
    return (_count_once if len(text) <= _MAX_COUNTED_CHARACTERS else _count_once.__wrapped__)(text)


@lru_cache(maxsize=_COUNTED_TEXTS)
def _count_once(text: str) -> int:
    text = text.replace(_BAR, " ")
    spaceless = not text.isascii() and _MAYBE_SYLLABIC.search(text)
    return len(_WORD.findall(text) if spaceless else text.split())


def floor_by_length(words: int, characters: int) -> int:
    """Return a number of words, or a higher number if the words are too long on average."""
    return max(words, characters // _MAX_CHARACTERS_PER_WORD)


def count_starts(text: str, start: int, end: int) -> int:
    """Return the number of words that begin in a range of a text."""
    return _count(text[start:end]) - is_inside_word(text, start) if start < end else 0


def is_inside_word(text: str, place: int) -> bool:
    """Return whether a cut at a place divides a word."""
    blank = not place or text[place - 1] in " \n"
    return not blank and _INSIDE_WORD.match(text, place) is not None
