"""Adds documents: compares them with the stored documents, and splits and embeds new ones."""

from __future__ import annotations

import logging
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from tqdm import tqdm

from lumber_core.calls.threads import batches
from lumber_core.chunking.chunker import Chunker
from lumber_core.chunking.delivery import Chunk, Delivery
from lumber_core.support.identity import digest
from lumber_core.text.captions import speakers_of, speech, spoken_text
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.origin import (
    PAGE_KEYS,
    SEQUENCE,
    address_of,
    file_key,
    given_title,
    is_bare,
    with_page,
)
from lumber_core.text.outline import TextOutline, headings_above
from lumber_core.text.pages import common_metadata, counts_from_zero, parts_of
from lumber_retrieval.index.embedded_texts import EmbeddedTexts, EmbeddingModel
from lumber_retrieval.index.indexed_documents import IndexedDocument, to_json
from lumber_retrieval.index.postings import Keys
from lumber_retrieval.index.rows import NewDocument, NewVersion, SplitBy
from lumber_retrieval.index.store import PassageStore
from lumber_retrieval.index.surroundings import in_surroundings, place_chunks
from lumber_retrieval.index.vectors import Vectors
from lumber_retrieval.words.keywords import words_in
from lumber_retrieval.words.sentences import DividedText, divide_chunks

_logger = logging.getLogger(__name__)

# The minimum share of the shorter text's word pairs that two versions of a text have in common.
# Versions of this project's documentation pages share 0.36 or more, different pages 0.21 at most.
_MIN_SHARED_PAIRS = 0.25
_DOCUMENTS_PER_BATCH = 32  # documents that are split, embedded and stored together


class AddingPlan(NamedTuple):
    """The effect of adding documents, before it is carried out."""

    splitter: str  # the identity of the splitter
    digests: dict[str, str]  # of the documents to add, by name
    stored: set[str]  # names of documents of which some version is stored
    removed: set[str]  # names of stored documents that will be removed
    replaced: set[str]  # `removed`, and names of documents whose text will be replaced
    revised: list[NewVersion]  # changed documents whose stored chunks stay
    new: list[IndexedDocument]  # documents to be split and embedded


def plan_adding(
    named: Mapping[str, IndexedDocument],
    refused: Collection[str],
    splitter: str,
    store: PassageStore,
    remove_others: bool,
) -> AddingPlan:
    """Compare documents by name with those of a store, with the identity of their splitter.

    Stored versions of `refused` documents stay. With `remove_others`, stored documents that are
    neither given nor refused are removed. Otherwise, if all parts of a source are given, its other
    stored documents are removed; and a page removes other stored forms of it: as a whole, in parts,
    or within the whole file.
    """
    digests = {name: document_digest(document, splitter) for name, document in named.items()}
    nameless = {digests[name] for name, document in named.items() if document.nameless}
    stored = store.versions(named, nameless)
    first = {version.digest: name for name, version in stored.items()}
    names = {
        name: first.setdefault(digests[name], name) if document.nameless else name
        for name, document in named.items()
    }
    changed = {
        name: document
        for name, document in named.items()
        if names[name] == name and (name not in stored or stored[name].digest != digests[name])
    }
    revised = {
        name: new_version(document, digests[name])
        for name, document in changed.items()
        if name in stored
        and splitting_digest(document, splitter, stored[name].keys) == stored[name].splitting
    }
    new = [document for name, document in changed.items() if name not in revised]
    sources = None if remove_others else _complete_sources(named.values())
    removed = {*store.names(sources, _divided_pages(named.values()))} - {*names.values(), *refused}
    old = stored.keys() & named
    replaced = {document.name for document in new if not document.own_id} & old | removed
    return AddingPlan(splitter, digests, old, removed, replaced, [*revised.values()], new)


def _complete_sources(documents: Iterable[IndexedDocument]) -> list[str]:
    """Return the sources of which all parts are given, according to the metadata."""
    by_name = {document.unnumbered_name or document.name: document for document in documents}
    counts = Counter(document.source for document in by_name.values())
    part_counts = {}
    for document in by_name.values():
        # A number from `number_parts` does not show how many parts its file has.
        number = {SEQUENCE: None} if document.unnumbered_name else {}
        if not document.own_id:
            part_counts[document.source] = parts_of({**document.content.metadata, **number})
    return [source for source, count in part_counts.items() if count and counts[source] >= count]


