"""Vectors of chunks that include headings and surrounding text, for any vector store."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from langchain_lumber.embeddings import check_embeddings
from langchain_lumber.passage_joiner import name_of, start_and_slice
from langchain_lumber.span_text_splitter import check_documents
from lumber_core.calls.deadlines import run_for_loop
from lumber_core.spans import Span
from lumber_core.text.captions import spoken_text
from lumber_core.text.markdown import CONTEXT_KEY, HEADING_SEPARATOR
from lumber_core.text.outline import Context, headings_above
from lumber_core.text.source import Source
from lumber_core.text.titles import document_title
from lumber_retrieval.embedders import FrameworkEmbedder
from lumber_retrieval.index.surroundings import PlacedText, embed_chunks, spans_of
from lumber_retrieval.index.vectors import Vectors

_LINES_WITH_HEADINGS = 3  # the first lines of a chunk, where a splitter may have kept its headings


class ContextEmbeddings(Embeddings):
    """Embeds chunks together with the headings above them and the text around them.

    Small chunks are found more often if their context is embedded with them, and if the vectors of
    their neighbours in the document are added to theirs. That helps chunks of about 50 tokens, but
    not chunks of 150.

    Works with chunks of any splitter, and with any vector store, `index()` or retriever that is
    given these chunks. The vectors of the chunks have length 1. Queries are embedded as usual, and
    a text that is none of the chunks is embedded alone.

    If one chunk of a document is new, all chunks of the document are embedded. With
    `CacheBackedEmbeddings` as the model, only texts that it has not seen are embedded.

    Vector stores pass texts without metadata. So chunks with equal texts get their vectors in the
    order in which the store embeds them: give the store the chunks in the same order.

    Args:
        chunks: The chunks; those of a document follow each other in order. The metadata of each
            names its document as "source", "file_path" or "file_name". A chunk is embedded with its
            "context" (set by this library's splitters with `add_metadata=True`), else with its
            headings ("headings", or "Header 1" of other splitters), else with the name as words.
            Chunks without a "start_index" are assumed to follow each other without gaps.
        embeddings: The embedding model; None for the bundled one (`LumberEmbeddings`).

    Raises:
        TypeError: `chunks` or `embeddings` has the wrong type.
        ValueError: A chunk does not name its document. The methods raise a ValueError if the model
            does not return one vector for each text, all of the same size.

    Example:
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> from langchain_lumber import LayoutTextSplitter
        >>> splitter = LayoutTextSplitter(target_size=50, add_metadata=True)
        >>> document = Document("Ann ran. She fell.", metadata={"source": "ann.txt"})
        >>> chunks = splitter.split_documents([document])
        >>> store = InMemoryVectorStore(ContextEmbeddings(chunks))
        >>> len(store.add_documents(chunks))
        1
        >>> store.similarity_search("Who ran?")[0].page_content
        'Ann ran. She fell.'
    """

    def __init__(self, chunks: Iterable[Document], embeddings: Embeddings | None = None) -> None:
        self._embeddings = check_embeddings(embeddings)
        self._documents: list[list[PlacedText]] = []
        self._vectors: dict[int, Vectors] = {}  # by the number of the document
        self._places: dict[str, deque[tuple[int, int]]] = {}  # the numbers of document and chunk
        for document in _group_by_document(check_documents(chunks)):
            for number, chunk in enumerate(document):
                place = len(self._documents), number
                self._places.setdefault(chunk.page_content, deque()).append(place)
            self._documents.append(_place_chunks(document))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vector of each text. The first text of a document embeds all its chunks."""
        distinct = dict.fromkeys(texts)
        places = chain.from_iterable(self._places.get(text, ()) for text in distinct)
        numbers = [*dict.fromkeys(number for number, _ in places if number not in self._vectors)]
        unknown_texts = [text for text in distinct if text not in self._places]
        alone = [[PlacedText(Span(0, len(text)), text, text)] for text in unknown_texts]
        documents = [*(self._documents[number] for number in numbers), *alone]
        vectors = embed_chunks(documents, FrameworkEmbedder(self._embeddings).embed_documents)
        self._vectors.update(zip(numbers, vectors, strict=False))
        unknown_vectors = dict(zip(unknown_texts, vectors[len(numbers) :], strict=True))
        result: list[list[float]] = []
        for text in texts:
            if text in unknown_vectors:
                result.append(unknown_vectors[text][0].tolist())
                continue
            places_of_text = self._places[text]
            places_of_text.rotate(-1)  # the next chunk with this text; after the last, the first
            document, number = places_of_text[-1]
            result.append(self._vectors[document][number].tolist())
        return result

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Async version of `embed_documents`."""
        return await run_for_loop(self.embed_documents, texts)

    def embed_query(self, text: str) -> list[float]:
        """Return the model's vector for a query."""
        return self._embeddings.embed_query(text)

    async def aembed_query(self, text: str) -> list[float]:
        """Async version of `embed_query`."""
        return await self._embeddings.aembed_query(text)

    def __repr__(self) -> str:
        return f"ContextEmbeddings({len(self._places)} texts, {self._embeddings!r})"


def _group_by_document(chunks: Iterable[Document]) -> list[list[Document]]:
    """Return the chunks of each document; raise a ValueError if a chunk names none."""
    documents: list[list[Document]] = []
    before, end = "", 0
    for chunk in chunks:
        name, (start, _) = name_of(chunk), start_and_slice(chunk)
        # Pages of one file may have the same name, and the offsets of each start at 0.
        if name != before or (start is not None and start < end):
            documents.append([])
            end = 0
        documents[-1].append(chunk)
        before, end = name, end if start is None else start + 1
    return documents


def _place_chunks(chunks: Sequence[Document]) -> list[PlacedText]:
    """Return the chunks of a document with their places and the texts to embed."""
    placed = [start_and_slice(chunk) for chunk in chunks]
    texts = [text for _, text in placed]
    spans = spans_of(texts, [start for start, _ in placed])
    return [
        PlacedText(span, spoken_text(text), _in_context(chunk, text))
        for span, text, chunk in zip(spans, texts, chunks, strict=True)
    ]


def _in_context(chunk: Document, text: str) -> str:
    """Return a text below its chunk's context, or below headings that it does not begin with."""
    if text != chunk.page_content:
        return chunk.page_content  # the splitter has put the context into it
    metadata: dict[str, Any] = chunk.metadata
    if isinstance(context := metadata.get(CONTEXT_KEY), str):
        return Context.from_text(context).above(text)
    titles = headings_above(metadata)
    if not titles:
        titles = (document_title(metadata, Source(text, metadata=metadata).file_title),)
    beginning = "\n".join(text.split("\n", _LINES_WITH_HEADINGS)[:_LINES_WITH_HEADINGS])
    above = HEADING_SEPARATOR.join(title for title in titles if title not in beginning)
    return Context.from_text(above).above(text)
