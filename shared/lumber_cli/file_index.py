"""An index of passages of files: a file is read and embedded once, and again when it changes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from lumber_cli.inputs import STDIN, Inputs
from lumber_cli.options import say
from lumber_core import LayoutChunker, TextEmbedder, __version__
from lumber_core.cache import digest
from lumber_core.chunk_view import counted
from lumber_core.concurrency import batches, in_thread
from lumber_core.errors import StoreError
from lumber_core.text.pages import SEPARATOR, join_texts
from lumber_core.text.source import Source
from lumber_files import NamedPath
from lumber_files.formats import PDF
from lumber_retrieval.documents import IndexedDocument, document_digest
from lumber_retrieval.index import TARGET_SIZE, TOKENIZER, PassageIndex
from lumber_retrieval.passages import Passage

_AT_ONCE = 32  # files that are read, embedded and stored together: the most that Ctrl-C loses
_NOTE = "files"  # under which the index has the stamps of its files
_LARGE = 1_000_000  # bytes or characters that take seconds
_SETTLED = 2 * 10**9  # nanoseconds; the times of changes are that coarse on some file systems
_SOURCE = "source"  # where the metadata of a chunk has its file
_FAR, _FEW_WORDS = 0.27, 0.5  # similarity and words of the question that answers have

_Stamp = tuple[int, int]  # time of the last change in nanoseconds, and size in bytes


class FileIndex:
    """Files in an index, each known by its path, in whatever folder the command runs.

    Args:
        path: The file of the index. None: a temporary file.
    """

    def __init__(self, path: Path | None) -> None:
        self._chunker = LayoutChunker(target_size=TARGET_SIZE, tokenizer=TOKENIZER)
        self._index = PassageIndex(self._chunker, _BundledEmbedding(), path, context=True)
        self._names: dict[str, str] = {}
        self._digests: dict[str, str] = {}  # of what was read of files, by their paths

    def update(self, inputs: Inputs) -> None:
        """Bring the index up to date with some files, which questions are then about.

        New and changed files are read; files that are gone from a folder are removed. Other files
        in the index are left as they are.

        Raises:
            StoreError: The index cannot be used.
            ValueError: It was made with another embedding model.
        """
        version = digest(__version__, self._chunker.identity, repr(inputs.encoding))
        store = self._index.store
        note = _note(store.about(_NOTE))
        # Each with the digest of what was read then: another run may have stored something else.
        known: dict[str, list[Any]] = note["stamps"] if note.get("version") == version else {}
        stored = set(store.sources())
        digests = store.digests(known)
        # Before files are read: one that changes meanwhile is read again by the next question.
        stamps = {_path(named): _stamp(named) for named in inputs.named}
        changed = []
        for named in inputs.named:
            path = _path(named)
            stamp = stamps[path]
            if (
                stamp is not None
                and path in stored
                and known.get(path) == [*stamp, digests.get(path)]
            ):
                self._names.setdefault(path, _name(named))
            else:
                changed.append(named)
        shown = tqdm(changed, unit="file", disable=None if len(changed) > 1 else True)
        size = sum(named.path.stat().st_size for named in changed if named and named.path.exists())
        terminal = sys.stderr.isatty()
        told = size > _LARGE and not terminal
        if told:
            say(f"indexing {counted(len(changed), 'file')}, {size / 1e6:.1f} MB")
        begun = time.monotonic()
        for batch in batches(self._read(inputs, shown), _AT_ONCE):
            alone = len(changed) == 1 or any(len(one.content.text) > _LARGE for one in batch)
            self._index.add(batch, show_progress=terminal and alone)
        if told:
            say(f"indexed in {time.monotonic() - begun:.0f} s")
        folders = [Path(given).resolve() for given in inputs.paths if _is_folder(given)]
        gone = [
            source
            for source in stored - stamps.keys()
            if any(Path(source).is_relative_to(folder) for folder in folders)
            and not Path(source).exists()
        ]
        if gone:
            self._index.delete(gone)
        for path in self._digests.keys() & stamps.keys():
            known[path] = [*(stamps[path] or ()), self._digests[path]]
        if changed or gone:
            kept = {path: known[path] for path in known.keys() - gone}
            store.note(_NOTE, json.dumps({"version": version, "stamps": kept}).encode())

    def search(self, question: str, words: int) -> list[Passage]:
        """Return the passages of these files that fit a question, with their names as given.

        Args:
            question: The question.
            words: Maximum number of words of all passages.
        """
        names = self._names
        found = self._index.search(
            question, budget=words, where=lambda metadata: metadata.get(_SOURCE) in names
        )
        return [replace(passage, document=names[passage.document]) for passage in found]

    def documents(self, passages: Sequence[Passage]) -> dict[str, Source]:
        """Return the whole documents of passages that `search` found, by their names as given.

        The metadata has the path of the file as "source".

        Raises:
            StoreError: Another process has changed one in the index meanwhile.
        """
        paths = {passage.document: passage.metadata[_SOURCE] for passage in passages}
        stored = self._index.store.contents(paths.values())
        made = {}
        for name, path in paths.items():
            text, metadata = stored.get(path, ("", {}))
            feeds = Path(path).suffix.lower() == PDF
            _, pages = join_texts(text.split(SEPARATOR) if feeds else ())
            made[name] = Source(text, name=name, metadata=metadata, pages=pages)
        for passage in passages:
            if passage.span.of(made[passage.document].text) != passage.text:
                raise StoreError(f"{passage.document} has just changed in the index: ask again")
        return made

    def _read(self, inputs: Inputs, files: tqdm[NamedPath | None]) -> Iterator[IndexedDocument]:
        for named in files:
            file = inputs.read(named)
            path = _path(named)
            if file is not None and path not in self._names:
                self._names[path] = file.name
                metadata = {**file.metadata, _SOURCE: path}
                made = IndexedDocument(path, path, replace(file, name=path, metadata=metadata))
                self._digests[path] = document_digest(made, self._chunker.identity)
                yield made


def is_far(passage: Passage) -> bool:
    """Return whether a passage has neither the meaning nor the words of the question.

    So are all passages of 1 in 300 questions that a text answers, and of 3 in 4 of the others:
    benchmarks/unanswerable.py.
    """
    similarity, words = passage.similarity or 0.0, passage.words_found or 0.0
    return similarity < _FAR and words < _FEW_WORDS


class _BundledEmbedding:
    """The bundled encoder, as an index takes it."""

    def __init__(self) -> None:
        self._model = TextEmbedder()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        made: list[list[float]] = self._model.embed(texts).tolist()
        return made

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return await in_thread(self.embed_documents, texts)

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    async def aembed_query(self, text: str) -> list[float]:
        return await in_thread(self.embed_query, text)


def _note(stored: bytes | None) -> dict[str, Any]:
    """Return what is known about files; of a damaged note nothing, so that all are read again."""
    with suppress(ValueError):
        note = json.loads(stored or b"{}")
        if isinstance(note, dict):
            return note
    return {}


def _name(named: NamedPath | None) -> str:
    return "stdin" if named is None else named.name


def _path(named: NamedPath | None) -> str:
    return "stdin" if named is None else str(named.path.resolve())


def _is_folder(given: str) -> bool:
    return given != STDIN and Path(given).is_dir()


def _stamp(named: NamedPath | None) -> _Stamp | None:
    """Return what changes when a file does; None if the file must be read to know."""
    if named is None:
        return None
    try:
        found = named.path.stat()
    except OSError:  # reading says what is wrong
        return None
    if found.st_mtime_ns > time.time_ns() - _SETTLED:
        return None
    return found.st_mtime_ns, found.st_size
