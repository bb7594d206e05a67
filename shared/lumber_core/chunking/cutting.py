"""Where to cut a text by layout, scores and size at once.

All splitters use these rules to cut chunks that are too long, and some to cut to a size. Places are
sentences, lines and paragraphs, and clauses and words if these are too far apart. The score of a
cut depends on the kind of its place and, if there is a model, on the model's score.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from operator import add, sub
from typing import TYPE_CHECKING, NamedTuple

from lumber_core.chunking.oversized_words import parts_that_fit
from lumber_core.chunking.size_limits import CountedParts, SizeLimits
from lumber_core.chunking.size_settings import DEFAULT_CHUNK_SIZE, DEFAULT_TARGET_SIZE
from lumber_core.chunking.tiling import best_cuts, costs_of
from lumber_core.spans import Span, spans_from_starts
from lumber_core.text.captions import is_captions, spoken_text
from lumber_core.text.parsed import MarkdownText, ParsedText
from lumber_core.text.place import Kind, Places, places_at
from lumber_core.tokens import tokens_of

if TYPE_CHECKING:
    import numpy.typing as npt

Scorer = Callable[[Places], "npt.ArrayLike"]
"""Returns for each place the classifier's t: logit(start) - logit(normal)."""

# The scores of cuts, in the units of the size costs (`tiling.ChunkCosts`). Chosen on three
# development corpora together, where the optimum is flat. A higher score
# draws more cuts to such places, at the cost of less even sizes.
_KIND_SCORES = {
    Kind.CHARACTER: -8.0,
    Kind.WORD: -4.0,
    Kind.CLAUSE: -2.0,
    Kind.SENTENCE: 0.0,
    Kind.LINE: 1.0,
    Kind.PARAGRAPH: 2.0,
    Kind.HEADING: 3.0,
}
_SCORES = [*_KIND_SCORES.values()]  # looked up by number, which is faster
_LEVEL_SCORES = (0.0, 3.0, 3.0, 2.0, 1.0, 1.0, 1.0)  # additional, by a heading's level
_DEPTH_COST = 1.0  # per level of indentation
_T_WEIGHT = 0.3  # per unit of t
_LOWEST_T = -12.0  # lower t, such as minus infinity at a place without tokens, is raised to this


class _Weights(NamedTuple):
    """The weights that differ between Markdown and plain text."""

    # Additional score of a place, per unit of t above 0, where the classifier predicts a start.
    # Not added at indented lines, as in YAML and code: the classifier does not see their nesting.
    start: float
    size: float  # the weight of sizes relative to scores; see `ChunkCosts`
    mixed: float  # the cost of a chunk with the end of a section and the start of the next


_PLAIN = _Weights(start=2.4, size=12.0, mixed=0.0)
# The classifier predicts a start at most headings and at every third list item. With the weights of
# plain text, short sections and single items become chunks, and recall falls. Recall is constant
# for `start` from 0.4 to 1.2, `size` from 24 to 36 and `mixed` from 3 up.
_MARKDOWN = _Weights(start=0.8, size=24.0, mixed=12.0)

# Sizes are scaled if finer gaps sum to less than this share of coarse gaps; see `Cutter._parts`.
_MIN_SUM_RATIO = 0.9
_MAX_SIZE_PER_TARGET = 4  # times the target: the longest chunk considered without a limit
# Finer places are added until there are about this many per target: enough to choose from.
_PLACES_PER_TARGET = 3


