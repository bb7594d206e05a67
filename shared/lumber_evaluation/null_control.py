"""A control for comparisons: chunks of the same sizes, cut at random sentences.

If a splitter is no better than its control, its figures come from its sizes, not its cuts.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from lumber_core.spans import Span
from lumber_core.text.units import sentences
from lumber_evaluation.documents import Document, EvaluatedChunk, EvaluatedSplitter, SplitDocument
from lumber_evaluation.splitters import evaluated


class RandomCuts:
    """A splitter whose chunks have the sizes of another's, in random order.

    Each cut is at the sentence start nearest to its place by the shuffled sizes, so there are as
    many chunks as the other splitter makes, unless the document has fewer sentences. The other
    splitter runs again; if it calls a model, give it a store.

    Args:
        splitter: Anything that `splitters.evaluated` takes.
        seed: Another seed gives other cuts.
        name: Its name in tables; by default "NAME, random cuts".
        language: ISO 639 code for finding sentences.

    Raises:
        TypeError: `splitter` cannot be evaluated.
    """

    def __init__(
        self, splitter: object, *, seed: int = 0, name: str | None = None, language: str = "en"
    ) -> None:
        self._splitter: EvaluatedSplitter = evaluated(splitter)
        self._seed = seed
        self._language = language
        self.name = name or f"{self._splitter.name}, random cuts"

    @property
    def settings(self) -> str:
        """Readable settings that determine the result."""
        return f"random sentences, sizes of {self._splitter.settings}, seed={self._seed}"

    @property
    def identity(self) -> str | None:
        """A cache key for the result; None if the other splitter has no identity."""
        known = self._splitter.identity
        return known and f"RandomCuts({known}, seed={self._seed}, language={self._language})"

    def split(self, document: Document) -> SplitDocument:
        """Cut a document into chunks of the other splitter's sizes."""
        text = document.text
        like = self._splitter.split(document)
        starts = sorted({0, *(chunk.span.start for chunk in like.chunks)})
        sizes = [end - start for start, end in pairwise([*starts, len(text)])]
        # Seeded with the name too, so that documents of equal sizes are cut differently.
        random.Random(f"{self._seed}/{document.name}").shuffle(sizes)
        wanted = list(accumulate(sizes))[:-1]
        units = [span.start for span in sentences(text, self._language)][1:]
        edges = [0, *_nearest(wanted, units), len(text)]
        spans = [Span(start, end) for start, end in pairwise(edges) if text[start:end].strip()]
        chunks = tuple(EvaluatedChunk(document.name, span, span.of(text)) for span in spans)
        return SplitDocument(document.name, chunks, 0.0)

    def __repr__(self) -> str:
        return f"RandomCuts({self._splitter!r}, seed={self._seed})"


def _nearest(wanted: Sequence[int], units: Sequence[int]) -> Iterator[int]:
    """Yield a unit near each place, in ascending order, each unit at most once."""
    first = 0
    for number, place in enumerate(wanted):
        left = len(wanted) - number - 1  # units that later cuts need
        last = max(first, len(units) - 1 - left)
        if first >= len(units):
            return
        after = bisect_left(units, place)
        if after and (after == len(units) or place - units[after - 1] <= units[after] - place):
            after -= 1
        chosen = min(max(after, first), last)
        yield units[chosen]
        first = chosen + 1
