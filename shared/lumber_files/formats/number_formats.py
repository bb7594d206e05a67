"""Shows numbers of a sheet as its number formats do (ECMA-376, part 1, 18.8.31)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache

# Formats that files name by number only.
_NUMBERS = (*range(1, 5), *range(9, 23), *range(37, 41), *range(45, 50))
_CODES = """0|0.00|#,##0|#,##0.00|0%|0.00%|0.00E+00|# ?/?|# ??/??|yyyy-mm-dd|d-mmm-yy|d-mmm|mmm-yy
|h:mm AM/PM|h:mm:ss AM/PM|h:mm|h:mm:ss|yyyy-mm-dd h:mm|#,##0;(#,##0)|#,##0;(#,##0)
|#,##0.00;(#,##0.00)|#,##0.00;(#,##0.00)|mm:ss|[h]:mm:ss|mm:ss.0|##0.0E+0|@"""
BUILT_IN = dict(zip(_NUMBERS, _CODES.replace("\n", "").split("|"), strict=True))
_TOKEN = re.compile(
    r"""(?P<text>"[^"]*"?|\\.|\[\$[^\]]*\])|(?P<pad>[_*].)|(?P<elapsed>\[(?:h+|m+|s+)\])
    |(?P<condition>\[[<>=][^\]]*\])|\[[^\]]*\]|(?P<noon>am/pm|a/p)
    |(?P<date>y+|m+|d+|h+|s+(?:\.0+)?)|(?P<power>e[+-])|(?P<general>general)
    |(?P<digit>[0#?])|(?P<other>.)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_Tokens = tuple[tuple[str, str], ...]
_DIGITS = 27  # that Decimal keeps by default, less one


@lru_cache(512)
def _sections(code: str) -> tuple[_Tokens, ...]:
    """Return the sections of a format, each the kinds and texts of its tokens."""
    sections: list[list[tuple[str, str]]] = [[]]
    for match in _TOKEN.finditer(code):
        kind, text = match.lastgroup or "", match[0]
        if kind == "text":
            text = text[2:].split("-")[0].rstrip("]") if text[0] == "[" else text.strip('"\\')
        if (kind, text) == ("other", ";"):
            sections.append([])
        elif kind:
            sections[-1].append((kind, " " if kind == "pad" else text))
    return tuple(map(tuple, sections))


def show_number(value: float, code: str, *, from_1904: bool = False) -> str:
    """Return a number as a format shows it.

    Args:
        value: The number, or a date as days since the end of 1899.
        code: The format, such as `#,##0.00;(#,##0.00)`. Months and days have English names.
        from_1904: Whether dates count from 1904.
    """
    sections = _sections(code)
    tokens, value = _choose(sections, value)
    kinds = {kind for kind, _ in tokens}
    if "general" in kinds or not (tokens or sections[1:]):
        shown = _show_general(value)
        return "".join(shown if kind == "general" else text for kind, text in tokens) or shown
    if kinds & {"date", "elapsed"}:
        return _show_date(value + 1462 * from_1904, tokens).strip()
    return _show_digits(value, tokens).strip()


def _choose(sections: tuple[_Tokens, ...], value: float) -> tuple[_Tokens, float]:
    """Return the section for a number, and the number without a sign that the section shows."""
    for tokens in sections:
        for kind, text in tokens:
            match = re.fullmatch(r"\[(<=|>=|<>|=|<|>)\s*(-?[\d.]+)\]", text)
            if kind == "condition" and match:
                limit, sign = float(match[2]), match[1]
                below, above = "<" in sign and value < limit, ">" in sign and value > limit
                if below or above or (sign in ("=", "<=", ">=") and value == limit):
                    return tokens, value if tokens is sections[0] else abs(value)
    if any(kind == "condition" for kind, _ in sections[0]):
        last = sections[min(len(sections), 3) - 1]
        return (last if len(sections) > 1 else (("general", ""),)), value
    if value < 0 and len(sections) > 1:
        return sections[1], -value
    if value == 0 and len(sections) > 2:
        return sections[2], value
    return sections[0], value


def _show_general(value: float) -> str:
    """Return a number with up to ten digits."""
    if value and not 1e-4 <= abs(value) < 1e11:
        return re.sub(r"\.?0+E", "E", f"{value:.5E}")
    return format(Decimal(f"{value:.10g}" if abs(value) < 1e10 else f"{value:.0f}"), "f")


def _show_date(value: float, tokens: _Tokens) -> str:
    if value < 0 and any(kind == "elapsed" for kind, _ in tokens):
        return f"-{_show_date(-value, tokens)}"
    if not 0 <= value < 2958466:  # to the end of 9999
        return _show_general(value)
    shown_seconds = [text for _, text in tokens if text.lower().strip("[").startswith("s")]
    places = max((len(text.partition(".")[2]) for text in shown_seconds), default=3)
    seconds = round(Decimal(repr(value)) * 86400, places)
    # Day 60 is a 29 February 1900 that there was not.
    day = datetime(1899, 12, 31) if seconds < 60 * 86400 else datetime(1899, 12, 30)
    moment = day + timedelta(seconds=int(seconds))
    noon = any(kind == "noon" for kind, _ in tokens)
    shown, before = "", ""
    for number, (kind, text) in enumerate(tokens):
        name = text.lower().strip("[]")
        if kind == "elapsed":
            size = {"h": 3600, "m": 60, "s": 1}[name[0]]
            text, before = f"{int(seconds // size):0{len(name)}}", name[0]
        elif kind == "noon":
            text = f"{moment:%p}" if len(text) > 3 else f"{moment:%p}"[0]
        elif kind == "date":
            after = next((t[0].lower() for k, t in tokens[number + 1 :] if k == "date"), "")
            text = _show_part(
                name, moment, noon, name[0] == "m" and (before == "h" or after == "s")
            )
            if "." in name:
                text += f"{seconds % 1:.{places}f}"[1:]
            before = name[0]
        shown += text
    return shown


def _show_part(name: str, moment: datetime, noon: bool, is_minute: bool) -> str:
    """Return a part of a date, such as "mmm"."""
    size = len(name.split(".")[0])
    if name[0] in "md" and size > 2 and not is_minute:
        kind = {"m": "b" if size == 3 else "B", "d": "a" if size == 3 else "A"}[name[0]]
        return moment.strftime(f"%{kind}")[: 1 if size == 5 else None]
    hour = moment.hour % 12 or 12 if noon else moment.hour
    parts = {"m": moment.month, "d": moment.day, "h": hour, "s": moment.second}
    if name[0] == "y":
        return str(moment.year) if size > 2 else f"{moment.year % 100:02}"
    return f"{moment.minute if is_minute else parts[name[0]]:0{min(size, 2)}}"


def _show_digits(value: float, tokens: _Tokens) -> str:
    """Return a number in a format of digits: with percents, thousands, powers or fractions."""
    texts = [text if kind in ("digit", "other") else "" for kind, text in tokens]
    digits = [n for n, (kind, _) in enumerate(tokens) if kind == "digit"]
    if not digits:
        return "".join(_show_general(value) if text == "@" else text for _, text in tokens)
    if "/" in texts:
        return _show_fraction(value, "".join(texts))
    power = next((n for n, (kind, _) in enumerate(tokens) if kind == "power"), len(tokens))
    first, last = digits[0], max(n for n in digits if n < power)
    point = texts.index(".") if "." in texts[:power] else last + 1
    whole = [n for n in digits if n < min(point, power)]
    decimals = [n for n in digits if point < n < power]
    thousands = "," in texts[first : (whole or [0])[-1]]
    scale = len(texts[last + 1 :]) - len("".join(t or "x" for t in texts[last + 1 :]).lstrip(","))
    number = Decimal(f"{value:.15g}").scaleb(2 * texts.count("%") - 3 * scale)
    exponent = 0
    if power < len(tokens) and number:
        step = max(1, len(whole))
        exponent = (number.adjusted() // step) * step
        if round(abs(number.scaleb(-exponent)), len(decimals)) >= 10**step:
            exponent += step
        number = number.scaleb(-exponent)
    if number.adjusted() + len(decimals) < _DIGITS:
        number = number.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    integer, _, fraction = f"{abs(number):f}".partition(".")
    zeros = next((len(whole) - n for n, place in enumerate(whole) if texts[place] == "0"), 0)
    integer = integer.lstrip("0").rjust(zeros, "0").rjust(len(whole), "\0")
    shown = "-" if number < 0 else ""
    for place, (kind, text) in enumerate(tokens):
        if place in whole:
            index = whole.index(place)
            left = len(integer) - len(whole) + index
            for n in range(0 if index == 0 else left, left + 1):
                after = len(integer) - n - 1
                comma = thousands and after and after % 3 == 0 and integer[n] != "\0"
                shown += integer[n] + "," * bool(comma)
        elif place in decimals:
            digit = fraction[len(decimals) and decimals.index(place) :]
            needed = any(texts[n] == "0" for n in decimals if n >= place)
            shown += digit[:1] if needed or digit.strip("0") else ""
        elif kind == "power":
            size = sum(n > place for n in digits)
            sign = "-" if exponent < 0 else text[1:].strip("-")
            shown += f"E{sign}{abs(exponent):0{size}}"
        elif kind not in ("digit", "condition") and not (
            text == "," and kind == "other" and first < place <= last + scale
        ):
            shown += text
    return re.sub(r"^(-) +|\.$", r"\1", shown.replace("\0", ""))


def _show_fraction(value: float, code: str) -> str:
    """Return a number as a fraction, such as 1 1/2."""
    match = re.search(r"([0#?]\s*)?(?:[0#?]+)\s*/\s*([0#?]*)(\d*)", code)
    if not match:
        return _show_general(value)
    whole = int(abs(value)) if match[1] else 0
    rest = Fraction(abs(value)) - whole
    fixed = int(match[3] or 0)
    part = (
        Fraction(round(rest * fixed), fixed)
        if fixed
        else rest.limit_denominator(10 ** len(match[2]) - 1)
    )
    sign = "-" * (value < 0)
    if part.denominator == 1:
        return f"{sign}{whole + part}"
    top, under = (part * fixed, fixed) if fixed else (part.numerator, part.denominator)
    return f"{sign}{f'{whole} ' if whole else ''}{top}/{under}"
