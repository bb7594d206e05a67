"""Texts that models are trained on: lists of sections, and passages."""

from __future__ import annotations

from pathlib import Path

from lumber_core.text.units import sentences
from lumber_evaluation.corpora.files import field, json_lines
from lumber_evaluation.documents import Document, document_from_segments


def load_wiki_sections(path: str | Path) -> list[Document]:
    """Load articles given as lists of sections: lines of `{"document": …, "sections": […]}`.

    Args:
        path: The JSON Lines file, or the folder with its `documents.jsonl`. Each line of a
            section is one sentence.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: A line is not such an object.
    """
    documents = []
    file = _file(path, "documents.jsonl")
    for where, row in json_lines(file, "articles as lists of sections"):
        name = field(row, "document", str, where)
        sections = field(row, "sections", list, where)
        documents.append(
            document_from_segments(
                [str(section).splitlines() for section in sections],
                name=name,
                source="wiki_sections",
            )
        )
    return documents


def load_passages(path: str | Path) -> list[Document]:
    """Load passages: lines of `{"source": …, "document": …, "text": …}`.

    Args:
        path: The JSON Lines file, or the folder with its `passages.jsonl`.

    Returns:
        One document for each pair of source and document, in the order of the file; its segments
        are its passages, in order.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: A line is not such an object.
    """
    passages: dict[tuple[str, str], list[list[str]]] = {}
    for where, row in json_lines(_file(path, "passages.jsonl"), "passages"):
        key = (field(row, "source", str, where), field(row, "document", str, where))
        text = field(row, "text", str, where)
        found = [span.of(text) for span in sentences(text)]
        passages.setdefault(key, []).append(found)
    return [
        document_from_segments(segments, name=name, source=source)
        for (source, name), segments in passages.items()
    ]


def _file(path: str | Path, name: str) -> Path:
    """Return the file itself, or the file of that name in the folder."""
    file = Path(path)
    return file / name if file.is_dir() else file
