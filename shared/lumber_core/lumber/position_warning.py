"""The warning about judges that seem to answer without reading: always the first unit, or none."""

from __future__ import annotations

import logging

from lumber_core.segmentation import PositionShare

logger = logging.getLogger(__name__)

# A judge that names the first unit, the last, or none this often probably ignores the text.
_SUSPICIOUS_SHARE = 0.9
_ENOUGH_GROUPS = 10
# Of windows, which have many units to choose from, fewer are enough.
_ENOUGH_WINDOWS = 3


def warn_of_positions(positions: PositionShare, *, of_windows: bool) -> None:
    """Log a warning for each kind of answer that a judge nearly always gives.

    Args:
        positions: How often it gave which.
        of_windows: Whether it was asked about windows.
    """
    if positions.groups < (_ENOUGH_WINDOWS if of_windows else _ENOUGH_GROUPS):
        return
    for named, share in (
        ("the first unit", positions.first),
        ("the last unit", positions.last),
        ("every unit", positions.every),
    ):
        if share >= _SUSPICIOUS_SHARE:
            logger.warning(
                "in %.0f %% of %d groups the judge named %s offered, as small "
                "language models do whatever the text says: use a larger model, LocalModel, or "
                "the bundled model (no llm), and look at the chunks",
                100 * share,
                positions.groups,
                named,
            )
    if positions.none >= _SUSPICIOUS_SHARE:
        logger.warning(
            "in %.0f %% of %d groups the judge found no topic shift, so size alone decides "
            "where those chunks end. That is right for a text about one thing throughout, such "
            "as a table; but small language models answer so whatever the text says: use a "
            "larger model, LocalModel, or the bundled model (no llm), and look at the chunks",
            100 * positions.none,
            positions.groups,
        )
