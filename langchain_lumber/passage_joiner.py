"""Joins the hits of any retriever into passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation

from langchain_lumber.span_text_splitter import check_documents
from lumber_core.checks import check_text
from lumber_core.spans import Span
from lumber_core.support.identity import safe_repr
from lumber_core.text.origin import document_key, file_names, part_name
from lumber_retrieval.hits import Hit
from lumber_retrieval.passages.joining import MAX_GAP, Passage
from lumber_retrieval.passages.ranking import BUDGET
from lumber_retrieval.passages.reranking import JoinsHits

NamedTexts = Mapping[str, str] | Iterable[Document]
"""Documents as they were before they were split, or their texts by name."""


class PassageJoiner(JoinsHits, BaseDocumentCompressor):
    """Joins hits into passages, exact slices of their documents, ranked by the question.

    A document compressor, for the hits of any retriever. Hits are chunks made with
    `add_start_index=True`, whose metadata names their document ("source", "file_path" or
    "file_name", and the number of a page).

    Hits are ranked as in `PassageRetriever`: chunks by how many words of the question are in them
    and beside them, then their sentences, best first, until the budget is full. Retrieve 50 to 100
    hits. The index of `PassageRetriever` stores how rare a word is; here it is estimated from the
    hits: a word that most of them contain counts little. A passage that is neither in the hits nor
    in the text beside them is not found.

    Args:
        texts: The documents that were split, or a mapping from their names to their texts, which is
            read at each query.
        max_gap: Sentences or hits of a document with at most this many words between them are
            joined, with these words; of sentences, at most a seventh of the budget.
        budget: Maximum number of words in all passages. A sentence or hit is left out if it does
            not fit together with the text that joins it to others; the best one is always returned,
            alone if it exceeds the budget. Each Chinese character and kana counts as a word. None:
            no limit, so that whole hits are joined.
        reading_order: Whether passages are in the order of the text, beginning with the document of
            the best passage. By default they are ordered best first.
        rerank: Whether hits are ranked by the question. False, or without a question: whole hits
            are joined, in the order of the retriever.
        language: ISO 639 code of the language, such as "en", to find sentences.

    Raises:
        ValueError: `max_gap` is negative, `budget` is below 1, or two documents have the same name.
        TypeError: An argument has the wrong type.

    Example:
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> from langchain_lumber import GreedyTextSplitter, LumberEmbeddings
        >>> document = Document("Otters swim. They eat fish.", metadata={"source": "otters.txt"})
        >>> splitter = GreedyTextSplitter(target_size=4, add_start_index=True)
        >>> store = InMemoryVectorStore(LumberEmbeddings())
        >>> _ = store.add_documents(splitter.split_documents([document]))
        >>> hits = store.similarity_search("What do otters eat?")
        >>> len(hits)
        2
        >>> joiner = PassageJoiner(texts=[document])
        >>> (passage,) = joiner.compress_documents(hits, "What do otters eat?")
        >>> passage.page_content, passage.metadata["start_index"], passage.metadata["end_index"]
        ('Otters swim. They eat fish.', 0, 27)
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid", strict=True)

    texts: SkipValidation[NamedTexts] = Field(repr=False)
    max_gap: SkipValidation[int] = MAX_GAP
    budget: SkipValidation[int | None] = BUDGET
    reading_order: SkipValidation[bool] = False
    rerank: SkipValidation[bool] = True
    language: SkipValidation[str] = "en"

    _texts: Mapping[str, str | list[Document]] = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings before any work."""
        super().model_post_init(context)
        self._check()
        self._texts = _texts_by_name(self.texts)

    def compress_documents(
        self, documents: Sequence[Document], query: str = "", callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Return the passages of hits, best first.

        Args:
            documents: The hits, best first.
            query: The question; "" for none.
            callbacks: Not used.

        Returns:
            Passages that do not overlap. `page_content` is `text[start_index:end_index]`, without a
            context. Headings, context, first page and line are those of its start, the last page
            and line those of its end, and other metadata that of the best hit. If hits are ranked,
            "relevance_score" and "words_found" are as in `PassageRetriever`. A passage that is a
            hit keeps its `id` and "chunk_index".

        Raises:
            ValueError: A hit has no "start_index" or no name of its document, or its document is
                missing from `texts`, or has another text at its offset.
            TypeError: An item is not a document.
        """
        del callbacks
        checked = check_documents(documents)
        hits: list[Hit] = []
        texts: dict[str, str] = {}
        for number, document in enumerate(checked):
            hit = _hit_of(number, document)
            name, text = _find_text(hit, self._texts)
            texts[name] = text
            hits.append(hit._replace(document=name))
        passages = self._join(query, hits, texts)
        return [_document_of(passage, hits, checked) for passage in passages]


