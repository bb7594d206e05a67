"""An index of passages: chunks are found by vectors and by words, and joined for a reader."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lumber_core.checks import check_positive
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.concurrency import Pick, batches, pick_async, pick_sync, run_at_once
from lumber_retrieval.documents import (
    IndexedDocument,
    document_digest,
    documents_by_name,
    new_document,
)
from lumber_retrieval.embedding import (
    ALL_CONTEXT,
    ContextPart,
    asplit_and_embed,
    check_context_and_scales,
    split_and_embed,
)
from lumber_retrieval.embedding_model import EmbeddingModel, check_same_model, embed_probe
from lumber_retrieval.joining import MAX_GAP, check_limits
from lumber_retrieval.passages import Passage, Where, filter_of, join_chunks
from lumber_retrieval.ranking import CANDIDATES, fused
from lumber_retrieval.store import NewDocument, PassageStore
from lumber_retrieval.vector_store import (
    IndexedChunk,
    VectorStore,
    add_vectors,
    nearest_elsewhere,
    remove_loose,
)

BUDGET = 600
"""Words of all passages of a query, by default."""

TARGET_SIZE = 50
"""Tokens of a chunk, by default: the size that knows its surroundings best."""

_AT_ONCE = 32  # documents that are split, embedded and stored together


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


class PassageIndex:
    """Documents in small chunks that are found by meaning and by words, and read as passages.

    Args:
        chunker: Splits the documents.
        embedding: Embeds chunks and queries.
        path: The file of the index. None: a temporary file.
        context: What vectors know beside the text; see `split_and_embed`.
        scales: As for `split_and_embed`.
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
        return run_at_once(self._add(pick_sync, documents, show_progress))

    async def aadd(
        self, documents: Iterable[IndexedDocument], *, show_progress: bool = False
    ) -> Changes:
        """Async version of `add`."""
        return await self._add(pick_async, documents, show_progress)

    def delete(self, sources: Iterable[str]) -> int:
        """Remove all that is stored of some sources; return the number of documents removed."""
        return run_at_once(self._delete(pick_sync, sources))

    async def adelete(self, sources: Iterable[str]) -> int:
        """Async version of `delete`."""
        return await self._delete(pick_async, sources)

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
        return run_at_once(self._search(pick_sync, query, budget, max_gap, where, vector))

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
        return await self._search(pick_async, query, budget, max_gap, where, vector)

    async def _add(
        self, pick: Pick, documents: Iterable[IndexedDocument], show_progress: bool
    ) -> Changes:
        named = documents_by_name(documents)
        settings = [self._chunker.identity, self._context, self._scales]
        digests = {name: document_digest(one, settings) for name, one in named.items()}
        await self._check_model(pick, adding=True)
        await remove_loose(pick, self._vectors, self.store)
        stored = self.store.digests(named)
        changed = [one for name, one in named.items() if stored.get(name) != digests[name]]
        chunks = 0
        for batch in batches(changed, _AT_ONCE):
            made = await self._split_and_store(pick, batch, digests, show_progress)
            chunks += sum(len(one.keys) for one in made)
        gone = {*self.store.names({one.source for one in named.values()})} - named.keys()
        self.store.remove(gone, elsewhere=self._vectors is not None)
        await remove_loose(pick, self._vectors, self.store)
        return Changes(len(changed), len(named) - len(changed), len(gone), chunks)

    async def _split_and_store(
        self,
        pick: Pick,
        batch: Sequence[IndexedDocument],
        digests: Mapping[str, str],
        show_progress: bool,
    ) -> list[NewDocument]:
        """Split, embed and store documents."""
        sources = [one.content for one in batch]
        options: dict[str, Any] = {
            "delivery": Delivery(trim=True),
            "context": self._context,
            "scales": self._scales,
            "show_progress": show_progress,
        }
        chunker, model = self._chunker, self._embedding
        work = pick(
            partial(split_and_embed, chunker, sources, model.embed_documents, **options),
            partial(asplit_and_embed, chunker, sources, model.aembed_documents, **options),
        )
        split, vectors = await work()
        other = self._vectors
        made = [
            new_document(
                one, digests[one.name], chunks, self._context, own if other is None else None
            )
            for one, chunks, own in zip(batch, split, vectors, strict=True)
        ]
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
            await add_vectors(pick, other, self.store, placed)
        await pick(self.store.put)(made, elsewhere=other is not None)
        return made

    async def _delete(self, pick: Pick, sources: Iterable[str]) -> int:
        if isinstance(sources, str):
            raise TypeError("sources must be a list of str, not one str: pass [source]")
        await remove_loose(pick, self._vectors, self.store)
        names = self.store.names([*sources])
        self.store.remove(names, elsewhere=self._vectors is not None)
        await remove_loose(pick, self._vectors, self.store)
        return len(names)

    async def _search(
        self,
        pick: Pick,
        query: str,
        budget: int,
        max_gap: int,
        where: Where,
        vector: Sequence[float] | None,
    ) -> list[Passage]:
        check_limits(max_gap, budget)
        check_positive("budget", budget)
        accepts = filter_of(where)
        await self._check_model(pick, adding=False)
        model = self._embedding
        if vector is None:
            vector = await pick(model.embed_query, model.aembed_query)(query)
        elif self._width not in (None, len(vector)):
            raise ValueError(
                f"the vector of the query has {len(vector)} numbers, and those of the index have "
                f"{self._width}: pass one of the model that the index was made with"
            )
        known = vector
        found: dict[str, float] = {}
        if self._vectors is not None:
            found = await nearest_elsewhere(pick, self._vectors, self.store, query, known, accepts)

        def passages() -> list[Passage]:
            with self.store.reading() as reading:
                if self._vectors is None:
                    near = reading.nearest(known, CANDIDATES, accepts)
                else:
                    numbers = reading.numbers(found)
                    near = {numbers[key]: score for key, score in found.items() if key in numbers}
                matching = reading.matching(query, CANDIDATES, accepts) if self._keywords else {}
                scores = fused([near, matching])
                return join_chunks(reading, scores, budget=budget, max_gap=max_gap)

        return await pick(passages)()

    async def _check_model(self, pick: Pick, *, adding: bool) -> None:
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
        probe = await embed_probe(pick, self._embedding)
        if stored is None:
            self.store.note("probe", probe.tobytes())
            self.store.note("vectors", place)
        else:
            check_same_model(np.frombuffer(stored, dtype=np.float32), probe)
        self._width = len(probe)
