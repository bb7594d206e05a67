"""An index of passages: chunks are found by vectors and by words, and joined for a reader."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from lumber_core.cache import digest
from lumber_core.checks import check_positive
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.context_vectors import ALL_CONTEXT, ContextPart, check_context_and_scales
from lumber_core.chunking.delivery import Chunk, Delivery
from lumber_core.chunking.surroundings import Vectors, unit_length
from lumber_core.concurrency import batches
from lumber_core.identity import chunk_id, safe_repr
from lumber_core.retrieval.joining import MAX_GAP, Hit, check_limits, join_hits, passage_metadata
from lumber_core.retrieval.ranking import CANDIDATES, fused
from lumber_core.retrieval.steps import Step, Steps, arun_steps, in_background, run_steps
from lumber_core.retrieval.store import Accepts, NewChunk, NewDocument, PassageStore, Reading
from lumber_core.spans import Span
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.pages import common_metadata
from lumber_core.text.source import Source

BUDGET = 600
"""Words of all passages of a query, by default."""

TARGET_SIZE = 50
"""Tokens of a chunk, by default: the size that knows its surroundings best."""

Where = Mapping[str, Any] | Accepts | None
"""Which chunks may be found: values that their metadata has, or a function of the metadata."""

logger = logging.getLogger(__name__)

_AT_ONCE = 32  # documents that are split, embedded and stored together
_MOST_SEARCHED = 100_000  # chunks asked of another store at most, for a filter that few pass
_PROBE = "Which words does this text have?"
_SAME_MODEL = 0.98  # cosine of two vectors of the probe; servers round differently each time


class EmbeddingModel(Protocol):
    """An embedding model; one of LangChain, for example."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text."""

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Async version of `embed_documents`."""

    def embed_query(self, text: str) -> list[float]:
        """Return a vector for a query."""

    async def aembed_query(self, text: str) -> list[float]:
        """Async version of `embed_query`."""


class IndexedChunk(NamedTuple):
    """A chunk on its way to a vector store.

    Attributes:
        key: Its ID, a UUID.
        chunk: The chunk.
        document: The name of its document.
        metadata: Its metadata, and that of its document.
        vector: Its vector.
    """

    key: str
    chunk: Chunk
    document: str
    metadata: dict[str, Any]
    vector: Sequence[float]


class VectorStore(Protocol):
    """Another place for vectors than the index's own file."""

    def add(self, chunks: Sequence[IndexedChunk]) -> None:
        """Store the vectors of chunks under their keys."""

    async def aadd(self, chunks: Sequence[IndexedChunk]) -> None:
        """Async version of `add`."""

    def delete(self, keys: Sequence[str]) -> None:
        """Remove chunks; some may not be there."""

    async def adelete(self, keys: Sequence[str]) -> None:
        """Async version of `delete`."""

    def search(
        self, query: str, vector: Sequence[float], count: int
    ) -> Sequence[tuple[str, float]]:
        """Return the keys of the nearest chunks, best first, with scores.

        Scores descend, or are distances and ascend.

        Args:
            query: The query.
            vector: Its vector.
            count: Maximum number of chunks to return.
        """

    async def asearch(
        self, query: str, vector: Sequence[float], count: int
    ) -> Sequence[tuple[str, float]]:
        """Async version of `search`."""


@dataclass(frozen=True)
class IndexedDocument:
    """A document to be indexed.

    Attributes:
        name: Tells it from all others.
        source: What it is a part of, such as the file of a page.
        content: Its text, with what is known about it.
    """

    name: str
    source: str
    content: Source


@dataclass(frozen=True)
class Changes:
    """What adding documents has changed.

    Attributes:
        added: Documents that were new or had changed.
        unchanged: Documents that were stored already.
        removed: Documents of the same sources that are no longer there.
        chunks: Chunks that were embedded.
    """

    added: int
    unchanged: int
    removed: int
    chunks: int


@dataclass(frozen=True)
class Passage:
    """A part of a document that fits a query.

    Attributes:
        document: The name of the document.
        span: Its place in the text of the document, in characters.
        text: The slice of that text.
        score: That of its best chunk, from 0 to 1.
        metadata: That of the document; with headings, context, pages and lines as
            `passage_metadata` says.
    """

    document: str
    span: Span
    text: str
    score: float
    metadata: dict[str, Any]


