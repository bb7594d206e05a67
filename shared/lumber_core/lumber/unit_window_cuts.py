"""Cuts of a text, chosen by the scores of its windows, the layout and the sizes together."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

from lumber_core.chunking.base import enforce_limits
from lumber_core.chunking.size_limits import SizeLimits
from lumber_core.lumber.unit_windows import UnitWindowWalk
from lumber_core.segmentation import Segmentation, Verdict
from lumber_core.spans import spans_from_starts
from lumber_core.text.parsed import ParsedText
from lumber_core.text.place import Places


def cut_by_unit_windows(
    walk: UnitWindowWalk, parsed: ParsedText, limits: SizeLimits
) -> Segmentation:
    """Return the best chunks of a text, all of whose windows are judged.

    Chunks start at units, or inside one that fits in no chunk.

    Args:
        walk: The windows, with their verdicts.
        parsed: The text.
        limits: The limits, with a `target_size`.
    """
    made = Segmentation((), walk.verdicts, walk.usage)
    text, units = parsed.text, walk.document.units
    if not text:
        return made
    from lumber_core.chunking.cutting import Cutter  # deferred: imports numpy

    starts = [unit.start for unit in units]

    def scores(places: Places) -> list[float]:
        numbers = [bisect_right(starts, offset) - 1 for offset in places.offsets]
        return [
            walk.score(number) if starts[number] == offset else walk.score_inside(number)
            for number, offset in zip(numbers, places.offsets, strict=True)
        ]

    cutter = Cutter(parsed, limits)
    found = cutter.places(units, parsed.all_places)
    cuts = cutter.cut(found, scores(found.places))
    made = replace(made, spans=spans_from_starts([0, *cuts], len(text)))
    made = enforce_limits(made, parsed, limits, units, scores)
    setters: list[Verdict | None] = []
    for span in made.spans:
        number = bisect_right(starts, span.start) - 1
        at_unit = number > 0 and starts[number] == span.start
        setters.append(walk.verdict_on(number) if at_unit else None)
    return replace(made, start_verdicts=tuple(setters))