def _document_of(passage: Passage, hits: Sequence[Hit], documents: Sequence[Document]) -> Document:
    start, end = passage.span
    metadata = {**passage.metadata, "start_index": start, "end_index": end}
    if passage.words_found is not None:
        metadata |= {"relevance_score": passage.score, "words_found": passage.words_found}
    best = passage.hits[0].number
    if metadata.get("text") == hits[best].text:  # the hit is a passage of `PassageRetriever`
        metadata["text"] = passage.text
    if hits[best].span == passage.span:
        return Document(page_content=passage.text, metadata=metadata, id=documents[best].id)
    metadata.pop("chunk_index", None)
    return Document(page_content=passage.text, metadata=metadata)


def _hit_of(number: int, hit: Document) -> Hit:
    """Return a document as a hit without its context; the score is higher for lower numbers."""
    start, text = start_and_slice(hit)
    if start is None:
        raise ValueError(
            f'the hit that begins with {hit.page_content[:40]!r} has no "start_index" in its '
            "metadata: split documents with add_start_index=True, and index them again"
        )
    return Hit(number, name_of(hit), Span(start, start + len(text)), text, -number, hit.metadata)


def name_of(document: Document) -> str:
    """Return the name of a document, or of the document of a chunk, or raise a ValueError."""
    key = document_key(document.metadata)
    if not key:
        raise ValueError(
            f"the text that begins with {document.page_content[:40]!r} does not name its document: "
            'put a name into the metadata of each document as "source" before it is split'
        )
    return key


def start_and_slice(chunk: Document) -> tuple[int | None, str]:
    """Return where a chunk starts in its document (None: unknown), and its slice of the text.

    The slice is the content without the context that `context=True` puts before it. Offsets that
    are invalid or do not fit the content raise a ValueError.
    """
    start, end = (_offset(chunk, key) for key in ("start_index", "end_index"))
    content, slice_text = chunk.page_content, chunk.metadata.get("text")
    if start is None or end is None:
        return start, content
    # A passage of captions shows only speech.
    if isinstance(slice_text, str) and len(slice_text) == end - start:
        return start, slice_text
    if not start <= end <= start + len(content):
        raise ValueError(
            f"the chunk that begins with {content[:40]!r} has the offsets {start:,} to {end:,}, "
            "which do not fit its text: join or cite hits before anything changes their text"
        )
    return start, content[len(content) - (end - start) :]


def _offset(hit: Document, key: str) -> int | None:
    """Return an offset in the metadata of a hit, None if there is none, or raise a ValueError."""
    value = hit.metadata.get(key)
    if value is None or (type(value) is int and value >= 0):
        return value
    raise ValueError(
        f'"{key}" in the metadata of a hit must be an offset in characters, a whole number, '
        f"not {safe_repr(value)}"
    )


def _texts_by_name(texts: NamedTexts) -> Mapping[str, str | list[Document]]:
    """Return texts by the names of their documents, or all documents that share a name."""
    if isinstance(texts, Mapping):
        return texts
    by_name: dict[str, list[Document]] = {}
    for document in check_documents(texts):
        parts = by_name.setdefault(name_of(document), [])
        same_place = (part for part in parts if part.metadata == document.metadata)
        if any(part.page_content != document.page_content for part in same_place):
            raise ValueError(
                f"two documents have the name {name_of(document)} and different texts: give each a "
                '"source" of its own in its metadata before it is split'
            )
        parts.append(document)
    return {**by_name}


def _find_text(hit: Hit, texts: Mapping[str, str | list[Document]]) -> tuple[str, str]:
    """Return the name and the text of the document, or the part of a file, that a hit comes from.

    If there is no such text, a ValueError is raised.
    """
    names = [hit.document] if hit.document in texts else file_names(hit.metadata)
    for name in names:
        if name in texts:
            text = texts[name]
            if not isinstance(text, list):
                check_text(text)
                return hit.document, text
            items, span = hit.metadata.items(), hit.span
            shared = [sum(item in items for item in part.metadata.items()) for part in text]
            fits = [span.of(part.page_content) == hit.text for part in text]
            number = max(range(len(text)), key=lambda n: (fits[n], shared[n]))
            name = part_name(name, number + 1) if len(text) > 1 else hit.document
            return name, text[number].page_content
    raise ValueError(
        f"texts has no document {hit.document}: pass all documents that were split, or a mapping "
        'from the "source" of each to its text'
    )