class PassageIndex:
    """Documents in small chunks that are found by meaning and by words, and read as passages.

    Args:
        chunker: Splits the documents.
        embedding: Embeds chunks and queries.
        path: The file of the index. None: a temporary file.
        context: What vectors know beside the text; see `Chunker.split_and_embed`.
        scales: As for `Chunker.split_and_embed`.
        keywords: Whether chunks are found by their words, too.
        vectors: Where the vectors are. None: in the file.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `context` or `scales` is wrong.
    """

    def __init__(
        self,
        chunker: Chunker,
        embedding: EmbeddingModel,
        path: str | Path | None = None,
        *,
        context: Collection[ContextPart] = ALL_CONTEXT,
        scales: Sequence[int] = (),
        keywords: bool = True,
        vectors: VectorStore | None = None,
    ) -> None:
        check_context_and_scales(context, scales)
        self.store = PassageStore(path)
        self._chunker = chunker
        self._embedding = embedding
        self._context = tuple(context)
        self._scales = tuple(scales)
        self._keywords = keywords
        self._vectors = vectors
        self._width: int | None = None  # of vectors; known when the model has been checked

    def add(self, documents: Iterable[IndexedDocument], *, show_progress: bool = False) -> Changes:
        """Add documents, each source as a whole.

        Documents that are stored and have not changed are left as they are. If a source has other
        documents in the index than here, they are removed. After an error or a kill, the same call
        repeated goes on where it stopped.

        Args:
            documents: The documents.
            show_progress: Show progress bars of splitting and embedding.

        Raises:
            ValueError: A document has no name or the name of another one, or metadata that JSON
                does not have, or the embedding model is another one than before. Nothing is stored.
            StoreError: The file cannot be used, or another process writes to it.
        """
        return run_steps(self._adding(documents, show_progress))

    async def aadd(
        self, documents: Iterable[IndexedDocument], *, show_progress: bool = False
    ) -> Changes:
        """Async version of `add`."""
        return await arun_steps(self._adding(documents, show_progress))

    def delete(self, sources: Iterable[str]) -> int:
        """Remove all that is stored of some sources; return the number of documents removed."""
        return run_steps(self._deleting(sources))

    async def adelete(self, sources: Iterable[str]) -> int:
        """Async version of `delete`."""
        return await arun_steps(self._deleting(sources))

    def search(
        self,
        query: str,
        *,
        budget: int = BUDGET,
        max_gap: int = MAX_GAP,
        where: Where = None,
        vector: Sequence[float] | None = None,
    ) -> list[Passage]:
        """Return the passages that fit a query.

        Args:
            query: The query.
            budget: Maximum number of words of all passages; see `join_hits`.
            max_gap: Hits with at most this many words between them are joined.
            where: Which chunks may be found: values that their metadata must have, or a function
                that is given the metadata. None: all.
            vector: The vector of the query. None: the embedding model's.

        Returns:
            Passages by document, the one with the best hit first, and in reading order within a
            document.

        Raises:
            ValueError: A limit is out of range, the embedding model is not the index's, or `vector`
                has another size than its vectors.
            StoreError: The file cannot be used.
        """
        return run_steps(self._searching(query, budget, max_gap, where, vector))

    async def asearch(
        self,
        query: str,
        *,
        budget: int = BUDGET,
        max_gap: int = MAX_GAP,
        where: Where = None,
        vector: Sequence[float] | None = None,
    ) -> list[Passage]:
        """Async version of `search`."""
        return await arun_steps(self._searching(query, budget, max_gap, where, vector))

    def _adding(self, documents: Iterable[IndexedDocument], show_progress: bool) -> Steps[Changes]:
        named = _by_name(documents)
        digests = {name: self._digest(document) for name, document in named.items()}
        yield from self._check_model(adding=True)
        yield from self._tidy()
        stored = self.store.digests(named)
        changed = [one for name, one in named.items() if stored.get(name) != digests[name]]
        chunks = 0
        for batch in batches(changed, _AT_ONCE):
            made = yield from self._made(batch, digests, show_progress)
            chunks += sum(len(one.keys) for one in made)
        gone = {*self.store.names({one.source for one in named.values()})} - named.keys()
        self.store.remove(gone, elsewhere=self._vectors is not None)
        yield from self._tidy()
        return Changes(len(changed), len(named) - len(changed), len(gone), chunks)

    def _made(
        self, batch: Sequence[IndexedDocument], digests: Mapping[str, str], show_progress: bool
    ) -> Steps[list[NewDocument]]:
        """Split, embed and store documents."""
        sources = [one.content for one in batch]
        options: dict[str, Any] = {
            "delivery": Delivery(trim=True),
            "context": self._context,
            "scales": self._scales,
            "show_progress": show_progress,
        }
        chunker, model = self._chunker, self._embedding
        split, vectors = yield Step(
            lambda: chunker.split_and_embed(sources, model.embed_documents, **options),
            lambda: chunker.asplit_and_embed(sources, model.aembed_documents, **options),
        )
        made = [
            self._new_document(one, digests[one.name], chunks, own)
            for one, chunks, own in zip(batch, split, vectors, strict=True)
        ]
        other = self._vectors
        if other is not None:
            placed = [
                IndexedChunk(
                    key, chunk, one.name, {**one.metadata, **stored.metadata}, vector.tolist()
                )
                for one, chunks, own in zip(made, split, vectors, strict=True)
                for key, chunk, stored, vector in zip(
                    one.keys, chunks, one.chunks, own, strict=True
                )
            ]
            self.store.announce(one.key for one in placed)
            if placed:
                yield Step(lambda: other.add(placed), lambda: other.aadd(placed))
        yield in_background(partial(self.store.put, made, elsewhere=other is not None))
        return made

    def _new_document(
        self, document: IndexedDocument, version: str, chunks: Sequence[Chunk], vectors: Vectors
    ) -> NewDocument:
        texts = [chunk.text for chunk in chunks]
        own = [chunk.text_in_context for chunk in chunks] if "headings" in self._context else texts
        # A document with a context of its own keeps that one.
        context = CONTEXT_KEY not in document.content.metadata
        around = texts_around(texts) if "surroundings" in self._context else [""] * len(texts)
        return NewDocument(
            document.name,
            document.source,
            version,
            document.content.text,
            common_metadata(document.content.metadata, context=context),
            [
                NewChunk(
                    chunk.span, chunk.metadata(context=context, pages=True, lines=True), *words
                )
                for chunk, *words in zip(chunks, own, around, strict=True)
            ],
            [chunk_id(document.name, chunk.span, chunk.text, version) for chunk in chunks],
            None if self._vectors is not None else unit_length(vectors),
        )

    def _deleting(self, sources: Iterable[str]) -> Steps[int]:
        if isinstance(sources, str):
            raise TypeError("sources must be a list of str, not one str: pass [source]")
        yield from self._tidy()
        names = self.store.names([*sources])
        self.store.remove(names, elsewhere=self._vectors is not None)
        yield from self._tidy()
        return len(names)

    def _tidy(self) -> Steps[None]:
        """Remove from the other store what this one does not have."""
        other = self._vectors
        loose = self.store.loose()
        if other is None or not loose:
            return
        yield Step(lambda: other.delete(loose), lambda: other.adelete(loose))
        self.store.forget(loose)

    def _searching(
        self,
        query: str,
        budget: int,
        max_gap: int,
        where: Where,
        vector: Sequence[float] | None,
    ) -> Steps[list[Passage]]:
        check_limits(max_gap, budget)
        check_positive("budget", budget)
        accepts = _accepts(where)
        yield from self._check_model(adding=False)
        model = self._embedding
        if vector is None:
            vector = yield Step(lambda: model.embed_query(query), lambda: model.aembed_query(query))
        elif self._width not in (None, len(vector)):
            raise ValueError(
                f"the vector of the query has {len(vector)} numbers, and those of the index have "
                f"{self._width}: pass one of the model that the index was made with"
            )
        known = vector
        found = yield from self._found_elsewhere(query, known, accepts)

        def passages() -> list[Passage]:
            with self.store.reading() as reading:
                if self._vectors is None:
                    near = reading.nearest(known, CANDIDATES, accepts)
                else:
                    numbers = reading.numbers(found)
                    near = {numbers[key]: score for key, score in found.items() if key in numbers}
                matching = reading.matching(query, CANDIDATES, accepts) if self._keywords else {}
                return _passages(reading, fused([near, matching]), budget, max_gap)

        joined: list[Passage] = yield in_background(passages)
        return joined

    def _found_elsewhere(
        self, query: str, vector: Sequence[float], accepts: Accepts | None
    ) -> Steps[dict[str, float]]:
        """Return the keys of the nearest chunks that may be found, with scores, best first."""
        other, count = self._vectors, CANDIDATES
        if other is None:
            return {}
        while True:
            asked = partial(other.search, query, vector, count)
            found = yield Step(asked, partial(other.asearch, query, vector, count))
            if not found and len(self.store):
                logger.warning(
                    "the vector store returned nothing, but %s has chunks, which are now found by "
                    "their words alone: open the vector store that was filled with them, or build "
                    "both anew",
                    self.store.path,
                )
            kept = yield in_background(partial(self._kept, _descending(found), accepts))
            if len(kept) >= CANDIDATES or len(found) < count or count >= _MOST_SEARCHED:
                return dict([*kept.items()][:CANDIDATES])
            count *= 4

    def _kept(
        self, found: Sequence[tuple[str, float]], accepts: Accepts | None
    ) -> dict[str, float]:
        """Return what may be found: chunks that this store has, too, and a filter accepts."""
        with self.store.reading() as reading:
            numbers = reading.numbers([key for key, _ in found])
            if accepts is not None:
                chunks = reading.chunks(numbers.values())
                accepted = {chunk.number for chunk in chunks if accepts(chunk.metadata)}
                numbers = {key: n for key, n in numbers.items() if n in accepted}
        return {key: score for key, score in found if key in numbers}

    def _check_model(self, *, adding: bool) -> Steps[None]:
        """Raise unless the embedding model and the place of vectors are those of the index.

        Raises:
            ValueError: They are not.
        """
        if self._width is not None:
            return
        stored = self.store.about("probe")
        if stored is None and not adding:
            return
        place = b"here" if self._vectors is None else b"elsewhere"
        known_place = self.store.about("vectors")
        if known_place is not None and known_place != place:
            raise ValueError(
                f"the vectors of {self.store.path} are in "
                + (
                    "the file itself: pass no vector store"
                    if known_place == b"here"
                    else "a vector store: pass the one it was made with"
                )
                + ", or another path"
            )
        model = self._embedding
        (made,) = yield Step(
            lambda: model.embed_documents([_PROBE]), lambda: model.aembed_documents([_PROBE])
        )
        probe = np.asarray(made, dtype=np.float32)
        if stored is None:
            self.store.note("probe", probe.tobytes())
            self.store.note("vectors", place)
        else:
            _check_same_model(np.frombuffer(stored, dtype=np.float32), probe)
        self._width = len(probe)

    def _digest(self, document: IndexedDocument) -> str:
        content = document.content
        try:
            metadata = json.dumps(content.metadata, sort_keys=True)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the metadata of {document.name} cannot be stored: {error}. Metadata must be data "
                "for JSON: turn dates and other objects into strings"
            ) from None
        settings = [self._chunker.identity, self._context, self._scales, document.source]
        return digest(content.text, metadata, repr(content.format), json.dumps(settings))


