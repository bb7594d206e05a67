"""Where to cut a text by layout, scores and size at once.

Every splitter that has to keep a size cuts by the same rules: places are sentences, lines and
paragraphs; where these are too far apart, clauses and words; what each is worth depends on its
kind, and on a model's score if there is one; and the cuts are those of the best tiling.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from lumber_core.markdown_places import find_markdown_places, finer_markdown_places
from lumber_core.places import Kind, Place, find_places, finer_places
from lumber_core.size_limits import SizeLimits
from lumber_core.spans import Span, spans_from_starts
from lumber_core.tokens import TokenCounter

if TYPE_CHECKING:
    import numpy.typing as npt

Scorer = Callable[[Sequence[Place]], "npt.ArrayLike"]
"""Returns a score for each place, in the units of the classifier's t."""

_WORTH = {
    Kind.CHARACTER: -8.0,
    Kind.WORD: -4.0,
    Kind.CLAUSE: -2.0,
    Kind.SENTENCE: 0.0,
    Kind.LINE: 1.0,
    Kind.PARAGRAPH: 2.0,
    Kind.HEADING: 3.0,
}
_DEPTH_COST = 1.0  # of a level of indentation
_NO_SCORE = -12.0  # what a place without tokens gets for a score
_FINER = 3  # finer places are offered until there are about this many for each target_size


