"""Versions of documents: what adding some of them has to do with what is stored."""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterator, Mapping
from typing import Any, NamedTuple

from lumber_core.storage.cache import digest
from lumber_core.text.markdown import CONTEXT_KEY
from lumber_core.text.origin import given_title
from lumber_core.text.outline import headings_above
from lumber_retrieval.index.indexed_documents import IndexedDocument, metadata_json
from lumber_retrieval.index.store import PassageStore


class AddingPlan(NamedTuple):
    """What adding some documents will do with them."""

    digests: dict[str, str]  # of each, by name
    stored: set[str]  # the names of those of which any version is stored
    kept: set[str]  # the names under which they will be stored, each once
    revised: list[IndexedDocument]  # changed, but with the chunks that are stored
    new: list[IndexedDocument]  # to be split and embedded


def plan_adding(
    named: Mapping[str, IndexedDocument], splitter: str, store: PassageStore
) -> AddingPlan:
    """Compare documents by name with those of a store; `splitter` is the splitter's identity."""
    digests = {name: document_digest(one, splitter) for name, one in named.items()}
    nameless = {digests[name] for name, one in named.items() if one.nameless}
    stored = store.versions(named, nameless)
    first = {version.digest: name for name, version in stored.items()}
    kept = {
        name: first.setdefault(digests[name], name) if one.nameless else name
        for name, one in named.items()
    }
    changed = {
        name: one
        for name, one in named.items()
        if kept[name] == name and (name not in stored or stored[name].digest != digests[name])
    }
    revised = {
        name: one
        for name, one in changed.items()
        if name in stored
        and splitting_digest(one, splitter, stored[name].keys) == stored[name].splitting
    }
    new = [one for name, one in changed.items() if name not in revised]
    return AddingPlan(digests, stored.keys() & named, {*kept.values()}, [*revised.values()], new)


def document_digest(document: IndexedDocument, splitter: str) -> str:
    """Return a digest of a document and the identity of its splitter."""
    source = "" if document.nameless and document.source == document.name else document.source
    return digest(splitting_digest(document, splitter, None), source)


def splitting_digest(document: IndexedDocument, splitter: str, keys: Collection[str] | None) -> str:
    """Return a digest of all that a splitter reads of a document.

    Args:
        document: The document.
        splitter: The identity of its splitter.
        keys: The keys of the metadata that the splitter reads; None: all.
    """
    content = document.content
    place = f"{content.format!r} {content.pages} {content.first_line}"
    metadata = content.metadata
    own_context = str(CONTEXT_KEY in metadata)
    origin = f"{content.named} {content.kind} {headings_above(metadata)} {given_title(metadata)}"
    return digest(content.text, metadata_json(document, keys), place, splitter, origin, own_context)


class RecordedMetadata(Mapping[Any, Any]):
    """Metadata for a splitter, which records the keys that it reads.

    Attributes:
        read: The keys that were read, also missing ones; None: all, since it was iterated over.
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
        """Return the items, unrecorded: `splitting_digest` has what `origin` reads in them."""
        return self._metadata.items()
