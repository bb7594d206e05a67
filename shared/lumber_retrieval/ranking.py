"""One ranking made of several: by vectors and by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

CANDIDATES = 100
"""Chunks taken from each ranking. Recall on the development corpora is the same from 30 to 300."""


def fused(
    rankings: Sequence[Mapping[int, float]], weights: Sequence[float] = (1, 1)
) -> dict[int, float]:
    """Return the scores of all that is in any ranking, best first.

    Relative score fusion: the scores of each ranking are scaled to 0 for its last and 1 for its
    first, and added. What a ranking lacks has 0 there.

    Args:
        rankings: Scores, higher is better, best first. Each has what is best by it.
        weights: How much each ranking counts, beside the others.

    Returns:
        From 0 to 1, the weighted mean over the rankings that have anything.
    """
    known = [pair for pair in zip(rankings, weights, strict=False) if all(pair)]
    everything = sum(weight for _, weight in known)
    total: dict[int, float] = {}
    for ranking, weight in known:
        low, high = min(ranking.values()), max(ranking.values())
        for number, score in ranking.items():
            scaled = (score - low) / (high - low) if high > low else 1.0
            total[number] = total.get(number, 0.0) + scaled * weight / everything
    return dict(sorted(total.items(), key=itemgetter(1), reverse=True))
