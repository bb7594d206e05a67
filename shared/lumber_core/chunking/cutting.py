"""Where to cut a text by layout, scores and size at once.

All splitters use these rules to cut chunks that are too long, and some to cut to a size. Places are
sentences, lines and paragraphs, and clauses and words if these are too far apart. The score of a
cut depends on the kind of its place and, if there is a model, on the model's score.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from operator import add, sub
from typing import TYPE_CHECKING, NamedTuple

from lumber_core.chunking.last_resort import parts_that_fit
from lumber_core.chunking.sized_places import SizedPlaceFinder, SizedPlaces
from lumber_core.chunking.tiling import best_cuts, costs_of
from lumber_core.spans import Span, spans_from_starts
from lumber_core.text.parsed import MarkdownText
from lumber_core.text.place import Kind, Places, places_at

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
_LOWEST_T = -12.0  # lower t is raised to this; that of a place without tokens is minus infinity


class _Weights(NamedTuple):
    """The weights that differ between Markdown and plain text."""

    # Additional score of a place, per unit of t above 0, where the classifier predicts a start.
    # Not added at indented lines, as of YAML and code, whose nesting it does not read.
    start: float
    size: float  # of sizes relative to scores; see `ChunkCosts`
    mixed: float  # the cost of a chunk with the end of a section and the start of the next


_PLAIN = _Weights(start=2.4, size=12.0, mixed=0.0)
# The classifier predicts a start at most headings and at every third list item. With the weights of
# plain text, short sections and single items become chunks, and recall falls. Recall is constant
# for `start` from 0.4 to 1.2, `size` from 24 to 36 and `mixed` from 3 up.
_MARKDOWN = _Weights(start=0.8, size=24.0, mixed=12.0)

# Sizes are scaled if finer gaps sum to less than this share of coarse ones; see `Cutter._parts`.
_MIN_SUM_RATIO = 0.9


class Cutter(SizedPlaceFinder):
    """Cuts a text into chunks of a target size at the best of its places."""

    def shorten(
        self, spans: Iterable[Span], units: Sequence[Span] = (), scorer: Scorer | None = None
    ) -> list[Span]:
        """Cut spans that count more than `chunk_size` into parts that fit, at their best places.

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
        # The span may count more than the sum of its gaps, so the sum may seem to fit. A maximum
        # below the sum forces a cut.
        most = min(self._most, sum(sized.tokens) - 1)
        if unit_starts:
            refined = self.refine_units(sized, places, most)
        else:
            refined = self.refine(sized, most)
        t = None if scorer is None else scorer(refined.places)
        together, apart = sum(sized.tokens), sum(refined.tokens)
        # Finer gaps may count much less apart than together, such as digits without the blank
        # before them. Parts whose gaps sum to `chunk_size` would then all be too long.
        scale = apart / together if apart < _MIN_SUM_RATIO * together else 1.0
        most = max(1, min(int(self._most * scale), apart - 1))
        starts = [0, *(cut - span.start for cut in self.cut(refined, t, most, scale))]
        parts = spans_from_starts(starts, span.end - span.start)
        return [part.shifted(span.start) for part in parts], refined

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
            tokens, own = sized.tokens[first : last + 1], scores[first:last]
            inside = best_cuts(tokens, own, costs, headed and headed[first:last])
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
