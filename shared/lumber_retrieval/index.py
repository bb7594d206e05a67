"""An index of passages: chunks are found by vectors and by words, and joined for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from lumber_core.checks import (
    check_not_negative,
    check_number,
    check_positive,
    refuse_unknown,
)
from lumber_core.chunking.base import Chunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.support.concurrency import batches, run_at_once
from lumber_retrieval.documents import (
    IndexedDocument,
    complete_sources,
    divided_pages,
    document_digest,
    documents_by_name,
    new_document,
)
from lumber_retrieval.embedding import plan_of
from lumber_retrieval.embedding_model import (
    EmbeddingModel,
    Pick,
    check_same_model,
    embed_probe,
    pick_async,
    pick_sync,
)
from lumber_retrieval.filters import Where, filter_of
from lumber_retrieval.finding import find_passages
from lumber_retrieval.passages import MAX_GAP, Passage, in_reading_order
from lumber_retrieval.store import PROBE, Accepts, open_store
from lumber_retrieval.surroundings import Vectors

BUDGET = 600
"""Words of all passages of a query, by default."""

TARGET_SIZE, TOKENIZER = 50, "even"
"""Tokens of a chunk, by default: the size that knows its surroundings best, in any alphabet."""

_AT_ONCE = 32  # documents that are split, embedded and stored together


@dataclass(frozen=True)
class Changes:
    """What adding documents has changed.

    Attributes:
        added: Documents that were new or had changed.
        unchanged: Documents that were stored already.
        removed: Documents that are no longer there.
        chunks: Chunks that were embedded.
        removed_names: The names of those that are no longer there.
    """

    added: int
    unchanged: int
    removed: int
    chunks: int
    removed_names: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How a query is searched, and what limits its passages.

    Attributes:
        keywords: Whether chunks are found by their words, too.
        budget: Maximum number of words of all passages; see `join_hits`.
        max_gap: Sentences with at most this many words between them are joined.
        k: Maximum number of passages, the best ones. None: as the budget allows.
        context: Whether passages say what stands above them, within the budget.
        min_similarity: The least cosine similarity of what is found, from -1 to 1. None: all.
        reading_order: Whether passages come by document, that of the best one first, and in reading
            order within each. By default they come best first.

    Raises:
        TypeError: A limit is not a number.
        ValueError: A limit is out of range.
    """

    keywords: bool = True
    budget: int = BUDGET
    max_gap: int = MAX_GAP
    k: int | None = None
    context: bool = False
    min_similarity: float | None = None
    reading_order: bool = False

    def __post_init__(self) -> None:
        check_not_negative("max_gap", self.max_gap)
        check_positive("budget", self.budget)
        if self.k is not None:
            check_positive("k", self.k)
        if self.min_similarity is not None:
            check_number("min_similarity", self.min_similarity)
            if not -1 <= self.min_similarity <= 1:
                raise ValueError(
                    f"min_similarity must be a cosine, from -1 to 1, not {self.min_similarity}"
                )