def _descending(found: Sequence[tuple[str, float]]) -> Sequence[tuple[str, float]]:
    """Return hits, best first, with scores of which higher ones are better."""
    if found and found[0][1] < found[-1][1]:  # distances
        return [(key, -distance) for key, distance in found]
    return found


def _by_name(documents: Iterable[IndexedDocument]) -> dict[str, IndexedDocument]:
    """Return documents by their names.

    Raises:
        ValueError: One has no name, or two with the same name differ.
    """
    named: dict[str, IndexedDocument] = {}
    for document in documents:
        if not document.name:
            raise ValueError(
                f"the document that begins with {document.content.text[:40]!r} has no name"
            )
        known = named.setdefault(document.name, document)
        if known != document:
            raise ValueError(
                f"two documents have the name {document.name} and differ: give each a name of its "
                "own"
            )
    return named


def texts_around(texts: Sequence[str]) -> list[str]:
    """Return for each chunk of a document the text before and after it."""
    padded = ["", *texts, ""]
    return [f"{before}\n{after}" for before, after in zip(padded, padded[2:], strict=False)]


def _accepts(where: Where) -> Accepts | None:
    """Return whether metadata fits.

    Raises:
        TypeError: `where` is neither a mapping nor a function.
    """
    if where is None or not isinstance(where, Mapping):
        if where is not None and not callable(where):
            raise TypeError(
                "a filter must be values by their names in the metadata, a function of the "
                f"metadata, or None, not {safe_repr(where)}"
            )
        return where
    wanted = dict(where)
    return lambda metadata: all(
        name in metadata and metadata[name] == value for name, value in wanted.items()
    )


