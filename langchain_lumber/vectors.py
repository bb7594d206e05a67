"""Vectors of chunks that know context and surroundings, and how vector stores get them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from langchain_lumber.base import checked_documents, checked_embeddings, vector_lists
from lumber_core.spans import Span
from lumber_core.text.markdown import CONTEXT_KEY, HEADING_SEPARATOR
from lumber_core.text.pages import PAGE_KEYS
from lumber_core.text.source import NAME_KEYS
from lumber_retrieval.embedding import check_flags
from lumber_retrieval.surroundings import PlacedText, VectorPlan, matrix

_HEADERS = [f"Header {level}" for level in range(1, 7)]
"""Where LangChain's splitters of Markdown and HTML are usually told to put headings."""

_FIRST_LINES = 3  # a heading, or headings and a blank line above it, as by `context=True`


def embed_chunks(
    chunks: Iterable[Document],
    embeddings: Embeddings | None = None,
    *,
    context: bool = True,
    surroundings: bool = True,
    show_progress: bool = False,
) -> list[list[float]]:
    """Embed the chunks of any splitter so that their vectors know context and surroundings.

    For chunks of this library's splitters, `split_and_embed` does the same and knows more: the
    title and the headers of tables.

    Args:
        chunks: Documents of LangChain as a splitter returns them: the chunks of a document in order
            and after each other. For surroundings, each has `metadata["start_index"]` and the name
            of its document in `metadata["source"]`, "file_path" or "file_name".
        embeddings: The embedding model; None for the bundled one (`LumberEmbeddings`).
        context: Embed a chunk below its `metadata["context"]`, or the headings that are there as
            "headings" or "Header 1" to "Header 6".
        surroundings: Add the vectors of its neighbours, which helps to find chunks of about 50
            tokens, and not those of 150.
        show_progress: Show a progress bar on stderr.

    Returns:
        A vector for each chunk, in order.

    Raises:
        TypeError: An item is not a document, or an argument has the wrong type.
        ValueError: A chunk does not say where it comes from.

    Example:
        >>> chunks = [
        ...     Document("Ann ran.", metadata={"source": "a.txt", "start_index": 0}),
        ...     Document("She fell.", metadata={"source": "a.txt", "start_index": 9}),
        ... ]
        >>> [len(vector) for vector in embed_chunks(chunks)]
        [384, 384]
    """
    plan = _plan(chunks, context=context, surroundings=surroundings)
    model = checked_embeddings(embeddings)
    return vector_lists(plan.embed(model.embed_documents, show_progress=show_progress))


async def aembed_chunks(
    chunks: Iterable[Document],
    embeddings: Embeddings | None = None,
    *,
    context: bool = True,
    surroundings: bool = True,
    show_progress: bool = False,
) -> list[list[float]]:
    """Async version of `embed_chunks`.

    Args:
        chunks: As for `embed_chunks`.
        embeddings: As for `embed_chunks`.
        context: As for `embed_chunks`.
        surroundings: As for `embed_chunks`.
        show_progress: Show a progress bar on stderr.

    Example:
        >>> import asyncio
        >>> chunk = Document("Ann ran.", metadata={"source": "a.txt", "start_index": 0})
        >>> [vector] = asyncio.run(aembed_chunks([chunk]))
        >>> len(vector)
        384
    """
    plan = _plan(chunks, context=context, surroundings=surroundings)
    model = checked_embeddings(embeddings)
    return vector_lists(await plan.aembed(model.aembed_documents, show_progress=show_progress))


def _plan(chunks: Iterable[Document], *, context: bool, surroundings: bool) -> VectorPlan:
    """Return what to embed for chunks.

    Raises:
        TypeError: An item is not a document, or an argument has the wrong type.
        ValueError: A chunk does not say where it comes from.
    """
    check_flags(context=context, surroundings=surroundings)
    documents: list[list[PlacedText]] = []
    before = None
    for number, chunk in enumerate(checked_documents(chunks)):
        origin = _origin(number, chunk) if surroundings else (None, 0)
        # Pages of one file have the same name, and the offsets of each begin anew.
        if before is None or origin[0] != before[0] or origin[1] <= before[1]:
            documents.append([])
        documents[-1].append(_placed(chunk, origin[1], context=context))
        before = origin
    return VectorPlan(documents, surroundings=surroundings)


def _origin(number: int, chunk: Document) -> tuple[tuple[Any, ...], int]:
    """Return which document a chunk comes from, and its offset there.

    Raises:
        ValueError: The metadata does not say it.
    """
    start = chunk.metadata.get("start_index")
    if isinstance(start, bool) or not isinstance(start, int) or start < 0:
        raise ValueError(
            f'chunk {number} has metadata["start_index"]={start!r}, so its surroundings are not '
            "known: make its splitter with add_start_index=True, or pass surroundings=False"
        )
    if not any(chunk.metadata.get(key) for key in NAME_KEYS):
        raise ValueError(
            f'chunk {number} has no metadata["source"], so the document that its surroundings '
            "are in is not known: give the documents one before they are split, or pass "
            "surroundings=False"
        )
    return tuple(chunk.metadata.get(key) for key in (*NAME_KEYS, *PAGE_KEYS)), start


