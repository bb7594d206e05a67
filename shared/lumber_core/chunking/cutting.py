"""Where to cut a text by layout, scores and size at once.

All splitters that cut to a size use these rules. Places are sentences, lines and paragraphs; if
these are too far apart, clauses and words. The value of a cut at a place depends on the kind of
place, and on a model's score if there is one. The best tiling decides the cuts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.spans import Span, spans_from_starts
from lumber_core.text.markdown_places import find_markdown_places, finer_markdown_places
from lumber_core.text.places import Kind, Place, find_places, finer_places, places_at

if TYPE_CHECKING:
    import numpy.typing as npt

Scorer = Callable[[Sequence[Place]], "npt.ArrayLike"]
"""Returns for each place the classifier's t: logit(start) - logit(normal)."""

# The value of a cut at a place, in the units of the size costs (`tiling.ChunkCosts`). Chosen on
# three development corpora together; docs/results.md shows how flat the optimum is.
_WORTH = {
    Kind.CHARACTER: -8.0,
    Kind.WORD: -4.0,
    Kind.CLAUSE: -2.0,
    Kind.SENTENCE: 0.0,
    Kind.LINE: 1.0,
    Kind.PARAGRAPH: 2.0,
    Kind.HEADING: 3.0,
}
_WORTH_OF_T = 0.3
# Additional, per unit of t above 0, where the classifier predicts a start; but not at indented
# lines, as of YAML and code, whose structure it does not see.
_WORTH_OF_START = 2.4
_LOWEST_T = -12.0  # the t of a place without tokens
_DEPTH_COST = 1.0  # per level of indentation
_WORTH_OF_LEVEL = (0.0, 3.0, 3.0, 2.0, 1.0, 1.0, 1.0)  # additional, by a heading's level

_FINER = 3  # finer places are added until there are about this many per target_size
_UNLIMITED = 4  # times the target: the longest chunk considered if there is no limit


@dataclass(frozen=True, slots=True)
class SizedPlaces:
    """Places inside a stretch of text, with the token counts between them.

    Attributes:
        span: The stretch.
        places: The places, ascending, strictly inside the stretch.
        sizes: Tokens from the start to the first place, between places, and from the last place
            to the end, shape (places + 1,).
    """

    span: Span
    places: list[Place]
    sizes: list[int]


