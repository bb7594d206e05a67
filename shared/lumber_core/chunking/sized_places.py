"""Places in a text with the tokens between them, close enough to cut the text to a size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from lumber_core.chunking.last_resort import parts_that_fit
from lumber_core.chunking.size_limits import CountedParts, SizeLimits
from lumber_core.spans import Span
from lumber_core.text.parsed import MarkdownText, ParsedText
from lumber_core.text.place import Kind, Places

# Finer places are added until there are about this many per target: enough to choose from.
_PLACES_PER_TARGET = 3


@dataclass(frozen=True, slots=True)
class SizedPlaces:
    """Places in a range of a text, with the tokens between them.

    Attributes:
        span: The range.
        places: The places, strictly inside the range.
        sizes: Tokens from the start to the first place, between places, and from the last place
            to the end, shape (places + 1,).
    """

    span: Span
    places: Places
    sizes: list[int]

    def parts(self) -> CountedParts:
        """Return the gaps between places as parts of the text, with their tokens."""
        return CountedParts([self.span.start, *self.places.offsets, self.span.end], self.sizes)

    def gap(self, number: int) -> Span:
        """Return the span before the place of a number, from the place before it."""
        offsets = self.places.offsets
        start = offsets[number - 1] if number else self.span.start
        end = offsets[number] if number < len(offsets) else self.span.end
        return Span(start, end)

    def long_gaps(self, size: int, lines: int, edge: Kind) -> list[int]:
        """Return the numbers of the gaps that are too long, ascending.

        Args:
            size: Maximum tokens of a gap that is not made of whole lines.
            lines: Maximum tokens of a gap of one or several whole lines.
            edge: The kind of the places at the ends of the range.
        """
        least = min(size, lines)
        if max(self.sizes) <= least:
            return []
        long = [number for number, count in enumerate(self.sizes) if count > least]
        return [n for n in long if self.sizes[n] > (lines if self.is_lines(n, edge) else size)]

    def is_lines(self, number: int, edge: Kind) -> bool:
        """Return whether a gap is one or several whole lines.

        Args:
            number: The number of the gap.
            edge: The kind of the places at the ends of the range.
        """
        kinds = self.places.kinds
        before = kinds[number - 1] if number else edge
        after = kinds[number] if number < len(kinds) else edge
        return min(before, after) >= Kind.LINE

    def divide(self, inside: Mapping[int, SizedPlaces]) -> SizedPlaces:
        """Add places inside some gaps.

        Args:
            inside: The places inside each gap, by its number, ascending.
        """
        if not inside:
            return self
        places: list[Places] = []
        sizes: list[int] = []
        done = -1  # the number of the last divided gap
        for number, finer in inside.items():
            places += [self.places[max(0, done) : number], finer.places]
            sizes += self.sizes[done + 1 : number]
            sizes += finer.sizes
            done = number
        places.append(self.places[done:])
        sizes += self.sizes[done + 1 :]
        return SizedPlaces(self.span, Places.join(places), sizes)


class SizedPlaceFinder:
    """Finds places in a text with the tokens between them, and finer ones in long gaps.

    Args:
        parsed: The text.
        limits: The limits; their counter counts the tokens.
        target: Preferred length of chunks in tokens.
        most: Maximum tokens in a chunk.
    """

    def __init__(self, parsed: ParsedText, limits: SizeLimits, target: int, most: int) -> None:
        self._parsed = parsed
        self._limits = limits
        self._target = target
        self._most = most

    def measure(self, span: Span, places: Places) -> SizedPlaces:
        """Return places in a range with the tokens between them."""
        edges = [span.start, *places.offsets, span.end]
        counts = self._limits.tokens(self._parsed).count(pairwise(edges))
        return SizedPlaces(span, places, _replace_zeros(counts))

    def refine(self, sized: SizedPlaces, most: int) -> SizedPlaces:
        """Add finer places to gaps that are too long.

        Args:
            sized: Places in a range.
            most: Maximum tokens in a chunk.
        """
        long = sized.long_gaps(self._target, most, Kind.HEADING)
        return sized.divide({number: self._finer(sized, number, most) for number in long})

    def refine_units(self, at_units: SizedPlaces, places: Places, most: int) -> SizedPlaces:
        """Add all places in units that are too long.

        Args:
            at_units: The places where units start in a range.
            places: All places in the range.
            most: Maximum tokens in a chunk.
        """
        inside = {}
        for number in at_units.long_gaps(most, most, Kind.HEADING):
            gap = at_units.gap(number)
            inside[number] = self.refine(self.measure(gap, places.inside(*gap)), most)
        return at_units.divide(inside)

    def _finer(self, outer: SizedPlaces, number: int, most: int) -> SizedPlaces:
        """Find places in a gap, coarse ones first.

        Args:
            outer: Places in a range.
            number: The number of the gap. Whole lines are divided only if they exceed `most`.
            most: Maximum tokens in a chunk.
        """
        enough = max(1, self._target // _PLACES_PER_TARGET)
        edge = Kind.LINE if outer.is_lines(number, Kind.HEADING) else Kind.CHARACTER
        span = outer.gap(number)
        sized = SizedPlaces(span, Places.of(()), [outer.sizes[number]])
        long = sized.long_gaps(enough, most, edge)
        for level in self._parsed.finer_places(*span):
            if level.kinds[:1] == [Kind.WORD] and isinstance(self._parsed, MarkdownText):
                # A clause is cut only if it fits in no chunk. Plain text has longer sentences, and
                # better recall with even parts.
                long = sized.long_gaps(most, most, edge)
            added = {number: level.inside(*sized.gap(number)) for number in long}
            added = {number: places for number, places in added.items() if places}
            if added:
                sized = self._divide_gaps(sized, added)
                long = sized.long_gaps(enough, most, edge)
                if not long:
                    return sized
        return self._cut_words(sized)

    def _cut_words(self, sized: SizedPlaces) -> SizedPlaces:
        """Divide words that fit in no chunk."""
        added = {}
        for number in sized.long_gaps(self._most, self._most, Kind.CHARACTER):
            gap = sized.gap(number)
            parts = [*parts_that_fit(self._parsed.text, gap, self._most, self._limits)]
            added[number] = Places.alike([part.start for part in parts[1:]], Kind.CHARACTER)
        return self._divide_gaps(sized, added) if added else sized

    def _divide_gaps(self, sized: SizedPlaces, added: Mapping[int, Places]) -> SizedPlaces:
        """Add places inside some gaps without counting the other gaps again.

        Args:
            sized: Places in a range.
            added: Places to add, by the number of their gap, ascending.
        """
        if not sized.places:
            return self.measure(sized.span, added[0])
        edges = []
        for number, places in added.items():
            gap = sized.gap(number)
            edges.append([gap.start, *places.offsets, gap.end])
        parts = [part for row in edges for part in pairwise(row)]
        counts = _replace_zeros(self._limits.tokens(self._parsed).count(parts))
        inside, done = {}, 0
        for (number, places), row in zip(added.items(), edges, strict=True):
            sizes = counts[done : done + len(row) - 1]
            done += len(sizes)
            inside[number] = SizedPlaces(sized.gap(number), places, sizes)
        return sized.divide(inside)


def _replace_zeros(counts: list[int]) -> list[int]:
    """Return counts with 1 in place of 0.

    `best_cuts` compares all places within `chunk_size` tokens. A custom counter that counts 0
    tokens between many consecutive places would make it slow.
    """
    return counts if min(counts) > 0 else [max(count, 1) for count in counts]