class PassageIndex:
    """Documents in small chunks that are found by meaning and by words, and read as passages.

    Args:
        chunker: Splits the documents.
        embedding: Embeds chunks and queries.
        path: The file of the index, or the URL of a database. None: a temporary file.
    """

    def __init__(
        self, chunker: Chunker, embedding: EmbeddingModel, path: str | Path | None = None
    ) -> None:
        self.store = open_store(path)
        self._chunker = chunker
        self._embedding = embedding
        self._probe: Vectors | None = None  # made once
        self._checked: bytes | None = None  # the one in the file that was compared with it

    def add(
        self,
        documents: Iterable[IndexedDocument],
        *,
        everything: bool = False,
        show_progress: bool = False,
    ) -> Changes:
        """Add documents; see `IndexingRetriever.add_documents`.

        Args:
            documents: The documents.
            everything: Whether these are all, as for `IndexingRetriever.sync`.
            show_progress: Show progress bars of splitting and embedding.
        """
        return run_at_once(self._add(pick_sync, documents, everything, show_progress))

    async def aadd(
        self,
        documents: Iterable[IndexedDocument],
        *,
        everything: bool = False,
        show_progress: bool = False,
    ) -> Changes:
        """Async version of `add`."""
        return await self._add(pick_async, documents, everything, show_progress)

    @property
    def sources(self) -> list[str]:
        """The sources of all documents, in the order in which they were first stored."""
        return self.store.sources()

    def delete(self, sources: Iterable[str]) -> int:
        """Remove all that is stored of some sources; return the number of documents removed.

        Raises:
            TypeError: `sources` is one string.
        """
        if isinstance(sources, str):
            raise TypeError("sources must be a list of str, not one str: pass [source]")
        names = self.store.names([*sources])
        self.store.remove(names)
        return len(names)

    def search(
        self,
        query: str,
        *,
        where: Where = None,
        vector: Sequence[float] | None = None,
        **settings: Any,
    ) -> list[Passage]:
        """Return the passages that fit a query.

        Args:
            query: The query.
            where: Which chunks may be found: values that their metadata must have, or a function
                that is given the metadata. None: all.
            vector: The vector of the query. None: the embedding model's.
            **settings: Those of `SearchSettings`.

        Returns:
            Passages, best first, or in reading order if that is asked for.

        Raises:
            TypeError: A setting is unknown, or has the wrong type.
            ValueError: A limit is out of range, the embedding model is not the index's, or `vector`
                has another size than its vectors, or values that are not finite.
            StoreError: The file cannot be used.
        """
        return run_at_once(self._search(pick_sync, query, where, vector, settings))

    async def asearch(
        self,
        query: str,
        *,
        where: Where = None,
        vector: Sequence[float] | None = None,
        **settings: Any,
    ) -> list[Passage]:
        """Async version of `search`."""
        return await self._search(pick_async, query, where, vector, settings)

    async def _add(
        self,
        pick: Pick,
        documents: Iterable[IndexedDocument],
        everything: bool,
        show_progress: bool,
    ) -> Changes:
        named = documents_by_name(documents)
        if everything and not named:
            raise ValueError(
                "there are no documents, and all that is stored would be removed: if that is "
                "wanted, delete(sources) removes it"
            )
        splitter = self._chunker.identity
        digests = {name: document_digest(one, splitter) for name, one in named.items()}
        if everything:
            await pick(self.store.remove_outdated)()
        await self._check_model(pick, adding=True)
        stored = await pick(self.store.digests)(named)
        nameless = {digests[name] for name, one in named.items() if one.nameless}
        first = {**await pick(self.store.names_by_digest)(nameless)}
        kept = {
            name: first.setdefault(digests[name], name) if one.nameless else name
            for name, one in named.items()
        }
        changed = [
            one
            for name, one in named.items()
            if kept[name] == name and stored.get(name) != digests[name]
        ]
        chunks = 0
        split_all = pick(self._chunker.split_all, self._chunker.asplit_all)
        embed = pick(self._embedding.embed_documents, self._embedding.aembed_documents)
        for batch in batches(changed, _AT_ONCE):
            sources = [one.content for one in batch]
            split = await split_all(sources, Delivery(trim=True), show_progress=show_progress)
            vectors = await plan_of(split).aembed(embed, show_progress=show_progress)
            made = zip(batch, split, vectors, strict=True)
            await pick(self.store.put)(
                [new_document(one, digests[one.name], own, rows) for one, own, rows in made],
                self._probe,
            )
            chunks += sum(map(len, split))
        whole = None if everything else [*complete_sources(named.values())]
        stored_names = {*await pick(self.store.names)(whole)}
        stored_names |= await pick(self.store.names_of_parts)(divided_pages(named.values()))
        gone = stored_names - {*kept.values()}
        await pick(self.store.remove)(gone)
        unchanged = len(named) - len(changed)
        return Changes(len(changed), unchanged, len(gone), chunks, tuple(sorted(gone)))

    async def _search(
        self,
        pick: Pick,
        query: str,
        where: Where,
        vector: Sequence[float] | None,
        given: Mapping[str, Any],
    ) -> list[Passage]:
        refuse_unknown("a query", given, [one.name for one in fields(SearchSettings)], {})
        settings = SearchSettings(**given)
        accepts = filter_of(where)
        await self._check_model(pick, adding=False)
        model = self._embedding
        if vector is None:
            vector = await pick(model.embed_query, model.aembed_query)(query)
        if not np.isfinite(np.asarray(vector, dtype=np.float32)).all():
            raise ValueError("the vector of the query has values that are not finite")
        if self._probe is not None and len(vector) != len(self._probe):
            raise ValueError(
                f"the vector of the query has {len(vector)} numbers, and those of the index have "
                f"{len(self._probe)}: pass one of the model that the index was made with"
            )
        return await pick(self._find)(query, vector, accepts, settings)

    def _find(
        self,
        query: str,
        vector: Sequence[float],
        accepts: Accepts | None,
        settings: SearchSettings,
    ) -> list[Passage]:
        with self.store.reading() as reading:
            found = find_passages(
                reading,
                query,
                vector,
                keywords=settings.keywords,
                accepts=accepts,
                budget=settings.budget,
                max_gap=settings.max_gap,
                context=settings.context,
                min_similarity=settings.min_similarity,
                language=self._chunker.language,
            )
        best = found[: settings.k]
        return in_reading_order(best) if settings.reading_order else best

    async def _check_model(self, pick: Pick, *, adding: bool) -> None:
        """Raise unless the embedding model is that of the index.

        Raises:
            ValueError: It is not.
        """
        stored = await pick(self.store.about)(PROBE)
        if (stored is None and not adding) or (stored is not None and stored == self._checked):
            return
        if self._probe is None:
            self._probe = await embed_probe(pick, self._embedding)
        check_same_model(stored, self._probe, self.store.name)
        self._checked = stored
