"""Reads the documents for training, and holds some of them out for measurement."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from lumber_core.text.units import sentences
from lumber_evaluation.corpora.files import field, json_lines
from lumber_evaluation.dataset import Document, document_from_segments


def load_documents(path: str | Path) -> list[Document]:
    r"""Load documents from a JSON Lines file.

    A line is a text on one topic, `{"document": …, "text": …}`, or a whole document,
    `{"document": …, "sections": […]}`. A text is divided into sentences; in sections, each line is
    a sentence. Both may have a `"source"`, the collection that the document comes from.

    Returns:
        A document for each source and name, in the order of the file. Its segments are its
        texts or sections, in order.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: A line is not such an object.
    """
    segments_of: dict[tuple[str, str], list[list[str]]] = {}
    for where, row in json_lines(Path(path), "texts or documents of sections"):
        source = field(row, "source", str, where) if "source" in row else ""
        segments = segments_of.setdefault((source, field(row, "document", str, where)), [])
        if "sections" in row:
            sections = field(row, "sections", list, where)
            segments += [str(section).splitlines() for section in sections]
        else:
            text = field(row, "text", str, where)
            segments.append([span.of(text) for span in sentences(text)])
    return [
        document_from_segments(segments, name=name, source=source)
        for (source, name), segments in segments_of.items()
    ]


def split_held_out(
    documents: Sequence[Document], *, share: float
) -> tuple[list[Document], list[Document]]:
    """Divide documents into those for training and those held out, about `share` of all.

    Which part a document is in depends only on its name, so adding documents does not move other
    documents. Both parts are in the given order.

    Raises:
        ValueError: One of the two parts would have no documents.
    """
    sides: tuple[list[Document], list[Document]] = ([], [])
    for document in documents:
        # With the prefix "0/", the documents are divided as for the bundled weights.
        name = f"0/{document.source}/{document.name}".encode()
        draw = int.from_bytes(hashlib.sha256(name).digest()[:8], "big") / 2**64
        sides[draw < share].append(document)
    if not sides[0] or (share and not sides[1]):
        raise ValueError(
            f"{len(documents)} documents are too few to hold out a share of {share:g} and train "
            "on the rest: pass more documents, or set held_out to 0"
        )
    return sides
