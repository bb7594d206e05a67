"""Prose that CommonMark reads as code: in admonitions, tabs, directives and definitions.

Openings are `!!! note`, `=== "Tab"` and `??? more` of MkDocs, `.. note::` of reStructuredText, `: `
of definition lists and `[^1]:` of footnotes. In MyST, fences such as ```` ```{note} ```` contain
prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# Directives of reStructuredText whose content is not prose.
_CODE = re.compile(
    r"(?:.*code.*|literal.*|parsed-literal|highlight|doctest|test\w+|ipython|math|raw|include"
    r"|productionlist|.*graph.*|mermaid|plantuml|toctree|.*table|image|plot)$"
)
# Directives of MyST whose content is prose. Other names in braces are mostly languages.
_PROSE = re.compile(
    r"""[`~:]{3,}[ \t]*\{(?:admonition|attention|caution|danger|error|hint|important|note|seealso
    |tip|todo|warning|version\w+|deprecated|dropdown|details|tab-\w+|card\S*|grid\S*|sidebar|topic|aside
    |margin|epigraph|pull-quote|highlights|compound|container|glossary|definition|example|exercise
    |solution|theorem|proof|prf:\w+)\}""",
    re.VERBOSE,
)
_RUN = re.compile("`{3,}|~{3,}")
_FENCE = re.compile(r"(`{3,}|~{3,})([^`]*)$")
_LINE_OF_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,}).*$", re.MULTILINE)
_OPENING = re.compile(
    r"""^(?P<before>[ \t>]*)(?:
        (?P<title>(?:!!!|\?\?\?\+?)[ \t]?\w.*|===[!+]*[ \t]+["'].*)
      | (?P<note>:|\[\^[^\]\s]+\]:)[ \t]+(?=\S)
      | (?P<end>:{3,})[ \t]*$
      | \.\.[ \t](?P<name>[\w:+-]+)::(?P<rest>.*)
    )""",
    re.MULTILINE | re.VERBOSE,
)


def fences(bodies: Iterable[str]) -> Iterator[tuple[int, int, bool]]:
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
            opened.append((number, fence[1], _PROSE.match(body) is not None))


def with_colons(text: str) -> str:
    """Return a text with colons in place of the marks of fences whose content is prose."""
    if "{" not in text or not ("```" in text or "~~~" in text):
        return text
    lines = _LINE_OF_FENCE.findall(text)
    for first, last, prose in fences([line.strip(" \t>") for line in lines]):
        for number in (first, last) if prose else ():
            lines[number] = _RUN.sub(lambda run: ":" * len(run[0]), lines[number], count=1)
    edited = iter(lines)
    return _LINE_OF_FENCE.sub(lambda _: next(edited), text)


def with_items(text: str) -> str:
    """Return a Markdown text with list items in place of openings of indented prose.

    The parser's result is used only for the lines of blocks, which stay the same.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _OPENING.sub(_as_item, with_colons(text))


def _as_item(opening: re.Match[str]) -> str:
    """Return the bullet of a list item, with a heading if the opening has a title."""
    before, name = opening["before"], opening["name"]
    if opening["end"]:
        return before
    if opening["title"]:
        return f"{before}-   # -"
    if opening["note"]:
        return f"{before}-   "
    if _CODE.match(name):
        return opening[0]
    return f"{before}-  {'-' if opening['rest'].strip() else '# -'}"
