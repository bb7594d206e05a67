"""What an evaluation keeps while it works, so that a run cut short goes on where it was.

How a splitter splits a document is filed under the splitter's settings and the document's text, an
embedding under the embedder's identity and the text embedded. A file that cannot be read counts as
missing: its content is made anew.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lumber_core.errors import StoreError
from lumber_core.files import atomic_write
from lumber_core.segmentation import Usage
from lumber_core.spans import Span
from lumber_core.sqlite_file import digest
from lumber_evaluation.cached_embedder import CachedEmbedder
from lumber_evaluation.chunks import Chunk, SplitDocument
from lumber_evaluation.documents import Document
from lumber_evaluation.embedders import Embedder
from lumber_evaluation.splitters import Subject


class KeptWork:
    """A folder of finished work; with no folder, nothing is kept.

    Args:
        folder: It is made where it does not exist.

    Raises:
        StoreError: The folder cannot be made or written to.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        try:
            (self.folder / "splits").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"the folder {self.folder} for work in progress cannot be made: {error.strerror}"
            ) from error

    def split(self, subject: Subject, document: Document) -> SplitDocument:
        """Return how a splitter splits a document: as kept, or else done now, and kept.

        A splitter whose settings do not determine its result is asked every time, and so is one
        whose model gave unusable answers: it may do better next time.
        """
        if self.folder is None or not is_determined(subject.settings):
            return subject.split(document)
        key = digest((version("lumber-splitters"), subject.settings, document.name, document.text))
        path = self.folder / "splits" / f"{key}.json"
        kept = _read_split(path, document)
        if kept is None:
            kept = subject.split(document)
            if not kept.failures:
                atomic_write(path, json.dumps(_split_rows(kept, document)).encode())
        return kept

    def embedder(self, embedder: Embedder) -> Embedder:
        """Return an embedder that embeds no text twice; without a folder, `embedder` itself."""
        if self.folder is None:
            return embedder
        return CachedEmbedder(embedder, self.folder / "embeddings.db")


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_determined(settings: str) -> bool:
    """Tell whether settings say all that changes a splitter's result.

    Functions are known by their names only, which stay when the function changes. A splitter that
    is a function, is judged by one, or has one that is local or of the user's script, is not
    determined.
    """
    return "(" in settings and not any(sign in settings for sign in ("<", "__main__.", "Callable"))


def _split_rows(split: SplitDocument, document: Document) -> dict[str, Any]:
    """Return a split as JSON has it; texts stand there only where spans do not tell them."""
    return {
        "chunks": [
            [*chunk.span]
            if chunk.text == chunk.span.of(document.text)
            else [*chunk.span, chunk.text]
            for chunk in split.chunks
        ],
        "seconds": split.seconds,
        "usage": asdict(split.usage),
        "failures": split.failures,
    }


def _read_split(path: Path, document: Document) -> SplitDocument | None:
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        chunks = []
        for start, end, *text in row["chunks"]:
            span = Span(start, end)
            chunks.append(Chunk(document.name, span, text[0] if text else span.of(document.text)))
        usage = Usage(**row["usage"])
        return SplitDocument(document.name, tuple(chunks), row["seconds"], usage, row["failures"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
