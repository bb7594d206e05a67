"""Vectors that another store has: added, removed and searched in step with the index's own file."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from lumber_core.chunking.delivery import Chunk
from lumber_core.concurrency import Pick, batches
from lumber_retrieval.ranking import CANDIDATES
from lumber_retrieval.store import Accepts, PassageStore

logger = logging.getLogger(__name__)

_AT_ONCE = 500  # chunks handed to a vector store; some refuse more than a thousand
_MOST_SEARCHED = 100_000  # chunks asked for at most, for a filter that few pass


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


async def add_vectors(
    pick: Pick, vectors: VectorStore, store: PassageStore, chunks: Sequence[IndexedChunk]
) -> None:
    """Hand chunks to a vector store; the index's file knows that it may have them."""
    store.announce(chunk.key for chunk in chunks)
    for some in batches(chunks, _AT_ONCE):
        await pick(vectors.add, vectors.aadd)(some)


async def remove_loose(pick: Pick, vectors: VectorStore | None, store: PassageStore) -> None:
    """Remove from a vector store what the index's file does not have."""
    loose = store.loose()
    if vectors is None or not loose:
        return
    for some in batches(loose, _AT_ONCE):
        await pick(vectors.delete, vectors.adelete)(some)
    store.forget(loose)


async def nearest_elsewhere(
    pick: Pick,
    vectors: VectorStore,
    store: PassageStore,
    query: str,
    vector: Sequence[float],
    accepts: Accepts | None,
) -> dict[str, float]:
    """Return the keys of the nearest chunks that may be found, with scores, best first."""
    count = CANDIDATES
    while True:
        found = await pick(vectors.search, vectors.asearch)(query, vector, count)
        if not found and len(store):
            logger.warning(
                "the vector store returned nothing, but %s has chunks, which are now found by "
                "their words alone: open the vector store that was filled with them, or build "
                "both anew",
                store.path,
            )
        kept = await pick(_kept)(store, _descending(found), accepts)
        if len(kept) >= CANDIDATES or len(found) < count or count >= _MOST_SEARCHED:
            return dict([*kept.items()][:CANDIDATES])
        count *= 4


def _kept(
    store: PassageStore, found: Sequence[tuple[str, float]], accepts: Accepts | None
) -> dict[str, float]:
    """Return what may be found: chunks that the index's file has, too, and a filter accepts."""
    with store.reading() as reading:
        numbers = reading.numbers([key for key, _ in found])
        if accepts is not None:
            chunks = reading.chunks(numbers.values())
            accepted = {chunk.number for chunk in chunks if accepts(chunk.metadata)}
            numbers = {key: n for key, n in numbers.items() if n in accepted}
    return {key: score for key, score in found if key in numbers}


def _descending(found: Sequence[tuple[str, float]]) -> Sequence[tuple[str, float]]:
    """Return hits, best first, with scores of which higher ones are better."""
    if found and found[0][1] < found[-1][1]:  # distances
        return [(key, -distance) for key, distance in found]
    return found
