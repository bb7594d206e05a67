"""An index of passages: documents are added, and questions are answered with passages.

Chunks are ranked by vectors and by words, and the rankings are fused. The best chunks and their
neighbours are ranked by how much of the question they contain, and become passages.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lumber_core.checks import refuse_unknown
from lumber_core.chunking.chunker import Chunker
from lumber_core.storage.database import Database, read_twice
from lumber_retrieval.embedders import embedder
from lumber_retrieval.hits import Accepts
from lumber_retrieval.index.adding import plan_adding, put_documents, warn_of_other_content
from lumber_retrieval.index.embedded_texts import PROBE, EmbeddingModel, check_same_model
from lumber_retrieval.index.filters import Where, filter_of
from lumber_retrieval.index.indexed_documents import IndexedDocument, documents_by_name
from lumber_retrieval.index.snapshot import Snapshot
from lumber_retrieval.index.store import open_store
from lumber_retrieval.index.vectors import Vectors, rotate
from lumber_retrieval.passages.joining import Passage
from lumber_retrieval.passages.ranking import (
    SearchSettings,
    fuse,
    score_neighbours,
    select_passages,
)
from lumber_retrieval.words.coverage import QuestionWords, favour_named

_logger = logging.getLogger(__name__)

CANDIDATES = 100
"""Number of chunks taken from each ranking, in an index of up to 8,000 chunks. Measured: recall on
the development corpora is the same from 30 to 100. With 300, it is 0.007 less on RAG-Multi-Corpus
at 600 words."""
_CHUNKS_PER_CANDIDATE, _MAX_CANDIDATES = 80, 200
"""In a larger index, one candidate for each 80 chunks, at most 200; other chunks have no score.
Measured on 24,000 chunks of annual reports: with 300 candidates instead of 100, a page of the
evidence is found for 4 percentage points more questions; from 200 to 1,500 the share differs by 1.5
points at most. On 100,000 chunks, a search takes 1.06 times as long with 200 candidates as with
100, and 1.6 times with 600."""
_MAX_QUERY_VECTORS = 500
"""Vectors of queries that are cached: 0.8 MB with 384 dimensions, 8 MB with 4,096."""
_MAX_RERANKED = 40
"""Chunks that are reranked, with their neighbours. Measured: recall is the same with 60 or 100, and
0.002 less with 25 at 600 words."""


@dataclass(frozen=True)
class Changes:
    """What adding documents has changed.

    Attributes:
        added: Documents that were new or had changed.
        unchanged: Documents that were stored already.
        removed: Documents that were removed.
        chunks: Chunks of the documents that were split.
        embedded: Texts that were embedded, because they are new to the index.
        removed_names: The names of the removed documents.
        refused: Why some documents were refused: their names, and the keys of their metadata.
    """

    added: int
    unchanged: int
    removed: int
    chunks: int
    embedded: int = 0
    removed_names: tuple[str, ...] = field(default=(), repr=False)
    refused: tuple[str, ...] = field(default=(), repr=False)


@cache
def setting_hints(splitter: str, model: str) -> dict[str, str]:
    """Return names of settings in other libraries, each with what to do instead."""
    replacements = {
        "use k": ("top_k", "similarity_top_k", "search_kwargs", "n_results"),
        "use min_similarity": ("score_threshold", "similarity_cutoff"),
        "pass filter with the query": ("filter", "filters", "where"),
        "use path": ("persist_directory", "persist_dir"),
        f"use {model}": ("embedding", "embeddings", "embed_model", "embedding_function"),
        f"use {splitter}": ("chunker", "splitter", "text_splitter", "node_parser"),
        f"set it in {splitter}": ("chunk_size", "target_size", "chunk_overlap", "tokenizer"),
        'use "source" in the metadata of documents, or their own IDs': ("ids",),
    }
    return {name: advice for advice, names in replacements.items() for name in names}


class PassageIndex:
    """An index of documents, whose small chunks are searched, and returned as passages.

    `run_for_loop` calls its methods without blocking an event loop.

    Args:
        chunker: Splits the documents.
        embedding: Embeds chunks and queries; see `embedder`.
        path: The file of the index, or the URL of a database. None: a temporary file.
    """

    def __init__(self, chunker: Chunker, embedding: object, path: str | Path | None = None) -> None:
        self.store = open_store(path)
        self._chunker = chunker
        self._embedder = embedder(embedding)
        self._model = EmbeddingModel(self._embedder.embed_documents)
        self._checked_probe: bytes | None = None  # the stored probe, if it is the model's
        self._query_vectors: dict[str, Vectors] = {}

    def add(
        self,
        documents: Iterable[IndexedDocument],
        *,
        remove_others: bool = False,
        show_progress: bool = False,
        advance: Callable[[float], object] | None = None,
    ) -> Changes:
        """Add documents, as `IndexingRetriever` does; with `remove_others`, remove all others.

        Instead of a progress bar, `advance` is called with the (fractional) documents just done.
        """
        valid, refused = documents_by_name(documents)
        for reason in refused.values():
            _logger.warning("A document is left out: %s", reason)
        if remove_others and not valid:
            raise ValueError(
                "there are no documents, so all stored documents would be removed; to remove "
                "them, call delete(sources)"
            )
        _ = self._model.probe  # a model that fails does so before the store is emptied
        if remove_others:
            self.store.remove_outdated()
        self.check_model()
        plan = plan_adding(valid, refused, self._chunker.identity, self.store, remove_others)
        if plan.replaced and not remove_others:
            warn_of_other_content(valid.values(), plan.replaced, self.store)
        if plan.revised:
            self.store.update(plan.revised)
        chunks, embedded = put_documents(
            plan, self._chunker, self._model, self.store, show_progress, advance
        )
        self.store.remove(plan.removed)
        if remove_others or plan.removed or (plan.new and plan.stored):
            self.store.remove_unused(exact=remove_others)
        added = len(plan.revised) + len(plan.new)
        removed, reasons = tuple(sorted(plan.removed)), tuple(refused.values())
        return Changes(added, len(valid) - added, len(removed), chunks, embedded, removed, reasons)

    @property
    def sources(self) -> list[str]:
        """The sources of all documents, in the order in which they were first stored."""
        return self.store.sources()

    def delete(self, sources: Iterable[str]) -> int:
        """Remove sources with all their documents, as `IndexingRetriever` does."""
        if isinstance(sources, str):
            raise TypeError("sources must be a list of str, not one str: pass [source]")
        names = self.store.names([*sources])
        self.store.remove(names)
        self.store.remove_unused(exact=False)
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
            where: Which chunks may be found: metadata keys with values (see `filter_of`), or a
                function of the metadata. None: all.
            vector: The vector of the query. None: the embedding model's.
            **settings: Those of `SearchSettings`.

        Raises:
            TypeError: A setting is unknown, or has the wrong type.
            ValueError: A limit is out of range, another embedding model has built the index, or
                `vector` has the wrong size or values that are not finite.
            StoreError: The file cannot be used.
        """
        names = [field.name for field in fields(SearchSettings)]
        refuse_unknown("a query", settings, names, setting_hints("the splitter", "embeddings"))
        search_settings = SearchSettings(**settings)
        accepts = None if where is None else filter_of(where)
        if self._checked_probe is None:
            self.check_model()
        numbers = self._query_vector(query) if vector is None else _check_vector(vector)
        while True:
            passages = self._find(query, numbers, search_settings, accepts)
            if passages is not None:
                if not passages and self.store.about(PROBE) is None:
                    _logger.warning("the index %s has no documents: add some", self.store.name)
                return passages
            self.check_model()  # another process has replaced the index

    def _query_vector(self, query: str) -> Vectors:
        """Return the vector of a query, cached, because embedding a query may cost money."""
        vector = self._query_vectors.get(query)
        if vector is None:
            [vector] = self._embedder.embed_queries([query])
            vector = _check_vector(vector)
            if len(self._query_vectors) >= _MAX_QUERY_VECTORS:
                self._query_vectors = {}  # other threads may add to the old cache
            self._query_vectors[query] = vector
        return vector

    @property
    def database(self) -> Database:
        """The database that stores the index."""
        return self.store.database

    @read_twice
    def _find(
        self, query: str, vector: Vectors, settings: SearchSettings, accepts: Accepts | None
    ) -> list[Passage] | None:
        """Return the passages; None if the embedding model must be checked first."""
        with self.store.snapshot() as snapshot:
            if snapshot.probe not in (None, self._checked_probe):
                return None
            if snapshot.probe is not None and vector.nbytes != len(snapshot.probe):
                raise ValueError(
                    f"the vector of the query has {len(vector)} dimensions, those of the index "
                    f"have {len(self._model.probe)}: pass a vector of the index's model"
                )
            language = self._chunker.language
            return find_passages(snapshot, query, vector, settings, accepts, language)

    def check_model(self) -> None:
        """Raise an `OtherModelError` unless the embedding model is that of the index."""
        stored = self.store.about(PROBE)
        if stored not in (None, self._checked_probe):
            check_same_model(stored, self._model.probe, self.store.name)
            self._checked_probe = stored


