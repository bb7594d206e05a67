"""Lines of code and of markup: fenced, or recognised by how they and their neighbours look."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from lumber_core.text.plain.lines import WIDEST_PROSE, Flags, PlainLines, around

# Each pair opens and closes code: of Markdown, AsciiDoc (below "[source]"; tables) and Org.
_FENCE = re.compile(r"(`{3,}|~{3,}|\|={3,}|-{4,}$|#\+(?i:begin))[^`]*$")
_CODE = re.compile(
    r"""[{};,(\[]$ | ^[\])}] | \)\s*(?:->.*)?:$ | ^(?:@\w|\#include|//|/\*|\*/?\s|</?\w)
    | ^(?:def|class|async|import|from\s\S+\simport|return|elif|else:|try:|except|finally:|with\s.*:$
      |function|const|let|var|public|private|protected|static|struct|fn|pub|package|using)\b
    | ^"[^"]*"\s*:\s | \w\([^()]*\)[;:]?$ | [\w\])]\s(?:=|\+=|==|:=|=>)\s | ^self\. | ^[\w.]+\s?=\s
    """,
    re.VERBOSE,
)
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


def find_fences(bodies: list[str]) -> Fences:
    """Return for each line which part of fenced code it is; an open fence at the end is none."""
    result = np.zeros(len(bodies), dtype=np.int8)
    opened, mark = -1, ""
    for number, body in enumerate(bodies):
        fence = _FENCE.match(body) if body[0] in "`~|-#" else None
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
    looks = np.fromiter((b[0] != "\\" and bool(_CODE.search(b)) for b in lines.bodies), np.bool_)
    prose = lines.lengths > WIDEST_PROSE
    fenced = fences > 0
    looks &= ~prose | np.fromiter((b[-1] in "{};[](,>" for b in lines.bodies), np.bool_)
    looks &= ~fenced  # what surrounds a fence may be prose
    share = around(looks)
    near = around(np.ones(len(looks)), total=True)
    keyed = np.fromiter((bool(_YAML.match(b)) for b in lines.bodies), np.bool_)
    nested = np.array(lines.indents) > 0
    outline = (around(keyed & ~prose) >= 0.85) & (around(nested) >= 0.3) & (near >= 5)
    outline &= around(np.fromiter((b[-1] == ":" for b in lines.bodies), np.bool_)) >= 0.15
    return (share >= 0.45) & (near >= 3) & (looks | ~prose) | fenced | outline


def stays_in_code(lines: PlainLines, fences: Fences, number: int) -> bool:
    """Return whether a line of code belongs to the line before, as the body of a block does."""
    body, before = lines.bodies[number], lines.bodies[number - 1]
    if fences[number] == 3 or fences[number - 1] == 1:
        return True
    if lines.indents[number] > lines.indents[number - 1] or _CLOSES.match(body):
        return True
    return not lines.blank[number] and _LEADS.match(before) is not None


def continues_statement(lines: PlainLines, number: int) -> bool:
    """Return whether a line of code continues a statement of SQL."""
    before = lines.bodies[number - 1] if number else ";"
    return not before.endswith(";") and _CLAUSE.match(lines.bodies[number]) is not None
