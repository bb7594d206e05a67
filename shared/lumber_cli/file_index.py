"""An index of passages of files: a file is read and embedded once, and again when it changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from lumber_cli.file_records import (
    FileRecord,
    FileRecords,
    Stamp,
    content_of,
    is_settled,
    stamp_of_input,
)
from lumber_cli.inputs import STDIN, Inputs
from lumber_core import LayoutChunker, TextEmbedder, __version__
from lumber_core.calls.threads import batches
from lumber_core.errors import StoreError
from lumber_core.storage.urls import is_url
from lumber_core.support.identity import digest
from lumber_core.text.origin import TITLE_KEY
from lumber_core.text.pages import SEPARATOR, join_texts
from lumber_core.text.source import Source
from lumber_core.text.titles import title_after_rename
from lumber_files import NamedPath, TextFile, check_output
from lumber_files.readers import PDF
from lumber_retrieval.embedders import Embedder, Similarity
from lumber_retrieval.hits import TARGET_SIZE, TOKENIZER
from lumber_retrieval.index.adding import document_digest
from lumber_retrieval.index.indexed_documents import IndexedDocument
from lumber_retrieval.index.vectors import Vectors
from lumber_retrieval.passage_index import PassageIndex
from lumber_retrieval.passages.joining import Passage

MAX_BATCH_FILES = 32
"""Files that are read, embedded and stored together; Ctrl-C loses at most these."""
_LARGE_BYTES = 800_000  # about 150,000 words, whose vectors take half a minute or more
_SOURCE = "source"  # the key of the file in the metadata of a chunk
_MIN_SIMILARITY, _MIN_WORDS_FOUND = 0.27, 0.5  # of passages; from benchmarks/unanswerable.py


class ReadFile(NamedTuple):
    """A file that was read."""

    path: str  # the resolved path
    file: TextFile
    stamp: Stamp | None  # taken before the file was read; see `stamp_of_input`
    settled: bool  # whether any later change gives it another stamp; see `is_settled`
    content: str = ""  # the result of `content_of` before it was read; "": its bytes are unknown


class FileIndex:
    """An index of files, each identified by its absolute path.

    Several processes may share an index: files that one has stored are not embedded again. `path`
    is the file of the index, or the URL of a database; without one, the file is temporary. With
    another `encoding` than before, files are read again. Without a `model`, the bundled model
    embeds.
    """

    def __init__(
        self, path: str | Path | None, encoding: str | None = None, model: Embedder | None = None
    ) -> None:
        self._chunker = LayoutChunker(target_size=TARGET_SIZE, tokenizer=TOKENIZER)
        self._index = PassageIndex(self._chunker, model or TextEmbedder(), path)
        version = digest(__version__, self._chunker.identity, repr(encoding))
        self.records = FileRecords(self._index.store, version)
        self._names: dict[str, str] = {}

    @property
    def paths(self) -> list[str]:
        """The files in the index, including those of other folders."""
        return self._index.sources

    def check(self) -> None:
        """Raise a StoreError if the index is unusable, an OtherModelError if its model differs."""
        self._index.check_model()

    def find_text(self, path: Path, content: str, name: str) -> TextFile | None:
        """Return the text of a file from the index, if an indexed file has its bytes and suffix.

        `content` is the result of `content_of` for the file. A title from the name of the indexed
        file is replaced by a title from `name`.
        """
        for other_path, version in self.records.with_bytes(content):
            if Path(other_path).suffix.lower() != path.suffix.lower():
                continue
            stored = self._index.store.versions([other_path]).get(other_path)
            if stored and stored.digest == version:
                text, metadata = self._index.store.contents([other_path])[other_path]
                del metadata[_SOURCE]
                if title := metadata.get(TITLE_KEY):
                    metadata[TITLE_KEY] = title_after_rename(title, other_path, name)
                return TextFile(text, name=name, metadata=metadata, pages=_pages_of(path, text))
        return None

    def add(
        self, files: Iterable[ReadFile], *, advance: Callable[[float], object] | None = None
    ) -> None:
        """Add files; `FileRecords.flush` stores the records that are not stored at once.

        `advance` is called with the number of files embedded since its last call, a fraction.
        """
        documents, records, identity = [], [], self._chunker.identity
        for path, text, stamp, settled, content in files:
            metadata = {**text.metadata, _SOURCE: path}
            document = IndexedDocument(path, path, replace(text, name=path, metadata=metadata))
            version = document_digest(document, identity)
            records.append((path, FileRecord(stamp, content, version), settled))
            documents.append(document)
        self._index.add(documents, advance=advance)
        for path, record, settled in records:
            self.records.add(path, record, settled=settled)
        self.records.flush_if_many()

    def remove_gone(self, folders: Iterable[Path], present: Collection[str]) -> None:
        """Remove the indexed files below some folders (resolved paths) that do not exist any more.

        Files in `present` exist. If a folder itself is missing, its files stay.
        """
        folders = [*folders]
        gone = [
            path
            for path in {*self.paths} - {*present}
            if any(map(Path(path).is_relative_to, folders)) and _is_gone(path)
        ]
        # Last, because a folder may be renamed, or its disk removed, at any moment.
        existing = [folder for folder in folders if folder.is_dir()]
        gone = [path for path in gone if any(map(Path(path).is_relative_to, existing))]
        if gone:
            self._index.delete(gone)
            self.records.remove(gone)

    def update(
        self, inputs: Inputs, *, show_first: Callable[[FileIndex], object] | None = None
    ) -> None:
        """Update the index of some files, which `search` then searches.

        New and changed files are read; files that are gone from a folder are removed. Other files
        in the index are left as they are.

        Before large files are embedded, `show_first` is called with an index that finds their
        passages by words alone.
        """
        paths = [_path(named) for named in inputs.named]
        stamps = {
            path: stamp_of_input(named) for path, named in zip(paths, inputs.named, strict=True)
        }
        unchanged = self.records.find_unchanged(stamps)
        changed = []
        for path, named in zip(paths, inputs.named, strict=True):
            if path in unchanged:
                self._names.setdefault(path, "stdin" if named is None else named.name)
            else:
                changed.append(named)
        by_words = None
        sizes = [stamp[1] for stamp in map(stamps.get, map(_path, changed)) if stamp]
        if show_first and sum(sizes) >= _LARGE_BYTES:
            by_words = FileIndex(None, None, _NoEmbedder())
            by_words._add_changed(inputs, changed)
            by_words.records.find_unchanged({})  # loads the records that `find_text` looks up
            show_first(by_words)
            changed = [named for named in changed if _path(named) in by_words._names]
        self._add_changed(inputs, changed, by_words)
        paths_given = [Path(given) for given in inputs.paths if given != STDIN]
        folders = [path.resolve() for path in paths_given if path.is_dir()]
        self.remove_gone(folders, paths)

    def search(
        self, question: str, words: int, *, names: Mapping[str, str] | None = None
    ) -> list[Passage]:
        """Return the passages of some files that fit a question, with at most `words` words.

        `names` has the names of the files by path; by default, the names of the last `update`.
        """
        names_by_path = self._names if names is None else names
        passages = self._index.search(
            question,
            budget=words,
            context=True,
            where=lambda metadata: metadata.get(_SOURCE) in names_by_path,
        )
        return [replace(passage, document=names_by_path[passage.document]) for passage in passages]

    def documents(self, passages: Sequence[Passage]) -> dict[str, Source]:
        """Return the whole documents of passages from `search`, by the names that the user gave.

        The metadata has the path of the file as "source".
        """
        paths = {passage.document: passage.metadata[_SOURCE] for passage in passages}
        stored = self._index.store.contents(paths.values())
        sources = {}
        for name, path in paths.items():
            text, metadata = stored.get(path, ("", {}))
            pages = _pages_of(Path(path), text)
            sources[name] = Source(text, name=name, metadata=metadata, pages=pages)
        for passage in passages:
            if passage.span.of(sources[passage.document].text) != passage.text:
                raise StoreError(f"{passage.document} has just changed in the index: ask again")
        return sources

    def _add_changed(
        self, inputs: Inputs, changed: Sequence[NamedPath | None], read: FileIndex | None = None
    ) -> None:
        """Read and add files; texts that the index `read` has are taken from there."""
        # The bar, on a terminal, counts files that are embedded: the rest takes little time.
        with tqdm(
            total=len(changed), unit="file", unit_scale=True, disable=None if changed else True
        ) as bar:
            for batch in batches(self._read_changed(inputs, changed, read), MAX_BATCH_FILES):
                self.add(batch, advance=bar.update)
            bar.update(len(changed) - bar.n)
        self.records.flush()

    def _read_changed(
        self, inputs: Inputs, files: Iterable[NamedPath | None], read: FileIndex | None
    ) -> Iterator[ReadFile]:
        for named in files:
            # The stamp is taken first: a file that changes meanwhile is read again.
            stamp = stamp_of_input(named)
            settled = is_settled(stamp)
            content = "" if named is None else content_of(named.path)
            file = self.find_text(named.path, content, named.name) if named else None
            if file is None and named and read:
                file = read.find_text(named.path, content, named.name)
            file = file or inputs.read(named)
            path = _path(named)
            if file is not None and path not in self._names:
                self._names[path] = file.name
                yield ReadFile(path, file, stamp, settled, content)


def index_path(given: str | None, inputs: Iterable[Path] = ()) -> str | Path | None:
    """Return the index that a user names: a file, which must be none of `inputs`, or a URL."""
    if given is None or is_url(given):
        return given
    check_output(Path(given), inputs)
    return Path(given)


def is_far(passage: Passage) -> bool:
    """Return whether a passage resembles the question neither in meaning nor in words.

    All passages are far for 1 in 300 questions that the texts answer (false alarms), and for 3 in 4
    questions that they do not answer (benchmarks/unanswerable.py).
    """
    similarity, words = passage.similarity or 0.0, passage.words_found or 0.0
    return similarity < _MIN_SIMILARITY and words < _MIN_WORDS_FOUND


class _NoEmbedder:
    """An embedding model for an index that finds passages by words alone: all vectors are zero."""

    identity = "none"
    similarity: Similarity = "cosine"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), 1), dtype=np.float32)

    embed_queries = embed_documents


def _path(named: NamedPath | None) -> str:
    return "stdin" if named is None else str(named.path.resolve())


def _pages_of(path: Path, text: str) -> tuple[int, ...]:
    """Return where the pages of a file start in its text."""
    has_pages = path.suffix.lower() == PDF
    return join_texts(text.split(SEPARATOR) if has_pages else ())[1]


def _is_gone(path: str) -> bool:
    """Return whether a file does not exist; a file that cannot be inspected may exist."""
    try:
        os.stat(path)
    except OSError as error:
        return isinstance(error, (FileNotFoundError, NotADirectoryError))
    return False
