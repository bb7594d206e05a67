"""What a source of documents is: a list of them, and a way to read some.

The driver lists the documents without their texts, and the workers read the texts. So each worker
gets exactly the documents that are not finished, and no text passes through the driver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from lumber_core.text.source import Source


class Entry(NamedTuple):
    """Where a document is.

    Attributes:
        document: Its id.
        file: The file that has it.
        position: Row of a Parquet file, or offset in bytes of a line; 0 for a text file.
    """

    document: str
    file: str
    position: int


@dataclass(frozen=True, slots=True)
class FailedDocument:
    """A document without chunks.

    Attributes:
        document: Its id.
        error: What went wrong.
    """

    document: str
    error: str


class DocumentSource(Protocol):
    """Documents that can be listed and read. It is pickled for the workers."""

    def entries(self) -> Iterator[Entry]:
        """Yield every document, without reading texts.

        Raises:
            ValueError: A document has no id.
        """

    def read(self, entries: Sequence[Entry]) -> Iterator[Source | FailedDocument]:
        """Read documents, in order."""
