"""An index of passages: chunks are found by vectors and by words, and joined for a reader."""

from __future__ import annotations

import logging
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from lumber_core.calls.threads import batches
from lumber_core.checks import refuse_unknown
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.delivery import Delivery
from lumber_core.storage.database import Database, read_twice
from lumber_core.text.captions import is_captions, speech, spoken_text
from lumber_core.text.origin import address_of, is_bare
from lumber_retrieval.embedders import embedder
from lumber_retrieval.hits import Accepts
from lumber_retrieval.index.document_versions import (
    RecordedMetadata,
    plan_adding,
    splitting_digest,
)
from lumber_retrieval.index.embedded_texts import EmbeddedTexts
from lumber_retrieval.index.embedding_model import PROBE, EmbeddingModel
from lumber_retrieval.index.filters import Where, filter_of
from lumber_retrieval.index.indexed_documents import (
    IndexedDocument,
    complete_sources,
    divided_pages,
    documents_by_name,
    new_document,
    new_version,
)
from lumber_retrieval.index.rows import NewDocument
from lumber_retrieval.index.store import open_store
from lumber_retrieval.index.surroundings import in_surroundings, place_chunks
from lumber_retrieval.index.vectors import Vectors
from lumber_retrieval.passages.joining import Passage
from lumber_retrieval.passages.ranking import SearchSettings
from lumber_retrieval.search import find_passages
from lumber_retrieval.words.keywords import words_in

_logger = logging.getLogger(__name__)

# The share of the shorter text's word pairs that two versions of a text have in common. Versions of
# this project's pages of documentation share 0.36 or more; different pages 0.21 at most.
_LEAST_SHARED_PAIRS = 0.25
_DOCUMENTS_PER_BATCH = 32  # documents that are split, embedded and stored together


