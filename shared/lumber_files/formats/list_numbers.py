"""Writes numbers of lists and headings in formats of HTML, Word and OpenDocument: 3 as "iii"."""

# ruff: noqa: E501, RUF001 - the tables have characters that look like others

from __future__ import annotations

import re

_ROMAN = {"m": 1000, "cm": 900, "d": 500, "cd": 400, "c": 100, "xc": 90, "l": 50, "xl": 40, "x": 10}
_ROMAN |= {"ix": 9, "v": 5, "iv": 4, "i": 1}
# The formats of ECMA-376, part 1, 17.18.59, and CSS Counter Styles 3. Names, and the labels from 1 on; or names, the ten
# digits, the numerals for 10, 100 and 1000, and what is omitted, as in 百一 for 一百零一: digits 1 before numerals, zeros.
_TABLES = """chineseCounting chineseCountingThousand taiwaneseCounting taiwaneseCountingThousand
|零一二三四五六七八九|十百千|十
japaneseCounting cjk-ideographic japanese-informal|零一二三四五六七八九|十百千|十百千零
koreanCounting|영일이삼사오육칠팔구|십백천|십백천영
chineseLegalSimplified|零壹贰叁肆伍陆柒捌玖|拾佰仟|
ideographLegalTraditional|零壹貳參肆伍陸柒捌玖|拾佰仟|
japaneseLegal|零壱弐参四伍六七八九|拾百阡|零
ideographDigital cjk-decimal taiwaneseDigital japaneseDigitalTenThousand|〇一二三四五六七八九||
koreanDigital|영일이삼사오육칠팔구||
ideographTraditional cjk-heavenly-stem|甲乙丙丁戊己庚辛壬癸
ideographZodiac cjk-earthly-branch|子丑寅卯辰巳午未申酉戌亥
decimalEnclosedCircle decimalEnclosedCircleChinese|①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳
decimalEnclosedParen|⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇
aiueo aiueoFullWidth katakana|アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン
iroha irohaFullWidth katakana-iroha|イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス
ganada|가나다라마바사아자차카타파하
russianLower russianUpper|абвгдежзиклмнопрстуфхцчшщэюя
lowerLetter upperLetter|abcdefghijklmnopqrstuvwxyz
α lower-greek|αβγδεζηθικλμνξοπρστυφχψω
hebrew2|אבגדהוזחטיכלמנסעפצקרשת
arabicAlpha|أبتثجحخدذرزسشصضطظعغفقكلمنهوي
chicago|*†‡§
cardinalText|One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen
ordinalText|First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth Thirteenth Fourteenth
ordinal decimalZero decimal-leading-zero 001 0001 00001"""
_LATIN = {"lower-alpha": "a", "lower-latin": "a", "lower-roman": "i"}
_LATIN |= {name.replace("lower", "upper"): form.upper() for name, form in _LATIN.items()}
_FORMATS = {
    name: table
    for names, *table in (line.split("|") for line in _TABLES.replace("\n|", "|").split("\n"))
    for name in names.split()
}
LIST_FORMS = frozenset(["a", "A", "i", "I", "none", *_LATIN, *filter(str.islower, _FORMATS)])
"""The formats of lists in HTML and CSS, except digits."""
# A private-use character for each format, before a number in digits, and a character after it.
_MARKS, _END = {name: chr(0xE100 + n) for n, name in enumerate(_FORMATS)}, "\ue0f2"
_MARKED = re.compile(f"([{min(_MARKS.values())}-{max(_MARKS.values())}])(\\d+){_END}")


def mark_ordinal(number: str, name: str) -> str:
    """Return a number between the marks of a format; without a format, the number alone."""
    mark = _MARKS.get(name.split(", ")[0])  # as in "001, 002, 003, ..."
    return f"{mark}{number}{_END}" if mark else number


def show_marked_ordinals(text: str) -> str:
    """Return a text with its marked numbers in their formats."""
    names = {mark: name for name, mark in _MARKS.items()}
    return _MARKED.sub(lambda match: label_item(int(match[2]), names[match[1]]), text)


def label_item(number: int, form: str) -> str:
    """Return the label of item `number`. `form`: a name of Word or CSS, or a, A, i, I; others give digits, "" gives ""."""
    form = _LATIN.get(form, form)
    labels, *tens = _FORMATS.get(form) or [""]
    digits, label, rest = f"{number}", "", max(0, number)
    if form.endswith("Text"):
        return "".join(labels.split()[max(0, number - 1) : number]) or digits
    if form in ("i", "I"):
        for numeral, value in _ROMAN.items():
            label, rest = label + numeral * (rest // value), rest % value
    while form in ("a", "A") and rest:
        rest, letter = divmod(rest - 1, 26)
        label = chr(ord("a") + letter) + label
    if tens and not (tens[0] and len(digits) < 5):
        return "".join(labels[int(digit)] for digit in digits)
    if tens:
        numerals, omitted = tens
        for digit, numeral in zip(digits, f"{numerals[::-1]} "[-len(digits) :], strict=True):
            is_one = digit == "1" and numeral in omitted and (not label or labels[0] in omitted)
            label += labels[int(digit)] * (not is_one) + numeral * (digit != "0")
        zero = labels[0] * (labels[0] not in omitted)
        return re.sub(f"{labels[0]}+", zero, label.rstrip(f"{labels[0]} "))
    if form == "ordinal":
        return digits + {"1": "st", "2": "nd", "3": "rd"}.get(
            digits[-1] * (number // 10 % 10 != 1), "th"
        )
    repeats = form.endswith(("Letter", "Lower", "Upper", "chicago"))  # aa, bb after z, not aa, ab
    if repeats and number > 0:
        label = labels[(number - 1) % len(labels)] * (1 + (number - 1) // len(labels))
    width = {"decimalZero": 2, "decimal-leading-zero": 2}.get(form, len(form) * form.isdigit())
    label = label or labels[number - 1 : number] or digits.zfill(width) * bool(form)
    return label.upper() if form.isupper() or "upper" in form.lower() else label