@dataclass(frozen=True, slots=True)
class SizedPlaces(CountedParts):
    """Places in a range of a text, and the gaps: the parts between them, with their tokens."""

    places: Places  # strictly inside the range: all edges but the first and the last

    def gap(self, number: int) -> Span:
        """Return the span of gap `number`, which ends at the place of that number."""
        return Span(self.edges[number], self.edges[number + 1])

    def long_gaps(self, size: int, lines: int, edge: Kind) -> list[int]:
        """Return the numbers of the gaps that are too long, ascending.

        A gap is too long if it has more than `size` tokens, or, if it consists of whole lines, more
        than `lines`. `edge` is the kind of the places at the ends of the range.
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
        """Add places inside some gaps; `inside` has them by the ascending numbers of the gaps."""
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


class Cutter:
    """Cuts a text into chunks of a target size at the best of its places.

    The limits have a `target_size`, or a `chunk_size` to which the target is in the default
    proportion.
    """

    def __init__(self, parsed: ParsedText, limits: SizeLimits) -> None:
        target, most = limits.target_size, limits.chunk_size or 0
        if target is None:
            target = max(1, most * DEFAULT_TARGET_SIZE // DEFAULT_CHUNK_SIZE)
        self._parsed = parsed
        self._limits = limits
        self._tokens = parsed.compute_once(limits.counter, tokens_of)
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
        elsewhere only inside units of more than `chunk_size` tokens. `places` are the places of the
        text, if the caller has found them.
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
        return sized.divide({n: self._find_finer(sized, n, most) for n in long}) if long else sized

    def refine_units(self, at_units: SizedPlaces, places: Places, most: int) -> SizedPlaces:
        """Add all places of a range in units that are too long for chunks of `most` tokens."""
        long = at_units.long_gaps(most, most, Kind.HEADING)
        gaps = [at_units.gap(number) for number in long]
        inside = self.measure((gap, places.inside(*gap)) for gap in gaps)
        return at_units.divide(
            {number: self.refine(sized, most) for number, sized in zip(long, inside, strict=True)}
        )

    def _find_finer(self, outer: SizedPlaces, number: int, most: int) -> SizedPlaces:
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
            added[number] = Places.of_kind([part.start for part in parts[1:]], Kind.CHARACTER)
        return self._divide_gaps(sized, added) if added else sized

    def _divide_gaps(self, sized: SizedPlaces, added: Mapping[int, Places]) -> SizedPlaces:
        """Add places inside some gaps, by gap number, without counting the other gaps again."""
        inside = self.measure((sized.gap(number), places) for number, places in added.items())
        # A single gap is replaced as a whole.
        return sized.divide(dict(zip(added, inside, strict=True))) if sized.places else inside[0]

    def shorten(
        self, spans: Iterable[Span], units: Sequence[Span] = (), scorer: Scorer | None = None
    ) -> list[Span]:
        """Cut spans of more than `chunk_size` tokens into parts that fit, at their best places.

        Units are cut only if no other place fits. Without a `scorer`, layout and size decide.
        """
        text, unit_starts = self._parsed.text, [unit.start for unit in units]
        shortened: list[Span] = []
        waiting = [*spans]
        long = set(waiting)
        places_of = dict(zip(waiting, self._parsed.places_in(waiting), strict=True))
        waiting.reverse()
        while waiting:
            span = waiting.pop()
            if span not in long:
                shortened.append(span)
                continue
            low, high = bisect_right(unit_starts, span.start), bisect_left(unit_starts, span.end)
            places = places_of.pop(span, None)
            if places is None:
                places = self._parsed.places(*span)
            parts, refined = self._parts(span, places, unit_starts[low:high], scorer)
            if len(parts) > 1:
                long.update(self._limits.find_too_long(self._parsed, parts, refined))
                waiting += parts[::-1]
            else:
                shortened += parts_that_fit(text, span, self._most, self._limits)
        return shortened

    def _parts(
        self, span: Span, places: Places, unit_starts: Sequence[int], scorer: Scorer | None
    ) -> tuple[Sequence[Span], SizedPlaces]:
        """Return the parts of a span that is too long, and the places from which cuts were chosen.

        Some of the parts may still be too long.
        """
        at_starts = places_at(unit_starts, places) if unit_starts else places
        (sized,) = self.measure([(span, at_starts)])
        # The span may have more tokens than the sum of its gaps, so the sum may seem to fit. A
        # maximum below the sum forces a cut.
        most = min(self._most, sum(sized.tokens) - 1)
        if unit_starts:
            refined = self.refine_units(sized, places, most)
        else:
            refined = self.refine(sized, most)
        t = None if scorer is None else scorer(refined.places)
        coarse_sum, fine_sum = sum(sized.tokens), sum(refined.tokens)
        # Finer gaps may count far fewer tokens separately than together, such as digits without the
        # blank before them. Parts whose gaps sum to `chunk_size` would then all be too long.
        scale = fine_sum / coarse_sum if fine_sum < _MIN_SUM_RATIO * coarse_sum else 1.0
        most = max(1, min(int(self._most * scale), fine_sum - 1))
        starts = [0, *(cut - span.start for cut in self.cut(refined, t, most, scale))]
        parts = spans_from_starts(starts, span.end - span.start)
        return [part.shift(span.start) for part in parts], refined

    def cut(
        self,
        sized: SizedPlaces,
        t: npt.ArrayLike | None = None,
        most: int | None = None,
        scale: float = 1.0,
    ) -> list[int]:
        """Return the offsets of the best cuts at some places, ascending.

        A chunk has more than `most` tokens (by default `chunk_size`) only if it contains no place,
        or if its gaps sum to at most `most`. `t` has the classifier's score of each place; without
        it, layout and size decide. `scale` is a factor for the target.
        """
        most = most or self._most
        offsets, levels = sized.places.offsets, sized.places.levels
        weights = _MARKDOWN if isinstance(self._parsed, MarkdownText) else _PLAIN
        scores = _score(sized.places, t, weights.start)
        target = min(max(1, int(self._target * scale)), most)
        low = self._limits.min_chunk_size
        least = None if low is None else min(low, most)
        costs = costs_of(most, target, least, weights.size, weights.mixed)
        headed = [level > 0 for level in levels] if weights.mixed else None
        sections = self._parsed.section_starts
        begin, end = sized.edges[0], sized.edges[-1]
        fixed = [
            bisect_left(offsets, start)
            for start in sections[bisect_right(sections, begin) : bisect_left(sections, end)]
        ]
        cuts: list[int] = []
        for before, last in pairwise([-1, *fixed, len(offsets)]):
            first = before + 1
            tokens, scores_inside = sized.tokens[first : last + 1], scores[first:last]
            inside = best_cuts(tokens, scores_inside, costs, headed and headed[first:last])
            cuts += (first + number for number in inside)
            cuts += [last] if last < len(offsets) else []
        return [offsets[number] for number in cuts]


def _score(places: Places, t: npt.ArrayLike | None, start: float) -> list[float]:
    """Return the scores of places, by their kinds, levels, depths and the classifier's `t`, if any.

    `start` is the weight of that name in `_Weights`.
    """
    scores = [*map(_SCORES.__getitem__, places.kinds)]
    if any(places.levels):
        scores = [*map(add, scores, map(_LEVEL_SCORES.__getitem__, places.levels))]
    if any(places.depths):
        costs = [_DEPTH_COST * depth for depth in places.depths]
        scores = [*map(sub, scores, costs)]
    if t is None:
        return scores
    import numpy as np

    bounded = np.maximum(np.asarray(t, dtype=np.float64), _LOWEST_T)
    added = start * np.where(np.array(places.depths) > 0, 0, np.maximum(bounded, 0))
    total: list[float] = (np.array(scores) + _T_WEIGHT * bounded + added).tolist()
    return total
