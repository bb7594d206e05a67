"""One state of a store: which chunks fit a query, and what is known about chunks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from lumber_core.calls.threads import batches
from lumber_core.spans import Span
from lumber_core.storage.database import Connection
from lumber_core.text.markdown import CONTEXT_KEY, INSIDE_KEY, LEVELS_KEY
from lumber_core.text.pages import FIRST_LINE, FIRST_PAGE, LAST_LINE, LAST_PAGE
from lumber_retrieval.hits import Accepts, Hit
from lumber_retrieval.index.postings import Occurring, frequencies
from lumber_retrieval.index.segments import LiveSegments, select
from lumber_retrieval.words.keywords import terms

_HEADINGS = "headings"
_Intact = Callable[[], AbstractContextManager[None]]

_SHORT = {
    _HEADINGS: "h",
    LEVELS_KEY: "v",
    INSIDE_KEY: "i",
    CONTEXT_KEY: "c",
    FIRST_PAGE: "p",
    LAST_PAGE: "q",
    FIRST_LINE: "l",
    LAST_LINE: "m",
}
"""What most chunks say, and how it is stored."""
_LONG = {short: name for name, short in _SHORT.items()}
_AT_ONCE = 500  # chunks whose metadata a filter is asked about


class Snapshot:
    """One state of a store; `connection` has an open transaction."""

    def __init__(self, connection: Connection, segments: LiveSegments, intact: _Intact) -> None:
        self._connection = connection
        self._segments = segments
        self._intact = intact  # opens what raises a StoreError where the file is damaged
        self._accepted: dict[tuple[Accepts, int], bool] = {}  # asked about once for each chunk
        self._occurrences: Occurring = {}  # of the terms that were asked about, read once

    def nearest(
        self, vector: Sequence[float], count: int, accepts: Accepts | None
    ) -> dict[int, float]:
        """Return the numbers of the chunks nearest to a vector, best first, with similarities."""
        # One more, as it may be as near as the last.
        found = self._segments.nearest(np.asarray(vector, dtype=np.float32), count + 1)
        return self._first(found, count, accepts)

    def matching(self, query: str, count: int, accepts: Accepts | None) -> dict[int, float]:
        """Return the numbers of the chunks with words of a query, best first, with BM25 scores."""
        found = self._occurring(terms(query))
        for wanted in (count + 1, count + 1 + len(self._segments)):
            first = self._first(self._segments.matching(found, wanted), count, accepts)
            if accepts is None or len(first) == count:
                break  # scores are the same with a filter that accepts all
        return first

    def frequencies(self, words: Iterable[str]) -> Mapping[str, int]:
        """Return how many chunks have each of some terms, in them or beside them."""
        return frequencies(self._occurring(words))

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._segments)

    def similarities(self, vector: Sequence[float], numbers: Sequence[int]) -> list[float]:
        """Return the cosine similarities of a vector and those of chunks."""
        with self._intact():
            return self._segments.similarities(np.asarray(vector, dtype=np.float32), numbers)

    def hits(self, scores: Mapping[int, float]) -> tuple[list[Hit], dict[str, str]]:
        """Return chunks as hits, in the order of their scores, and the texts of their documents.

        A number that no chunk has is left out.
        """
        chunks = self._describe(scores)
        numbers = {document for document, _, _ in chunks.values()}
        with self._intact():
            rows = self._select("id, name, text FROM documents WHERE id", numbers)
            documents = {number: (text_in(name), text_in(text)) for number, name, text in rows}
            hits = []
            for number, score in scores.items():
                if number not in chunks:
                    continue
                document, span, metadata = chunks[number]
                name, text = documents[document]
                hits.append(Hit(number, name, span, span.of(text), score, metadata))
        return hits, dict(documents.values())

    def documents_of(
        self, chunks: Iterable[int], *, least_length: int
    ) -> dict[int, tuple[int, Mapping[str, Any] | None]]:
        """Return the document of each chunk, and the metadata of those that are long.

        Args:
            chunks: The numbers of chunks.
            least_length: Characters of the text of a long document. Others have None.
        """
        with self._intact():
            document_of = dict(self._select("id, document FROM chunks WHERE id", chunks))
            known = {document: number for number, document in document_of.items()}  # one of each
            long = f"id FROM documents WHERE length(text) >= {least_length:d} AND id"
            some = [known[document] for (document,) in self._select(long, known)]
        of_long = {document: metadata for document, _, metadata in self._describe(some).values()}
        return {number: (one, of_long.get(one)) for number, one in document_of.items()}

    def _describe(self, numbers: Iterable[int]) -> dict[int, tuple[int, Span, Mapping[str, Any]]]:
        """Return the numbers of the documents, the spans and the metadata of chunks."""
        with self._intact():
            rows = self._select("id, document, first, last, metadata FROM chunks WHERE id", numbers)
            documents = self._select(
                "id, source, from_zero, metadata FROM documents WHERE id", {row[1] for row in rows}
            )
            # One text is parsed faster than many.
            parsed = json.loads(f"[{','.join(document[-1] for document in documents)}]")
            known = {one[0]: own for one, own in zip(documents, parsed, strict=True)}
            later = self._counted_from_zero(documents)
            details = json.loads(f"[{','.join(row[-1] for row in rows)}]")
            return {
                number: (
                    document,
                    Span(first, last),
                    {**known[document], **_details(own, later=document in later)},
                )
                for (number, document, first, last, _), own in zip(rows, details, strict=True)
            }

    def _counted_from_zero(self, documents: Iterable[tuple[Any, ...]]) -> set[int]:
        """Return the numbers of pages that others of their source show to be counted from 0."""
        unsure = {number: source for number, source, from_zero, _ in documents if from_zero is None}
        if not unsure:
            return set()
        shown = "source FROM documents WHERE from_zero = 1 AND source"
        sources = {source for (source,) in self._select(f"DISTINCT {shown}", {*unsure.values()})}
        return {number for number, source in unsure.items() if source in sources}

    def _read(self, ranked: Iterator[tuple[int, float]]) -> Iterator[tuple[int, float]]:
        with self._intact():
            yield from ranked

    def _select(self, what: str, values: Iterable[Any]) -> list[tuple[Any, ...]]:
        with self._intact():
            return [*select(self._connection, what, values)]

    def _occurring(self, words: Iterable[str]) -> Occurring:
        """Return where some terms occur."""
        wanted = dict.fromkeys(words)
        new = wanted.keys() - self._occurrences.keys()
        if new:
            with self._intact():
                self._occurrences |= self._segments.occurrences(self._connection, new)
        return {word: self._occurrences[word] for word in wanted}

    def _first(
        self, ranked: Iterator[tuple[int, float]], count: int, accepts: Accepts | None
    ) -> dict[int, float]:
        """Return the first `count` chunks that may be found.

        Of those with the same score, the first are those of the document whose name comes first.
        """
        found: list[tuple[int, float]] = []
        for number, score in self._filter(self._read(ranked), accepts):
            if len(found) >= count and score < found[-1][1]:
                break
            found.append((number, score))
        counts = Counter(score for _, score in found)
        named = "chunks.id, name FROM chunks JOIN documents ON documents.id = document"
        equal = [number for number, score in found if counts[score] > 1]
        names = dict(self._select(f"{named} WHERE chunks.id", equal))
        found.sort(key=lambda one: (-one[1], names.get(one[0], b""), one[0]))
        return dict(found[:count])

    def _filter(
        self, ranked: Iterator[tuple[int, float]], accepts: Accepts | None
    ) -> Iterator[tuple[int, float]]:
        """Yield the chunks that may be found."""
        if accepts is None:
            yield from ranked
            return
        for some in batches(ranked, _AT_ONCE):
            new = [number for number, _ in some if (accepts, number) not in self._accepted]
            for number, (_, _, metadata) in self._describe(new).items():
                self._accepted[accepts, number] = accepts(metadata)
            yield from (one for one in some if self._accepted[accepts, one[0]])


def short_json(details: Mapping[str, Any]) -> str:
    """Return what a chunk says as it is stored: a context that begins the headings as its length.

    With short names and without spaces it takes half of the room.
    """
    headings, context = str(details.get(_HEADINGS, "")), details.get(CONTEXT_KEY)
    known = {_SHORT.get(key, key): value for key, value in details.items()}
    if context and headings.startswith(str(context)):
        known[_SHORT[CONTEXT_KEY]] = len(str(context))
    return json.dumps(known, separators=(",", ":"))


def _details(stored: Mapping[str, Any], *, later: bool) -> dict[str, Any]:
    """Return what a chunk says; `later`: a page further."""
    details = {_LONG.get(key, key): value for key, value in stored.items()}
    if type(details.get(CONTEXT_KEY)) is int:
        details[CONTEXT_KEY] = details[_HEADINGS][: details[CONTEXT_KEY]]
    if later:
        details |= {key: details[key] + 1 for key in (FIRST_PAGE, LAST_PAGE) if key in details}
    return details


def text_in(stored: bytes) -> str:
    """Return the text in bytes that a store has, whatever its characters."""
    return bytes(stored).decode("utf-8", "surrogatepass")
