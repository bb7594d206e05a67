"""Writes the passages found for a question, as text or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal

import typer

from lumber_cli.chunk_formats import as_text, write_utf8
from lumber_core.support.wording import range_with_noun
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY, INSIDE_SEPARATOR
from lumber_core.text.outline import split_titles
from lumber_core.text.pages import FIRST_LINE, FIRST_PAGE, LAST_LINE, LAST_PAGE
from lumber_core.text.unicode import printable
from lumber_files.readers import DOCUMENTS, HTML, PDF
from lumber_retrieval.citing.citations import Citation
from lumber_retrieval.citing.quoted_answers import CitedAnswer
from lumber_retrieval.passages.joining import Passage

_TABLES = ("text/csv", "text/tab-separated-values")
_RULE = re.compile(r"[\s|:-]*")  # the delimiter row below the header of a Markdown table


PassageFormat = Literal["text", "json"]
"""The formats in which passages are written."""


def show_passages(
    question: str, answer: CitedAnswer | None, passages: Sequence[Passage], kind: PassageFormat
) -> None:
    """Write the passages to stdout: below an answer, or numbered if there is none."""
    if kind == "json":
        answer_fields: dict[str, object] = {}
        if answer is not None:
            citations = [*map(_citation_as_json, answer.citations)]
            answer_fields = {"answer": answer.text, "citations": citations}
        rows = [_as_json(passage) for passage in passages]
        data = {"question": question, **answer_fields, "passages": rows}
        text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    else:
        text = "" if answer is None else f"{answer}\n\n"
        for number, passage in enumerate(passages, 1):
            name = printable(passage.document)
            title = name if answer is not None else f"[{number}] {name}"
            title = " | ".join([title, *place_parts(passage)])
            text += as_text(title, passage.readable_text) + "\n"
    write_utf8(typer.get_binary_stream("stdout"), text)


def place_parts(passage: Passage) -> list[str]:
    """Return the place of a passage: time, pages or lines, headings above it, and columns."""
    metadata = passage.metadata
    parts = [passage.time] if passage.time else []
    ranges = ((name, _range(passage, name)) for name in ("page", "line"))
    parts += [range_with_noun(name, *numbers) for name, numbers in ranges if numbers]
    if "headings" in metadata:
        parts.append(printable(metadata["headings"]))
    parts += [f"columns: {printable(row)}" for row in table_header(passage)]
    return parts


def is_converted(document: str) -> bool:
    """Return whether a document was converted, so that its lines are not those of its file."""
    return PurePath(document).suffix.lower() in (*HTML, *DOCUMENTS, PDF)


def table_header(passage: Passage) -> list[str]:
    """Return the header rows of the table that a passage continues, if it does."""
    metadata = passage.metadata
    titles, *rows = metadata.get(CONTEXT_KEY, "").splitlines() or [""]
    values = metadata.get("file_type") in _TABLES and re.search("[,;\t]", titles)
    untitled = "headings" not in metadata and ("|" in titles or values)
    return [row for row in ([titles, *rows] if untitled else rows) if not _RULE.fullmatch(row)]


def _range(passage: Passage, name: str) -> list[int] | None:
    """Return the first and last page or line of a passage; None if the file has no such numbers."""
    keys = {"page": (FIRST_PAGE, LAST_PAGE), "line": (FIRST_LINE, LAST_LINE)}[name]
    is_of_other_text = name == "line" and is_converted(passage.document)
    if is_of_other_text or not passage.metadata.keys() >= {*keys}:
        return None
    return [passage.metadata[key] for key in keys]


def _as_json(passage: Passage) -> dict[str, object]:
    metadata = passage.metadata
    row: dict[str, object] = {
        "document": passage.document,
        "start": passage.span.start,
        "end": passage.span.end,
        "headings": split_titles(metadata.get("headings")),
        "headings_inside": split_titles(metadata.get(INSIDE_KEY), INSIDE_SEPARATOR),
        "context": metadata.get(CONTEXT_KEY, ""),
    }
    for name in ("page", "line"):
        if numbers := _range(passage, name):
            row[f"{name}s"] = numbers
    if passage.time:
        row["time"] = passage.time
    return {**row, "score": round(passage.score, 4), "text": passage.readable_text}


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
