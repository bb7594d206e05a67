"""Choi's segmentation set: pieces of unrelated texts, one after the other."""

from __future__ import annotations

from pathlib import Path

from lumber_evaluation.corpora.reading import matching_files, read_text
from lumber_evaluation.documents import Document, document_from_segments

_SEPARATOR = "=========="


def load_choi(folder: str | Path) -> list[Document]:
    """Load Choi's set: `.ref` files whose segments stand between lines of `==========`.

    Args:
        folder: The folder with the files, at any depth. The name of a file's folder (`3-11`)
            is the document's source.

    Raises:
        FileNotFoundError: If the folder is missing or holds no `.ref` file.
        ValueError: If a file has no segment mark, or is not UTF-8.
    """
    documents = []
    for path in matching_files(folder, ["*.ref"], "Choi's segmentation set"):
        segments: list[list[str]] = []
        for line in read_text(path).splitlines():
            if line.startswith(_SEPARATOR):
                segments.append([])
            elif segments:
                segments[-1].append(line)
            elif line.strip():
                segments.append([line])
        if len(segments) < 2:
            raise ValueError(
                f"{path} holds no segments: expected one sentence a line with lines of "
                f"{_SEPARATOR!r} between segments"
            )
        documents.append(
            document_from_segments(segments, name=path.stem, source=f"choi/{path.parent.name}")
        )
    return documents
