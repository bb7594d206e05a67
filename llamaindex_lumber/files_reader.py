"""Reads files with `lumber_files`, as other readers of LlamaIndex do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from lumber_core.text.pages import PAGE_STARTS
from lumber_files.file_search import FilePaths, read_files


class FilesReader(BaseReader):
    """Reads files and folders, each file as one document: text, HTML, PDF, Office, emails and more.

    Documents and web pages become Markdown. The metadata has the name, the format, and where pages
    start; the path is the ID. Needs the extra `documents` for most formats. To read the files of a
    `SimpleDirectoryReader`, pass it as
    `file_extractor=dict.fromkeys(lumber_files.READABLE, FilesReader())`.

    Args:
        encoding: Encoding of text files. None: it is detected.
        raise_on_error: Whether a file that cannot be read raises. Otherwise it is left out, with a
            warning.

    Example:
        >>> [document] = FilesReader().load_data("examples/handbook/tide_house.md")
        >>> document.metadata["file_name"], document.metadata["file_type"]
        ('tide_house.md', 'text/markdown')
    """

    def __init__(self, encoding: str | None = None, *, raise_on_error: bool = True) -> None:
        self.encoding, self.raise_on_error = encoding, raise_on_error

    def lazy_load_data(
        self, paths: FilePaths, extra_info: dict[str, Any] | None = None, fs: Any = None
    ) -> Iterator[Document]:
        """Yield a document for each file, read when it is asked for.

        Errors are those of `lumber_files.find_files` and `lumber_files.read_file`.

        Args:
            paths: Files, folders and patterns such as "docs/**/*.md".
            extra_info: Further metadata.
            fs: The file system of fsspec that has the file, as `SimpleDirectoryReader` passes it.
        """
        leave_out, option = not self.raise_on_error, "raise_on_error=False"
        for path, file in read_files(
            paths, encoding=self.encoding, leave_out=leave_out, option=option, fs=fs
        ):
            metadata = {"file_path": file.name, "file_name": path.name, **(extra_info or {})}
            metadata |= {**file.metadata, **({PAGE_STARTS: [*file.pages]} if file.pages else {})}
            document = Document(text=file.text, id_=file.name, metadata=metadata)
            hidden = ["file_path", "file_type", PAGE_STARTS]
            document.excluded_embed_metadata_keys = [*hidden]
            document.excluded_llm_metadata_keys = [*hidden]
            yield document
