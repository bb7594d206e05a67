"""Shows the fields of Word that have no stored result: equations, buttons and drop-down lists."""

from __future__ import annotations

import re
from typing import Any

from lumber_files.formats.package import find, qualify

# A function of an equation without another one in it: its name, options and arguments.
_FUNCTION = re.compile(r"\\(\w)((?:\s*\\(?:[bcrl]c\\.|\w\w\s*\d*))*)\s*\(((?:[^()\\]|\\\W)*)\)")
_LONGEST = 5_000  # characters of an equation; of longer ones the functions are shown as written
_FORMATTING = re.compile(r'\\\*\s*(?:"[^"]*"|\S+)')
_BRACKETS = str.maketrans("\ue0f3\ue0f4", "()")  # of a result, not of a function around it


def show_fields(root: Any) -> None:
    """Write what fields without a stored result show after them."""
    entry = "string(w:ffData/w:ddList/w:listEntry[1 + sum(../w:result/@w:val)]/@w:val)"
    fields: list[list[str]] = []  # of each that is open: the chosen entry, instruction and result
    for part in root.iter(*map(qualify, ("w:fldChar", "w:instrText", "w:t"))):
        kind = part.get(qualify("w:fldCharType"))
        if kind == "begin":
            fields.append([find(part, entry), ""])
        elif fields and kind == "end":
            chosen, instruction, *result = fields.pop()
            if not "".join(result) and (text := chosen or _show_field(instruction.strip())):
                part.addnext(shown := root.makeelement(qualify("w:t")))
                shown.text = text
        elif fields:  # at the separator, the result begins
            fields[-1] += [""] * (kind == "separate")
            fields[-1][-1] += part.text or ""


def _show_field(instruction: str) -> str:
    """Return the text of a field by its instruction, "" if it is of another kind."""
    name, _, rest = _FORMATTING.sub("", instruction).partition(" ")
    if name.upper() in ("MACROBUTTON", "GOTOBUTTON"):
        return rest.strip().partition(" ")[2].strip()
    shown, before = rest if name.upper() == "EQ" else "", ""
    while shown != before and len(shown) < _LONGEST:
        before, shown = shown, _FUNCTION.sub(_show_function, shown)
    return re.sub(r"\\(.)", r"\1", shown).translate(_BRACKETS).strip()


def _show_function(function: re.Match[str]) -> str:
    """Return the text of a function of an equation."""
    kind, options = function[1].lower(), function[2].lower()
    parts = [part.strip() for part in re.split(r"(?<!\\)[,;]", function[3])]
    inside = [part if part.isalnum() else f"\ue0f3{part}\ue0f4" for part in parts]
    if kind == "o":  # one over the other: a reading above a word, or a character in a circle
        readings = "".join(part[1:] for part in parts if part[:1] == "^")
        word = "".join(part for part in parts if part[:1] != "^" and part not in "○□△◇")
        return f"{word}\ue0f3{readings}\ue0f4" if readings else word
    if kind == "i":
        sign = "∑" if "su" in options else "∏" if "pr" in options else "∫"
        return f"{sign}_{inside[0]}^{' '.join(inside[1:])}"
    start = {"r": f"{''.join(parts[:-1])}√", "s": "_" if "do" in options else "^"}.get(kind, "")
    between = {"f": "/".join(inside), "r": inside[-1], "b": f"\ue0f3{', '.join(parts)}\ue0f4"}
    return start + between.get(kind, ", ".join(filter(None, parts)))
