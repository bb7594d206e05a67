"""BertChunker for LangChain."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from langchain_core.documents import Document

from langchain_lumber.base import SpanTextSplitter, choose_tokenizer
from lumber_core.bert.chunker import Backend, BertChunker, Snap, WindowKind
from lumber_core.bert.embedder import TextEmbedder
from lumber_core.bert.scores import TokenScores
from lumber_core.tokens import TokenCounterSpec


class BertTextSplitter(SpanTextSplitter):
    """Cuts where a small BERT that comes with the library says that a chunk starts.

    Args:
        model: "bundled", a folder written by `lumber-splitters export` or `train`, or a hub id.
        threshold: t_c: higher gives fewer, longer chunks, lower gives more.
        backend: "onnx", or "torch" for checkpoints as they come.
        snap: "sentence" lets chunks start at sentences only; None at any word, as in the paper.
        windows: "overlapping", or "moving" for the paper's.
        threads: Windows scored at once; None takes the processors there are.
        tokenizer: Counts tokens for the limits, "words" unless given; see
            `lumber_core.BertChunker`.
        length_function: The same under LangChain's name: a function from a string to a number.
        language: ISO 639 code for finding sentences.
        chunk_size: No chunk counts more tokens. None sets no limit.
        min_chunk_size: Smaller chunks join a neighbour that has room. None sets no limit.
        add_start_index: Put the chunk's offset in characters into `metadata["start_index"]`.
        strip_whitespace: Trim white space at both ends of a chunk.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
        TypeError: An argument has the wrong type.
    """

    def __init__(
        self,
        model: str = "bundled",
        *,
        threshold: float = 0.0,
        backend: Backend = "onnx",
        snap: Snap = "sentence",
        windows: WindowKind = "overlapping",
        threads: int | None = None,
        tokenizer: TokenCounterSpec | None = None,
        length_function: Callable[[str], int] | None = None,
        language: str = "en",
        chunk_size: int | None = None,
        min_chunk_size: int | None = None,
        add_start_index: bool = False,
        strip_whitespace: bool = True,
    ) -> None:
        chunker = BertChunker(
            model,
            threshold=threshold,
            backend=backend,
            snap=snap,
            windows=windows,
            threads=threads,
            tokenizer=choose_tokenizer(tokenizer, length_function, "words"),
            language=language,
            chunk_size=chunk_size,
            min_chunk_size=min_chunk_size,
        )
        super().__init__(
            chunker, add_start_index=add_start_index, strip_whitespace=strip_whitespace
        )
        self._bert = chunker

    def scores(self, text: str) -> TokenScores:
        """Score every token of a text, apart from cutting; see `BertChunker.scores`."""
        return self._bert.scores(text)

    def split_and_embed(
        self, documents: Iterable[Document], *, embedder: str = "bundled"
    ) -> tuple[list[Document], list[list[float]]]:
        """Split documents, and embed every chunk for a vector store.

        Args:
            documents: The documents.
            embedder: "bundled", or a folder made by `lumber-splitters export --embedder`.

        Returns:
            The chunks, and for each its vector as `LumberEmbeddings` would give it.
        """
        chunks = self.split_documents(documents)
        vectors = TextEmbedder(embedder, threads=self._bert.threads).embed(
            [chunk.page_content for chunk in chunks]
        )
        return chunks, vectors.tolist()
