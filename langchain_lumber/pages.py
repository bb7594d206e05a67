"""Joins the pages of a file, which loaders return one by one."""

from __future__ import annotations

from collections.abc import Iterable

from langchain_core.documents import Document

from langchain_lumber.span_text_splitter import check_documents
from lumber_core.text import pages as core


def join_pages(documents: Iterable[Document]) -> list[Document]:
    r"""Join the pages of each file into one document, so that chunks can continue on the next page.

    Documents are pages if their metadata has the number or label of a page. Consecutive pages with
    the same name belong to one file. Other documents, and those already joined, are returned as
    they are. `lumber_core.text.pages.join_by_file` documents how pages are counted.

    The texts of pages are joined by form feeds, by which splitters recognise page numbers and running
    titles. Chunks have `metadata["page_first"]` and `metadata["page_last"]`, counted from 1.

    Args:
        documents: The pages of a loader, whole and in order.

    Returns:
        Documents, each with the `id` of its first page and the metadata that is equal on all its
        pages. `metadata["page_starts"]` has the offsets where pages start, from page 1 on, for the
        splitter. "page_labels" has the labels that differ from the numbers, as "1=i 2=ii 3=1".

    Raises:
        ValueError: A page number is not a whole number, or the same page of a file comes twice in a
            row.

    Example:
        >>> pages = [
        ...     Document("The otter swam", metadata={"source": "a.pdf", "page": 0}),
        ...     Document("to the sea.", metadata={"source": "a.pdf", "page": 1}),
        ... ]
        >>> join_pages(pages)
        [Document(metadata={'source': 'a.pdf', 'page_starts': [0, 15]}, page_content='The otter swam\x0cto the sea.')]
    """  # noqa: E501 - the example's result
    checked = check_documents(documents)
    files = core.join_by_file(
        [document.page_content for document in checked], [document.metadata for document in checked]
    )
    return [
        checked[first]
        if joined is None
        else Document(page_content=joined[0], metadata=joined[1], id=checked[first].id)
        for first, joined in files
    ]