def _passages(
    reading: Reading, scores: Mapping[int, float], budget: int, max_gap: int
) -> list[Passage]:
    """Return the passages that chunks are joined to."""
    chunks = reading.chunks(scores)
    texts = reading.texts({chunk.document for chunk in chunks})
    hits = [
        Hit(one.document, one.span.start, one.span.of(texts[one.document]), scores[one.number])
        for one in chunks
    ]
    passages = []
    for document, span, text, numbers in join_hits(hits, texts, max_gap=max_gap, budget=budget):
        in_order = sorted(numbers, key=lambda number: hits[number].span)
        metadata = passage_metadata(
            chunks[numbers[0]].metadata, [chunks[number].metadata for number in in_order]
        )
        best = scores[chunks[numbers[0]].number]
        passages.append(Passage(document, span, text, best, metadata))
    return passages


def _check_same_model(stored: Vectors, probe: Vectors) -> None:
    """Raise unless two vectors of the same text are of the same model.

    Raises:
        ValueError: They are not.
    """
    if len(stored) != len(probe):
        raise ValueError(
            f"the index has vectors of {len(stored)} numbers, and the embedding model gives "
            f"{len(probe)}: pass the model that the index was made with, or another path"
        )
    lengths = float(np.linalg.norm(stored) * np.linalg.norm(probe))
    if lengths and float(stored @ probe) < _SAME_MODEL * lengths:
        raise ValueError(
            "the embedding model is another than the index was made with: it gives another "
            "vector for the same text. Pass that model, or another path"
        )