@dataclass(frozen=True, slots=True)
class SizedPlaces:
    """Places inside a stretch of text, with the tokens between them.

    Attributes:
        span: The stretch.
        places: The places, rising, strictly inside the stretch.
        sizes: Tokens from the start to the first place, between places, and from the last place
            to the end, shape (places + 1,).
    """

    span: Span
    places: list[Place]
    sizes: list[int]


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts texts into chunks of a wanted size at the best places.

    Attributes:
        chunk_size: Most tokens in a chunk.
        target_size: The size that chunks are drawn towards.
        counter: Counts the tokens.
        min_chunk_size: Fewest tokens in a chunk, unless nothing else fits. None sets no minimum.
        language: ISO 639 code for finding sentences.
        markdown: Whether the texts are Markdown.
    """

    chunk_size: int
    target_size: int
    counter: TokenCounter
    min_chunk_size: int | None = None
    language: str = "en"
    markdown: bool = False

    def places(self, text: str) -> SizedPlaces:
        """Return the places of a text where a chunk may start, with the tokens between them.

        Sentences, lines, paragraphs and headings are places; clauses and words only where these
        are farther apart than `target_size`, or than `chunk_size` if a line is between them.
        """
        whole = Span(0, len(text))
        return self._refined(text, self._sized(text, whole, self._find(text)))

    def cut(self, found: SizedPlaces, scores: npt.ArrayLike | None = None) -> list[int]:
        """Return the offsets of the best cuts at some places.

        Args:
            found: Places in a text.
            scores: A score for each place; None decides by layout and size.

        Returns:
            Offsets of the places to cut at, rising. A chunk is too long only where the counter
            counts more tokens in it than in its parts together.
        """
        import numpy as np

        from lumber_core.tiling import ChunkCosts, best_cuts

        if not found.places:
            return []
        worth = np.array([_WORTH[place.kind] - _DEPTH_COST * place.depth for place in found.places])
        if scores is not None:
            worth += np.maximum(np.asarray(scores, dtype=np.float64), _NO_SCORE)
        target = min(self.target_size, self.chunk_size)
        costs = ChunkCosts(self.chunk_size, target, self.min_chunk_size)
        return [found.places[number].offset for number in best_cuts(found.sizes, worth, costs)]

    def shorten(
        self,
        text: str,
        spans: Iterable[Span],
        units: Sequence[Span] = (),
        scorer: Scorer | None = None,
    ) -> list[Span]:
        """Cut the spans that count more than `chunk_size` at their best places.

        Args:
            text: The text.
            spans: Spans of it, in order.
            units: Units that are cut only where no other place fits.
            scorer: Scores places; None decides by layout and size.

        Returns:
            The spans, with the long ones replaced by their parts. A part is too long only where
            it has no place at all.
        """
        spans = list(spans)
        counts = self.counter.count([span.of(text) for span in spans])
        unit_starts = [unit.start for unit in units]
        result: list[Span] = []
        for span, count in zip(spans, counts, strict=True):
            if count <= self.chunk_size:
                result.append(span)
                continue
            inside = unit_starts[
                bisect_right(unit_starts, span.start) : bisect_left(unit_starts, span.end)
            ]
            result += self._shortened(text, span, count, inside, scorer)
        return result

    def _shortened(
        self, text: str, span: Span, count: int, inside: list[int], scorer: Scorer | None
    ) -> tuple[Span, ...]:
        """Cut one span into about as many parts as it needs."""
        body = span.of(text)
        near = {span.start + p.offset: p for p in self._find(body)}
        places = [
            Place(at, near[at].kind, span.start + near[at].words, near[at].depth)
            if at in near
            else Place(at, Kind.SENTENCE, at)
            for at in inside or near
        ]
        parts = -(-count // self.chunk_size)
        even = Cutter(
            self.chunk_size,
            min(self.chunk_size, -(-count // parts)),
            self.counter,
            self.min_chunk_size,
            self.language,
            self.markdown,
        )
        found = even._refined(text, even._sized(text, span, places), whole_units=bool(inside))
        scores = None if scorer is None or not found.places else scorer(found.places)
        cuts = even.cut(found, scores)
        starts = [0, *(cut - span.start for cut in cuts)]
        return tuple(part.shifted(span.start) for part in spans_from_starts(starts, len(body)))

    def _find(self, text: str) -> list[Place]:
        find = find_markdown_places if self.markdown else find_places
        return find(text, self.language)

    def _sized(self, text: str, span: Span, places: list[Place]) -> SizedPlaces:
        edges = [span.start, *(place.offset for place in places), span.end]
        sizes = self.counter.count([text[a:b] for a, b in pairwise(edges)])
        return SizedPlaces(span, places, sizes)

    def _refined(self, text: str, found: SizedPlaces, *, whole_units: bool = False) -> SizedPlaces:
        """Add finer places where a stretch is too long."""
        places: list[Place] = []
        sizes: list[int] = []
        start, before = found.span.start, Kind.HEADING
        for place, size in zip([*found.places, None], found.sizes, strict=True):
            end = found.span.end if place is None else place.offset
            after = Kind.HEADING if place is None else place.kind
            line = whole_units or min(before, after) >= Kind.LINE
            if size > (self.chunk_size if line else self.target_size):
                finer = self._finer(text, Span(start, end), line=line)
                places += finer.places
                sizes += finer.sizes
            else:
                sizes.append(size)
            if place is not None:
                places.append(place)
            start, before = end, after
        return SizedPlaces(found.span, places, sizes)

    def _finer(self, text: str, span: Span, *, line: bool) -> SizedPlaces:
        """Find places in a stretch that has none of its own, coarse ones first.

        Args:
            text: The text.
            span: The stretch.
            line: Whether it goes from one line's start to another's. What does so is only divided
                if it does not fit into a chunk.
        """
        limit = max(1, self.target_size // _FINER)
        edge = Kind.LINE if line else Kind.CHARACTER
        found = self._sized(text, span, [])
        finer = finer_markdown_places if self.markdown else finer_places
        for level in finer(text, span.start, span.end):
            offsets = [place.offset for place in level]
            edges = [span.start, *(place.offset for place in found.places), span.end]
            kinds = [edge, *(place.kind for place in found.places), edge]
            places: list[Place] = []
            fits = True
            for number, (start, end) in enumerate(pairwise(edges)):
                if number:
                    places.append(found.places[number - 1])
                lines = min(kinds[number], kinds[number + 1]) >= Kind.LINE
                if found.sizes[number] > (self.chunk_size if lines else limit):
                    places += level[bisect_right(offsets, start) : bisect_left(offsets, end)]
                    fits = False
            if fits:
                return found
            if len(places) > len(found.places):
                found = self._sized(text, span, places)
        return self._chopped(text, found)

    def _chopped(self, text: str, found: SizedPlaces) -> SizedPlaces:
        """Divide words that do not fit into a chunk."""
        limits = SizeLimits(self.chunk_size, None, self.counter, self.language)
        edges = [found.span.start, *(place.offset for place in found.places), found.span.end]
        places: list[Place] = []
        for number, (start, end) in enumerate(pairwise(edges)):
            if number:
                places.append(found.places[number - 1])
            if found.sizes[number] > self.chunk_size:
                parts = limits.apply(text, [Span(start, end)])
                places += [Place(p.start, Kind.CHARACTER, p.start) for p in parts[1:]]
        return self._sized(text, found.span, places) if len(places) > len(found.places) else found
