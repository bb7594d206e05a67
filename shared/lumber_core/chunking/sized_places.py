"""Places in a text with the tokens between them, close enough to cut the text to a size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from lumber_core.chunking.last_resort import parts_that_fit
from lumber_core.chunking.size_limits import CountedParts, SizeLimits
from lumber_core.chunking.sizes import DEFAULT_CHUNK_SIZE, DEFAULT_TARGET_SIZE
from lumber_core.spans import Span
from lumber_core.text.captions import is_captions, spoken_text
from lumber_core.text.parsed import MarkdownText, ParsedText
from lumber_core.text.place import Kind, Places, places_at
from lumber_core.tokens import tokens_of

_MAX_SIZE_PER_TARGET = 4  # times the target: the longest chunk considered without a limit
# Finer places are added until there are about this many per target: enough to choose from.
_PLACES_PER_TARGET = 3


@dataclass(frozen=True, slots=True)
class SizedPlaces(CountedParts):
    """Places in a range of a text, and the parts between them with their tokens, the gaps."""

    places: Places  # strictly inside the range: all edges but the first and the last

    def gap(self, number: int) -> Span:
        """Return the span of gap `number`, which ends at the place of that number."""
        return Span(self.edges[number], self.edges[number + 1])

    def long_gaps(self, size: int, lines: int, edge: Kind) -> list[int]:
        """Return the numbers of the gaps that are too long, ascending.

        A gap of whole lines has at most `lines` tokens, any other gap at most `size`. `edge` is the
        kind of the places at the ends of the range.
        """
        least = min(size, lines)
        long = [number for number, count in enumerate(self.tokens) if count > least]
        return [n for n in long if self.tokens[n] > (lines if self.is_lines(n, edge) else size)]

    def is_lines(self, number: int, edge: Kind) -> bool:
        """Return whether gap `number` consists of whole lines; see `long_gaps`."""
        kinds = self.places.kinds
        before = kinds[number - 1] if number else edge
        after = kinds[number] if number < len(kinds) else edge
        return min(before, after) >= Kind.LINE

    def divide(self, inside: Mapping[int, SizedPlaces]) -> SizedPlaces:
        """Add places; `inside` has those inside some gaps, by the ascending numbers of the gaps."""
        places: list[Places] = []
        tokens: list[int] = []
        done = -1  # the number of the last divided gap
        for number, finer in inside.items():
            places += [self.places[max(0, done) : number], finer.places]
            tokens += self.tokens[done + 1 : number]
            tokens += finer.tokens
            done = number
        all_places = Places.join([*places, self.places[max(0, done) :]])
        edges = [self.edges[0], *all_places.offsets, self.edges[-1]]
        return SizedPlaces(edges, [*tokens, *self.tokens[done + 1 :]], all_places)


class SizedPlaceFinder:
    """Finds places in a text with the tokens between them, and finer ones in long gaps.

    The limits have a `target_size`, or a `chunk_size` to which the target is in the default
    proportion.
    """

    def __init__(self, parsed: ParsedText, limits: SizeLimits) -> None:
        target, most = limits.target_size, limits.chunk_size or 0
        if target is None:
            target = max(1, most * DEFAULT_TARGET_SIZE // DEFAULT_CHUNK_SIZE)
        self._parsed = parsed
        self._limits = limits
        self._tokens = parsed.derive(limits.counter, tokens_of)
        # Captions are longer than the words spoken in them.
        captions = is_captions(parsed.text, parsed.source.kind)
        spoken = max(1, len(spoken_text(parsed.text) if captions else parsed.text))
        self._target = round(target * (max(1, len(parsed.text)) / spoken))
        self._most = limits.chunk_size or _MAX_SIZE_PER_TARGET * self._target

    def places(
        self, units: Sequence[Span] | None = None, places: Places | None = None
    ) -> SizedPlaces:
        """Return the places of the text where a chunk may start, with the tokens between them.

        Sentences, lines, paragraphs and headings are places. Clauses are places only inside
        sentences of more than `target_size` tokens and lines of more than `chunk_size`. Words are
        places only inside clauses of more than `chunk_size`. If there are `units`, chunks start
        elsewhere only inside units of more than `chunk_size` tokens. `places` are those of the
        text, if they are already found.
        """
        places = self._parsed.places() if places is None else places
        whole = Span(0, len(self._parsed.text))
        if units is None:
            (sized,) = self.measure([(whole, places)])
            return self.refine(sized, self._most)
        (sized,) = self.measure([(whole, places_at([unit.start for unit in units[1:]], places))])
        return self.refine_units(sized, places, self._most)

    def measure(self, ranges: Iterable[tuple[Span, Places]]) -> list[SizedPlaces]:
        """Return the places in each range with the tokens between them."""
        sized = [([span.start, *places.offsets, span.end], places) for span, places in ranges]
        counts = self._tokens.count(part for edges, _ in sized for part in pairwise(edges))
        # `best_cuts` compares all places within `chunk_size` tokens. A custom counter that counts 0
        # tokens between many consecutive places would make it slow.
        least = iter(counts if min(counts, default=1) > 0 else [max(1, count) for count in counts])
        return [
            SizedPlaces(edges, [*islice(least, len(edges) - 1)], places) for edges, places in sized
        ]

    def refine(self, sized: SizedPlaces, most: int) -> SizedPlaces:
        """Add finer places to gaps that are too long for chunks of at most `most` tokens."""
        long = sized.long_gaps(self._target, most, Kind.HEADING)
        return sized.divide({n: self._finer(sized, n, most) for n in long}) if long else sized

    def refine_units(self, at_units: SizedPlaces, places: Places, most: int) -> SizedPlaces:
        """Add all places of a range in units that are too long for chunks of `most` tokens."""
        long = at_units.long_gaps(most, most, Kind.HEADING)
        gaps = [at_units.gap(number) for number in long]
        inside = self.measure((gap, places.inside(*gap)) for gap in gaps)
        return at_units.divide(
            {number: self.refine(sized, most) for number, sized in zip(long, inside, strict=True)}
        )

    def _finer(self, outer: SizedPlaces, number: int, most: int) -> SizedPlaces:
        """Find places in gap `number`, coarse places first.

        Whole lines are divided only if they have more than `most` tokens.
        """
        enough = max(1, self._target // _PLACES_PER_TARGET)
        edge = Kind.LINE if outer.is_lines(number, Kind.HEADING) else Kind.CHARACTER
        span = outer.gap(number)
        sized = SizedPlaces(span, [outer.tokens[number]], Places.of(()))
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
        # Words that fit in no chunk are divided.
        added = {}
        for number in sized.long_gaps(self._most, self._most, Kind.CHARACTER):
            gap = sized.gap(number)
            parts = [*parts_that_fit(self._parsed.text, gap, self._most, self._limits)]
            added[number] = Places.alike([part.start for part in parts[1:]], Kind.CHARACTER)
        return self._divide_gaps(sized, added) if added else sized

    def _divide_gaps(self, sized: SizedPlaces, added: Mapping[int, Places]) -> SizedPlaces:
        """Add places inside some gaps, by gap number, without counting the other gaps again."""
        inside = self.measure((sized.gap(number), places) for number, places in added.items())
        # A single gap is replaced as a whole.
        return sized.divide(dict(zip(added, inside, strict=True))) if sized.places else inside[0]
