"""Warns of judges that seem not to read the text: they always name the first unit, or none."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable

from lumber_core.segmentation import Verdict

logger = logging.getLogger(__name__)

# A judge that gives one kind of answer this often probably ignores the text.
_SUSPICIOUS_SHARE = 0.9
_MIN_GROUPS = 10  # answers about groups; with fewer, no warning is logged
_MIN_WINDOWS = 3  # answers about windows: few, as a guess rarely names the first of many units
_MIN_UNITS = 4  # units to choose from; of two, a correct answer is the first half the time


def warn_of_positions(verdicts: Iterable[Verdict], *, of_windows: bool) -> None:
    """Log a warning if a judge nearly always names a text's first, last, every or no unit."""
    answered = [
        verdict
        for verdict in verdicts
        if verdict.outcome in ("shift", "no_shift") and verdict.stop - verdict.start >= _MIN_UNITS
    ]
    if len(answered) < (_MIN_WINDOWS if of_windows else _MIN_GROUPS):
        return
    ((position, count),) = Counter(map(_position, answered)).most_common(1)
    if position and count >= _SUSPICIOUS_SHARE * len(answered):
        logger.warning(
            "in %.0f %% of %d groups the judge named %s, as small language models do for any text: "
            "use a larger model, or leave it out for the bundled one, and look at the chunks. "
            '"No unit" is right for a text about one topic, such as a table',
            100 * count / len(answered),
            len(answered),
            position,
        )


def _position(verdict: Verdict) -> str:
    """Return the position of the named units if a guess would name them, or ""."""
    units = verdict.starts or (() if verdict.unit is None else (verdict.unit,))
    if not units:
        return "no unit"
    if len(units) == verdict.stop - verdict.start - 1:
        return "every unit"
    # With the rules of the published code, the first unit and the unit past the end are choices.
    if units[-1] <= verdict.start + len(units):
        return "the first unit offered"
    return "the last unit offered" if units[0] >= verdict.stop - len(units) else ""
