"""Exact nearest-neighbour search with numpy: every query against every chunk, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lumber_evaluation.documents import EvaluatedChunk
from lumber_retrieval.surroundings import Vectors

# Similarities held at once, so that memory does not grow with the number of queries.
_HELD_AT_ONCE = 1 << 24


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a query.

    Attributes:
        chunks: Numbers of the nearest chunks, best first; of chunks with the same span only the
            best.
        similarities: Their similarities to the query.
        first_hit: Rank, from 1, of the first gold chunk among all; None without any.
    """

    chunks: tuple[int, ...]
    similarities: tuple[float, ...]
    first_hit: int | None


class ExactSearch:
    """Searches a selection of the embedded chunks.

    Chunks with the same span are one passage, as near as the nearest of them. Equally near passages
    rank in the order given. Equal texts are compared once, so that their similarities are exactly
    equal.

    Args:
        chunks: The chunks to search, in order.
        numbers: The number of each chunk, for results.
        text_of: For each chunk, the row of `vectors` with its text.
        vectors: One vector for each text, shape (texts, width).
    """

    def __init__(
        self,
        chunks: Sequence[EvaluatedChunk],
        *,
        numbers: Sequence[int],
        text_of: Sequence[int],
        vectors: Vectors,
    ) -> None:
        known: dict[tuple[object, ...], int] = {}
        passage = [known.setdefault((c.document, *c.span), len(known)) for c in chunks]
        self._order = np.argsort(passage, kind="stable")
        self._starts = np.searchsorted(np.sort(passage), np.arange(len(known)))
        self._passage_of = dict(zip(numbers, passage, strict=True))
        self._numbers = np.asarray(numbers, dtype=np.intp)[self._order]
        rows, inverse = np.unique(np.asarray(text_of, dtype=np.intp), return_inverse=True)
        self._vectors = vectors[rows]
        self._text_of = inverse.reshape(-1)[self._order]

    def find(
        self, queries: Vectors, gold: Sequence[Sequence[int]], *, count: int
    ) -> Iterator[Found]:
        """Yield the result of each query.

        Args:
            queries: One vector for each query, shape (queries, width).
            gold: For each query, the numbers of the chunks that answer it.
            count: Maximum number of passages to return.
        """
        if not len(self._numbers):
            yield from (Found((), (), None) for _ in gold)
            return
        size = max(1, _HELD_AT_ONCE // len(self._numbers))
        for first in range(0, len(queries), size):
            block = queries[first : first + size] @ self._vectors.T
            for similarity, answers in zip(block[:, self._text_of], gold[first:], strict=False):
                yield self._found(similarity, answers, count)

    def _found(self, similarity: Vectors, gold: Sequence[int], count: int) -> Found:
        best = np.maximum.reduceat(similarity, self._starts)
        passages = _nearest(best, count)
        chunks = [self._best_chunk(similarity, passage) for passage in passages]
        hit = None
        if gold:
            answering = np.unique([self._passage_of[number] for number in gold])
            winner = answering[np.argmax(best[answering])]
            before = best[:winner] >= best[winner]
            after = best[winner + 1 :] > best[winner]
            hit = 1 + int(before.sum()) + int(after.sum())
        return Found(tuple(chunks), tuple(float(best[passage]) for passage in passages), hit)

    def _best_chunk(self, similarity: Vectors, passage: int) -> int:
        start = self._starts[passage]
        stop = self._starts[passage + 1] if passage + 1 < len(self._starts) else len(similarity)
        return int(self._numbers[start + np.argmax(similarity[start:stop])])


def _nearest(values: Vectors, count: int) -> list[int]:
    """Return the indices of the `count` largest values, largest first; equal values in order."""
    if count < len(values):
        least = np.partition(values, len(values) - count)[len(values) - count]
        places = np.flatnonzero(values >= least)
    else:
        places = np.arange(len(values))
    ranked = places[np.argsort(-values[places], kind="stable")]
    return [int(place) for place in ranked[:count]]
