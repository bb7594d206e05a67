"""What splitting will cost, known before anything is paid.

The walk that will be walked is walked beforehand with free judges, which name the unit at a fixed
share of the group's length. How many calls a text takes depends on nothing but how far into their
groups the answers fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from lumber_core.lumber.grouping import Group
from lumber_core.lumber.walk import Walk
from lumber_core.segmentation import Usage, Verdict
from lumber_core.spans import Span

# Where in a group, by length, a model's answers fall on average: at 0.61 in the published run on
# Emma, which would have taken 468 calls if all of them fell at 0.6, and took 476.
LATE, LIKELY, EARLY = 0.9, 0.6, 0.4
# "Answer: ID 1234" and the end of the message.
COMPLETION_TOKENS = 8


class Range(NamedTuple):
    """A quantity that is not known exactly: its least, most likely and greatest value."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True, slots=True)
class Prices:
    """What a model costs, in any currency.

    Attributes:
        prompt: Price of a million prompt tokens.
        completion: Price of a million completion tokens.
    """

    prompt: float
    completion: float

    def of(self, usage: Usage) -> float:
        """Return the price of what was used."""
        spent = usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion
        return spent / 1_000_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """What splitting some texts is expected to take.

    Attributes:
        calls: Questions to the model.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        cost: Money, in the currency of the prices; None where no prices are known.
    """

    calls: Range
    prompt_tokens: Range
    completion_tokens: Range
    cost: Range | None


def rehearsed(walk: Walk, share: float) -> list[Group]:
    """Walk a walk whose answers all fall at one share of their groups' lengths.

    Args:
        walk: A walk at its beginning.
        share: From 0, the first choice, to 1, the last.

    Returns:
        The groups that would be asked about.
    """
    groups = []
    while (group := walk.claim()) is not None:
        groups.append(group)
        spans = group.document.units
        first, last = spans[group.start].start, spans[group.stop - 1].end
        wanted = first + share * (last - first)
        choices = [unit for unit in group.choices if unit < len(spans)]
        unit = min(choices, key=partial(_distance, spans, wanted), default=None)
        walk.record(Verdict(group.start, group.stop, unit, "shift"))
    return groups


def estimate(usages: tuple[Usage, Usage, Usage], prices: Prices | None) -> Estimate:
    """Put the usages of a late, a likely and an early walk together.

    Args:
        usages: What walks took whose answers fall late, as is likely, and early in their groups.
        prices: What the model costs.
    """
    return Estimate(
        calls=Range(*(usage.calls for usage in usages)),
        prompt_tokens=Range(*(usage.prompt_tokens for usage in usages)),
        completion_tokens=Range(*(usage.completion_tokens for usage in usages)),
        cost=None if prices is None else Range(*(prices.of(usage) for usage in usages)),
    )


def _distance(spans: Sequence[Span], wanted: float, unit: int) -> float:
    return abs(spans[unit].start - wanted)
