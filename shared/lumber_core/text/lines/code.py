"""Lines of code, and prose that looks like code: paragraphs, and the content of directives.

CommonMark reads the content of admonitions, tabs, directives and definitions as code. Openings are
`!!! note`, `=== "Tab"` and `??? more` of MkDocs, `.. note::` of reStructuredText, `: ` of
definition lists and `[^1]:` of footnotes. In MyST, fences such as ```` ```{note} ```` contain
prose. Containers such as `:::tip` and `/// note` are not indented; their marks stay with the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from lumber_core.spans import Span
from lumber_core.text.lines.columns import CLOSING, MAX_WIDTH, PART_LINES, Lines, shares

_INLINE = re.compile(r"`[^`]*`|\S{1,99}://\S+")  # code and addresses in a sentence
_PROSE_ENDS = frozenset(".!?:\u2026\u3002\uff01\uff1f")
_MIN_SHARE_OF_LETTERS = 0.85  # of the characters of prose, spaces aside
_MIN_BLANKS_OF_PROSE = 4  # blanks in a paragraph, if its script has spaces between words
_MARK = re.compile(r"`{3}|~{3}|:{3}|:[\w-]+:(?:\s|$)")  # of a directive, or one of its options
_OPENING = "\"'([*_\u2018\u201c\u00ab"


def prose_paragraphs(text: str) -> list[Span]:
    """Return the lines of each paragraph of a text that reads as prose, and not as code."""
    lines = Lines(text)
    starts = [*lines.starts, len(text)]
    return [
        Span(starts[paragraph.start], starts[paragraph.stop])
        for paragraph in paragraphs_around(range(len(lines.bodies)), lines)
        if reads_as_prose(paragraph, lines)
    ]


def paragraphs_around(numbers: Iterable[int], lines: Lines) -> Iterator[range]:
    """Yield the paragraphs around the lines with these numbers, which ascend.

    The lines of a paragraph have the same indentation, except for a hanging indent below a label.
    """
    bodies, firsts, blank = lines.bodies, lines.firsts, lines.blank
    indents, labels = lines.indents, lines.labels

    def begins(number: int) -> bool:
        before = number - 1
        if blank[number] or labels[number] or not number:
            return True
        moved = indents[number] - indents[before]
        if moved < 0 or (moved and not labels[before]):
            return True
        marked = firsts[before] in "`~:" or firsts[number] in "`~:"
        return marked and any(map(_MARK.match, bodies[before : number + 1]))

    read_to = 0
    for number in numbers:
        if number < read_to:
            continue
        first, read_to = number, number + 1
        while not begins(first):
            first -= 1
        while read_to < len(bodies) and not begins(read_to):
            read_to += 1
        yield range(first, read_to)


def reads_as_prose(paragraph: range, lines: Lines) -> bool:
    """Return whether consecutive lines read as a paragraph of sentences."""
    bodies = lines.bodies[paragraph.start : paragraph.stop]
    label = lines.labels[paragraph.start]
    if bodies[-1].rstrip(CLOSING)[-1:] not in _PROSE_ENDS:
        return False
    first = bodies[0][label:].lstrip(_OPENING)[:1]
    caseless = is_caseless(first)
    if not (first.isupper() or caseless):
        return False
    text = _INLINE.sub("x", " ".join(bodies)[label:])
    blanks = text.count(" ")
    letters = sum(map(str.isalpha, text))
    enough = letters >= _MIN_SHARE_OF_LETTERS * (len(text) - blanks)
    return enough and (caseless or blanks >= _MIN_BLANKS_OF_PROSE)


def is_caseless(first: str) -> bool:
    """Return whether a character is a letter of a script without lower case."""
    return not first.isascii() and first.isalpha() and first.lower() == first.upper()


_CODE_ENDS = frozenset("{};,([")
_CODE = re.compile(
    r"[\])}]|@\w|#include|//|/\*|\*/?\s|</?\w|\"[^\"]*\"\s*:\s|self\.|from\s\S+\simport|with\s.*:$"
    r"|(?:async|class|const|def|elif|else:|except|finally:|fn|function|import|let|package|private"
    r"|public|return|static|struct|try:|using|var)\b"
)
_CODE_INSIDE = re.compile(r"[\w\])]\s?(?:[-+:]|=)?=>?\s|\w\([^()]*\)(?:\s*->.*)?:?$")
_KEY = re.compile(r"(?:-\s+)?[\"']?[\w./-]+[\"']?:(?:\s|$)")  # a key of YAML
# Lines that continue a statement in most languages, and lines that end its signature.
_GOES_ON = (
    r"[\])}]|\*/|#>|:\s|->|(?i:else(?:if)?|elsif|elif|except|rescue|ensure|finally|catch)\b"
    r"|(?:then|do|done|fi|esac|;;)$|while\s?\(.*\);|(?:RETURNS|LANGUAGE)\s|RETURN\s\w+$|AS\s\$"
    r"|(?i:as|is|begin|declare|var|exception)$|END\b|=(?:back|cut)\b"
)
_CONTINUATION = re.compile(rf"{_GOES_ON}|</|\| |(?:[eE]nd|where|throws)\b|(?:Next|Loop|\()$")
# Lines that belong to the line below: decorators, comments, sections, selectors of CSS, signatures
# of types, return types in C and C++.
_LEADS = re.compile(
    r"@\w|#|//|--|!\s|;(?!;)|'(?:''|\s[^']*$)|%|\(\*|\{[^{}]*\.\s?\}$|=[a-z]|-spec\b|/?\*|<[A-Z]\w*(?:\(.*\))?>$|\[<.*>\]$"
    r"|\[+[\w.:,%= \"'-]+\]+$|\.[\w-][^;{}()]*,$|[\w'(), ]{1,80}\s::\s|sig\s?\{.*\}$"
    r"|(?:template|typename|class|public|private|protected)\b[\w\s,=.<>]*[>,]$|template\s*<.*>$"
    r"|(?:\[\[[^][]*\]\]\s)?(?:auto|bool|char|const(?:expr)?|double|explicit|extern|float|friend|inline"
    r"|int|long|short|size_t|static|std::\w+|struct|unsigned|virtual|void)\b[\w\s:*&<>]*$"
)
# A signature without a body above another of the same name, or a type above a definition in C++.
_LEADS_TO = re.compile(
    r"(\w[\w ]{0,99})[(<].{0,300}\)\s?:[^{}\n]{0,300};\n\1[(<]"
    r"|[\w:<>,*& ]+\n[\w:<>, ]{1,200}::~?\w+\s?\([^;]*$"
)
_DECORATOR = re.compile(  # or the first line of a signature over several lines
    r"@\w|#!?\[|\[[A-Za-z]\w*\b.*[](,]$"
    r"|(?:(?i:pub|public|private|protected|internal|open|suspend|static|final|async|export|override"
    r"|function|def|fn|func|fun|class)\b.{0,80}|[A-Za-z]\w*(?:\s\w+){0,3})\($"
)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
# Comments of several lines, of C, PowerShell, Lua, Haskell and Elixir, and what ends each.
_COMMENT = re.compile(r'(/\*)|(<#)|(--\[\[)|(\{-)|@\w+\s+(?:~\w)?(""")$')
_COMMENT_ENDS = ("", "*/", "#>", "]]", "-}", '"""')
_BRACE = re.compile(r"\{\}?(?:\s|$)(?![^{}]*\.\s?\}$)")  # but no comment of Pascal: "{ Adds. }"
_EDGE = re.compile(rf"{_GOES_ON}|where(?:$|\s+\w+\s?:)|throws\s+[A-Z]", re.MULTILINE)
_MIN_LINES_OF_CODE = 3  # shorter texts are prose, unless the whole text is code
_MIN_SHARE_OF_CODE = 0.45  # share of lines in and around a part that look like code
_MAX_DEPTH = 4  # deeper lines of code have this depth


