"""Lines of a plain text that are code or markup."""

from __future__ import annotations

import re
from string import ascii_uppercase

import numpy as np
import numpy.typing as npt

from lumber_core.text.plain_lines import WIDEST_PROSE, Flags, PlainLines, after, around

_FENCE = re.compile(r"(`{3,}|~{3,}|\|={3,}|-{4,}$|#\+(?i:begin))[^`]*$")
# What a line of code ends with, begins with or has in it. A pattern for an end is searched for only
# in lines with that last character: a search at every character takes longer than all other rules.
_CODE_ENDS = "{};,(["
_CODE_FIRSTS = '])}@#/*<"cdaifretwlvpsu'  # those of the pattern below, where no "=" follows
_CODE_STARTS = re.compile(
    r"""[\])}] | @\w | \#include | // | /\* | \*/?\s | </?\w
    | (?:def|class|async|import|from\s\S+\simport|return|elif|else:|try:|except|finally:|with\s.*:$
      |function|const|let|var|public|private|protected|static|struct|fn|pub|package|using)\b
    | "[^"]*"\s*:\s | self\. | [\w.]+\s?=\s
    """,
    re.VERBOSE,
)
_BLOCK = re.compile(r"\)\s*(?:->.*)?:$")
_CALL = re.compile(r"\w\([^()]*\):?$")
_ASSIGNMENT = re.compile(r"[\w\])]\s(?:=|\+=|==|:=|=>)\s")
_CODE_OR_PROSE_ENDS = "{};[](,>"  # of long lines, which are prose with any other end
_YAML = re.compile(r"(?:-\s+)?[\"']?[\w./-]+[\"']?:(?:\s|$)|-\s|#")
_CLOSES = re.compile(r"[\])}]|</|(?:else|elif|except|finally|end|catch)\b")
_LEADS = re.compile(r"@\w|#|//|--|;|/?\*|\[+[\w.:,%= \"'-]+\]+$")  # decorators, comments, sections
# A clause of a statement in SQL.
_CLAUSE = re.compile(
    r"(?:FROM|WHERE|GROUP\s+BY|HAVING|ORDER\s+BY|LIMIT|OFFSET|(?:[A-Z]+\s+){0,2}JOIN|ON|AND|OR|SET"
    r"|UNION|VALUES|RETURNING|SELECT)\b"
)

Fences = npt.NDArray[np.int8]
"""Parts of fenced code: 1 for the opening fence, 2 for lines inside, 3 for the closing fence; 0
elsewhere."""


def find_fences(lines: PlainLines) -> Fences:
    """Return for each line which part of fenced code it is; an open fence at the end is none."""
    bodies = lines.bodies
    result = np.zeros(len(bodies), dtype=np.int8)
    opened, mark = -1, ""
    for number in np.flatnonzero(lines.firsts.among("`~|-#")).tolist():
        body = bodies[number]
        fence = _FENCE.match(body)
        if opened < 0:
            dashes = body[0] == "-" and (number == 0 or bodies[number - 1][0] != "[")
            if fence is not None and not dashes:
                opened, mark = number, fence[1]
        elif (mark[0] == "#" and body[:5].casefold() == "#+end") or (
            body.startswith(mark) and not body.strip("".join({*mark}))
        ):
            result[opened] = 1
            result[opened + 1 : number] = 2
            result[number] = 3
            opened = -1
    return result


def code_lines(lines: PlainLines, fences: Fences) -> Flags:
    """Return for each line whether it is code or markup.

    It is if it is fenced, or if most lines around it look like code.
    """
    prose = lines.lengths > WIDEST_PROSE
    fenced = fences > 0
    ends = lines.lasts.among(_CODE_ENDS)
    may = ends | lines.firsts.among(_CODE_FIRSTS) | lines.lasts.among("):")
    equated = lines.having("=")
    may |= equated
    may &= ~prose | lines.lasts.among(_CODE_OR_PROSE_ENDS)
    may &= ~fenced & ~lines.firsts.among("\\")  # what surrounds a fence may be prose; no LaTeX
    looks = (may & ends) | lines.flagged(lines.matching(_CODE_STARTS, may & ~ends))
    for number in np.flatnonzero(may & ~looks & (equated | lines.lasts.among("):"))).tolist():
        looks[number] = _goes_on_like_code(lines.bodies[number])
    share = around(looks)
    near = around(np.ones(len(looks)), total=True)
    code: Flags = (share >= 0.45) & (near >= 3) & (looks | ~prose) | fenced
    nested = around(lines.indents > 0) >= 0.3
    if not nested.any():
        return code
    keyed = lines.matching(_YAML, (lines.colons | lines.firsts.among("-#")) & ~prose)
    outline = (around(lines.flagged(keyed)) >= 0.85) & nested & (near >= 5)
    outline &= around(lines.lasts.among(":")) >= 0.15
    return code | outline


def _goes_on_like_code(body: str) -> bool:
    """Return whether a line that neither starts nor ends as code does looks like code by itself."""
    last = body[-1]
    if last == ":" and _BLOCK.search(body):
        return True
    if last in "):" and _CALL.search(body):
        return True
    return "=" in body and _ASSIGNMENT.search(body) is not None


def stays_in_code(lines: PlainLines, fences: Fences) -> Flags:
    """Return for each line whether, in code, it belongs to the line before, as a block's body."""
    result: Flags = (fences == 3) | after(fences == 1)
    result[1:] |= lines.indents[1:] > lines.indents[:-1]
    result[lines.matching(_CLOSES, lines.firsts.among("])}<efc"))] = True
    leads = lines.flagged(lines.matching(_LEADS, lines.firsts.among("@#/-;*[")))
    result |= after(leads) & ~lines.blank
    return result


def continued_statements(lines: PlainLines) -> Flags:
    """Return for each line whether, in code, it continues a statement of SQL."""
    clauses = lines.flagged(lines.matching(_CLAUSE, lines.firsts.among(ascii_uppercase)))
    clauses[:1] = False
    return clauses & ~after(lines.lasts.among(";"))