def _divided_pages(documents: Iterable[IndexedDocument]) -> set[str]:
    """Return the names under which pages may be stored: their own names, and their files'."""
    return {
        name
        for document in documents
        if with_page(document.content.metadata).keys() & {*PAGE_KEYS}
        for name in (document.unnumbered_name or document.name, file_key(document.content.metadata))
    }


def document_digest(document: IndexedDocument, splitter: str) -> str:
    """Return a digest of a document and the identity of its splitter."""
    source = "" if document.nameless and document.source == document.name else document.source
    return digest(splitting_digest(document, splitter, None), source)


def splitting_digest(document: IndexedDocument, splitter: str, keys: Collection[str] | None) -> str:
    """Return a digest of everything that a splitter reads in a document.

    Args:
        document: The document.
        splitter: The identity of its splitter.
        keys: The keys of the metadata that the splitter reads; None: all.
    """
    content, metadata = document.content, document.content.metadata
    place = f"{content.format!r} {content.pages} {content.first_line}"
    own_context = str(CONTEXT_KEY in metadata)
    headings = headings_above(metadata)
    origin = f"{content.file_title} {content.kind} {headings} {given_title(metadata)}"
    fields = document.metadata_json
    if keys is not None:
        fields = to_json({key: metadata[key] for key in keys if key in metadata}, document.name)
    return digest(content.text, fields, place, splitter, origin, own_context)


class RecordedMetadata(Mapping[Any, Any]):
    """Metadata for a splitter, which records the keys that it reads.

    Attributes:
        read: The keys that were read, missing keys included; None: all, because of an iteration.
    """

    def __init__(self, metadata: Mapping[Any, Any]) -> None:
        self.read: list[str] | None = []
        self._metadata = metadata

    def __getitem__(self, key: Any) -> Any:
        if self.read is not None and key not in self.read:
            self.read.append(key)
        return self._metadata[key]

    def __iter__(self) -> Iterator[Any]:
        self.read = None
        return iter(self._metadata)

    def __len__(self) -> int:
        return len(self._metadata)

    def items(self) -> ItemsView[Any, Any]:
        """Return the items without recording: `splitting_digest` covers what `origin` reads."""
        return self._metadata.items()


def warn_of_other_content(
    documents: Iterable[IndexedDocument], replaced: Collection[str], store: PassageStore
) -> None:
    """Warn of names without a folder if the new text differs much from the text it replaces."""
    old, new = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for document in documents:
        name = address_of(document.content.metadata)
        if is_bare(name):
            new[name].append(document.content.text)
    for text, metadata in store.contents(replaced).values() if new else ():
        old[address_of(metadata)].append(text)
    for name in sorted(old.keys() & new.keys()):
        old_pairs, new_pairs = (
            {*pairwise(words_in("\n".join(texts[name])))} for texts in (old, new)
        )
        fewer = min(len(old_pairs), len(new_pairs))
        if len(old_pairs & new_pairs) < _MIN_SHARED_PAIRS * fewer:
            _logger.warning(
                "%s replaces a text of the same name with which it has little in common. If "
                'these are two documents, give each its path as "source", or an ID',
                name,
            )


def put_documents(
    plan: AddingPlan,
    chunker: Chunker,
    model: EmbeddingModel,
    store: PassageStore,
    show_progress: bool,
    advance: Callable[[float], object] | None,
) -> tuple[int, int]:
    """Split, embed and store new documents; return the numbers of chunks and of embedded texts."""
    chunks, waiting = 0, [*batches(plan.new, _DOCUMENTS_PER_BATCH)]
    embedded = EmbeddedTexts(store.database, model)
    count, hidden = len(plan.new), not (show_progress and plan.new)
    with tqdm(total=count, unit="document", unit_scale=True, disable=hidden) as bar:
        advance = advance or bar.update
        while waiting:
            # Writers that add the same documents begin with different documents.
            batch = waiting.pop(random.randrange(len(waiting)) if embedded.shared else 0)
            new = [*_split_and_embed(batch, plan, chunker, embedded, show_progress, advance)]
            store.put(new, model.probe)
            chunks += sum(len(document.spans) for document in new)
        bar.update(count - bar.n)
    return chunks, embedded.count


