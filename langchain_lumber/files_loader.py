"""Loads files with `lumber_files`, as other loaders of LangChain do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from lumber_core.text.pages import PAGE_STARTS
from lumber_files.file_search import read_files


class FilesLoader(BaseLoader):
    """Loads files and folders, each file as one document: text, HTML, PDF, Office, emails and more.

    Documents and web pages become Markdown. The metadata has the "source", the format, and where
    pages start. Needs the extra `documents` for most formats.

    Args:
        paths: Files, folders and patterns such as "docs/**/*.md"; see `lumber_files.find_files`.
        silent_errors: Whether a file that cannot be read is left out, with a warning.
        encoding: Encoding of text files. None: it is detected.

    `load` raises the errors of `lumber_files.find_files` and `lumber_files.read_file`.

    Example:
        >>> [document] = FilesLoader("examples/handbook/tide_house.md").load()
        >>> document.metadata["source"], document.metadata["file_type"]
        ('examples/handbook/tide_house.md', 'text/markdown')
    """

    def __init__(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        silent_errors: bool = False,
        encoding: str | None = None,
    ) -> None:
        self.paths = [paths] if isinstance(paths, str | Path) else [*paths]
        self.silent_errors = silent_errors
        self.encoding = encoding

    def lazy_load(self) -> Iterator[Document]:
        """Yield a document for each file, read when it is asked for."""
        silent, option = self.silent_errors, "silent_errors=True"
        files = read_files(self.paths, encoding=self.encoding, leave_out=silent, option=option)
        for _, file in files:
            pages = {PAGE_STARTS: [*file.pages]} if file.pages else {}
            yield Document(file.text, metadata={**file.metadata, **pages, "source": file.name})
