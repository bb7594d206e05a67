"""Writes the passages that were found for a question: for people, as Markdown, or as JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import PurePath

import typer

from lumber_cli.writers import as_markdown, as_text, write_utf8
from lumber_core.support.wording import ranged
from lumber_core.text.markdown import (
    CONTEXT_KEY,
    HEADING_SEPARATOR,
    INSIDE_KEY,
    INSIDE_SEPARATOR,
)
from lumber_core.text.pages import FIRST_LINE, FIRST_PAGE, LAST_LINE, LAST_PAGE
from lumber_core.text.unicode import printable
from lumber_files.formats import DOCX, HTML, PDF
from lumber_retrieval.citations import Citation
from lumber_retrieval.passages import Passage
from lumber_retrieval.quoted_answers import CitedAnswer

_TABLES = ("text/csv", "text/tab-separated-values")  # files that have no titles
_RULE = re.compile(r"[\s|:-]*")  # below the header of a table in Markdown
_WIDEST = 120  # columns of text on a terminal; longer lines are hard to read


class PassageFormat(str, Enum):
    """What passages are written as."""

    TEXT = "text"
    MD = "md"
    JSON = "json"


def show_passages(
    question: str,
    answer: CitedAnswer | None,
    passages: Sequence[Passage],
    kind: PassageFormat,
) -> None:
    """Write an answer, if there is one, and the passages to stdout.

    Args:
        question: The question.
        answer: A model's answer, whose numbers are those of its quotes.
        passages: The passages.
        kind: The format. Text is laid out if stdout is a terminal.
    """
    if kind is PassageFormat.JSON:
        said: dict[str, object] = {}
        if answer is not None:
            citations = [*map(_citation_as_json, answer.citations)]
            said = {"answer": answer.text, "citations": citations}
        rows = [_as_json(passage) for passage in passages]
        made = {"question": question, **said, "passages": rows}
        text = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
    elif kind is PassageFormat.TEXT and sys.stdout.isatty():
        _lay_out(answer, passages)
        return
    else:
        text = "".join(_written(answer, passages, kind))
    write_utf8(typer.get_binary_stream("stdout"), text)


def _written(
    answer: CitedAnswer | None, passages: Sequence[Passage], kind: PassageFormat
) -> Iterator[str]:
    """Yield the parts of what is written in a pipe or a file."""
    in_markdown = kind is PassageFormat.MD
    if answer is not None:
        yield f"{answer}\n\n---\n\n" if in_markdown else f"{answer}\n\n"
    for title, passage in zip(_titles(answer, passages), passages, strict=True):
        title = " | ".join([title, *whereabouts(passage)])
        if in_markdown:
            yield as_markdown(title, passage.text)
        else:
            yield f"{as_text(title, passage.text)}\n"


def whereabouts(passage: Passage) -> list[str]:
    """Return where a passage is: its pages or lines, the headings above it, and its columns."""
    known = passage.metadata
    said = []
    for name in ("page", "line"):
        numbers = _range(passage, name)
        if numbers is not None:
            said.append(ranged(name, *numbers))
    if "headings" in known:
        said.append(printable(known["headings"]))
    said += [f"columns: {printable(row)}" for row in table_header(passage)]
    return said


def is_converted(document: str) -> bool:
    """Return whether the text of a document has other lines than its file."""
    return PurePath(document).suffix.lower() in (*HTML, DOCX, PDF)


def table_header(passage: Passage) -> list[str]:
    """Return the header of the table whose rows a passage continues, if it does."""
    known = passage.metadata
    titles, *rows = known.get(CONTEXT_KEY, "").splitlines() or [""]
    untitled = "headings" not in known and ("|" in titles or known.get("file_type") in _TABLES)
    return [row for row in ([titles, *rows] if untitled else rows) if not _RULE.fullmatch(row)]


def _titles(answer: CitedAnswer | None, passages: Sequence[Passage]) -> list[str]:
    """Return the documents of passages: with numbers, unless these are those of quotes."""
    names = [printable(passage.document) for passage in passages]
    if answer is not None:
        return names
    return [f"[{number}] {name}" for number, name in enumerate(names, 1)]


def _range(passage: Passage, name: str) -> list[int] | None:
    """Return the first and last page or line of a passage; None if the file has no such numbers."""
    keys = {"page": (FIRST_PAGE, LAST_PAGE), "line": (FIRST_LINE, LAST_LINE)}[name]
    if name == "line" and is_converted(passage.document):
        return None
    if any(key not in passage.metadata for key in keys):
        return None
    return [passage.metadata[key] for key in keys]


def _as_json(passage: Passage) -> dict[str, object]:
    known = passage.metadata
    row: dict[str, object] = {
        "document": passage.document,
        "start": passage.span.start,
        "end": passage.span.end,
        "headings": _parts(known.get("headings"), HEADING_SEPARATOR),
        "headings_inside": _parts(known.get(INSIDE_KEY), INSIDE_SEPARATOR),
        "context": known.get(CONTEXT_KEY, ""),
    }
    for name in ("page", "line"):
        numbers = _range(passage, name)
        if numbers is not None:
            row[f"{name}s"] = numbers
    return {**row, "score": round(passage.score, 4), "text": passage.text}


def _citation_as_json(citation: Citation) -> dict[str, object]:
    start, end = citation.span or (None, None)
    return {
        "quote": citation.quote,
        "kind": citation.kind,
        "document": citation.document,
        "start": start,
        "end": end,
        "similarity": round(citation.similarity, 4),
        "text": citation.text,
        "lines": citation.lines,
        "pages": citation.pages,
        "places": citation.places,
    }


def _parts(joined: str | None, separator: str) -> list[str]:
    return joined.split(separator) if joined else []


def _lay_out(answer: CitedAnswer | None, passages: Sequence[Passage]) -> None:
    """Print to a terminal: wrapped, and with nothing that could control it."""
    # Deferred: pipes and files need no layout.
    from rich.console import Console
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False)
    console.width = min(console.width, _WIDEST)

    def show(text: str, indent: str = "") -> None:
        for line in text.splitlines():
            safe = Text(printable(line.expandtabs(4)))
            for part in safe.wrap(console, console.width - len(indent)) or [Text()]:
                console.print(Text(indent + part.plain.rstrip()), soft_wrap=True)
        console.print()

    if answer is not None:
        show(str(answer))
    for named, passage in zip(_titles(answer, passages), passages, strict=True):
        title = Text(named, style="bold")
        for part in whereabouts(passage):
            title.append(f" · {part}", style="not bold cyan")
        console.print(title)
        show(passage.text, " " * 4)