def _split_and_embed(
    documents: Sequence[IndexedDocument],
    plan: AddingPlan,
    chunker: Chunker,
    embedded: EmbeddedTexts,
    show_progress: bool,
    advance: Callable[[float], object],
) -> Iterator[NewDocument]:
    recorded = [RecordedMetadata(document.content.metadata) for document in documents]
    divided = [
        DividedText.of_kind(document.content.text, document.content.kind) for document in documents
    ]
    spoken = [speech(text.text) if text.cues else text.text for text in divided]
    sources = [
        replace(document.content, text=text, metadata=metadata)
        for document, text, metadata in zip(documents, spoken, recorded, strict=True)
    ]
    asks = hasattr(chunker, "judge")  # asking a judge may take longer than embedding
    split = chunker.split_all(sources, Delivery(trim=True), show_progress=show_progress and asks)
    for n, divided_text in enumerate(divided):
        if divided_text.cues:  # the text is captions
            text = divided_text.text
            split[n] = [replace(chunk, text=spoken_text(text, chunk.span)) for chunk in split[n]]
    parts = place_chunks(split)
    in_contexts = [chunk.in_context for part in parts for chunk in part]
    keys, text_vectors = embedded.embed(in_contexts, lambda share: advance(share * len(documents)))
    ends = accumulate(map(len, parts))
    for document, divided_text, metadata, chunks, part, end in zip(
        documents, divided, recorded, split, parts, ends, strict=True
    ):
        rows = slice(end - len(part), end)
        splitting = splitting_digest(document, plan.splitter, metadata.read), metadata.read
        vectors = in_surroundings(part, text_vectors[rows])
        version, language = plan.digests[document.name], chunker.language
        yield new_document(
            document, version, splitting, chunks, keys[rows], vectors, divided_text, language
        )


def new_version(document: IndexedDocument, version: str) -> NewVersion:
    """Return a document without its chunks, as it is stored; `version` is its digest."""
    metadata = document.content.metadata
    from_zero = counts_from_zero(metadata)
    return NewVersion(
        name=document.name,
        source=document.source,
        digest=version,
        # A document with a context of its own keeps it.
        metadata=common_metadata(metadata, context=CONTEXT_KEY not in metadata),
        from_zero=None if from_zero is None else int(from_zero),
    )


def new_document(
    document: IndexedDocument,
    version: str,
    splitting: SplitBy,
    chunks: Sequence[Chunk],
    keys: Keys,
    vectors: Vectors,
    divided: DividedText,
    language: str,
) -> NewDocument:
    """Return a document with its chunks, as it is stored; `version` is its digest."""
    spans = [chunk.span for chunk in chunks]
    words = [chunk.text_in_context for chunk in chunks]
    if divided.cues:  # captions
        names = speakers_of(divided.text, spans)
        words = [f"{spoken}\n{who}" for spoken, who in zip(words, names, strict=True)]
    contexts = CONTEXT_KEY not in document.content.metadata
    outline = chunks[0].outline if chunks else TextOutline()
    return NewDocument(
        **new_version(document, version)._asdict(),
        text=document.content.text,
        spans=spans,
        details=[chunk.metadata(context=contexts, pages=True, lines=True) for chunk in chunks],
        words=words,
        around=texts_around([chunk.text for chunk in chunks]),
        vectors=vectors,
        splitting=splitting,
        keys=keys.tobytes(),
        outline=replace(outline, has_own_context=not contexts).to_json(),
        sentences=divide_chunks(divided, spans, language),
    )


def texts_around(texts: Sequence[str]) -> list[str]:
    """Return for each chunk of a document the text before and after it."""
    padded = ["", *texts, ""]
    return [f"{before}\n{after}" for before, after in zip(padded, padded[2:], strict=False)]
