"""The folder of results: part files of chunks, and which documents are finished.

A folder holds:

- `run.json`: the settings that determine the chunks;
- `chunks/part-*.parquet` (or `.jsonl`): rows of chunks;
- `failed/part-*.parquet` (or `.jsonl`): documents without chunks, with the error.

A part file appears at once, complete, under a name that follows from its documents. A document is
finished if a file in `chunks` has it, so there is nothing else to keep in sync.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from lumber_core.support.secrets import public_url
from lumber_ray.documents import FailedDocument
from lumber_ray.rows import chunk_schema
from lumber_ray.sources import open_location

PartFormat = Literal["parquet", "jsonl"]

_RUN = "run.json"
_CHUNKS, _FAILED, _UNFINISHED = "chunks", "failed", ".unfinished"
_FAILED_SCHEMA = pa.schema([("document", pa.string()), ("error", pa.string())])


class Destination:
    """A folder of results.

    Args:
        folder: A path or a URI that pyarrow can open.
        format: Format of the part files.
        embedding: Whether rows have embeddings.

    Raises:
        ValueError: The format is unknown.
    """

    def __init__(self, folder: str | Path, format: PartFormat, *, embedding: bool = False) -> None:  # noqa: A002
        if format not in ("parquet", "jsonl"):
            raise ValueError(f'format must be "parquet" or "jsonl", not {format!r}')
        location = str(folder) if "://" in str(folder) else str(Path(folder).absolute())
        self._system, self._folder = open_location(location)
        self._format = format
        self._embedding = embedding
        # A URI may hold credentials, and the name is for messages.
        self._name = public_url(str(folder)) if "://" in str(folder) else str(folder)

    def check(self, settings: Mapping[str, str]) -> None:
        """Raise unless the folder is new or holds results of the same settings.

        Raises:
            ValueError: It holds results of other settings, or something else.
        """
        known = self._settings()
        if known is None:
            if self._files("") or self._files(_CHUNKS):
                raise ValueError(
                    f"{self._name} holds other files: pass a new folder, or one of an earlier run"
                )
        elif different := sorted(n for n in {*known, *settings} if known.get(n) != settings.get(n)):
            name = different[0]
            raise ValueError(
                f"{self._name} was made with another {name}: {known.get(name)}, now "
                f"{settings.get(name)}. Pass a new folder, or the settings of before"
            )

    def prepare(self, settings: Mapping[str, str]) -> None:
        """Make the folder; failures of earlier runs are deleted, because they are tried again."""
        for name in (_CHUNKS, _FAILED, _UNFINISHED):
            self._system.create_dir(self._at(name))
        for name in (_FAILED, _UNFINISHED):
            self._system.delete_dir_contents(self._at(name))
        self._put(_RUN, json.dumps(dict(settings), indent=1).encode())

    def finished(self) -> Iterator[list[str]]:
        """Yield, for each part file, the documents whose chunks it has."""
        for file in self._files(_CHUNKS):
            yield list(dict.fromkeys(self._column(file, "document")))

    def written(self, name: str) -> tuple[int, int] | None:
        """Return the numbers of chunks and of failed documents of a part; None if it has no file.

        A part may be there because its worker was killed before it could report.
        """
        chunks, failed = self._at(self._part(_CHUNKS, name)), self._at(self._part(_FAILED, name))
        if not self._exists(chunks):
            return None
        count = len(self._column(failed, "document")) if self._exists(failed) else 0
        return len(self._column(chunks, "document")), count

    def write(
        self, name: str, rows: Sequence[Mapping[str, object]], failed: Sequence[FailedDocument]
    ) -> None:
        """Write the results of a part: the errors first, as a file of chunks ends the part."""
        errors = [{"document": each.document, "error": each.error} for each in failed]
        if errors:
            self._put(self._part(_FAILED, name), self._encoded(errors, _FAILED_SCHEMA))
        elif self._exists(stale := self._at(self._part(_FAILED, name))):
            self._system.delete_file(stale)
        if rows:
            schema = chunk_schema(embedding=self._embedding)
            self._put(self._part(_CHUNKS, name), self._encoded(rows, schema))

    def _part(self, folder: str, name: str) -> str:
        return f"{folder}/part-{name}.{self._format}"

    def _at(self, name: str) -> str:
        return f"{self._folder}/{name}" if name else self._folder

    def _files(self, folder: str) -> list[str]:
        selector = pa.fs.FileSelector(self._at(folder), allow_not_found=True)
        found = self._system.get_file_info(selector)
        return sorted(file.path for file in found if file.type == pa.fs.FileType.File)

    def _exists(self, file: str) -> bool:
        found: bool = self._system.get_file_info(file).type == pa.fs.FileType.File
        return found

    def _settings(self) -> dict[str, str] | None:
        if not self._exists(self._at(_RUN)):
            return None
        with self._system.open_input_file(self._at(_RUN)) as stream:
            try:
                settings = json.loads(stream.read())
            except ValueError as error:
                raise ValueError(f"{self._name}/{_RUN} is damaged: {error}") from error
        if not isinstance(settings, dict):
            raise ValueError(f"{self._name}/{_RUN} is damaged: expected an object")
        return settings

    def _put(self, name: str, content: bytes) -> None:
        unfinished = self._at(f"{_UNFINISHED}/{uuid4().hex}")
        with self._system.open_output_stream(unfinished) as stream:
            stream.write(content)
        self._system.move(unfinished, self._at(name))

    def _encoded(self, rows: Sequence[Mapping[str, object]], schema: pa.Schema) -> bytes:
        if self._format == "jsonl":
            return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
        sink = pa.BufferOutputStream()
        pa.parquet.write_table(pa.Table.from_pylist(list(rows), schema), sink, compression="zstd")
        content: bytes = sink.getvalue().to_pybytes()
        return content

    def _column(self, file: str, name: str) -> list[Any]:
        with self._system.open_input_file(file) as stream:
            if self._format == "jsonl":
                return [json.loads(line)[name] for line in stream.read().splitlines()]
            values: list[Any] = pa.parquet.read_table(stream, columns=[name])[name].to_pylist()
            return values


def part_name(documents: Iterable[str]) -> str:
    """Return the name of the part with some documents, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for document in documents:
        digest.update(_digest(document))
    return digest.hexdigest()[:16]


class IdSet:
    """A set of document ids that takes 16 bytes for each.

    Args:
        groups: The ids, in any grouping.
    """

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        digests = bytearray()
        for group in groups:
            for document in group:
                digests += _digest(document)
        self._sorted = np.sort(np.frombuffer(bytes(digests), dtype="S16"))

    def __len__(self) -> int:
        return len(self._sorted)

    def contains(self, documents: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Return for each document whether it is in the set."""
        if not len(self._sorted):
            return np.zeros(len(documents), dtype=bool)
        sought = np.array([_digest(document) for document in documents], dtype="S16")
        places = np.searchsorted(self._sorted, sought).clip(max=len(self._sorted) - 1)
        found: npt.NDArray[np.bool_] = self._sorted[places] == sought
        return found

    def repeated(self) -> IdSet:
        """Return the ids that occur more than once."""
        made = IdSet([])
        made._sorted = np.unique(self._sorted[1:][self._sorted[1:] == self._sorted[:-1]])
        return made


def _digest(document: str) -> bytes:
    return hashlib.blake2b(document.encode("utf-8", "surrogatepass"), digest_size=16).digest()
