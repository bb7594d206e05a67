"""Joins the pages of a file, which readers return one by one."""

from __future__ import annotations

from collections.abc import Iterable

from llama_index.core.schema import Document

from llamaindex_lumber.nodes import text_of, whole_documents
from lumber_core.text import pages as core


def join_pages(documents: Iterable[Document]) -> list[Document]:
    r"""Join the pages of each file into one document, so that nodes can continue on the next page.

    Documents are pages if their metadata has the number or label of a page. Consecutive pages with
    the same name belong to one file. Other documents, and those already joined, are returned as
    they are. `lumber_core.text.pages.join_by_file` documents how pages are counted.

    The texts of pages are joined by form feeds, by which parsers recognise page numbers and running
    titles. Nodes have `metadata["page_first"]` and `metadata["page_last"]`, counted from 1 and
    not embedded.

    Args:
        documents: The pages of a reader, whole and in order.

    Returns:
        Documents, each a copy of its first page, `id_` included, with the metadata that is equal on
        all its pages. `metadata["page_starts"]` has the offsets where pages start, from page 1 on,
        for the parser. "page_labels" has the labels that differ from the numbers, as "1=i 2=ii".
        Neither is embedded or shown to models.

    Raises:
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
    copied = page.model_copy(deep=True)
    copied.set_content(text)
    copied.metadata = metadata
    copied.embedding = None
    for keys in (copied.excluded_embed_metadata_keys, copied.excluded_llm_metadata_keys):
        keys += [core.PAGE_STARTS, core.PAGE_LABELS]
    return copied