def code_lines(lines: Lines, whole: bool = False) -> tuple[dict[int, int], set[int]]:
    """Return the depth of each line of code, and which of them continue the line before.

    Fenced lines are code. If the `whole` text is code, so are all other lines. Otherwise a line is
    code if about half of the lines around it look like code, and it is not prose.
    """
    bodies, indents = lines.bodies, lines.indents
    fenced: set[int] = set()
    joined: set[int] = set()
    marks = [number for number, first in enumerate(lines.firsts) if first in "`~"]
    for first, last, directive in _fences(bodies[number] for number in marks):
        if not directive:
            fenced.update(range(marks[first], marks[last] + 1))
            joined |= {marks[first] + 1, marks[last]}
    numbers = range(len(bodies))
    looks = [n not in fenced and _looks_like_code(bodies[n], indents[n]) for n in numbers]
    code = {
        number
        for part, share in enumerate(shares(looks))
        if whole or (share >= _MIN_SHARE_OF_CODE and len(bodies) >= _MIN_LINES_OF_CODE)
        for number in range(part * PART_LINES, min(len(bodies), (part + 1) * PART_LINES))
        if whole or looks[number] or len(bodies[number]) <= MAX_WIDTH
    } - fenced
    paragraphs = paragraphs_around(sorted(code), lines)
    prose = {n for paragraph in paragraphs if reads_as_prose(paragraph, lines) for n in paragraph}
    code = fenced | (code if whole else code - prose)
    unit = min((indents[number] for number in code if indents[number] > 1), default=1)
    opened: int | None = None  # open brackets of the decorator above; None without a decorator
    comment, closed = "", False  # what ends the comment above, and whether it ended there
    for number in sorted(code):
        before, body, indent = max(0, number - 1), bodies[number], indents[number]
        opened = None if before not in code or lines.blank[number] else opened
        is_separate = before not in code or (lines.blank[number] and bodies[before][0] != "=")
        led = not is_separate and (
            closed or _LEADS.match(bodies[before]) or _LEADS_TO.match(f"{bodies[before]}\n{body}")
        )
        opens = number and _opens_block(body, indent, bodies[before], indents[before])
        above = before  # the lines of a signature between its first line and its brace
        while opens and above in code and not lines.blank[above + 1] and indents[above] > indent:
            joined.add(above)
            above -= 1
        deeper = indent > indents[before]
        if led or comment or opened is not None or opens or deeper or _CONTINUATION.match(body):
            joined.add(number)
        begun = None if comment else _COMMENT.match(body)
        comment = _COMMENT_ENDS[begun.lastindex or 0] if begun else comment
        closed = comment != "" and comment in body[begun.end() if begun else 0 :]
        comment = "" if closed else comment
        if opened or _DECORATOR.match(body):
            signs = Counter(_QUOTED.sub("", body))
            change = signs["("] + signs["["] - signs[")"] - signs["]"]
            opened = max(0, (opened or 0) + change)
        else:
            opened = None
    all_code = fenced | (code - prose)
    depths = {number: min(_MAX_DEPTH, indents[number] // unit) for number in all_code}
    return depths | {number: max(1, depths[number]) for number in fenced}, joined


def _opens_block(body: str, indent: int, above: str, indent_above: int) -> bool:
    """Return whether a line begins with the brace of a block that the line above introduces."""
    if not _BRACE.match(body):
        return False
    # After the end of a value or a comma, the brace begins another value of a list.
    last = above[-1:]
    return last not in ",[}" or (last == "," and indent_above > indent and above[-2:-1] not in "]}")


def is_edge_of_block(text: str, at: int) -> bool:
    """Return whether the text at an offset only opens or closes the block above, blanks aside.

    What ends a signature opens its block, such as the `where` of Rust and the `throws` of Java.
    """
    line = text[at : at + MAX_WIDTH].lstrip()
    begins = at + min(MAX_WIDTH, len(text) - at) - len(line)
    above = text[max(0, begins - MAX_WIDTH) : begins].rstrip().rpartition("\n")[2]
    indent = begins - text.rfind("\n", max(0, begins - MAX_WIDTH), begins) - 1
    indent_above = len(above) - len(above.lstrip())
    return bool(above) and (
        _EDGE.match(line) is not None or _opens_block(line, indent, above, indent_above)
    )


def _looks_like_code(body: str, indent: int) -> bool:
    first, last = body[0], body[-1]
    if first == "\\":  # LaTeX
        return False
    if len(body) > MAX_WIDTH:
        return last in "{};[>"
    return (
        last in _CODE_ENDS
        or _CODE.match(body) is not None
        or (("=" in body or last in "):") and _CODE_INSIDE.search(body) is not None)
        or (indent > 0 and ":" in body and _KEY.match(body) is not None)
    )


# Directives of reStructuredText whose content is not prose.
_CODE_DIRECTIVE = re.compile(
    r"(?:.*code.*|literal.*|parsed-literal|highlight|doctest|test\w+|ipython|math|raw|include"
    r"|productionlist|.*graph.*|mermaid|plantuml|toctree|.*table|image|plot)$"
)
# Directives of MyST whose content is prose. Other names in braces are mostly languages.
_PROSE_DIRECTIVE = re.compile(
    r"""[`~:]{3,}[ \t]*\{(?:admonition|attention|caution|danger|error|hint|important|note|seealso
    |tip|todo|warning|version\w+|deprecated|dropdown|details|tab-\w+|card\S*|grid\S*|sidebar|topic|aside
    |margin|epigraph|pull-quote|highlights|compound|container|glossary|definition|example|exercise
    |solution|theorem|proof|prf:\w+)\}""",
    re.VERBOSE,
)
_FENCE_MARK = re.compile("`{3,}|~{3,}")
_FENCE = re.compile(r"(`{3,}|~{3,})([^`]*)$")
_LINE_OF_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,}).*$", re.MULTILINE)
_PROSE_OPENING = re.compile(
    r"""^(?P<before>[ \t>]*)(?:
        (?P<title>(?:!!!|\?\?\?\+?)[ \t]?\w.*|===[!+]*[ \t]+["'].*|(?::{3,}|/{3})[ \t]*\{?[\w.].*)
      | (?P<note>:|\[\^[^\]\s]+\]:)[ \t]+(?=\S)
      | (?P<end>:{3,}|/{3})[ \t]*$
      | \.\.[ \t](?P<name>[\w:+-]+)::(?P<argument>.*)
    )""",
    re.MULTILINE | re.VERBOSE,
)