def _check_vector(vector: Sequence[float] | Vectors) -> Vectors:
    """Return the vector of a query, or raise a ValueError if it is not finite."""
    numbers: Vectors = np.asarray(vector, dtype=np.float32)
    if not np.isfinite(numbers).all():
        raise ValueError("the vector of the query has values that are not finite")
    return numbers


def find_passages(
    snapshot: Snapshot,
    query: str,
    vector: Sequence[float] | Vectors,
    settings: SearchSettings,
    accepts: Accepts | None = None,
    language: str = "en",
) -> list[Passage]:
    """Return the passages that fit a question; see `select_passages`."""
    count = min(max(CANDIDATES, snapshot.size // _CHUNKS_PER_CANDIDATE), _MAX_CANDIDATES)
    rotated = rotate(np.asarray(vector, dtype=np.float32))
    by_words = snapshot.find_by_words(query, count, accepts) if settings.keywords else {}
    nearest = snapshot.nearest(rotated, count, accepts) if rotated.any() or not by_words else {}
    if by_words and len(nearest) > 1 == len({*nearest.values()}):
        nearest = {}  # mock models return zeros, or the same vector for all texts
    scores = fuse([nearest, by_words])
    question = QuestionWords(
        query if settings.keywords else "", snapshot.frequencies, snapshot.size
    )
    if settings.keywords:
        titles = snapshot.titles_of(scores)
        scores = favour_named(query, scores, titles) if titles else scores
    best = snapshot.first(scores.items(), _MAX_RERANKED)
    hits, texts = snapshot.hits(best, rotated)
    hits = [hit for hit in hits if hit.number in best or accepts is None or accepts(hit.metadata)]
    chunks = score_neighbours(hits, best, settings.min_similarity)
    return select_passages(question, chunks, texts, settings, language)