def _placed(chunk: Document, start: int, *, context: bool) -> PlacedText:
    """Return a chunk as it is embedded; a context that its text begins with is not repeated."""
    text = chunk.page_content
    above = _above(chunk.metadata, text) if context else ""
    first = above.partition("\n")[0] + "\n\n"
    if above and text.startswith(first):  # as put there by `context=True`
        body = text.removeprefix(first)
        return PlacedText(Span(start, start + len(body)), body, text)
    in_context = f"{above}\n\n{text}" if above else text
    return PlacedText(Span(start, start + len(text)), text, in_context)


def _above(metadata: dict[str, Any], text: str) -> str:
    """Return the context or the headings of a chunk, without those it begins with."""
    context = metadata.get(CONTEXT_KEY)
    if isinstance(context, str):
        return context
    path = metadata.get("headings")
    if isinstance(path, str):
        titles = path.split(HEADING_SEPARATOR)
    else:
        titles = [str(metadata[key]) for key in _HEADERS if metadata.get(key)]
    beginning = "\n".join(text.split("\n", _FIRST_LINES)[:_FIRST_LINES])
    return HEADING_SEPARATOR.join(title for title in titles if title not in beginning)


class KnownVectors(Embeddings):
    """Embeddings that know the vectors of some chunks, and ask a model for everything else.

    Any vector store, `index()` or retriever that is given chunks and these embeddings stores the
    vectors of `split_and_embed` or `embed_chunks`, and embeds queries as usual.

    Stores pass texts alone. Chunks with the same text get their vectors in the order in which the
    store asks for them, so pass it the chunks in the order in which they are here.

    Args:
        chunks: The chunks.
        vectors: The vector of each.
        embeddings: The model that made the vectors; None for the bundled one. It embeds queries,
            and texts that are none of the chunks.

    Raises:
        TypeError: `chunks` or `embeddings` is of the wrong kind.
        ValueError: There is not one vector for each chunk, or they differ in size.

    Example:
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> from langchain_lumber import BertTextSplitter
        >>> splitter = BertTextSplitter(target_size=50)
        >>> chunks, vectors = splitter.split_and_embed([Document("Ann ran. She fell.")])
        >>> store = InMemoryVectorStore(KnownVectors(chunks, vectors))
        >>> len(store.add_documents(chunks))
        1
        >>> store.similarity_search("Who ran?")[0].page_content
        'Ann ran. She fell.'
    """

    def __init__(
        self,
        chunks: Iterable[Document],
        vectors: Sequence[Sequence[float]],
        embeddings: Embeddings | None = None,
    ) -> None:
        texts = [chunk.page_content for chunk in checked_documents(chunks)]
        if len(texts) != len(vectors):
            raise ValueError(
                f"there are {len(texts)} chunks but {len(vectors)} vectors: pass one for each"
            )
        self._embeddings = checked_embeddings(embeddings)
        self._width = matrix(vectors, len(texts)).shape[1] or None
        self._known: dict[str, deque[list[float]]] = {}
        for text, vector in zip(texts, vectors, strict=True):
            self._known.setdefault(text, deque()).append([*map(float, vector)])

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vector of each text that is a chunk, and the model's for the others."""
        others = self._others(texts)
        made = self._embeddings.embed_documents(others) if others else []
        return self._vectors(texts, others, made)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Async version of `embed_documents`."""
        others = self._others(texts)
        made = await self._embeddings.aembed_documents(others) if others else []
        return self._vectors(texts, others, made)

    def embed_query(self, text: str) -> list[float]:
        """Return the model's vector for a query.

        Raises:
            ValueError: It has another size than those of the chunks.
        """
        return self._fitting(self._embeddings.embed_query(text))

    async def aembed_query(self, text: str) -> list[float]:
        """Async version of `embed_query`."""
        return self._fitting(await self._embeddings.aembed_query(text))

    def _others(self, texts: Iterable[str]) -> list[str]:
        return [text for text in dict.fromkeys(texts) if text not in self._known]

    def _vectors(
        self, texts: list[str], others: list[str], made: list[list[float]]
    ) -> list[list[float]]:
        own = dict(zip(others, map(self._fitting, made), strict=True))
        return [own[text] if text in own else self._next(text) for text in texts]

    def _next(self, text: str) -> list[float]:
        """Return the vector of the next chunk with a text; after the last one, of the first."""
        vectors = self._known[text]
        vectors.rotate(-1)
        return vectors[-1]

    def _fitting(self, vector: list[float]) -> list[float]:
        if self._width not in (None, len(vector)):
            raise ValueError(
                f"embeddings gives vectors of {len(vector)} numbers, but those of the chunks have "
                f"{self._width}: pass the model that made them"
            )
        return vector

    def __repr__(self) -> str:
        return f"KnownVectors({len(self._known)} texts, {type(self._embeddings).__name__})"
