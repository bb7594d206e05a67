"""From spans to LangChain documents: what all splitters here share."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from lumber_core.chunker import Chunker
from lumber_core.segmentation import Segmentation
from lumber_core.tokens import TokenCounterSpec

Self = TypeVar("Self", bound="SpanTextSplitter")


class SpanTextSplitter(TextSplitter):
    """A LangChain text splitter over any splitter of `lumber_core`.

    Chunks are slices of the text: with `add_start_index`, `metadata["start_index"]` is exact,
    and `text[start_index:][:len(page_content)] == page_content`. Chunks never overlap. Each
    chunk's metadata is a deep copy of its document's; its `id` is None, as with LangChain's own
    splitters, because several chunks must not share one.

    Args:
        chunker: Finds the spans.
        add_start_index: Put the chunk's offset in characters into `metadata["start_index"]`.
        strip_whitespace: Trim white space at both ends of a chunk; its offset moves along, and a
            chunk of white space only is left out.
    """

    def __init__(
        self,
        chunker: Chunker,
        *,
        add_start_index: bool = False,
        strip_whitespace: bool = True,
    ) -> None:
        super().__init__(
            chunk_overlap=0, add_start_index=add_start_index, strip_whitespace=strip_whitespace
        )
        self._chunker = chunker
        self._length_function = _Length(chunker)

    @property
    def chunker(self) -> Chunker:
        """The splitter of `lumber_core` that finds the spans."""
        return self._chunker

    def segment(self, text: str) -> Segmentation:
        """Split one text, and return the untrimmed spans with the verdicts behind them."""
        return self._chunker.segment(text)

    def split_text(self, text: str) -> list[str]:
        """Split one text into the texts of its chunks."""
        return [chunk for _, chunk in self._chunks(text, self._chunker.segment(text))]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Split texts into documents.

        Args:
            texts: The texts; several are worked on at once where a model is asked.
            metadatas: One for each text, copied into every one of its chunks.

        Raises:
            ValueError: There are not as many metadatas as texts.
        """
        checked = _checked_metadatas(texts, metadatas)
        return self._documents(texts, checked, self._chunker.segment_all(texts))

    async def acreate_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Do as `create_documents`, without blocking the event loop."""
        checked = _checked_metadatas(texts, metadatas)
        return self._documents(texts, checked, await self._chunker.asegment_all(texts))

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Split documents; the chunks of one follow each other, in order."""
        return self.create_documents(*_taken_apart(documents))

    async def asplit_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Do as `split_documents`, without blocking the event loop."""
        return await self.acreate_documents(*_taken_apart(documents))

    async def atransform_documents(
        self, documents: Sequence[Document], **kwargs: Any
    ) -> Sequence[Document]:
        """Split documents, several at once, without blocking the event loop."""
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
                taken for compatibility: special tokens in a text always count as text.
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

    def _chunks(self, text: str, segmentation: Segmentation) -> Iterable[tuple[int, str]]:
        """Yield the offset and the text of each chunk, trimmed where asked for."""
        for span in segmentation.spans:
            kept = span.stripped(text) if self._strip_whitespace else span
            if kept.start < kept.end:
                yield kept.start, kept.of(text)

    def _documents(
        self,
        texts: Sequence[str],
        metadatas: Sequence[dict[Any, Any]],
        segmentations: Sequence[Segmentation],
    ) -> list[Document]:
        documents = []
        for text, metadata, segmentation in zip(texts, metadatas, segmentations, strict=True):
            for start, chunk in self._chunks(text, segmentation):
                own = copy.deepcopy(metadata)
                if self._add_start_index:
                    own["start_index"] = start
                documents.append(Document(page_content=chunk, metadata=own))
        return documents

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._chunker!r})"


class _Length:
    """The length of a text in the chunker's tokens, as LangChain's length functions give it."""

    def __init__(self, chunker: Chunker) -> None:
        self._chunker = chunker

    def __call__(self, text: str) -> int:
        return self._chunker.counter.count([text])[0]


def choose_tokenizer(
    tokenizer: TokenCounterSpec | None,
    length_function: Callable[[str], int] | None,
    default: TokenCounterSpec,
) -> TokenCounterSpec:
    """Return the tokenizer given under either name, or the default.

    Raises:
        ValueError: Both are given.
    """
    if tokenizer is not None and length_function is not None:
        raise ValueError("pass either tokenizer or length_function, not both")
    if length_function is not None:
        return length_function
    return default if tokenizer is None else tokenizer


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


def _taken_apart(documents: Iterable[Document]) -> tuple[list[str], list[dict[Any, Any]]]:
    kept = list(documents)
    return [document.page_content for document in kept], [document.metadata for document in kept]
