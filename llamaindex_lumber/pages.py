"""Joins the pages of a file, which readers give one by one."""

from __future__ import annotations

from collections.abc import Iterable

from llama_index.core.schema import Document

from llamaindex_lumber.nodes import text_of, whole_documents
from lumber_core.text import pages as core


def join_pages(documents: Iterable[Document]) -> list[Document]:
    r"""Join the pages of each file to one document, so that nodes can go on to the next page.

    Documents are pages if their metadata has "page_label" (as by `SimpleDirectoryReader` and
    `PDFReader`), "page_number" or "page", and pages of one file if they follow each other with the
    same "file_path", "file_name" and "source". Other documents, and those already joined, are
    returned as they are.

    Their texts are joined by form feeds, at which parsers recognise page numbers and running
    titles. Nodes have `metadata["page_first"]` and `metadata["page_last"]`, counted from 1 and
    not embedded.

    - Labels are the page numbers if all of a file are numbers that ascend. Otherwise (i, ii, 1 or
      A-1) pages are counted on from the first, which has number 1 unless its label is a number.
    - "page_number" and "page" take precedence. "page_number" counts from 1; "page" counts from 0 in
      a file whose metadata has "total_pages" or whose first page is 0, otherwise from 1.
    - A page number, but no label, that is lower than the one before begins another document. Pages
      may be missing, empty, or the only one of their file.

    Args:
        documents: The pages of a reader, whole and in order.

    Returns:
        Documents, each a copy of its first page, `id_` included, with the metadata that is equal on
        all its pages, without the page number. `metadata["page_starts"]` has the offsets where
        pages start, from page 1 on, for the parser, which leaves them out of the nodes' metadata;
        they are excluded from embedding and from models.

    Raises:
        TypeError: An item is not a document; nodes are parts of pages.
        ValueError: A page number is not a whole number, or the same page of a file comes twice in a
            row.

    Example:
        >>> pages = [
        ...     Document(text="The otter swam", metadata={"file_name": "a.pdf", "page_label": "1"}),
        ...     Document(text="to the sea.", metadata={"file_name": "a.pdf", "page_label": "2"}),
        ... ]
        >>> (joined,) = join_pages(pages)
        >>> joined.text, joined.metadata
        ('The otter swam\x0cto the sea.', {'file_name': 'a.pdf', 'page_starts': [0, 15]})
    """
    checked = whole_documents(documents)
    files = core.join_by_file(
        list(map(text_of, checked)), [document.metadata for document in checked]
    )
    return [
        checked[first] if joined is None else _copy(checked[first], *joined)
        for first, joined in files
    ]


def _copy(page: Document, text: str, metadata: dict[str, object]) -> Document:
    """Return a copy of a page with another text and metadata."""
    copied = page.model_copy(deep=True)
    copied.set_content(text)
    copied.metadata = metadata
    copied.embedding = None
    for keys in (copied.excluded_embed_metadata_keys, copied.excluded_llm_metadata_keys):
        keys.append(core.PAGE_STARTS)
    return copied
