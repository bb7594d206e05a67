"""Documents of an index: by which name, in which version, and with which words they are stored."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lumber_core.chunking.delivery import Chunk
from lumber_core.support.cache import digest
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.pages import common_metadata, page_numbers, parts_of
from lumber_core.text.source import Source
from lumber_retrieval.store import NewDocument
from lumber_retrieval.surroundings import Vectors


@dataclass(frozen=True)
class IndexedDocument:
    """A document to be indexed.

    Attributes:
        name: Tells it from all others.
        source: What it is a part of, such as the file of a page.
        content: Its text, with what is known about it.
        nameless: Whether its name is random: the same document is stored once, under any name.
    """

    name: str
    source: str
    content: Source
    nameless: bool = False


def number_pages(documents: Sequence[IndexedDocument]) -> list[IndexedDocument]:
    """Return documents of which those that are pages know their number, as their file counts."""
    numbers = page_numbers([document.content.metadata for document in documents])
    return [
        one if page is None else replace(one, content=replace(one.content, pages=(0,) * page))
        for one, page in zip(documents, numbers, strict=True)
    ]


def documents_by_name(documents: Iterable[IndexedDocument]) -> dict[str, IndexedDocument]:
    """Return documents by their names.

    Raises:
        ValueError: One has no name, or two with the same name differ.
    """
    named: dict[str, IndexedDocument] = {}
    for document in documents:
        if not document.name:
            raise ValueError(
                f"the document that begins with {document.content.text[:40]!r} has no name: put "
                'one into its metadata as "source", or give it an ID'
            )
        known = named.setdefault(document.name, document)
        if known != document:
            _json(document)  # NaN, which JSON does not have, differs from itself
            raise ValueError(
                f"two documents have the name {document.name} and differ: give each a name of its "
                "own; if they are chunks of one document, pass it whole, since it is split here"
            )
    return named


def complete_sources(documents: Collection[IndexedDocument]) -> Iterator[str]:
    """Yield the sources of which all documents are there, as far as their metadata says it."""
    counts = Counter(document.source for document in documents)
    parts = {document.source: parts_of(document.content.metadata) for document in documents}
    for source, count in counts.items():
        most = parts[source]
        if most is not None and count >= most:
            yield source


def document_digest(document: IndexedDocument, splitter: str) -> str:
    """Return what changes if a document does, or the identity of its splitter.

    Raises:
        ValueError: Its metadata is not data for JSON.
    """
    content, metadata = document.content, _json(document)
    source = "" if document.nameless and document.source == document.name else document.source
    return digest(content.text, metadata, repr(content.format), source, splitter)


def _json(document: IndexedDocument) -> str:
    try:
        return json.dumps(document.content.metadata, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"the metadata of {document.name} cannot be stored: {error}. Metadata must be data "
            "for JSON: turn dates and other objects into strings, and NaN into None"
        ) from None


def new_document(
    document: IndexedDocument, version: str, chunks: Sequence[Chunk], vectors: Vectors
) -> NewDocument:
    """Return what is stored of a document.

    Args:
        document: The document.
        version: Its digest.
        chunks: Its chunks.
        vectors: Their vectors.
    """
    # A document with a context of its own keeps that one.
    contexts = CONTEXT_KEY not in document.content.metadata
    return NewDocument(
        name=document.name,
        source=document.source,
        digest=version,
        text=document.content.text,
        metadata=common_metadata(document.content.metadata, context=contexts),
        spans=[chunk.span for chunk in chunks],
        details=[chunk.metadata(context=contexts, pages=True, lines=True) for chunk in chunks],
        words=[chunk.text_in_context for chunk in chunks],
        around=texts_around([chunk.text for chunk in chunks]),
        vectors=vectors,
    )


def texts_around(texts: Sequence[str]) -> list[str]:
    """Return for each chunk of a document the text before and after it."""
    padded = ["", *texts, ""]
    return [f"{before}\n{after}" for before, after in zip(padded, padded[2:], strict=False)]