def _fences(bodies: Iterable[str]) -> Iterator[tuple[int, int, bool]]:
    """Yield the fences among lines: the numbers of both marks, and whether the content is prose.

    `bodies` are the lines that may be marks of fences, without indentation.
    """
    opened: list[tuple[int, str, bool]] = []
    for number, body in enumerate(bodies):
        opening, mark, prose = opened[-1] if opened else (0, "", True)
        if mark and body.startswith(mark) and not body.strip(mark[0]):
            opened.pop()
            yield opening, number, prose
        elif prose and (fence := _FENCE.match(body)):
            opened.append((number, fence[1], _PROSE_DIRECTIVE.match(body) is not None))


def with_colons(text: str) -> str:
    """Return a text with colons in place of the marks of fences whose content is prose."""
    if "{" not in text or not ("```" in text or "~~~" in text):
        return text
    lines = _LINE_OF_FENCE.findall(text)
    for first, last, prose in _fences([line.strip(" \t>") for line in lines]):
        for number in (first, last) if prose else ():
            lines[number] = _FENCE_MARK.sub(lambda run: ":" * len(run[0]), lines[number], count=1)
    edited = iter(lines)
    return _LINE_OF_FENCE.sub(lambda _: next(edited), text)


def with_items(text: str) -> str:
    """Return a Markdown text with list items in place of openings of indented prose.

    The parser's result is used only for the lines of blocks, which stay the same.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _PROSE_OPENING.sub(_as_item, with_colons(text))


def _as_item(opening: re.Match[str]) -> str:
    """Return the bullet of a list item, with a heading if the opening has a title."""
    before, name = opening["before"], opening["name"]
    if opening["end"]:
        return before
    if opening["title"]:
        return f"{before}-   # -"
    if opening["note"]:
        return f"{before}-   "
    if _CODE_DIRECTIVE.match(name):
        return opening[0]
    return f"{before}-  {'-' if opening['argument'].strip() else '# -'}"
