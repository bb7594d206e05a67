"""The embedding model of an index, and the embedded texts: no text is embedded twice.

An index has the vectors of one model. The model is recognised by its vector of a fixed text, the
probe, which is stored with the first vectors.

The vector of a text alone, without surroundings, is stored as soon as the embedding model has
returned it: with 8 bits per number, under a digest of the text. Vectors of chunks are computed from
the stored numbers, so they are the same whether the text has just been embedded or years ago.

A block is one row with up to 64 texts. A look-up reads the digests of all blocks and the vectors of
a few. A block never changes: vectors that no chunk uses are removed when a new block replaces it.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from zlib import crc32

import numpy as np

from lumber_core.calls.threads import batches
from lumber_core.storage.database import Connection, Database, read_twice, select
from lumber_retrieval.index.postings import Keys, keys_of
from lumber_retrieval.index.rows import read_note, write_note
from lumber_retrieval.index.surroundings import TEXTS_PER_CALL
from lumber_retrieval.index.vectors import Vectors, matrix, pack, unpack

EMBEDDED_SCHEMA = """
CREATE TABLE IF NOT EXISTS embedded (
    id {integer} PRIMARY KEY, keys {bytes} NOT NULL, checksum {integer} NOT NULL,
    vectors {bytes} NOT NULL
);
"""

PROBE = "probe"
"""The key under which the vector of the probe is stored."""

_PROBE = "Which words does this text have?"
_MIN_SIMILARITY = 0.98  # of two vectors of the probe; servers round differently each time
_TEXTS_PER_BLOCK = 64  # 25 KB with 384 dimensions, which fill SQLite's pages almost completely

_logger = logging.getLogger(__name__)


class OtherModelError(ValueError):
    """An index was built with another embedding model."""


class EmbeddingModel:
    """An embedding model, whose vectors all have the same width.

    Args:
        embed: Returns a vector for each text.
    """

    def __init__(self, embed: Callable[[list[str]], object]) -> None:
        self._embed = embed
        self._probe: Vectors | None = None

    @property
    def probe(self) -> Vectors:
        """The vector of the probe, computed once; see `matrix`."""
        if self._probe is None:  # `cached_property` has one lock for all models before Python 3.12
            self._probe = matrix(self._embed([_PROBE]), 1)[0]
        return self._probe

    def embed(self, texts: list[str]) -> Vectors:
        """Return the vectors of texts, shape (texts, width).

        Raises:
            ValueError: See `matrix`; or the width differs from that of the probe.
        """
        vectors = matrix(self._embed(texts), len(texts))
        if vectors.shape[1] != len(self.probe):
            raise ValueError(
                f"the embedding model returns vectors of {len(self.probe)} dimensions for one text "
                f"and of {vectors.shape[1]} for others: pass a model with one number of dimensions"
            )
        return vectors


def check_same_model(stored: bytes | None, probe: Vectors, name: str) -> None:
    """Raise an `OtherModelError` if the stored vector of the probe is from another model."""
    if stored is None:
        return
    if len(stored) != probe.nbytes:
        raise OtherModelError(
            f"the vectors of the index {name} have {len(stored) // probe.itemsize} dimensions, "
            f"those of the embedding model {len(probe)}: pass the model that the index was built "
            "with, or another path"
        )
    stored_probe = np.frombuffer(stored, dtype=np.float32)
    lengths = float(np.linalg.norm(stored_probe) * np.linalg.norm(probe))
    if lengths and float(stored_probe @ probe) < _MIN_SIMILARITY * lengths:
        raise OtherModelError(
            f"the index {name} was built with a different embedding model (the same text has a "
            "different vector): pass the original model, or another path"
        )


def note_model(connection: Connection, probe: Vectors, name: str) -> None:
    """Store the vector of the probe in the index `name`.

    Raises:
        OtherModelError: The index has the vector of another model.
    """
    stored = read_note(connection, PROBE)
    check_same_model(stored, probe, name)
    if stored != probe.tobytes():
        write_note(connection, PROBE, probe.tobytes())


class EmbeddedTexts:
    """Embeds the texts whose vectors an index lacks, for one writer that adds documents.

    Attributes:
        count: Texts that it has embedded.
        shared: Whether another writer has stored vectors meanwhile.

    Args:
        database: The database of the index.
        model: The embedding model.
    """

    def __init__(self, database: Database, model: EmbeddingModel) -> None:
        self.count = 0
        self.shared = False
        self.database = database
        self._model = model
        self._blocks: dict[int, Keys] | None = None  # as they were read last

    @read_twice
    def embed(
        self, texts: Sequence[str], advance: Callable[[float], object]
    ) -> tuple[Keys, Vectors]:
        """Return the keys of texts and their vectors without surroundings, shape (texts, width).

        Missing vectors are computed in batches, and each batch is stored before the next.

        Args:
            texts: The texts.
            advance: Called after each batch with its share of the texts, from 0 to 1.

        Raises:
            ValueError: The model returns unusable vectors, or is not that of the index.
        """
        keys = keys_of(texts)
        text_of = dict(zip(keys.tolist(), texts, strict=True))
        rows: dict[int, bytes] = {}
        while missing := [key for key in text_of if key not in rows]:
            before = len(rows)
            with self.database.transaction() as connection:
                rows |= self._find(connection, missing)
            missing = [key for key in missing if key not in rows]
            if self.shared:  # writers that embed the same texts begin at different texts
                random.shuffle(missing)
            if missing:
                rows |= self._embed_new({key: text_of[key] for key in missing[:TEXTS_PER_CALL]})
            advance((len(rows) - before) / len(text_of))
        content = b"".join([rows[key] for key in keys.tolist()])
        return keys, unpack(content, len(keys)) if len(keys) else matrix([], 0)

    def _embed_new(self, texts: Mapping[int, str]) -> dict[int, bytes]:
        """Embed texts by their keys, and store their vectors."""
        vectors = self._model.embed([*texts.values()])
        self.count += len(texts)
        rows = dict(zip(texts, _rows(pack(vectors), len(vectors)), strict=True))
        with self.database.transaction(write=True) as connection:
            note_model(connection, self._model.probe, self.database.name)
            stored = self._find(connection, [*rows])
            new_rows = {key: row for key, row in rows.items() if key not in stored}
            with self.database.intact():
                damaged = _blocks_with(self._blocks or {}, [*new_rows])
                self._blocks = {**(self._blocks or {}), **_replace(connection, damaged, new_rows)}
        return {**rows, **stored}

    def _find(self, connection: Connection, keys: Sequence[int]) -> dict[int, bytes]:
        """Return the stored vectors by key; keys without a vector are left out."""
        with self.database.intact():
            last = max(self._blocks or (), default=0)
            rows = connection.execute("SELECT id, keys FROM embedded WHERE id > ?", (last,))
            later = {number: np.frombuffer(key_bytes, "<u8") for number, key_bytes in rows}
            self.shared |= self._blocks is not None and bool(later)
            self._blocks = {**(self._blocks or {}), **later}
            stored = _read(connection, _blocks_with(self._blocks, keys))
            return {key: stored[key] for key in keys if key in stored}


def remove_unused(database: Database) -> None:
    """Remove the vectors that no chunk uses, by replacing their blocks."""
    with database.transaction() as connection, database.intact():
        if not _find_outdated(connection):
            return
    with database.transaction(write=True) as connection, database.intact():
        blocks = _find_outdated(connection)
        used = {*_keys_in_use(connection).tolist()}
        rows = _read(connection, blocks)
        _replace(connection, blocks, {key: row for key, row in rows.items() if key in used})


def _find_outdated(connection: Connection) -> list[int]:
    """Return the blocks that contain a vector that no chunk uses."""
    used = _keys_in_use(connection)
    rows = connection.execute("SELECT id, keys FROM embedded")
    return [number for number, keys in rows if not np.isin(np.frombuffer(keys, "<u8"), used).all()]


def _keys_in_use(connection: Connection) -> Keys:
    """Return the keys of all chunks, ascending."""
    rows = connection.execute("SELECT keys FROM documents").fetchall()
    return np.unique(np.frombuffer(b"".join([bytes(keys) for (keys,) in rows]), "<u8"))


def _blocks_with(blocks: Mapping[int, Keys], keys: Sequence[int]) -> list[int]:
    """Return the blocks that contain any of these keys."""
    if not keys or not blocks:
        return []
    sorted_keys = np.sort(np.array(keys, dtype=np.uint64))
    stored = np.concatenate([*blocks.values()])
    places = np.minimum(np.searchsorted(sorted_keys, stored), len(sorted_keys) - 1)
    numbers = np.repeat([*blocks], [len(keys) for keys in blocks.values()])
    chosen: list[int] = np.unique(numbers[sorted_keys[places] == stored]).tolist()
    return chosen


def _read(connection: Connection, blocks: Sequence[int]) -> dict[int, bytes]:
    """Return the vectors of blocks by their keys; damaged blocks are left out."""
    by_key: dict[int, bytes] = {}
    query = "keys, checksum, vectors FROM embedded WHERE id"
    for stored, checksum, vectors in select(connection, query, blocks):
        keys = np.frombuffer(stored, "<u8").tolist()
        if crc32(vectors, crc32(stored)) == checksum:
            by_key |= zip(keys, _rows(bytes(vectors), len(keys)), strict=True)
        else:
            _logger.warning("%d stored vectors are damaged: embedding the texts again", len(keys))
    return by_key


def _replace(
    connection: Connection, blocks: Sequence[int], rows: Mapping[int, bytes]
) -> dict[int, Keys]:
    """Replace blocks by new blocks with these vectors; return the keys of each new block."""
    last, size = connection.execute(
        "SELECT id, length(keys) FROM embedded ORDER BY id DESC LIMIT 1"
    ).fetchone() or (0, 0)
    # A small last block is filled up, so that small blocks do not accumulate.
    if 0 < size < 8 * _TEXTS_PER_BLOCK and rows and last not in blocks:
        rows = {**_read(connection, [last]), **rows}
        blocks = [*blocks, last]
    connection.executemany("DELETE FROM embedded WHERE id = ?", [(block,) for block in blocks])
    new_blocks: dict[int, Keys] = {}
    values: list[tuple[int, bytes, int, bytes]] = []
    for number, batch in enumerate(batches(rows, _TEXTS_PER_BLOCK), start=last + 1):
        new_blocks[number] = np.array(batch, dtype="<u8")
        keys, vectors = new_blocks[number].tobytes(), b"".join([rows[key] for key in batch])
        values.append((number, keys, crc32(vectors, crc32(keys)), vectors))
    connection.executemany("INSERT INTO embedded VALUES (?, ?, ?, ?)", values)
    return new_blocks


def _rows(content: bytes, count: int) -> list[bytes]:
    """Return the rows of a matrix whose bytes are `content`."""
    width = len(content) // count
    return [content[first : first + width] for first in range(0, width * count, width)]