class Cutter:
    """Cuts texts into chunks of a target size at the best places.

    Args:
        limits: The limits. Without a `target_size`, the target is `chunk_size`. With `markdown`,
            places are those of Markdown.

    Raises:
        ValueError: There is neither a `chunk_size` nor a `target_size`.
    """

    def __init__(self, limits: SizeLimits) -> None:
        target = limits.target_size or limits.chunk_size
        if target is None:
            raise ValueError("limits must have a chunk_size or a target_size to cut by")
        self.limits = limits
        self._target = target
        self._most = limits.chunk_size or _UNLIMITED * target

    def places(self, text: str, units: Sequence[Span] | None = None) -> SizedPlaces:
        """Return the places of a text where a chunk may start, with the tokens between them.

        Sentences, lines, paragraphs and headings are places. Clauses and words are places only
        inside a sentence of more than `target_size` tokens, or a line of more than `chunk_size`.

        Args:
            text: The text.
            units: If given, their starts are the only places, and others only inside a unit of more
                than `chunk_size` tokens.
        """
        found = self._find(text)
        if units is not None:
            found = places_at(units, {place.offset: place for place in found})
        sized = self._sized(text, Span(0, len(text)), found)
        return self._refined(text, sized, whole=units is not None)

    def cut(self, found: SizedPlaces, t: npt.ArrayLike | None = None) -> list[int]:
        """Return the offsets of the best cuts at some places.

        Args:
            found: Places in a text.
            t: The classifier's t at each place; None decides by layout and size.

        Returns:
            Offsets of the places to cut at, ascending. A chunk is too long only if it counts more
            tokens than the stretches it is made of, or if there is no place to cut at.
        """
        import numpy as np

        from lumber_core.chunking.tiling import ChunkCosts, best_cuts

        if not found.places:
            return []
        worth = np.array(
            [
                _WORTH[place.kind] + _WORTH_OF_LEVEL[place.level] - _DEPTH_COST * place.depth
                for place in found.places
            ]
        )
        if t is not None:
            scores = np.maximum(np.asarray(t, dtype=np.float64), _LOWEST_T)
            indented = np.array([place.depth > 0 for place in found.places])
            starts = np.where(indented, 0, np.maximum(scores, 0))
            worth += _WORTH_OF_T * scores + _WORTH_OF_START * starts
        costs = ChunkCosts(self._most, min(self._target, self._most), self.limits.min_chunk_size)
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
            units: Units that are cut only if no other place fits.
            scorer: Scores places; None decides by layout and size.

        Returns:
            The spans, with the long ones replaced by their parts. A few parts may still be too
            long, for the reasons that `cut` gives.
        """
        spans = list(spans)
        counts = self.limits.count([span.of(text) for span in spans])
        if max(counts, default=0) <= self._most:
            return spans
        unit_starts = [unit.start for unit in units]
        result: list[Span] = []
        for span, count in zip(spans, counts, strict=True):
            if count <= self._most:
                result.append(span)
                continue
            low, high = bisect_right(unit_starts, span.start), bisect_left(unit_starts, span.end)
            result += self._shortened(text, span, count, unit_starts[low:high], scorer)
        return result

    def _shortened(
        self, text: str, span: Span, count: int, unit_starts: list[int], scorer: Scorer | None
    ) -> Iterable[Span]:
        """Cut one span into parts of about the target size, or as few as needed."""
        body = span.of(text)
        known = {
            span.start + place.offset: place._replace(
                offset=span.start + place.offset, words=span.start + place.words
            )
            for place in self._find(body)
        }
        inside = [Span(at, at) for at in [span.start, *unit_starts]]
        places = places_at(inside, known) if unit_starts else list(known.values())
        target = self._target
        if self.limits.target_size is None:
            target = -(-count // -(-count // self._most))
        limits = replace(self.limits, chunk_size=self._most, target_size=target)
        even = Cutter(limits)
        found = even._refined(text, even._sized(text, span, places), whole=bool(unit_starts))
        t = None if scorer is None or not found.places else scorer(found.places)
        starts = [0, *(cut - span.start for cut in even.cut(found, t))]
        return (part.shifted(span.start) for part in spans_from_starts(starts, len(body)))

    def _find(self, text: str) -> list[Place]:
        find = find_markdown_places if self.limits.markdown else find_places
        return find(text, self.limits.language)

    def _sized(self, text: str, span: Span, places: list[Place]) -> SizedPlaces:
        edges = [span.start, *(place.offset for place in places), span.end]
        sizes = self.limits.counter.count([text[a:b] for a, b in pairwise(edges)])
        # At least 1: the tiler looks back over all places within `chunk_size` tokens, and a custom
        # counter may count none for many places in a row.
        return SizedPlaces(span, places, [max(1, size) for size in sizes])

    def _refined(self, text: str, found: SizedPlaces, *, whole: bool = False) -> SizedPlaces:
        """Add finer places to stretches that are too long.

        Args:
            text: The text.
            found: Its places.
            whole: Whether text between places, such as a line, is divided only if it fits in no
                chunk.
        """
        places: list[Place] = []
        sizes: list[int] = []
        start, before = found.span.start, Kind.HEADING
        for place, size in zip([*found.places, None], found.sizes, strict=True):
            end, after = (
                (found.span.end, Kind.HEADING) if place is None else (place.offset, place.kind)
            )
            line = whole or min(before, after) >= Kind.LINE
            if size > (self._most if line else self._target):
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
        """Find places in a stretch without places, coarse ones first.

        Args:
            text: The text.
            span: The stretch.
            line: Whether it is one or several whole lines, which are divided only if they fit in no
                chunk.
        """
        enough = max(1, self._target // _FINER)
        edge = Kind.LINE if line else Kind.CHARACTER
        found = self._sized(text, span, [])
        finer = finer_markdown_places if self.limits.markdown else finer_places
        for level in finer(text, span.start, span.end):
            offsets = [place.offset for place in level]
            places: list[Place] = []
            fits, before = True, edge
            for start, end, size, place in _stretches(found):
                after = place[0].kind if place else edge
                if size > (self._most if min(before, after) >= Kind.LINE else enough):
                    places += level[bisect_right(offsets, start) : bisect_left(offsets, end)]
                    fits = False
                places += place
                before = after
            if fits:
                return found
            if len(places) > len(found.places):
                found = self._sized(text, span, places)
        return self._chopped(text, found)

    def _chopped(self, text: str, found: SizedPlaces) -> SizedPlaces:
        """Divide words that fit in no chunk."""
        if max(found.sizes) <= self._most:
            return found
        limits = replace(self.limits, chunk_size=self._most, min_chunk_size=None)
        places: list[Place] = []
        for start, end, size, place in _stretches(found):
            if size > self._most:
                parts = limits.apply(text, [Span(start, end)])
                places += [Place(part.start, Kind.CHARACTER, part.start) for part in parts[1:]]
            places += place
        return self._sized(text, found.span, places)


def _stretches(found: SizedPlaces) -> Iterable[tuple[int, int, int, list[Place]]]:
    """Yield start, end and tokens of each stretch between places, and the place at its end."""
    start = found.span.start
    for place, size in zip(found.places, found.sizes, strict=False):
        yield start, place.offset, size, [place]
        start = place.offset
    yield start, found.span.end, found.sizes[-1], []
