"""Documents of an index: their names, the parts of a file, and metadata in stored form."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import cached_property
from pathlib import PurePath
from typing import Any
from uuid import UUID

from lumber_core.text.origin import RANDOM, SEQUENCE, Metadata, document_key, file_names, part_name
from lumber_core.text.source import Source


@dataclass(frozen=True)
class IndexedDocument:
    """A document to be indexed.

    Attributes:
        name: Its unique name.
        source: The file that the document is or is a part of.
        content: Its text and metadata.
        nameless: Whether its name is a random ID; equal documents are then stored once.
        unnumbered_name: Its name before `number_parts` numbered it as a part; else "".
        is_part: Whether its reader has given it a random ID, and its file has a name. Documents of
            the same name are then parts of the file, even if only their texts differ.
        own_id: Whether its name is an ID that does not contain the name of its file. Adding it
            removes no other documents of its source.
    """

    name: str
    source: str
    content: Source
    nameless: bool = False
    unnumbered_name: str = ""
    is_part: bool = False
    own_id: bool = False

    @classmethod
    def with_identity(cls, content: Source, identity: str) -> IndexedDocument:
        """Return a document of a framework, whose ID is `identity`, or "".

        Its name is this ID, or the name of its file if the ID is random or "".
        """
        random = RANDOM.fullmatch(identity) is not None
        key, files = document_key(content.metadata), file_names(content.metadata)
        own_id = "" if random and key else identity
        return cls(
            own_id or key,
            next(iter(files), identity),
            content,
            nameless=random and not key,
            is_part=random and bool(key),
            own_id=bool(own_id and files) and not any(name in own_id for name in files),
        )

    @cached_property
    def metadata_json(self) -> str:
        """Its metadata; see `to_json`."""
        return to_json(self.content.metadata, self.name)


def stored_metadata(metadata: Mapping[Any, Any]) -> dict[str, Any]:
    """Return metadata as data for JSON; values without an equivalent in JSON are unchanged.

    Dates and times become ISO text. Paths, UUIDs and keys become text. Decimals, durations (in
    seconds) and values of numpy become numbers. Sets and arrays become lists. NaN, infinity and
    pandas' missing values become None.
    """
    try:
        return {str(key): _as_data(value) for key, value in metadata.items()}
    except RecursionError:  # the value contains itself, which JSON refuses
        return {str(key): value for key, value in metadata.items()}


def _as_data(value: Any) -> Any:
    if isinstance(value, Mapping):
        return stored_metadata(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [
            *map(_as_data, value if isinstance(value, list | tuple) else sorted(value, key=repr))
        ]
    if type(value).__name__ in ("NaTType", "NAType"):  # missing values of pandas
        return None
    if isinstance(value, PurePath | UUID | date | time):
        return value.isoformat() if isinstance(value, date | time) else str(value)
    if isinstance(value, float | Decimal):
        whole = isinstance(value, Decimal) and value.is_finite() and not value % 1
        return int(value) if whole else float(value) if math.isfinite(value) else None
    if isinstance(value, timedelta | Enum):
        return value.total_seconds() if isinstance(value, timedelta) else _as_data(value.value)
    listed = getattr(value, "tolist", None)  # a method of numpy's values
    return value if listed is None else _as_data(listed())


def number_parts(documents: Iterable[IndexedDocument]) -> Iterator[IndexedDocument]:
    """Yield documents; documents that share a name become parts with their own numbers and names.

    Splitters by headings make such parts, which differ in their metadata. Documents that differ
    only in their texts are chunks, or have one name by mistake: they stay as they are.
    """
    by_name: dict[str, list[IndexedDocument]] = {}
    for document in documents:
        by_name.setdefault(document.name, []).append(document)
    for name, parts in by_name.items():
        metadatas = [part.content.metadata for part in parts]
        if parts[0].is_part:
            parts = [
                *{(part.content.text, repr(part.content.metadata)): part for part in parts}.values()
            ]
        have_equal_metadata = all(metadatas[0] == metadata for metadata in metadatas)
        are_no_parts = have_equal_metadata and (len(parts) < 2 or not parts[0].is_part)
        if not name or are_no_parts or any(SEQUENCE in metadata for metadata in metadatas):
            yield from parts
            continue
        for number, part in enumerate(parts, start=1):
            metadata = {**part.content.metadata, SEQUENCE: number}
            content = replace(part.content, metadata=metadata)
            new_name = part_name(name, number)
            yield replace(part, name=new_name, content=content, unnumbered_name=name)


def documents_by_name(
    documents: Iterable[IndexedDocument],
) -> tuple[dict[str, IndexedDocument], dict[str, str]]:
    """Return documents by name, and the reasons why the metadata of others cannot be stored.

    Raises:
        ValueError: A document has no name, two documents of one name differ, or all are refused.
    """
    by_name: dict[str, IndexedDocument] = {}
    refused: dict[str, str] = {}
    accepted: list[IndexedDocument] = []
    for document in documents:
        try:
            _ = document.metadata_json
            accepted.append(document)
        except ValueError as error:  # noqa: PERF203 - the other documents are accepted
            refused[document.name] = str(error)
    if refused and not accepted:
        raise ValueError("; ".join(refused.values()))
    for document in number_parts(accepted):
        if not document.name:
            raise ValueError(
                f"the document that begins with {document.content.text[:40]!r} has no name: put "
                'a name into its metadata as "source", or give it an ID'
            )
        if by_name.setdefault(document.name, document) != document:
            raise ValueError(
                f"two documents have the name {document.name} and differ: give each a name of its "
                "own; if they are chunks of one document, pass the whole document, which is split "
                "here"
            )
    return by_name, refused


def to_json(metadata: Metadata, name: str) -> str:
    """Return metadata of a document as JSON; a ValueError names what cannot be stored."""
    try:
        return json.dumps(metadata, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        for key in metadata if len(metadata) > 1 else ():
            to_json({key: metadata[key]}, name)  # raises an error that names the key
        raise ValueError(
            f"the metadata {next(iter(metadata))!r} of {name} cannot be stored as JSON ({error}): "
            "convert it, for example to a string"
        ) from None
