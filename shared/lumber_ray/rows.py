"""Turns documents into rows, one for each chunk; a document that cannot be split gives an error."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lumber_core.chunking.base import Chunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.errors import (
    MissingExtraError,
    ModelSettingsError,
    StoreError,
    TokenizerDataError,
    WeightsError,
)
from lumber_core.llms.retry import error_summary
from lumber_core.segmentation import Segmentation, Usage
from lumber_core.support.concurrency import batches
from lumber_core.support.identity import chunk_id
from lumber_core.text.source import Source
from lumber_ray.documents import FailedDocument
from lumber_retrieval.embedding import plan_vectors

logger = logging.getLogger(__name__)

STOPPING = (
    MissingExtraError,
    ModelSettingsError,
    StoreError,
    TokenizerDataError,
    WeightsError,
)
"""Errors that every document would have, so they stop the run. Others concern one document."""
_FATAL = (*STOPPING, MemoryError)
_METHODS = ("embed", "embed_documents", "get_text_embedding_batch")

Embed = Callable[[list[str]], Iterable[Iterable[float]]]


@dataclass(frozen=True, slots=True)
class FinishedDocument:
    """The chunks of a document.

    Attributes:
        document: Its id.
        rows: A row for each chunk, with the columns of `chunk_schema`.
        usage: What the language model used.
        unanswered: Number of groups for which it gave no usable answer.
    """

    document: str
    rows: list[dict[str, object]]
    usage: Usage
    unanswered: int


def chunk_schema(*, embedding: bool) -> pa.Schema:
    """Return the columns of rows of chunks.

    `document`, `chunk_id`, `index` in the document, `start` and `end` in characters, `headings`
    from the outermost to the innermost, `headings_inside` the chunk, its `context`, first and last
    of the `pages` of a PDF, `text` and, with `embedding`, a vector under that name.
    """
    columns = [
        ("document", pa.string()),
        ("chunk_id", pa.string()),
        ("index", pa.int64()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("headings", pa.list_(pa.string())),
        ("headings_inside", pa.list_(pa.string())),
        ("context", pa.string()),
        ("pages", pa.list_(pa.int64())),
        ("text", pa.string()),
    ]
    return pa.schema([*columns, ("embedding", pa.list_(pa.float32()))] if embedding else columns)


def embed_with(embedder: Any) -> Embed:
    """Return the method of an embedding model that embeds texts.

    Raises:
        TypeError: It has none.
    """
    if not isinstance(embedder, type):
        for name in _METHODS:
            method: Embed | None = getattr(embedder, name, None)
            if callable(method):
                return method
    raise TypeError(
        "embedder must be a lumber_core.TextEmbedder, LangChain Embeddings or a LlamaIndex "
        f"embedding model, not {embedder!r}"
    )


class DocumentSplitter:
    """Splits documents into rows.

    Args:
        chunker: The splitter.
        chunk_overlap: Tokens to repeat from the chunk before.
        embed: Embeds texts; None for rows without embeddings.
        context: As for `lumber_retrieval.split_and_embed`.
        surroundings: As for `lumber_retrieval.split_and_embed`.
    """

    def __init__(
        self,
        chunker: Chunker,
        *,
        chunk_overlap: int = 0,
        embed: Embed | None = None,
        context: bool = True,
        surroundings: bool = True,
    ) -> None:
        self._chunker = chunker
        self._delivery = Delivery(chunk_overlap)
        self._embed = embed
        self._context = context
        self._surroundings = surroundings
        self._identity = chunker.identity

    def split(
        self, files: Iterable[Source | FailedDocument]
    ) -> Iterator[FinishedDocument | FailedDocument]:
        """Split documents, as many at once as the splitter works on at the same time.

        Args:
            files: The documents, named by their ids. Those that could not be read are passed on.

        Raises:
            ModelSettingsError: The model rejects the key, its name or the settings. The other
                errors of `STOPPING` are raised, too.
        """
        for some in batches(files, self._chunker.texts_at_once):
            texts = [file for file in some if isinstance(file, Source) and not _problem(file)]
            segmentations = self._segmentations(texts)
            for file in some:
                if isinstance(file, FailedDocument):
                    yield file
                elif problem := _problem(file):
                    yield FailedDocument(file.name, problem)
                else:
                    yield self._finished(file, next(segmentations))

    def _segmentations(self, files: Sequence[Source]) -> Iterator[Segmentation | Exception]:
        if len(files) > 1:
            try:
                yield from self._segment_all(files)
            except _FATAL:
                raise
            except Exception as error:  # noqa: BLE001 - which document it is, is found out below
                logger.info("splitting the documents one by one after %s", error_summary(error))
            else:
                return
        for file in files:
            yield self._segmented(file)

    def _segmented(self, file: Source) -> Segmentation | Exception:
        try:
            (segmentation,) = self._segment_all([file])
        except _FATAL:
            raise
        except Exception as error:  # noqa: BLE001 - custom functions may raise anything
            return error
        return segmentation

    def _segment_all(self, files: Sequence[Source]) -> list[Segmentation]:
        return self._chunker.segment_all(files, overlap=self._delivery.overlap)

    def _finished(
        self, file: Source, made: Segmentation | Exception
    ) -> FinishedDocument | FailedDocument:
        if isinstance(made, Exception):
            return FailedDocument(file.name, error_summary(made))
        try:
            rows = self._rows(file, made)
        except _FATAL:
            raise
        except Exception as error:  # noqa: BLE001 - an embedding model may raise anything
            return FailedDocument(file.name, error_summary(error))
        return FinishedDocument(file.name, rows, made.usage, len(made.failures))

    def _rows(self, file: Source, made: Segmentation) -> list[dict[str, object]]:
        chunks = self._chunker.chunks(file, made, self._delivery)
        rows: list[dict[str, object]] = [
            {
                "document": file.name,
                "chunk_id": chunk_id(file.name, chunk.span, chunk.text, self._identity),
                "index": chunk.index,
                "start": chunk.span.start,
                "end": chunk.span.end,
                "headings": list(chunk.headings),
                "headings_inside": list(chunk.headings_inside),
                "context": chunk.context,
                "pages": None if chunk.pages is None else list(chunk.pages),
                "text": chunk.text,
            }
            for chunk in chunks
        ]
        if self._embed is not None:
            plan = plan_vectors([chunks], context=self._context, surroundings=self._surroundings)
            (vectors,) = plan.embed(self._embed)
            for row, vector in zip(rows, vectors.tolist(), strict=True):
                row["embedding"] = vector
        return rows


def _problem(file: Source) -> str:
    """Return why a text has no rows, or ""."""
    if not file.text:
        return "the text is empty, so it has no chunks"
    try:
        file.text.encode()
    except UnicodeEncodeError as error:
        return f"character {error.start} is a lone surrogate, which no file in UTF-8 can hold"
    return ""
