"""Formats the numbers of a sheet by its number formats (ECMA-376, part 1, 18.8.31)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne

# Numbers of formats whose codes are not in the file.
_NUMBERS = (*range(1, 5), *range(9, 23), *range(37, 41), *range(45, 50))
_CODES = """0|0.00|#,##0|#,##0.00|0%|0.00%|0.00E+00|# ?/?|# ??/??|yyyy-mm-dd|d-mmm-yy|d-mmm|mmm-yy
|h:mm AM/PM|h:mm:ss AM/PM|h:mm|h:mm:ss|yyyy-mm-dd h:mm|#,##0;(#,##0)|#,##0;(#,##0)
|#,##0.00;(#,##0.00)|#,##0.00;(#,##0.00)|mm:ss|[h]:mm:ss|mm:ss.0|##0.0E+0|@"""
BUILT_IN = dict(zip(_NUMBERS, _CODES.replace("\n", "").split("|"), strict=True))
BUILT_IN |= dict.fromkeys((*range(27, 37), *range(50, 59)), "yyyy-mm-dd")  # dates in East Asia
BUILT_IN |= {32: "h:mm", 33: "h:mm:ss"}
_TOKEN = re.compile(
    r"""(?P<text>"[^"]*"?|\\.|\[\$[^\]]*\])|(?P<pad>[_*].)|(?P<elapsed>\[(?:h+|m+|s+)\])
    |(?P<condition>\[[<>=][^\]]*\])|\[[^\]]*\]|(?P<noon>am/pm|a/p)
    |(?P<power>e[+-])|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|e+)|(?P<general>general)|g+(?=e)
    |(?P<digit>[0#?])|(?P<other>.)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_CONDITION = re.compile(r"\[(<=|>=|<>|=|<|>)\s*(-?[\d.]+)\]")
_COMPARISONS = {"<": lt, ">": gt, "=": eq, "<=": le, ">=": ge, "<>": ne}
# The form of a part of a date for `strftime`, by the whole token or else by its first letter.
_PARTS_OF_DATES = {"y": "%y", "yyy": "%Y", "yyyy": "%Y", "e": "%Y", "h": "%H", "s": "%S", "m": "%m"}
_PARTS_OF_DATES |= {"mmm": "%b", "mmmm": "%B", "mmmmm": "%b", "d": "%d", "ddd": "%a", "dddd": "%A"}
_FRACTION = re.compile(
    r"(?P<whole>[0#?][0#?\0 ]*[\0 ])?[0#?]+[ \0]*/[ \0]*(?P<denominator>[0#?\d]+)"
)
_Tokens = tuple[tuple[str, str], ...]
_MAX_DIGITS = 27  # Decimal keeps 28 digits by default


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


@lru_cache(10_000)
def show_number(value: float, code: str, *, from_1904: bool = False) -> str:
    """Return a number in a format such as `#,##0.00;(#,##0.00)`, with English names.

    Dates are days since the end of 1899, or since 1904.
    """
    sections = _sections(code)
    tokens, value = _choose(sections, value or 0.0)  # `or` turns -0.0 into 0.0
    kinds = {kind for kind, _ in tokens}
    if "general" in kinds or not (tokens or sections[1:]):
        general = _show_general(value)
        return "".join(general if kind == "general" else text for kind, text in tokens) or general
    if kinds & {"date", "elapsed"}:
        return _show_date(value + 1462 * (from_1904 and "elapsed" not in kinds), tokens).strip()
    return _show_digits(value, tokens).strip()


def _choose(sections: tuple[_Tokens, ...], value: float) -> tuple[_Tokens, float]:
    """Return the section for a number, and the number, without its sign if the section has it."""
    for tokens in sections:
        for kind, text in tokens:
            match = _CONDITION.fullmatch(text) if kind == "condition" else None
            if match and _COMPARISONS[match[1]](value, float(match[2])):
                return tokens, value if tokens is sections[0] else abs(value)
    if any(kind == "condition" for kind, _ in sections[0]):
        return sections[min(len(sections), 3) - 1] if sections[1:] else (("general", ""),), value
    if value < 0 and sections[1:]:
        return sections[1], -value
    return sections[2 if value == 0 and sections[2:] else 0], value


def _show_general(value: float) -> str:
    """Return a number with up to ten digits."""
    if value and not 1e-4 <= abs(value) < 1e11:
        return re.sub(r"\.?0+E", "E", f"{value:.5E}")
    return format(Decimal(f"{value:.10g}" if abs(value) < 1e10 else f"{value:.0f}"), "f")


def _show_date(value: float, tokens: _Tokens) -> str:
    if not 0 <= value < 2958466:  # the days up to the end of the year 9999
        return _show_general(value)
    names = [text.lower().strip("[]") * (kind in ("date", "elapsed")) for kind, text in tokens]
    places = max((len(name.partition(".")[2]) for name in names if name[:1] == "s"), default=3)
    seconds = round(Decimal(repr(value)) * 86400, places)
    # Day 60 is 29 February 1900, which did not exist.
    day = datetime(1899, 12, 31) if seconds < 60 * 86400 else datetime(1899, 12, 30)
    moment = day + timedelta(seconds=int(seconds))
    noon = any(kind == "noon" for kind, _ in tokens)
    shown, before = "", ""
    for number, ((kind, text), name) in enumerate(zip(tokens, names, strict=True)):
        if kind == "elapsed":
            size = {"h": 3600, "m": 60, "s": 1}[name[0]]
            text = f"{int(seconds // size):0{len(name)}}"
        elif kind == "noon":
            text = f"{moment:%p}"[: 2 if len(text) > 3 else 1]
        elif kind == "date":
            after = next(filter(None, names[number + 1 :]), "")
            is_minute = name[0] == "m" and (before == "h" or after[:1] == "s")
            letters = name.split(".")[0]
            part = _PARTS_OF_DATES.get(letters, _PARTS_OF_DATES[letters[0]])
            part = "%M" if is_minute else "%I" if noon and part == "%H" else part
            text = f"{moment:{part}}"[: 1 if letters == "mmmmm" else None]
            text = f"{int(text)}" if len(letters) == 1 else text
            if "." in name:
                text += f"{seconds % 1:.{places}f}"[1:]
        before = name[:1] or before
        shown += text
    return shown


def _show_digits(value: float, tokens: _Tokens) -> str:
    """Return a number in a format of digits: with percents, thousands, powers or fractions."""
    texts = [text if kind in ("digit", "other") else "" for kind, text in tokens]
    digits = [n for n, (kind, _) in enumerate(tokens) if kind == "digit"]
    if not digits:
        parts = [text for kind, text in tokens if kind != "condition"]
        return "".join(_show_general(value) if text == "@" else text for text in parts)
    if match := _FRACTION.search("".join(text or "\0" for text in texts)):
        shown = _show_fraction(value, match["denominator"], bool(match["whole"]))
        ends = tokens[: match.start()], tokens[match.end() :]
        before, after = ("".join(text for kind, text in end if kind == "text") for end in ends)
        return f"{before}{shown}{after}"
    power = next((n for n, (kind, _) in enumerate(tokens) if kind == "power"), len(tokens))
    first, last = digits[0], max(n for n in digits if n < power)
    point = texts.index(".") if "." in texts[:power] else last + 1
    whole = [n for n in digits if n < min(point, power)]
    decimals = [n for n in digits if point < n < power]
    behind = "".join(text or "x" for text in texts[last + 1 :])
    scale = len(behind) - len(behind.lstrip(","))
    number = Decimal(f"{value:.15g}").scaleb(2 * texts.count("%") - 3 * scale)
    exponent = 0
    if power < len(tokens) and number:
        exponent = number.adjusted()
        exponent += round(abs(number.scaleb(-exponent)), len(decimals)) >= 10
        number = number.scaleb(-exponent)
    if number.adjusted() + len(decimals) < _MAX_DIGITS:
        number = number.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    integer, _, fraction = f"{abs(number):f}".partition(".")
    zeros = next((len(whole) - n for n, place in enumerate(whole) if texts[place] == "0"), 0)
    comma = "," if "," in texts[first : (whole or [0])[-1]] else ""
    width = zeros + (zeros - 1) // 3 * len(comma)
    figures = re.findall(r"\d,?", f"{int(integer):0{max(1, width)}{comma}}")
    figures = figures if zeros or integer != "0" else []
    extra = max(0, len(figures) - len(whole))
    filled = dict(zip(reversed(whole), reversed(figures[extra:]), strict=False))
    if whole:
        filled[first] = "".join(figures[:extra]) + filled.get(first, "")
    needed = max((n + 1 for n, place in enumerate(decimals) if texts[place] == "0"), default=0)
    filled |= zip(decimals, fraction[: max(needed, len(fraction.rstrip("0")))], strict=False)
    shown = "-" * (number < 0)
    for place, (kind, text) in enumerate(tokens):
        if kind == "power":
            sign = "-" if exponent < 0 else text[1:].strip("-")
            shown += f"E{sign}{abs(exponent):0{sum(n > place for n in digits)}}"
        elif kind == "digit":
            shown += filled.get(place, "")
        elif kind != "condition" and not (
            text == "," and kind == "other" and first < place <= last + scale
        ):
            shown += text
    shown = shown if tokens[-1][0] == "text" else shown.removesuffix(".")  # no decimals follow
    return re.sub(r"^(-) +", r"\1", shown)


def _show_fraction(value: float, form: str, has_whole: bool) -> str:
    """Return a number as a fraction; `form` is its denominator, or placeholders for it."""
    size = abs(value)
    nearest = Fraction(size).limit_denominator(10 ** len(form) - 1).denominator
    denominator = int(form.strip("#?") or 0) or nearest
    numerator = round(size * denominator)
    whole = numerator // denominator * has_whole
    numerator -= whole * denominator
    parts = [f"{whole}" * bool(whole), f"{numerator}/{denominator}" * bool(numerator)]
    return "-" * (value < 0 < whole + numerator) + (" ".join(filter(None, parts)) or "0")