@dataclass(frozen=True)
class Changes:
    """What adding documents has changed.

    Attributes:
        added: Documents that were new or had changed.
        unchanged: Documents that were stored already.
        removed: Documents that were removed.
        chunks: Chunks of the documents that were split.
        embedded: Texts that were embedded: those of chunks that are new to the index.
        removed_names: The names of those that were removed.
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
def names_elsewhere(splitter: str, model: str) -> dict[str, str]:
    """Return names of settings in other libraries, each with what to use instead."""
    replacements = {
        "k": ("top_k", "similarity_top_k", "search_kwargs", "n_results"),
        "min_similarity": ("score_threshold", "similarity_cutoff"),
        "filter in a query": ("filter", "filters", "where"),
        "path": ("persist_directory", "persist_dir"),
        model: ("embedding", "embeddings", "embed_model", "embedding_function"),
        splitter: ("chunker", "splitter", "text_splitter", "node_parser"),
        f"{splitter}, which has it": ("chunk_size", "target_size", "chunk_overlap", "tokenizer"),
        '"source" in the metadata of documents, or their own IDs': ("ids",),
    }
    return {name: f"use {setting}" for setting, names in replacements.items() for name in names}


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

    def add(
        self,
        documents: Iterable[IndexedDocument],
        *,
        everything: bool = False,
        show_progress: bool = False,
        advance: Callable[[float], object] | None = None,
    ) -> Changes:
        """Add documents, as `IndexingRetriever` does; with `everything`, remove all others.

        Instead of a progress bar, `advance` is called with the (fractional) documents just done.
        """
        named, refused = documents_by_name(documents)
        for reason in refused.values():
            _logger.warning("A document is left out: %s", reason)
        if everything and not named:
            raise ValueError(
                "there are no documents, and all that is stored would be removed: if that is "
                "wanted, delete(sources) removes it"
            )
        _ = self._model.probe  # a model that fails does so before the store is emptied
        if everything:
            self.store.remove_outdated()
        self.check_model()
        plan = plan_adding(named, self._chunker.identity, self.store)
        # Complete sources and divided pages replace what is stored of them.
        whole, pages = [*complete_sources(named.values())], divided_pages(named.values())
        stored = self.store.names(None if everything else whole, pages)
        removed = {*stored} - {*plan.kept, *refused}
        replaced = {one.name for one in plan.new if not one.own_id} & plan.stored | removed
        if replaced and not everything:
            self._warn_of_other_content(named.values(), replaced)
        if plan.revised:
            self.store.update([new_version(one, plan.digests[one.name]) for one in plan.revised])
        chunks, embedded = self._put(plan.new, plan.digests, show_progress, advance)
        if removed:
            self.store.remove(removed)
        if everything or removed or (plan.new and plan.stored):
            self.store.remove_unused(exact=everything)
        added = len(plan.revised) + len(plan.new)
        return Changes(
            added,
            len(named) - added,
            len(removed),
            chunks,
            embedded,
            removed_names=tuple(sorted(removed)),
            refused=tuple(refused.values()),
        )

    def _warn_of_other_content(
        self, documents: Iterable[IndexedDocument], replaced: Collection[str]
    ) -> None:
        """Warn of names without a folder if the texts that they name and replace differ much."""
        old, new = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for one in documents:
            name = address_of(one.content.metadata)
            if is_bare(name):
                new[name].append(one.content.text)
        for text, metadata in self.store.contents(replaced).values() if new else ():
            old[address_of(metadata)].append(text)
        for name in sorted(old.keys() & new.keys()):
            words, others = ({*pairwise(words_in("\n".join(texts[name])))} for texts in (old, new))
            if len(words & others) < _LEAST_SHARED_PAIRS * min(len(words), len(others)):
                _logger.warning(
                    "%s replaces a text of the same name with which it has little in common. If "
                    'these are two documents, give each its path as "source", or an ID',
                    name,
                )

    def _put(
        self,
        documents: Sequence[IndexedDocument],
        digests: Mapping[str, str],
        show_progress: bool,
        advance: Callable[[float], object] | None,
    ) -> tuple[int, int]:
        """Split, embed and store documents; return the numbers of chunks and of embedded texts."""
        chunks, waiting = 0, [*batches(documents, _DOCUMENTS_PER_BATCH)]
        texts = EmbeddedTexts(self.store.database, self._model)
        count, hidden = len(documents), not (show_progress and documents)
        with tqdm(total=count, unit="document", unit_scale=True, disable=hidden) as bar:
            advance = advance or bar.update
            while waiting:
                # Writers that add the same documents begin with different ones.
                some = waiting.pop(random.randrange(len(waiting)) if texts.shared else 0)
                new = [*self._split_and_embed(some, digests, texts, show_progress, advance)]
                self.store.put(new, self._model.probe)
                chunks += sum(len(one.spans) for one in new)
            bar.update(count - bar.n)
        return chunks, texts.count

    def _split_and_embed(
        self,
        documents: Sequence[IndexedDocument],
        digests: Mapping[str, str],
        texts: EmbeddedTexts,
        show_progress: bool,
        advance: Callable[[float], object],
    ) -> Iterator[NewDocument]:
        recorded = [RecordedMetadata(one.content.metadata) for one in documents]
        spoken = [is_captions(one.content.text, one.content.kind) for one in documents]
        sources = [
            replace(
                one.content,
                text=speech(one.content.text) if is_spoken else one.content.text,
                metadata=metadata,
            )
            for one, metadata, is_spoken in zip(documents, recorded, spoken, strict=True)
        ]
        asks = hasattr(self._chunker, "judge")  # asking it may take longer than embedding
        split = self._chunker.split_all(
            sources, Delivery(trim=True), show_progress=show_progress and asks
        )
        split = [
            [replace(chunk, text=spoken_text(one.content.text, chunk.span)) for chunk in chunks]
            if is_spoken
            else chunks
            for one, chunks, is_spoken in zip(documents, split, spoken, strict=True)
        ]
        parts = place_chunks(split)
        in_contexts = [chunk.in_context for part in parts for chunk in part]
        keys, own = texts.embed(in_contexts, lambda share: advance(share * len(documents)))
        splitter, ends = self._chunker.identity, accumulate(map(len, parts))
        for one, metadata, chunks, part, end in zip(
            documents, recorded, split, parts, ends, strict=True
        ):
            rows = slice(end - len(part), end)
            yield new_document(
                one,
                digests[one.name],
                (splitting_digest(one, splitter, metadata.read), metadata.read),
                chunks,
                keys[rows],
                in_surroundings(part, own[rows]),
            )

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
            where: Which chunks may be found: values that their metadata must have, or a function
                of the metadata. None: all.
            vector: The vector of the query. None: the embedding model's.
            **settings: Those of `SearchSettings`.

        Raises:
            TypeError: A setting is unknown, or has the wrong type.
            ValueError: A limit is out of range, the index was made with another embedding model, or
                `vector` has the wrong size or values that are not finite.
            StoreError: The file cannot be used.
        """
        names = [one.name for one in fields(SearchSettings)]
        refuse_unknown("a query", settings, names, names_elsewhere("the splitter", "embeddings"))
        wanted = SearchSettings(**settings)
        accepts = None if where is None else filter_of(where)
        if self._model.checked is None:
            self.check_model()
        if vector is None:
            [vector] = self._embedder.embed_queries([query])
        numbers = np.asarray(vector, dtype=np.float32)
        if not np.isfinite(numbers).all():
            raise ValueError("the vector of the query has values that are not finite")
        while True:
            passages = self._find(query, numbers, wanted, accepts)
            if passages is not None:
                return passages
            self.check_model()  # another process has replaced the index

    @property
    def database(self) -> Database:
        """The database that stores the index."""
        return self.store.database

    @read_twice
    def _find(
        self, query: str, vector: Vectors, wanted: SearchSettings, accepts: Accepts | None
    ) -> list[Passage] | None:
        """Return the passages; None if the embedding model must be checked first."""
        with self.store.snapshot() as snapshot:
            if snapshot.probe not in (None, self._model.checked):
                return None
            if snapshot.probe is not None and len(vector) != len(self._model.probe):
                raise ValueError(
                    f"the vector of the query has {len(vector)} numbers, and those of the index "
                    f"have {len(self._model.probe)}: pass one of the model that the index was made "
                    "with"
                )
            language = self._chunker.language
            return find_passages(
                snapshot, query, vector, wanted, accepts=accepts, language=language
            )

    def check_model(self) -> None:
        """Raise an `OtherModelError` unless the embedding model is that of the index."""
        self._model.check(self.store.about(PROBE), self.store.name)
