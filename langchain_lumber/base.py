"""From spans to LangChain documents: the base of all LangChain splitters."""

from __future__ import annotations

import copy
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Sized,
)
from typing import Any, NoReturn, TypeVar, cast

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter
from tqdm import tqdm

from langchain_lumber.settings import SplitterSettings
from lumber_core.chunk_view import ChunkView
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.settings import check_overlap
from lumber_core.concurrency import abatches, batches
from lumber_core.identity import chunk_id
from lumber_core.segmentation import Segmentation
from lumber_core.settings import takes
from lumber_core.spans import Span
from lumber_core.text.markdown import heading_metadata

Self = TypeVar("Self", bound="SpanTextSplitter")


class SpanTextSplitter(TextSplitter):
    """A LangChain text splitter over any splitter of `lumber_core`.

    Chunks are slices of the text: with `add_start_index`, `metadata["start_index"]` is exact,
    and `text[start_index:][:len(page_content)] == page_content`, with `chunk_overlap` as well. Each
    chunk's metadata is a deep copy of its document's; its `id` is None, as with LangChain's own
    splitters, unless `stable_ids` is set.

    A document whose metadata says that it is Markdown (`lumber_core.text.markdown.is_markdown`) is
    split as with `units="markdown"`, unless other units are chosen. The titles above each chunk,
    from the outermost to the innermost, are in its `metadata["headings"]`, as "Install > From
    source".

    Raises:
        ValueError: `chunk_overlap` is not below the chunker's `chunk_size`.
        TypeError: A setting has the wrong type or is unknown.

    Example:
        >>> from lumber_core import GreedyChunker
        >>> SpanTextSplitter(GreedyChunker(200)).split_text("Ann ran. She fell.")
        ['Ann ran. She fell.']
    """

    @takes(SplitterSettings)
    def __init__(self, settings: SplitterSettings) -> None:
        chunker = settings.chunker
        check_overlap(settings.chunk_overlap, chunker.chunk_size)
        super().__init__(
            chunk_overlap=0,
            add_start_index=settings.add_start_index,
            strip_whitespace=settings.strip_whitespace,
        )
        self._settings = settings
        self._chunk_size = chunker.chunk_size or self._chunk_size
        self._chunk_overlap = settings.chunk_overlap
        self._chunker = chunker
        self._length_function = _Length(chunker)

    @property
    def chunker(self) -> Chunker:
        """The splitter of `lumber_core` that finds the spans."""
        return self._chunker

    @property
    def chunk_overlap(self) -> int:
        """Maximum number of tokens repeated from the chunk before."""
        return self._chunk_overlap

    def segment(self, text: str) -> Segmentation:
        """Split one text; return the spans, untrimmed and without overlap, and the verdicts."""
        return self._chunker.segment(text, reserved=self._chunk_overlap)

    def show(self, text: str) -> ChunkView:
        """Split one text for display: notebooks show the chunks, without overlap, in colours."""
        return self._chunker.show(text, reserved=self._chunk_overlap)

    def split_text(self, text: str) -> list[str]:
        """Split one text into chunks."""
        (segmentation,) = self._chunker.segment_all([text], **self._arguments([{}]))
        return [span.of(text) for span in self._kept(text, segmentation)]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Split texts into documents.

        Args:
            texts: The texts; several are split concurrently if a model decides.
            metadatas: One for each text, copied into each of its chunks.

        Raises:
            ValueError: The numbers of texts and metadatas differ.
        """
        checked = _checked_metadatas(texts, metadatas)
        return self._split(texts, checked, [None] * len(texts))

    async def acreate_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Async version of `create_documents`."""
        checked = _checked_metadatas(texts, metadatas)
        return await self._asplit(texts, checked, [None] * len(texts))

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Split documents; the chunks of one follow each other, in order."""
        return self._split(*document_parts(documents))

    async def asplit_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Async version of `split_documents`."""
        return await self._asplit(*document_parts(documents))

    def lazy_split(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Split a stream of documents; the chunks are those of `split_documents`.

        Args:
            documents: Any iterable, such as a loader's `lazy_load()`. Documents are pulled when
                their chunks are asked for, one at a time, or as many as `max_concurrency`.

        Yields:
            The chunks. Memory holds those of the documents pulled last. `on_segmentation` counts
            the texts of each pull from 0.

        Raises:
            TypeError: `documents` is not an iterable of documents.
        """
        _refuse_single(documents)
        with self._bar(documents) as bar:
            for batch in batches(documents, self._chunker.texts_at_once):
                yield from self._split(*document_parts(batch), in_stream=True)
                bar.update(len(batch))

    async def alazy_split(
        self, documents: Iterable[Document] | AsyncIterable[Document]
    ) -> AsyncIterator[Document]:
        """Async version of `lazy_split`, which also takes an async iterator."""
        _refuse_single(documents)
        with self._bar(documents) as bar:
            async for batch in abatches(documents, self._chunker.texts_at_once):
                for chunk in await self._asplit(*document_parts(batch), in_stream=True):
                    yield chunk
                bar.update(len(batch))

    def _bar(self, documents: object) -> tqdm[NoReturn]:
        """Return the progress bar of a stream of documents."""
        total = len(documents) if isinstance(documents, Sized) else None
        return tqdm(total=total, unit="document", disable=not self._settings.show_progress)

    async def atransform_documents(
        self, documents: Sequence[Document], **kwargs: Any
    ) -> Sequence[Document]:
        """Async version of `transform_documents`: several documents are split at once."""
        del kwargs
        return await self.asplit_documents(documents)

    @classmethod
    def from_tiktoken_encoder(  # type: ignore[override]  # the same arguments, another default
        cls: type[Self],
        encoding_name: str = "cl100k_base",
        model_name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Return a splitter that counts tokens with tiktoken.

        Args:
            encoding_name: A tiktoken encoding.
            model_name: A model whose encoding to use instead.
            **kwargs: Other arguments of the class. `allowed_special` and `disallowed_special` are
                accepted for compatibility: special tokens always count as text.
        """
        kwargs.pop("allowed_special", None)
        kwargs.pop("disallowed_special", None)
        make: Any = cls  # subclasses take a tokenizer
        return cast(Self, make(tokenizer=model_name or encoding_name, **kwargs))

    @classmethod
    def from_huggingface_tokenizer(cls: type[Self], tokenizer: Any, **kwargs: Any) -> Self:
        """Return a splitter that counts tokens with a Hugging Face tokenizer.

        Args:
            tokenizer: A tokenizer of `transformers`, or a `tokenizers.Tokenizer`.
            **kwargs: Other arguments of the class.
        """
        make: Any = cls  # subclasses take a tokenizer
        return cast(Self, make(tokenizer=tokenizer, **kwargs))

    def _split(
        self,
        texts: list[str],
        metadatas: Sequence[dict[Any, Any]],
        ids: Sequence[str | None],
        *,
        in_stream: bool = False,
    ) -> list[Document]:
        arguments = self._arguments(metadatas, in_stream=in_stream)
        segmentations = self._chunker.segment_all(texts, **arguments)
        return self._documents(texts, metadatas, ids, segmentations)

    async def _asplit(
        self,
        texts: list[str],
        metadatas: Sequence[dict[Any, Any]],
        ids: Sequence[str | None],
        *,
        in_stream: bool = False,
    ) -> list[Document]:
        arguments = self._arguments(metadatas, in_stream=in_stream)
        segmentations = await self._chunker.asegment_all(texts, **arguments)
        return self._documents(texts, metadatas, ids, segmentations)

    def _arguments(
        self, metadatas: Sequence[dict[Any, Any]], *, in_stream: bool = False
    ) -> dict[str, Any]:
        """Return the chunker's arguments for texts with these metadatas.

        Args:
            metadatas: One for each text.
            in_stream: Whether the progress bar of a stream is shown instead of the chunker's.
        """
        return {
            "show_progress": self._settings.show_progress and not in_stream,
            "reserved": [self._chunk_overlap] * len(metadatas),
            "markdown": [self._chunker.reads_as_markdown(metadata) for metadata in metadatas],
        }

    def _chunk_metadata(self, segmentation: Segmentation) -> Sequence[Mapping[str, str]]:
        """Return what to add to the metadata of each span's chunk."""
        return [{}] * len(segmentation.spans)

    def _visible(self, text: str, segmentation: Segmentation) -> list[int]:
        """Return the numbers of the spans that become chunks."""
        return [
            number
            for number, span in enumerate(segmentation.spans)
            if not (self._strip_whitespace and span.of(text).isspace())
        ]

    def _kept(
        self, text: str, segmentation: Segmentation, *, markdown: bool = False
    ) -> Sequence[Span]:
        """Return the span of each chunk, with overlap, trimmed with `strip_whitespace`."""
        spans: Sequence[Span] = [
            segmentation.spans[number] for number in self._visible(text, segmentation)
        ]
        spans = self._chunker.overlap(text, spans, self._chunk_overlap, markdown=markdown)
        return [span.stripped(text) for span in spans] if self._strip_whitespace else spans

    def _documents(
        self,
        texts: Sequence[str],
        metadatas: Sequence[dict[Any, Any]],
        ids: Sequence[str | None],
        segmentations: Sequence[Segmentation],
    ) -> list[Document]:
        documents = []
        settings = self._settings
        identity = self._chunker.identity if settings.stable_ids else None
        for text, metadata, own_id, segmentation in zip(
            texts, metadatas, ids, segmentations, strict=True
        ):
            markdown = self._chunker.reads_as_markdown(metadata)
            spans = self._kept(text, segmentation, markdown=markdown)
            headings: Sequence[Mapping[str, str]] = [{}] * len(spans)
            if markdown:
                headings = heading_metadata(text, spans, metadata)
            added = self._chunk_metadata(segmentation)
            visible = self._visible(text, segmentation)
            for index, (number, span, titles) in enumerate(
                zip(visible, spans, headings, strict=True)
            ):
                own = {**copy.deepcopy(metadata), **added[number], **titles}
                if self._add_start_index:
                    own["start_index"] = span.start
                if settings.add_end_index:
                    own["end_index"] = span.end
                if settings.add_chunk_index:
                    own["chunk_index"] = index
                chunk = span.of(text)
                stable = identity and chunk_id(
                    metadata if own_id is None else own_id, span, chunk, identity
                )
                documents.append(Document(page_content=chunk, metadata=own, id=stable))
        return documents

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._chunker!r})"


