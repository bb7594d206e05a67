"""An index of passages: chunks are found by vectors and by words, and joined for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lumber_core.calls.threads import batches
from lumber_core.checks import refuse_unknown
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.delivery import Delivery
from lumber_retrieval.index.embedding_model import (
    EmbeddingModel,
    check_same_model,
    embed_probe,
    embed_query,
    embed_texts,
)
from lumber_retrieval.index.filters import Where, filter_of
from lumber_retrieval.index.indexed_documents import (
    IndexedDocument,
    complete_sources,
    divided_pages,
    document_digest,
    documents_by_name,
    new_document,
)
from lumber_retrieval.index.store import PROBE, open_store
from lumber_retrieval.index.surroundings import Vectors, split_and_embed
from lumber_retrieval.passages.joining import Passage
from lumber_retrieval.passages.ranking import SearchSettings
from lumber_retrieval.search import find_passages

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


class PassageIndex:
    """Documents in small chunks that are found by meaning and by words, and read as passages.

    `run_for_loop` calls its methods without blocking an event loop.

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
        """Add documents, as `IndexingRetriever` does; `everything`: remove all others."""
        named = documents_by_name(documents)
        if everything and not named:
            raise ValueError(
                "there are no documents, and all that is stored would be removed: if that is "
                "wanted, delete(sources) removes it"
            )
        splitter = self._chunker.identity
        digests = {name: document_digest(one, splitter) for name, one in named.items()}
        if everything:
            self.store.database.remove_outdated()
        self._check_model(adding=True)
        stored = self.store.digests(named)
        nameless = {digests[name] for name, one in named.items() if one.nameless}
        first = {**self.store.names_by_digest(nameless)}
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
        embed = partial(embed_texts, self._embedding)
        for batch in batches(changed, _AT_ONCE):
            sources = [one.content for one in batch]
            split, vectors = split_and_embed(
                self._chunker, sources, embed, Delivery(trim=True), show_progress=show_progress
            )
            made = zip(batch, split, vectors, strict=True)
            self.store.put(
                [new_document(one, digests[one.name], own, rows) for one, own, rows in made],
                self._probe,
            )
            chunks += sum(map(len, split))
        whole = None if everything else [*complete_sources(named.values())]
        stored_names = {*self.store.names(whole)}
        stored_names |= self.store.names_of_parts(divided_pages(named.values()))
        gone = stored_names - {*kept.values()}
        self.store.remove(gone)
        unchanged = len(named) - len(changed)
        return Changes(len(changed), unchanged, len(gone), chunks, tuple(sorted(gone)))

    @property
    def sources(self) -> list[str]:
        """The sources of all documents, in the order in which they were first stored."""
        return self.store.sources()

    def delete(self, sources: Iterable[str]) -> int:
        """Remove all that is stored of some sources, as `IndexingRetriever` does."""
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

        Raises:
            TypeError: A setting is unknown, or has the wrong type.
            ValueError: A limit is out of range, the embedding model is not the index's, or `vector`
                has another size than its vectors, or values that are not finite.
            StoreError: The file cannot be used.
        """
        refuse_unknown("a query", settings, [one.name for one in fields(SearchSettings)], {})
        wanted = SearchSettings(**settings)
        accepts = filter_of(where)
        self._check_model(adding=False)
        if vector is None:
            vector = embed_query(self._embedding, query)
        if not np.isfinite(np.asarray(vector, dtype=np.float32)).all():
            raise ValueError("the vector of the query has values that are not finite")
        if self._probe is not None and len(vector) != len(self._probe):
            raise ValueError(
                f"the vector of the query has {len(vector)} numbers, and those of the index have "
                f"{len(self._probe)}: pass one of the model that the index was made with"
            )
        with self.store.snapshot() as snapshot:
            return find_passages(
                snapshot,
                query,
                vector,
                wanted,
                accepts=accepts,
                language=self._chunker.language,
            )

    def _check_model(self, *, adding: bool) -> None:
        """Raise a ValueError unless the embedding model is that of the index."""
        stored = self.store.about(PROBE)
        if (stored is None and not adding) or (stored is not None and stored == self._checked):
            return
        if self._probe is None:
            self._probe = embed_probe(self._embedding)
        check_same_model(stored, self._probe, self.store.name)
        self._checked = stored
