"""One interface to the splitters of several frameworks, and to what they promise."""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Framework = Literal["langchain", "llama-index", "chonkie"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk as returned by its framework.

    Attributes:
        text: The chunk's text.
        start: Character offset in the source text; None if the framework gives none.
        end: Offset just past the chunk; None if the framework gives none.
        metadata: The chunk's metadata, without its offsets.
    """

    text: str
    start: int | None
    end: int | None
    metadata: Mapping[str, Any] = field(default_factory=dict, compare=False)


class FirstSplit(NamedTuple):
    """What came of splitting a text.

    Attributes:
        pieces: The chunks; None after an error.
        error: The error; None if there was none.
        printed: What was written to standard output and standard error.
    """

    pieces: list[Piece] | None
    error: Exception | None
    printed: str


class Subject:
    """A splitter under examination.

    Args:
        make: Returns a new splitter each time: a LangChain `TextSplitter`, a LlamaIndex
            `NodeParser` or a chonkie chunker.
        chunk_size: Maximum size of a chunk. None: the splitter's own chunk size.
        length: Returns the size of a text. None: the splitter's own length function.

    Attributes:
        splitter: The first splitter that `make` returned.
        framework: "langchain", "llama-index" or "chonkie".

    Raises:
        TypeError: `make` is not callable, or does not return a splitter.
    """

    def __init__(
        self,
        make: Callable[[], Any],
        *,
        chunk_size: int | None = None,
        length: Callable[[str], int] | None = None,
    ) -> None:
        if not callable(make):
            raise TypeError(
                f"make must be a function without arguments that returns a splitter, not {make!r}"
            )
        self._make = make
        self.splitter = make()
        self.framework = _framework(self.splitter)
        self.chunk_size = _declared_size(self.splitter) if chunk_size is None else chunk_size
        self.length = _declared_length(self.splitter) if length is None else length
        self._first: dict[str, FirstSplit] = {}

    @property
    def name(self) -> str:
        """The splitter's class."""
        return type(self.splitter).__qualname__

    @property
    def overlaps(self) -> bool:
        """Whether the splitter says that its chunks overlap."""
        declared = ("_chunk_overlap", "chunk_overlap")
        return any(getattr(self.splitter, name, 0) for name in declared)

    def fresh(self) -> Subject:
        """Return the same subject with a new splitter, which has not been used."""
        again = Subject(self._make, chunk_size=self.chunk_size, length=self.length)
        again._first = self._first
        return again

    def with_splitter(self, splitter: Any) -> Subject:
        """Return a subject over another splitter, such as one that was unpickled."""
        return Subject(lambda: splitter, chunk_size=self.chunk_size, length=self.length)

    def split(self, text: str, metadata: Mapping[str, Any] | None = None) -> list[Piece]:
        """Split one text, as a pipeline of the splitter's framework does."""
        if self.framework == "chonkie":
            return _from_chonkie(self.splitter.chunk(text))
        document = self.document(text, metadata)
        if self.framework == "langchain":
            return _from_langchain(self.offsetting().transform_documents([document]))
        return _from_llama_index(self.splitter.get_nodes_from_documents([document]))

    def first(self, text: str) -> FirstSplit:
        """Return what came of splitting a text for the first time, also before `fresh`."""
        if text not in self._first:
            printed = io.StringIO()
            pieces, error = None, None
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                try:
                    pieces = self.split(text)
                except Exception as raised:  # noqa: BLE001 - the contract "errors" reports it
                    error = raised
            self._first[text] = FirstSplit(pieces, error, printed.getvalue())
        return self._first[text]

    async def asplit(self, text: str, metadata: Mapping[str, Any] | None = None) -> list[Piece]:
        """Async version of `split`."""
        if self.framework == "chonkie":
            return _from_chonkie(await self.splitter.achunk(text))
        document = self.document(text, metadata)
        if self.framework == "langchain":
            return _from_langchain(await self.offsetting().atransform_documents([document]))
        return _from_llama_index(await self.splitter.aget_nodes_from_documents([document]))

    def document(self, text: str, metadata: Mapping[str, Any] | None = None) -> Any:
        """Return a document of the splitter's framework."""
        given = copy.deepcopy(dict(metadata or {}))
        if self.framework == "langchain":
            from langchain_core.documents import Document

            return Document(page_content=text, metadata=given)
        from llama_index.core import Document as LlamaIndexDocument

        return LlamaIndexDocument(text=text, metadata=given)

    def offsetting(self) -> Any:
        """Return the splitter, set to give offsets if its framework has a setting for that."""
        if self.framework == "langchain" and hasattr(self.splitter, "_add_start_index"):
            self.splitter._add_start_index = True
        return self.splitter


def _framework(splitter: Any) -> Framework:
    if not isinstance(splitter, type):
        if hasattr(splitter, "get_nodes_from_documents"):
            return "llama-index"
        if hasattr(splitter, "transform_documents") and hasattr(splitter, "split_text"):
            return "langchain"
        if hasattr(splitter, "chunk") and hasattr(splitter, "chunk_batch"):
            return "chonkie"
    raise TypeError(
        "make must return a LangChain TextSplitter, a LlamaIndex NodeParser or a chonkie chunker, "
        f"not {splitter!r}"
    )


def _declared_size(splitter: Any) -> int | None:
    for name in ("_chunk_size", "chunk_size"):
        size = getattr(splitter, name, None)
        if isinstance(size, int):
            return size
    return None


def _declared_length(splitter: Any) -> Callable[[str], int] | None:
    """Return the splitter's own length function; its tokenizer has priority."""
    tokenizer = getattr(splitter, "_tokenizer", None)
    count_tokens = getattr(tokenizer, "count_tokens", None)
    if callable(count_tokens):
        return lambda text: int(count_tokens(text))
    encode = getattr(tokenizer, "encode_ordinary", None) or getattr(tokenizer, "encode", tokenizer)
    if callable(encode):
        return lambda text: len(encode(text))
    counter = getattr(getattr(splitter, "chunker", None), "counter", None)
    if counter is not None:
        return lambda text: int(counter.count([text])[0])
    length = getattr(splitter, "_length_function", None)
    return length if callable(length) else None


def _from_langchain(documents: Sequence[Any]) -> list[Piece]:
    pieces = []
    for document in documents:
        metadata = dict(document.metadata)
        start = metadata.pop("start_index", None)
        end = None if start is None else start + len(document.page_content)
        pieces.append(Piece(document.page_content, start, end, metadata))
    return pieces


def _from_chonkie(chunks: Sequence[Any]) -> list[Piece]:
    return [Piece(chunk.text, chunk.start_index, chunk.end_index) for chunk in chunks]


def _from_llama_index(nodes: Sequence[Any]) -> list[Piece]:
    """Return the leaves, because the parents of a hierarchy repeat their children's text."""
    leaves = [node for node in nodes if not node.child_nodes]
    return [
        Piece(
            node.get_content(),
            getattr(node, "start_char_idx", None),
            getattr(node, "end_char_idx", None),
            dict(node.metadata),
        )
        for node in leaves
    ]