class _Length:
    """A length function in LangChain's sense that counts the chunker's tokens."""

    def __init__(self, chunker: Chunker) -> None:
        self._chunker = chunker

    def __call__(self, text: str) -> int:
        return self._chunker.counter.count([text])[0]


def _checked_metadatas(
    texts: Sequence[str], metadatas: list[dict[Any, Any]] | None
) -> Sequence[dict[Any, Any]]:
    if not metadatas:
        return [{}] * len(texts)
    if len(metadatas) != len(texts):
        raise ValueError(
            f"there are {len(texts)} texts but {len(metadatas)} metadatas: pass one for each text"
        )
    return metadatas


def _refuse_single(documents: object) -> None:
    if isinstance(documents, Document):
        raise TypeError("documents must be a list of Document, not one Document: pass [document]")


def document_parts(
    documents: Iterable[Document],
) -> tuple[list[str], list[dict[Any, Any]], list[str | None]]:
    """Return the texts, the metadatas and the ids of documents.

    Raises:
        TypeError: An item is not a document.
    """
    _refuse_single(documents)
    kept = list(documents)
    for document in kept:
        if not isinstance(document, Document):
            hint = (
                ": use create_documents or split_text for texts"
                if isinstance(document, str)
                else ""
            )
            kind = f"{type(document).__module__}.{type(document).__qualname__}"
            raise TypeError(
                f"documents must be Documents of LangChain, not {kind.removeprefix('builtins.')}"
                f"{hint}"
            )
    texts = [document.page_content for document in kept]
    return texts, [document.metadata for document in kept], [document.id for document in kept]
